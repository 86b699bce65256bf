package curate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets/atomicfile"
)

// SettingsFile of a corpus's folder says, as resolved, what it was made from and how.
const SettingsFile = "curate.yaml"

// Claim makes a folder that of a corpus with these settings. One with other settings, or
// that holds files and no settings, is not touched.
func Claim(dir string, settings []byte) error {
	path := filepath.Join(dir, SettingsFile)
	there, err := atomicfile.ReadFile(path)
	switch {
	case err == nil && bytes.Equal(there, settings):
		return nil
	case err == nil:
		return fmt.Errorf("%s was made from other settings: %s; name another folder, or remove it", dir, difference(string(there), string(settings)))
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") { // what is hidden, infbench or others left
			return fmt.Errorf("%s holds %s and no %s: it is no folder of a corpus", dir, e.Name(), SettingsFile)
		}
	}
	return atomicfile.WriteBytes(path, settings)
}

// difference shows the first line that differs.
func difference(there, now string) string {
	was, is := strings.Split(there, "\n"), strings.Split(now, "\n")
	for i := range min(len(was), len(is)) {
		if was[i] != is[i] {
			return fmt.Sprintf("line %d of its %s is %q, now it would be %q", i+1, SettingsFile, was[i], is[i])
		}
	}
	return "one has more lines than the other"
}

// done is what DoneFile holds.
type done struct {
	Files []hashed `json:"files"`
}

type hashed struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// doneFiles are the files of a finished corpus but DoneFile.
func doneFiles() []string {
	names := []string{SettingsFile}
	for _, s := range Stages() {
		names = append(names, s.File())
	}
	return append(names, TrainFile, ParquetOf(TrainFile), UnfilteredFile, ParquetOf(UnfilteredFile), FunnelFile)
}

// Finish marks a folder as finished.
func Finish(dir string) error {
	var d done
	for _, name := range doneFiles() {
		sum, _, err := atomicfile.SHA256(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		d.Files = append(d.Files, hashed{name, sum})
	}
	return atomicfile.WriteJSONTo(atomicfile.OS{}, filepath.Join(dir, DoneFile), d)
}

// Finished says whether a folder holds a finished corpus. Where it does but a file is not
// what it was when finished, that is an error.
func Finished(dir string) (bool, error) {
	text, err := atomicfile.ReadFile(filepath.Join(dir, DoneFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var d done
	if err := json.Unmarshal(text, &d); err != nil {
		return false, fmt.Errorf("%s: %w", filepath.Join(dir, DoneFile), err)
	}
	for _, f := range d.Files {
		sum, _, err := atomicfile.SHA256(filepath.Join(dir, f.Name))
		if err != nil {
			return false, err
		}
		if sum != f.SHA256 {
			return false, fmt.Errorf("%s was changed since the corpus was finished; make it again with --from, at %s or the stage after", filepath.Join(dir, f.Name), stageNamed(f.Name))
		}
	}
	return true, nil
}

// stageNamed is the stage whose file that is, or the last.
func stageNamed(file string) Stage {
	i := slices.IndexFunc(Stages(), func(s Stage) bool { return s.File() == file })
	if i < 0 {
		return Judged
	}
	return Stages()[i]
}

// ReadFunnel reads the funnel of a finished corpus.
func ReadFunnel(dir string) (*Funnel, error) {
	path := filepath.Join(dir, FunnelFile)
	text, err := atomicfile.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := new(Funnel)
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}
