package results

// Overlap counts the test texts of one group that also occur in a training corpus.
type Overlap struct {
	Train   string `json:"train"`           // name of the training data
	World   string `json:"world,omitempty"` // generated world of both; "": not recorded, or not generated
	Test    string `json:"test"`            // name of the benchmark
	Group   string `json:"group"`           // "queries of headline"
	Words   int    `json:"words"`           // length of a run of words
	Texts   int    `json:"texts"`           // number of texts in the group
	Exact   int    `json:"exact"`           // equal to a training text
	Partial int    `json:"partial"`         // that share a run of words with one
}
