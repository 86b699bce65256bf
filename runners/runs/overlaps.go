package runs

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"

	"infbench/datasets"
	"infbench/internal/disk"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// Overlap is the overlap of a benchmark with training data, as data overlap and sweep save it
// for reports. A field that was not recorded is empty.
type Overlap struct {
	Train         string                  `json:"train"`
	Label         string                  `json:"label,omitempty"` // name in reports, if it is another
	TrainRevision string                  `json:"train_revision,omitempty"`
	World         uint64                  `json:"world,omitempty"` // generated world of both
	Test          string                  `json:"test"`
	TestRevision  string                  `json:"test_revision,omitempty"`
	Words         int                     `json:"words"`
	Counts        []datasets.OverlapCount `json:"counts"`
}

// overlapKind is the folder of overlaps below runs/ and in a run folder.
const overlapKind = "overlap"

// OverlapFile returns the path of the counts for a training set and a benchmark.
func OverlapFile(name string) string { return StudyFile(overlapKind, name) }

// Overlaps is the file in which a run folder keeps the overlaps of its own data.
type Overlaps struct{ at Folder }

// Overlaps returns the file of the folder.
func (f Folder) Overlaps() Overlaps { return Overlaps{f} }

func (o Overlaps) path() string { return o.at.path(overlapKind + ".json") }

// Read returns the counts for a run folder, if any.
func (o Overlaps) Read() ([]Overlap, error) {
	data, err := disk.ReadFile(o.path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var kept keptOverlaps
	err = disk.DecodeSealed(o.path(), data, &kept)
	return kept.All, err
}

// keptOverlaps is the content of the file.
type keptOverlaps struct {
	All []Overlap `json:"overlaps"`
}

// Write saves the counts for a run folder.
func (o Overlaps) Write(all []Overlap) error {
	return disk.WriteSealed(o.at.Files, o.path(), keptOverlaps{all})
}

// ReadOverlaps reads the counts of data overlap.
func ReadOverlaps() ([]results.Overlap, error) {
	var out []results.Overlap
	err := eachKept(overlapKind, func(_ string, o *Overlap) error {
		out = append(out, o.Shown()...)
		return nil
	})
	return out, err
}

// Shown returns the counts in the form that reports use.
func (o *Overlap) Shown() []results.Overlap {
	world := ""
	if o.World != 0 {
		world = strconv.FormatUint(o.World, 10)
	}
	benchmark := spec.NameOf(o.Test)
	var out []results.Overlap
	for _, c := range o.Counts {
		out = append(out, results.Overlap{Train: cmp.Or(o.Label, filepath.Base(o.Train)), World: world, Test: benchmark,
			Group: c.Group, Words: o.Words, Texts: c.Texts, Exact: c.Exact, Partial: c.Partial})
	}
	return out
}

// Pair is a training set and a benchmark on which the trained models are tested, or some of its
// tasks (spec.TasksOf).
type Pair struct {
	Train, Label, Test          string // Label is the name of Train in reports
	TrainRevision, TestRevision string // "" if there is nothing to pin
	World                       uint64
}
