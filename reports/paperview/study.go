package paperview

// StudyFormat names the shape of a Study in JSON.
const StudyFormat = "infbench-study/1"

// Study holds numbers about data rather than about systems: how far raters agree,
// or how varied texts are. No trial has them; views of the paper's figures do.
type Study struct {
	Format string       `json:"format"`
	Kind   string       `json:"kind"` // the view that shows it: agreement, diversity, data
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
