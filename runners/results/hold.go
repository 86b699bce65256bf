package results

import (
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
)

// lent are the folders of a trial from which others read by path: its model like any model, its
// rankings like any run file.
var lent = []string{ModelDir, AdapterDir, RunsDir, askedDir, queriesDir, judgmentsDir}

// Hold checks a file or a folder of a finished trial or training, such as its model or its
// rankings, against the completion marker of that folder. It returns ErrDamaged if the content
// has changed. A path elsewhere, or one that does not belong to the trial, is not checked.
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

// remembered returns the hash of a file, from a cache if possible: weights are large.
func remembered(path string) (string, error) { return disk.HashOf(path, disk.HashSHA256) }

// read hashes a file.
func read(path string) (string, error) {
	sum, _, err := disk.SHA256(path)
	return sum, err
}

// above returns the marker of the finished trial that contains a path, and the path's name
// there, or the zero Marker.
func above(path string) (marker Marker, name string) {
	for dir := path; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		name = strings.TrimSuffix(filepath.Base(dir)+"/"+name, "/")
		if !slices.Contains(lent, filepath.Base(dir)) {
			continue
		}
		f := At(filepath.Dir(dir))
		if marked, err := f.Marker().Exists(); (marked || err != nil) && exists(f.path(SettingsFile)) { // if marked is unknown, reading the marker reports it
			return f.Marker(), name
		}
		if marker := f.Training().marker(); exists(marker.path()) {
			return marker, name
		}
	}
	return Marker{}, ""
}
