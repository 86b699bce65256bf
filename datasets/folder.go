package datasets

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"infbench/datasets/format"
	"infbench/internal/disk"
)

// OpenFolder opens a collection in any known layout: that of a suite outside the hub (FollowTable,
// ExcluIR, MultiConIR), BEIR, a dataset repository as written by mteb, or TREC, tried in this
// order. It is named by FolderName. A collection with private texts (IsPrivate) is concealed.
func OpenFolder(dir string) (*Benchmark, error) {
	b, err := openLayout(dir)
	if err != nil {
		return nil, err
	}
	private, err := IsPrivate(dir)
	if err != nil {
		return nil, err
	}
	if private {
		b.Conceal()
	}
	for i := range b.Tasks {
		if err := b.Tasks[i].warnSelf(); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// FolderName returns the name of the collection in a folder, the same for every spelling of its
// path: the folder's name, or the parent's if the folder is named like a layout (scifact/beir).
func FolderName(dir string) string {
	real := disk.RealPath(dir)
	name, above := filepath.Base(real), filepath.Dir(real)
	if slices.Contains([]string{"beir", "mteb", "trec"}, name) && above != filepath.Dir(above) {
		return filepath.Base(above)
	}
	return name
}

// openLayout opens a folder by the first layout that matches.
func openLayout(dir string) (*Benchmark, error) {
	if name := SuiteInFolder(dir); name != "" {
		return openElsewhere(name, dir)
	}
	if _, err := format.Find(filepath.Join(dir, "qrels", "test.tsv")); err == nil {
		return OpenBEIR(dir)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	r, err := OpenRepository(dir)
	if err != nil {
		return nil, err
	}
	if is, err := hasOtherSplits(dir, r); err != nil {
		return nil, err
	} else if is {
		return OpenBEIR(dir)
	}
	if len(r.Subsets()) > 0 {
		return OpenMTEB(dir)
	}
	if _, err := findTREC(dir); err != nil {
		return nil, fmt.Errorf("%s is in none of the known layouts: no qrels/test.tsv (BEIR), no config \"corpus\" (mteb), and as TREC: %w", dir, err)
	}
	return OpenTREC(dir)
}

// hasOtherSplits reports whether a folder is in BEIR's layout with judgments of splits other than
// test, and has no files that only mteb's layout has.
func hasOtherSplits(dir string, r *Repository) (bool, error) {
	for _, config := range []string{"instruction", "top_ranked", "qrel_diff", "qrels_og"} {
		if r.Has(config) {
			return false, nil
		}
	}
	for _, name := range []string{"corpus.jsonl", "queries.jsonl"} {
		if _, err := format.Find(filepath.Join(dir, name)); errors.Is(err, fs.ErrNotExist) {
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	splits, err := beirSplits(dir)
	return len(splits) > 0, err
}

// openElsewhere opens a suite outside the hub, and sets its description.
func openElsewhere(name, dir string) (b *Benchmark, err error) {
	switch name {
	case "followtable":
		b, err = openFollowTable(dir)
	case "excluir":
		var task Collected
		task, err = ReadExcluIR(dir)
		b = openCollected(dir, task)
	case "multiconir":
		var tasks []Collected
		tasks, err = ReadMultiConIR(dir)
		b = openCollected(dir, tasks...)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	source, err := FindSource(name)
	b.Source, b.Licence, b.Citation = "files of "+name, source.Licence, source.Citation
	for i := range b.Tasks {
		b.Tasks[i].note(source.Protocol)
	}
	return b, err
}

// OpenMTEB opens a retrieval repository as written by mteb: configs corpus, queries, default (or
// qrels), and if present instruction, top_ranked and qrel_diff. A repository with subsets has
// "subset-corpus" or "corpus-subset" and so on, and one task per subset. The split is test, or the
// only one.
func OpenMTEB(dir string) (*Benchmark, error) {
	name := FolderName(dir)
	r, err := OpenRepository(dir)
	if err != nil {
		return nil, fmt.Errorf("open mteb repository %s: %w", name, err)
	}
	b := &Benchmark{Name: name, Source: "a repository in mteb's layout"}
	for _, subset := range r.Subsets() {
		task, err := r.openMTEBSubset(subset)
		if err != nil {
			return nil, fmt.Errorf("open mteb repository %s: task %s: %w", name, subset.Name, err)
		}
		b.Tasks = append(b.Tasks, *task)
	}
	if len(b.Tasks) == 0 {
		return nil, fmt.Errorf("open mteb repository %s: no config \"corpus\" among %q", name, r.Names())
	}
	return b, nil
}

// openMTEBSubset opens one task, also in the older layout of FollowIR.
func (r *Repository) openMTEBSubset(s Subset) (*Task, error) {
	pairs := []Scoring{{Measure: "AP@1000", Side: Original}, {Measure: "nDCG@5", Side: Original}, {Measure: "p-MRR"}}
	if r.Has(s.Config("qrels_og")) {
		task, err := r.openPaired(s.Name, r.Has("qrels_reversed"))
		if err == nil {
			task.Scorings = pairs
		}
		return task, err
	}
	parts := r.mtebConfigs(s.Config, "test")
	if parts.qrelDiff != "" {
		task, err := r.openSuffixed(s.Name, parts)
		if err == nil {
			task.Scorings = pairs
		}
		return task, err
	}
	task, err := r.openMTEBTask(s.Name, parts)
	if err == nil {
		task.Scorings = adHoc()
	}
	return task, err
}
