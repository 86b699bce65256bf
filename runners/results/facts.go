package results

// Facts are properties of a trial that its folder records in addition to results, by name: the
// names below and others.
type Facts map[string]string

// Names of facts. Each belongs to the cause of its name.
const (
	FactJoining = "joining order" // how instruction and query are joined to one text
	FactLength  = "max length"
	FactDtype   = "dtype"
	FactPooling = "pooling"
	FactTies    = "tie policy"
	FactWeights = "weights" // SHA-256
)
