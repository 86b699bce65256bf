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

	cols []format.Column // where it is not: what fill reads
	fill func(*format.Row) (Triplet, bool)
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
		i := slices.IndexFunc(TrainingSources(), func(s TrainingSource) bool { return s.Name == name })
		if i < 0 {
			return nil, nearest.Unknown("training corpus", name, TrainingNames())
		}
		s = TrainingSources()[i]
		var err error
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
	if s.fill == nil || fields != (TripletFields{}) {
		return OpenTriplets(files, orDefault(fields, s.Fields))
	}
	t := &Triplets{files: files, cols: s.cols, fill: s.fill}
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
