package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"infbench/datasets/hub"
	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/runners/results"
)

// studyEnding ends the names of kept studies.
const studyEnding = ".json"

// StudyFile is where the numbers of a study of that kind and name are kept.
func StudyFile(kind, name string) string {
	return In(kind, disk.FitName(name, len(studyEnding))+studyEnding)
}

// CheckName refuses a name that cannot be a file's.
func CheckName(name string) error {
	if name != results.FileName(name) {
		return usage.Errorf("--keep %q: want at most %d letters, digits, '-', '_' and '.'", name, results.MostFileName)
	}
	return nil
}

// KeepStudy writes a study of a file where the view of its kind finds it, in the place of
// an earlier one of that file and of nothing else. What is no file comes with the SHA-256
// of what was read of it.
func KeepStudy(s *results.Study, file string) (err error) {
	s.Format, s.File = results.StudyFormat, filepath.Base(file)
	path := StudyFile(s.Kind, s.Name)
	if err := replaceable(path, s); err != nil {
		return err
	}
	if s.SHA256 == "" {
		if s.SHA256, err = SumOf(file); err != nil {
			return err
		}
	}
	return disk.WriteSealed(disk.OS{}, path, s)
}

// replaceable refuses what is at path unless it is a study of the same file.
func replaceable(path string, by *results.Study) error {
	var was results.Study
	switch err := disk.ReadSealed(path, &was); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("--keep %s: what is there is no study: %w; remove it, or give another name", by.Name, err)
	case was.Format != by.Format || was.Kind != by.Kind:
		return usage.Errorf("--keep %s: %s is another format's (%s); give another name", by.Name, path, words.Clean(strings.TrimSpace(was.Format+" "+was.Kind)))
	case was.File != by.File:
		return usage.Errorf("--keep %s: %s has the numbers of %s; give another name, or remove it", by.Name, path, words.Clean(was.File))
	}
	return nil
}

// ReadStudies reads what is kept of the kind that a view shows.
func ReadStudies(kind string) ([]*results.Study, error) {
	var out []*results.Study
	private, err := hub.ReadPrivate()
	if err != nil {
		return nil, err
	}
	err = eachKept(kind, func(path string, s *results.Study) error {
		if _, ok := private.Files[s.SHA256]; ok {
			return fmt.Errorf("%s: the texts that it was made of are private now; remove it", path)
		}
		if err := disk.CheckFormat(path, s.Format+" "+s.Kind, results.StudyFormat+" "+kind); err != nil {
			return err
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
		if err := disk.ReadSealed(path, v); err != nil {
			return err
		}
		if err := take(path, v); err != nil {
			return err
		}
	}
	return nil
}
