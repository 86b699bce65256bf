package runs

import (
	"fmt"
	"path/filepath"

	"infbench/bench/results"
	"infbench/bench/usage"
	"infbench/datasets/atomicfile"
	"infbench/datasets/sealed"
	"infbench/metrics/nearest"
	"infbench/reports"
)

// StudyFile is where the numbers of a study of that kind and name are kept.
func StudyFile(kind, name string) string { return In(kind, name+".json") }

// CheckName refuses a name that cannot be a file's.
func CheckName(name string) error {
	if name != results.FileName(name) {
		return usage.Errorf("--keep %q: want letters, digits, '-', '_' and '.'", name)
	}
	return nil
}

// KeepStudy writes a study of a file where the view of its kind finds it. What is no
// file comes with the SHA-256 of what was read of it.
func KeepStudy(s *reports.Study, file string) (err error) {
	if s.SHA256 == "" {
		if s.SHA256, err = SumOf(file); err != nil {
			return err
		}
	}
	s.Format, s.File = reports.StudyFormat, filepath.Base(file)
	return sealed.Write(atomicfile.OS{}, StudyFile(s.Kind, s.Name), s)
}

// ReadStudies reads what is kept of the kind that a view shows.
func ReadStudies(kind string) ([]*reports.Study, error) {
	var out []*reports.Study
	err := eachKept(kind, func(path string, s *reports.Study) error {
		if s.Format != reports.StudyFormat || s.Kind != kind {
			return fmt.Errorf("%s: %w", path, nearest.Unknown("format of "+kind, s.Format+" "+s.Kind, []string{reports.StudyFormat + " " + kind}))
		}
		out = append(out, s)
		return nil
	})
	return out, err
}

// eachKept decodes all files of a kind, in the order of their names.
func eachKept[T any](kind string, take func(path string, v *T) error) error {
	files, err := filepath.Glob(StudyFile(kind, "*"))
	if err != nil {
		return err
	}
	for _, path := range files {
		v := new(T)
		if err := sealed.Read(path, v); err != nil {
			return err
		}
		if err := take(path, v); err != nil {
			return err
		}
	}
	return nil
}
