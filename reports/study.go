package reports

// Study holds numbers about data rather than about systems: how far raters agree,
// or how varied texts are. No trial has them; views of the paper's figures do.
type Study struct {
	Format string       `json:"format"`
	Kind   string       `json:"kind"` // the view that shows it: agreement, diversity
	Name   string       `json:"name"`
	File   string       `json:"file"`   // that was measured, its base name
	SHA256 string       `json:"sha256"` // of it
	Facts  []string     `json:"facts"`  // what the numbers depend on, a few words each
	Level  float64      `json:"level"`  // of the intervals
	Values []StudyValue `json:"values"`
}

// StudyValue is one number of a study; nil is undefined.
type StudyValue struct {
	Measure   string   `json:"measure"`
	Of        string   `json:"of"` // raters, or what it is counted over
	Direction string   `json:"direction,omitempty"`
	N         int      `json:"n"`
	Observed  *float64 `json:"observed,omitempty"`
	Expected  *float64 `json:"expected,omitempty"`
	Value     *float64 `json:"value"`
	Low       *float64 `json:"low,omitempty"`
	High      *float64 `json:"high,omitempty"`
}

// Overlap says how much of one group of test texts stands in a training corpus.
type Overlap struct {
	Train   string `json:"train"`           // name of the training data
	World   string `json:"world,omitempty"` // that both were generated from; "": not recorded, or not generated
	Test    string `json:"test"`            // of the benchmark
	Group   string `json:"group"`           // "queries of headline"
	Words   int    `json:"words"`           // in a run
	Texts   int    `json:"texts"`           // looked at
	Exact   int    `json:"exact"`           // equal to a training text
	Partial int    `json:"partial"`         // sharing a run of words with one
}
