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

// studyEnding is the suffix of saved studies.
const studyEnding = ".json"

// StudyFile returns the path of a saved study by kind and name.
func StudyFile(kind, name string) string {
	return In(kind, disk.FitName(name, len(studyEnding))+studyEnding)
}

// CheckName returns an error for a name that is not valid for a file.
func CheckName(name string) error {
	if name != results.FileName(name) {
		return usage.Errorf("--keep %q: want at most %d letters, digits, '-', '_' and '.'", name, results.MostFileName)
	}
	return nil
}

// KeepStudy saves a study of a file where the view of its kind finds it. It replaces an earlier
// study of the same file and nothing else. If the source is not a file, the study already has
// the SHA-256 of the data that was read.
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

// replaceable returns an error unless path is free or has a study of the same file.
func replaceable(path string, by *results.Study) error {
	var was results.Study
	switch err := disk.ReadSealed(path, &was); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("--keep %s: the existing file is not a study: %w; remove it, or give another name", by.Name, err)
	case was.Format != by.Format || was.Kind != by.Kind:
		return usage.Errorf("--keep %s: %s has another format (%s); give another name", by.Name, path, words.Clean(strings.TrimSpace(was.Format+" "+was.Kind)))
	case was.File != by.File:
		return usage.Errorf("--keep %s: %s has the numbers of %s; give another name, or remove it", by.Name, path, words.Clean(was.File))
	}
	return nil
}

// ReadStudies reads the saved studies of the kind that a view shows.
func ReadStudies(kind string) ([]*results.Study, error) {
	var out []*results.Study
	private, err := hub.ReadPrivate()
	if err != nil {
		return nil, err
	}
	err = eachKept(kind, func(path string, s *results.Study) error {
		if _, ok := private.Files[s.SHA256]; ok {
			return fmt.Errorf("%s: its source texts are private now; remove it", path)
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
