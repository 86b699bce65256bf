package curate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
)

// SettingsFile is the file in a corpus's folder with its resolved settings.
const SettingsFile = "curate.yaml"

// Claim prepares a folder for a corpus with these settings. It fails without changes if the folder
// has other settings, or has files but no settings.
func Claim(dir string, settings []byte) error {
	path := filepath.Join(dir, SettingsFile)
	there, err := disk.ReadFile(path)
	switch {
	case err == nil && bytes.Equal(there, settings):
		return nil
	case err == nil:
		if err := disk.CheckFormat(path, formatOf(there), formatOf(settings)); err != nil {
			return err
		}
		return fmt.Errorf("%s was made from other settings: %s; name another folder, or remove it", dir, difference(string(there), string(settings)))
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	entries, err := disk.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") { // hidden files come from others
			return fmt.Errorf("%s has %s but no %s: it is not the folder of a corpus", dir, e.Name(), SettingsFile)
		}
	}
	return disk.WriteBytes(path, settings)
}

// formatOf returns the format of a corpus, the first line of its settings.
func formatOf(settings []byte) string {
	first, _, _ := strings.Cut(string(settings), "\n")
	return strings.TrimPrefix(first, "# ")
}

// difference describes the first line that differs.
func difference(there, now string) string {
	was, is := strings.Split(there, "\n"), strings.Split(now, "\n")
	for i := range min(len(was), len(is)) {
		if was[i] != is[i] {
			return fmt.Sprintf("line %d of its %s is %q, now it would be %q", i+1, SettingsFile, was[i], is[i])
		}
	}
	return "one has more lines than the other"
}

// done is the content of DoneFile.
type done struct {
	Files []hashed `json:"files"`
}

type hashed struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// doneFiles returns the files of a finished corpus except DoneFile.
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
		sum, _, err := disk.SHA256(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		d.Files = append(d.Files, hashed{name, sum})
	}
	return disk.WriteSealed(disk.OS{}, filepath.Join(dir, DoneFile), d)
}

// Finished reports whether a folder has a finished corpus. A file changed since then is an error.
func Finished(dir string) (bool, error) {
	d, err := readDone(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	for i := 0; i < len(d.Files) && err == nil; i++ {
		sum, _, failed := disk.SHA256(filepath.Join(dir, d.Files[i].Name))
		err = d.Files[i].check(dir, sum, failed)
	}
	return err == nil, err
}

// CheckUnchanged checks that the files of a finished corpus, or one of them, are unchanged since it was
// finished. Other paths pass.
func CheckUnchanged(path string) error {
	dir, name := path, ""
	if info, err := disk.Stat(path); err != nil {
		return nil // reading it reports the error
	} else if !info.IsDir() {
		dir, name = filepath.Split(path)
	}
	if _, err := disk.Stat(filepath.Join(dir, SettingsFile)); err != nil {
		return nil
	}
	d, err := readDone(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for i := 0; i < len(d.Files) && err == nil; i++ {
		if name == "" || name == d.Files[i].Name {
			sum, failed := disk.HashOf(filepath.Join(dir, d.Files[i].Name), disk.HashSHA256)
			err = d.Files[i].check(dir, sum, failed)
		}
	}
	return err
}

// readDone reads the marker of a finished corpus.
func readDone(dir string) (d done, err error) {
	path := filepath.Join(dir, DoneFile)
	if err := disk.ReadSealed(path, &d); err != nil {
		return d, err
	}
	for _, f := range d.Files {
		if !filepath.IsLocal(f.Name) {
			return d, fmt.Errorf("%s lists %q, which leads out of the folder", path, f.Name)
		}
	}
	return d, nil
}

// check compares a file's hash with the recorded one; err is the error of hashing.
func (f hashed) check(dir, sum string, err error) error {
	if err == nil && sum != f.SHA256 {
		err = fmt.Errorf("%s was changed since the corpus was finished; make it again with --from, at %s or the stage after", filepath.Join(dir, f.Name), stageNamed(f.Name))
	}
	return err
}

// stageNamed returns the stage with the given file, or the last stage.
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
	text, err := disk.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := new(Funnel)
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}
