package results

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
