package datasets

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets/format"
	"infbench/internal/nearest"
)

// TrainingSource is a training corpus that can be opened by its name.
type TrainingSource struct {
	Name     string
	About    string // one line
	Repo     Repo
	Config   string // "" means default
	Split    string
	Licence  string
	Citation string
	Fields   TripletFields // names of its columns, if a row is a record

	cols    []format.Column // otherwise the columns that fill reads
	fill    func(*format.Row) (Record, bool)
	missing []MissingField // fields that fill does not provide

	unseen []string // columns of Fields not known to exist there: read if present
	older  string   // the source that has the missing fields
}

// MissingField is a field that no record of a training corpus has.
type MissingField struct {
	Corpus string // name and repository
	Field  string // name of InF-IR's column: "query_negative"
	Older  string // the corpus that has it, "" if none is known
}

// Error names the missing field and, if known, a corpus that has it.
func (m MissingField) Error() string {
	if m.Older == "" {
		return fmt.Sprintf("%s has no %s", m.Corpus, m.Field)
	}
	return fmt.Sprintf("%s has no %s; %s has it", m.Corpus, m.Field, m.Older)
}

// title returns the name of the source with its repository.
func (s *TrainingSource) title() string { return fmt.Sprintf("%s (%s)", s.Name, s.Repo.ID) }

// without returns the source with the given fields as missing.
func (s TrainingSource) without(fields ...string) TrainingSource {
	for _, f := range fields {
		s.missing = append(s.missing, MissingField{Corpus: s.title(), Field: f})
	}
	return s
}

// TrainingSources returns the training corpora, sorted by name.
func TrainingSources() []TrainingSource {
	all := append(infIRSources(), promptriever(), msMARCO())
	slices.SortFunc(all, func(a, b TrainingSource) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// TrainingNames lists the training corpora that LoadRecords knows, sorted.
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

// LoadRecords opens a training corpus: one of TrainingSources below root by its name or, if the
// name contains a slash or has a data file's ending, the user's own file or folder (OpenOwn).
func LoadRecords(name, root string) (*Records, error) {
	if format.IsTable(name) {
		return OpenOwn(filepath.Base(name), []string{name})
	}
	if strings.ContainsAny(name, `/\`) {
		return TrainingSource{}.In(name)
	}
	s, err := FindTraining(name)
	if err != nil {
		return nil, err
	}
	dir, err := s.Repo.locate(root)
	if err != nil {
		return nil, err
	}
	return s.In(dir)
}

// In opens the corpus in a folder with the layout of its repository. The zero source stands for a
// user's own: the split train of the default config, or the only one.
func (s TrainingSource) In(dir string) (*Records, error) {
	name := cmp.Or(s.Name, filepath.Base(dir))
	r, err := OpenRepository(dir)
	if err != nil {
		return nil, fmt.Errorf("open training corpus %s: %w", name, err)
	}
	files, err := r.trainingFiles(s)
	if err != nil {
		return nil, fmt.Errorf("open training corpus %s: %w", name, err)
	}
	if s.Name == "" {
		return OpenOwn(name, files)
	}
	return s.open(files)
}

// open opens files with the source's own columns.
func (s TrainingSource) open(files []string) (*Records, error) {
	if s.fill != nil {
		r := &Records{files: files, cols: s.cols, fill: s.fill, missing: s.missing, lists: true} // both kinds of such corpora do
		return r, r.check()
	}
	r := &Records{files: files, cols: s.Fields.columns(), fill: fillTriplet, texts: true}
	for i, col := range r.cols {
		if slices.Contains(s.unseen, col.Name) && format.Check(files, []format.Column{col}) != nil {
			r.cols[i].Optional = true
			field, _, _ := strings.Cut(col.Name, "|")
			r.missing = append(r.missing, MissingField{s.title(), field, s.older})
		}
	}
	return r, r.check()
}

// trainingFiles finds the split of the source. A repository without a config of the name may have
// its files at the top.
func (r *Repository) trainingFiles(s TrainingSource) ([]string, error) {
	config, split := cmp.Or(s.Config, "default"), cmp.Or(s.Split, "train")
	if !r.Has(config) && s.Config == "" {
		if r.Has(split) {
			config = split
		} else if names := r.Names(); s.Name == "" && len(names) == 1 {
			config = names[0]
		}
	}
	return r.Files(config, split)
}
