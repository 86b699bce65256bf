package submit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
)

// key is the prefix of the submission's file names in the folder of all.
func (p place) key() string { return p.org + "/" + p.folder + "/" }

// publishedIn returns the hashes of all submitted files in a folder, by
// ORG__MODEL/REVISION/FILE. If the folder does not exist, nothing has been published yet.
func publishedIn(dir string) (sums map[string]string, err error) {
	sums = map[string]string{}
	places, _, err := placesIn(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return sums, nil
	}
	for _, at := range places {
		names, err := at.files()
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if sums[at.key()+name], err = at.sum(name); err != nil {
				return nil, err
			}
		}
	}
	return sums, err
}

// files lists the files below the folder, sorted; anything except regular files is an error.
func (p place) files() (names []string, err error) {
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case !d.Type().IsRegular():
			return &fs.PathError{Op: "read", Path: p.dir + "/" + name, Err: disk.ErrIrregular}
		}
		names = append(names, name)
		return nil
	})
	slices.Sort(names)
	return names, err
}

// sum is the SHA-256 of a file from files.
func (p place) sum(name string) (string, error) {
	sum, _, err := disk.SHA256(filepath.Join(p.dir, filepath.FromSlash(name)))
	return sum, err
}

// unchanged reports whether a submission is published with exactly these files.
func unchanged(published map[string]string, at place) bool {
	was := 0
	for name := range published {
		if strings.HasPrefix(name, at.key()) {
			was++
		}
	}
	names, err := at.files()
	if err != nil || was == 0 || len(names) != was {
		return false
	}
	return !slices.ContainsFunc(names, func(name string) bool {
		sum, err := at.sum(name)
		return err != nil || sum != published[at.key()+name]
	})
}

// checkPublished refuses rankings and scores that differ from those of the published revision.
func (s *checked) checkPublished(published map[string]string) {
	const otherwise = "a published revision does not change: submit a new one with replaces: "
	if published[s.place.key()+DeclarationFile] == "" {
		return
	}
	for _, key := range sortedKeys(published) {
		name, ok := strings.CutPrefix(key, s.place.key())
		if ok && name != DeclarationFile && s.sums[name] != published[key] {
			s.faults.add(name, 0, "differs from the published file; %s%s", otherwise, s.place.folder)
		}
	}
	for _, name := range sortedKeys(s.sums) {
		if published[s.place.key()+name] == "" {
			s.faults.add(name, 0, "is new; %s%s", otherwise, s.place.folder)
		}
	}
}

// gone are faults for published submissions that are missing from the folder of all.
func gone(dir string, published map[string]string, there []place) (faults []Fault) {
	for _, key := range sortedKeys(published) {
		at, ok := strings.CutSuffix(key, DeclarationFile)
		if ok && !slices.ContainsFunc(there, func(p place) bool { return p.key() == at }) {
			faults = append(faults, Fault{File: dir + "/" + strings.TrimSuffix(at, "/"), Text: "is published but missing here; only the owner of the board removes submissions"})
		}
	}
	return faults
}
