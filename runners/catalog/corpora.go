package catalog

import (
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/datasets/curate"
	"infbench/datasets/format"
	"infbench/datasets/hub"
	"infbench/datasets/mixture"
	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/runners/spec"
)

// A source of training data is a corpus that infbench generates or knows by name, a file, a
// folder with the layout of a hub dataset, an imported folder, or ORG/NAME or ORG/NAME@REVISION
// of a dataset of the hub. Training data is a mixture of such sources, in the notation of
// package mixture.

// Corpora lists the named training sets of experiments. Generated ones also accept a number of
// records; see IsCorpus.
func Corpora() []string {
	return append(datasets.MiniTrainingNames(), datasets.TrainingNames()...)
}

// IsCorpus reports whether a name is one of Corpora, or a generated one of another size.
func IsCorpus(name string) bool { return isMini(name) || slices.Contains(Corpora(), name) }

// CheckData checks each source of a mixture and returns the mixture's canonical name. A dataset
// of the hub need not have been fetched yet.
func CheckData(text string) (canonical string, err error) {
	m, err := mixture.Parse(text)
	if err != nil {
		return "", err
	}
	for i := range m {
		if m[i].Name, err = checkSource(m[i].Name); err != nil {
			return "", err
		}
	}
	return m.String(), nil
}

// checkSource returns the canonical name of a source.
func checkSource(name string) (string, error) {
	if canonical, ok, err := datasets.ParseMini(name); ok {
		return canonical, err
	}
	if slices.Contains(Corpora(), name) {
		return name, nil
	}
	lock, err := hub.ReadLock(hub.LockFile)
	if err != nil {
		return "", err
	}
	if _, ok := lock.Folder(name); ok {
		return name, nil
	}
	info, err := disk.Stat(name)
	switch {
	case err == nil && (info.IsDir() || format.IsTable(name)):
		return pathName(name), nil
	case err == nil && format.CheckPacking(name) != nil:
		return "", format.CheckPacking(name)
	case err == nil:
		return "", fmt.Errorf("%s is not training data: want a folder, or a file ending in .jsonl, .json, .ndjson, .csv, .tsv (also .gz, .zst) or .parquet", name)
	}
	if _, ok := HubDataset(name); ok {
		return name, nil
	}
	if mixture.IsPath(name) {
		return "", noSuch("training data", name)
	}
	known := Corpora()
	for _, f := range lock.Folders {
		known = append(known, f.Name)
	}
	return "", nearest.Unknown("training data", name, append(known, "a file", "a folder", "ORG/NAME of the hub"))
}

// pathName is the canonical form of a path of data.
func pathName(path string) string {
	short := disk.ShortPath(path)
	if filepath.IsAbs(short) {
		return short
	}
	return "./" + short
}

// noSuch is the error for a missing path of some kind of data, with similar names.
func noSuch(kind, path string) error {
	dir := filepath.Dir(path)
	if _, err := disk.ReadDir(dir); err != nil {
		return fmt.Errorf("%s %s: there is no folder %s", kind, path, dir)
	}
	return fmt.Errorf("%s %s: there is no such file or folder%s", kind, path, nearest.Path(path, disk.Siblings(path)))
}

// HubDataset parses ORG/NAME[@REVISION]; ok is false for other names.
func HubDataset(name string) (repo hub.Repo, ok bool) {
	id, revision, _ := strings.Cut(name, "@")
	repo = hub.Repo{Kind: hub.Dataset, ID: id, Revision: revision}
	if strings.Count(id, "/") != 1 || format.IsTable(id) || repo.Check() != nil {
		return hub.Repo{}, false
	}
	return repo, true
}

// Corpus is an opened source of training data.
type Corpus struct {
	mixture.Source
	Shape  datasets.Shape
	Lacks  []datasets.MissingField
	Lists  bool     // its records list negatives in addition to their rows
	Unread []string // columns that are not read, for your own files
	All    iter.Seq2[datasets.Record, error]
}

// OpenData opens the sources of a mixture in a world, without reading them.
func OpenData(text string, world uint64) ([]Corpus, error) {
	return OpenCell(&spec.Cell{Data: text, World: world})
}

// OpenCell opens the training data of a cell, before shares and drops. If the cell names a
// judge, sources with verdicts have only the records that the judge keeps.
func OpenCell(cell *spec.Cell) ([]Corpus, error) {
	m, err := mixture.Parse(cell.Data)
	if err != nil {
		return nil, err
	}
	var all []Corpus
	judged := false
	for _, s := range m {
		if err := holdSource(s.Name); err != nil {
			return nil, err
		}
		c, is, err := openJudged(s.Name, cell.Judge)
		if !is && err == nil {
			c, err = openSource(s.Name, cell.World)
		}
		if err != nil {
			return nil, err
		}
		judged, c.Source = judged || is, s
		all = append(all, c)
	}
	if cell.Judge != "" && !judged {
		return nil, noVerdicts(cell)
	}
	return all, nil
}

// holdSource checks that a source made by infbench curate has not changed since it was
// finished.
func holdSource(name string) error {
	if IsCorpus(name) {
		return nil
	}
	lock, err := hub.ReadLock(hub.LockFile)
	if err != nil {
		return err
	}
	if f, ok := lock.Folder(name); ok {
		name = f.Path
	}
	return curate.CheckUnchanged(name)
}

// openSource opens a source.
func openSource(name string, world uint64) (Corpus, error) {
	if isMini(name) {
		return generated(name, world), nil
	}
	records, err := openRecords(name)
	if err != nil {
		return Corpus{}, err
	}
	return corpusOf(records), nil
}

// corpusOf returns the corpus of a user's own records.
func corpusOf(records *datasets.Records) Corpus {
	return Corpus{Shape: records.Shape(), Lacks: records.Lacks(), Lists: records.ListsNegatives(), Unread: records.Unread(), All: records.All()}
}

func isMini(name string) bool {
	_, ok, err := datasets.ParseMini(name)
	return ok && err == nil
}

// IsGenerated reports whether all sources of a mixture are generated, so that reading them
// costs nothing.
func IsGenerated(text string) bool {
	m, err := mixture.Parse(text)
	return err == nil && !slices.ContainsFunc(m.Names(), func(name string) bool { return !isMini(name) })
}

// openRecords opens a source that is read from files.
func openRecords(name string) (*datasets.Records, error) {
	if slices.Contains(datasets.TrainingNames(), name) {
		if err := checkFetched(name); err != nil {
			return nil, err
		}
		return datasets.LoadRecords(name, "")
	}
	lock, err := hub.ReadLock(hub.LockFile)
	if err != nil {
		return nil, err
	}
	if f, ok := lock.Folder(name); ok {
		return datasets.TrainingSource{}.In(f.Path)
	}
	if repo, ok := isHubDataset(name); ok {
		dir, _, err := locate(repo)
		if err != nil {
			return nil, absentOr(err, notFetched(name))
		}
		return knownLayout(repo.ID).In(dir)
	}
	return datasets.LoadRecords(name, "")
}

// isHubDataset reports whether a name is a dataset of the hub and not a folder of that name.
func isHubDataset(name string) (hub.Repo, bool) {
	if _, err := disk.Stat(name); err == nil {
		return hub.Repo{}, false
	}
	return HubDataset(name)
}

// knownLayout is the layout of a repository that infbench knows by another name, or else that
// of your own data.
func knownLayout(id string) datasets.TrainingSource {
	for _, s := range datasets.TrainingSources() {
		if s.Repo.ID == id {
			return s
		}
	}
	return datasets.TrainingSource{}
}

// LoadData reads the training data of a cell into memory; see OpenCell.
func LoadData(cell *spec.Cell) (mixture.Data, error) {
	corpora, err := OpenCell(cell)
	if err != nil {
		return nil, err
	}
	var data mixture.Data
	for _, c := range corpora {
		part := mixture.Part{Source: c.Source, Shape: c.Shape}
		for r, err := range c.All {
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.Name, err)
			}
			part.Records = append(part.Records, r)
		}
		data = append(data, part)
	}
	return data, nil
}

// Shapes are the shapes of the records that a cell trains on. Sources that cannot be opened
// count as triplets.
func Shapes(cell *spec.Cell) []datasets.Shape {
	corpora, err := OpenCell(cell)
	if err != nil {
		return []datasets.Shape{datasets.TripletShape}
	}
	var shapes []datasets.Shape
	for _, c := range corpora {
		shapes = append(shapes, cell.Dropped().Shape(c.Shape))
	}
	return shapes
}

// Texts lists every text of training data.
func Texts(data mixture.Data) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, r := range data.All() {
			for _, s := range r.Texts() {
				if !yield(s) {
					return
				}
			}
		}
	}
}
