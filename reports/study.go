package reports

import "infbench/reports/paperview"

// Study and StudyValue are numbers about data, which views of the paper's figures show.
type (
	Study      = paperview.Study
	StudyValue = paperview.StudyValue
	StudyMap   = paperview.StudyMap
	MapGroup   = paperview.MapGroup
	MapPoint   = paperview.MapPoint
)

// Disagreement and DisagreedOn are items that the raters of a study answered differently.
type (
	Disagreement = paperview.Disagreement
	DisagreedOn  = paperview.DisagreedOn
)

// StudyFormat names the shape of a Study in JSON.
const StudyFormat = paperview.StudyFormat

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

// Measures of studies of the kind funnel; what follows is the name of a stage.
const (
	FunnelLeft = paperview.FunnelLeft
	FunnelFell = paperview.FunnelFell
)

// PackPoints makes the points of a map small.
func PackPoints(points []MapPoint) ([]byte, error) { return paperview.PackPoints(points) }
