package runs

import (
	"infbench/datasets/overlap"
)

// OverlapFile is what overlap keeps for reports.
type OverlapFile struct {
	Train  string          `json:"train"`
	Test   string          `json:"test"`
	Words  int             `json:"words"`
	Counts []overlap.Count `json:"counts"`
}
