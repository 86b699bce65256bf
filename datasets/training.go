package datasets

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets/format"
	"infbench/metrics/nearest"
)

// TrainingSource is a training corpus that can be opened by its name.
type TrainingSource struct {
	Name     string
	About    string // one line
	Repo     Repo
	Config   string // "" for default
	Split    string
	Licence  string
	Citation string
	Fields   TripletFields // what its columns are called, where a row is a record

	cols    []format.Column // where it is not: what fill reads
	fill    func(*format.Row) (Triplet, bool)
	missing []MissingField // what fill has nothing for

	unseen []string // columns of Fields that nobody has seen there: read where they are
	older  string   // the source that has them
}

// MissingField is a field that no record of a training corpus has.
type MissingField struct {
	Corpus string // name and repository
	Field  string // as InF-IR's columns are called: "query_negative"
	Older  string // the corpus that has it, "" where none is known
}

// Error says what is missing and where it is to be had.
func (m MissingField) Error() string {
	if m.Older == "" {
		return fmt.Sprintf("%s has no %s", m.Corpus, m.Field)
	}
	return fmt.Sprintf("%s has no %s; %s has it", m.Corpus, m.Field, m.Older)
}

// title names the source with its repository.
func (s *TrainingSource) title() string { return fmt.Sprintf("%s (%s)", s.Name, s.Repo.ID) }

// without is the source with the fields that it has nothing for.
func (s TrainingSource) without(fields ...string) TrainingSource {
	for _, f := range fields {
		s.missing = append(s.missing, MissingField{Corpus: s.title(), Field: f})
	}
	return s
}

// TrainingSources describes the training corpora by name.
func TrainingSources() []TrainingSource {
	all := append(infIRSources(), promptriever(), msMARCO())
	slices.SortFunc(all, func(a, b TrainingSource) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// TrainingNames lists the training corpora that LoadTriplets knows, sorted.
func TrainingNames() []string {
	var names []string
	for _, s := range TrainingSources() {
		names = append(names, s.Name)
	}
	return names
}

// FindTraining returns the description of a training corpus.
func FindTraining(name string) (TrainingSource, error) {
	for _, s := range TrainingSources() {
		if s.Name == name {
			return s, nil
		}
	}
	return TrainingSource{}, nearest.Unknown("training corpus", name, TrainingNames())
}

// LoadTriplets opens a training corpus: by its name one of TrainingSources below
// root, or, if the name holds a slash or ends in a data file's ending, the file or
// the folder's default config, with the columns of InF-IR. fields, if not zero,
// replaces the names of the columns.
func LoadTriplets(name, root string, fields TripletFields) (*Triplets, error) {
	if format.IsTable(name) {
		return OpenTriplets([]string{name}, orDefault(fields, infIRFields))
	}
	s, dir := TrainingSource{Fields: infIRFields, Split: "train"}, name
	if !strings.ContainsAny(name, `/\`) {
		var err error
		if s, err = FindTraining(name); err != nil {
			return nil, err
		}
		if dir, err = s.Repo.locate(root); err != nil {
			return nil, err
		}
	}
	r, err := openRepository(dir)
	if err != nil {
		return nil, fmt.Errorf("open training corpus %s: %w", filepath.Base(name), err)
	}
	files, err := r.trainingFiles(s)
	if err != nil {
		return nil, fmt.Errorf("open training corpus %s: %w", filepath.Base(name), err)
	}
	if fields != (TripletFields{}) {
		return OpenTriplets(files, fields)
	}
	return s.open(files)
}

// open opens files with the source's own columns.
func (s TrainingSource) open(files []string) (*Triplets, error) {
	if s.fill != nil {
		t := &Triplets{files: files, cols: s.cols, fill: s.fill, missing: s.missing}
		return t, t.check()
	}
	t := &Triplets{files: files, cols: s.Fields.columns(), fill: fillTriplet, texts: true}
	for i, col := range t.cols {
		if slices.Contains(s.unseen, col.Name) && format.Check(files, []format.Column{col}) != nil {
			t.cols[i].Optional = true
			field, _, _ := strings.Cut(col.Name, "|")
			t.missing = append(t.missing, MissingField{s.title(), field, s.older})
		}
	}
	return t, t.check()
}

func orDefault(fields, other TripletFields) TripletFields {
	if fields == (TripletFields{}) {
		return other
	}
	return fields
}

// trainingFiles finds the split of the source; a repository without a config of
// the name may have its files at the top.
func (r *repository) trainingFiles(s TrainingSource) ([]string, error) {
	config := s.Config
	if config == "" {
		config = "default"
	}
	if !r.has(config) && s.Config == "" && r.has(s.Split) {
		config = s.Split
	}
	return r.files(config, s.Split)
}
