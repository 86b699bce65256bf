package results

import (
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
)

// lent are the folders of a trial from which others read by path: its model as any
// model, its rankings as any run file.
var lent = []string{ModelDir, AdapterDir, RunsDir, askedDir, queriesDir, judgmentsDir}

// Hold holds a file or a folder that lies in the folder of a finished trial or training,
// as its model and its rankings do, to the completion marker there: ErrDamaged where it is
// not what it was. What lies elsewhere, or is not of the trial, is held to nothing.
func Hold(path string) error {
	full, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	marker, name := above(full)
	if marker.file == "" {
		return nil
	}
	d, err := marker.parse()
	if err == nil {
		err = d.lists()
	}
	if err != nil {
		return err
	}
	for listed := range d.Files {
		if listed == name || strings.HasPrefix(listed, name+"/") {
			if err := d.check(listed, remembered); err != nil {
				return err
			}
		}
	}
	return nil
}

// remembered hashes a file, or looks up what it hashed to: weights are large.
func remembered(path string) (string, error) { return disk.HashOf(path, disk.HashSHA256) }

// read hashes a file.
func read(path string) (string, error) {
	sum, _, err := disk.SHA256(path)
	return sum, err
}

// above is the marker of the finished trial that lends out a path, and what the path is
// called there; the zero Marker where none does.
func above(path string) (marker Marker, name string) {
	for dir := path; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		name = strings.TrimSuffix(filepath.Base(dir)+"/"+name, "/")
		if !slices.Contains(lent, filepath.Base(dir)) {
			continue
		}
		f := At(filepath.Dir(dir))
		if marked, err := f.Marker().Exists(); (marked || err != nil) && exists(f.path(SettingsFile)) { // one that cannot be known is told by whoever reads it
			return f.Marker(), name
		}
		if marker := f.Training().marker(); exists(marker.path()) {
			return marker, name
		}
	}
	return Marker{}, ""
}
