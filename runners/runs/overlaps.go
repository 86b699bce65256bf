package runs

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
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

// overlapsPath is where a run folder keeps those of its own data.
func (f Folder) overlapsPath() string { return f.path(overlapKind + ".json") }

// Overlaps reads what was counted for a run folder; none where nothing was.
func (f Folder) Overlaps() ([]Overlap, error) {
	data, err := disk.ReadFile(f.overlapsPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var kept overlaps
	err = disk.DecodeSealed(f.overlapsPath(), data, &kept)
	return kept.All, err
}

// overlaps is what a run folder keeps of its own data.
type overlaps struct {
	All []Overlap `json:"overlaps"`
}

// WriteOverlaps keeps what was counted for a run folder.
func (f Folder) WriteOverlaps(all []Overlap) error {
	return disk.WriteSealed(f.Files, f.overlapsPath(), overlaps{all})
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

// Pairs lists the training sets and benchmarks of a run; none of a folder that no
// sweep made.
func (f Folder) Pairs() ([]Pair, error) {
	_, plan, _, _, err := f.listed()
	if err != nil || plan == nil {
		return nil, err
	}
	var out []Pair
	for i := range plan.Trials {
		t := &plan.Trials[i]
		c := Config(t)
		if c[results.Loss] == "" || t.Cell.Data == "" {
			continue
		}
		revision := map[string]string{}
		for _, r := range t.Revisions {
			revision[r.Name] = r.Revision
		}
		for _, test := range t.Evaluate {
			benchmark, _ := spec.TasksOf(test)
			p := Pair{Train: t.Cell.Data, Label: t.DataLabel(), TrainRevision: t.DataRevision(), Test: test, TestRevision: revision[benchmark], World: t.Cell.World}
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out, nil
}
