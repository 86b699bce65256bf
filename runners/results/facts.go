package results

// Facts are what a trial's folder says beyond what results hold, by name: those
// below, and any other.
type Facts map[string]string

// Names of facts. Each belongs to the cause of its name.
const (
	FactJoining = "joining order" // how instruction and query make one text
	FactLength  = "max length"
	FactDtype   = "dtype"
	FactPooling = "pooling"
	FactTies    = "tie policy"
	FactWeights = "weights" // SHA-256
)
