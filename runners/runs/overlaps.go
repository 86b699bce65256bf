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

// Overlap is how much of a benchmark stands in training data, as data overlap and
// sweep keep it for reports. A field that was not recorded is empty.
type Overlap struct {
	Train         string                  `json:"train"`
	Label         string                  `json:"label,omitempty"` // what reports call it, where it is called otherwise
	TrainRevision string                  `json:"train_revision,omitempty"`
	World         uint64                  `json:"world,omitempty"` // that both were generated from
	Test          string                  `json:"test"`
	TestRevision  string                  `json:"test_revision,omitempty"`
	Words         int                     `json:"words"`
	Counts        []datasets.OverlapCount `json:"counts"`
}

// overlapKind is the folder below runs/, and in a run folder, that overlaps are in.
const overlapKind = "overlap"

// OverlapFile is where the counts of a training set and a benchmark are kept.
func OverlapFile(name string) string { return StudyFile(overlapKind, name) }

// Overlaps is the file in which a run folder keeps those of its own data.
type Overlaps struct{ at Folder }

// Overlaps is that of the folder.
func (f Folder) Overlaps() Overlaps { return Overlaps{f} }

func (o Overlaps) path() string { return o.at.path(overlapKind + ".json") }

// Read returns what was counted for a run folder; none where nothing was.
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

// keptOverlaps is the content of that file.
type keptOverlaps struct {
	All []Overlap `json:"overlaps"`
}

// Write keeps what was counted for a run folder.
func (o Overlaps) Write(all []Overlap) error {
	return disk.WriteSealed(o.at.Files, o.path(), keptOverlaps{all})
}

// ReadOverlaps reads what data overlap counted.
func ReadOverlaps() ([]results.Overlap, error) {
	var out []results.Overlap
	err := eachKept(overlapKind, func(_ string, o *Overlap) error {
		out = append(out, o.Shown()...)
		return nil
	})
	return out, err
}

// Shown are the counts as reports take them.
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

// Pair is a training set and a benchmark, or some of its tasks (spec.TasksOf), that what
// learnt from it is tested on.
type Pair struct {
	Train, Label, Test          string // Label is what reports call Train
	TrainRevision, TestRevision string // "" where there is nothing to pin
	World                       uint64
}
