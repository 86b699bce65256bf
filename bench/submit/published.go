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

// key begins the names of a submission's files among those of all.
func (p place) key() string { return p.org + "/" + p.folder + "/" }

// publishedIn sums up the files of the submissions in a folder, by ORG__MODEL/REVISION/
// FILE. A folder that is not there is one that nothing was published in yet.
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

// files lists what is below the folder, sorted; anything but regular files is an error.
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

// sum is the SHA-256 of a file that files listed.
func (p place) sum(name string) (string, error) {
	sum, _, err := disk.SHA256(filepath.Join(p.dir, filepath.FromSlash(name)))
	return sum, err
}

// unchanged says whether a submission is published with these very files.
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

// holdToPublished refuses rankings and scores of a published revision that are not those
// which were published.
func (s *checked) holdToPublished(published map[string]string) {
	const otherwise = "a published revision does not change: bring another, which says replaces: "
	if published[s.place.key()+DeclarationFile] == "" {
		return
	}
	for _, key := range sortedKeys(published) {
		name, ok := strings.CutPrefix(key, s.place.key())
		if ok && name != DeclarationFile && s.sums[name] != published[key] {
			s.faults.add(name, 0, "was published otherwise; %s%s", otherwise, s.place.folder)
		}
	}
	for _, name := range sortedKeys(s.sums) {
		if published[s.place.key()+name] == "" {
			s.faults.add(name, 0, "is new; %s%s", otherwise, s.place.folder)
		}
	}
}

// gone are published submissions that the folder of all no longer holds.
func gone(dir string, published map[string]string, there []place) (faults []Fault) {
	for _, key := range sortedKeys(published) {
		at, ok := strings.CutSuffix(key, DeclarationFile)
		if ok && !slices.ContainsFunc(there, func(p place) bool { return p.key() == at }) {
			faults = append(faults, Fault{File: dir + "/" + strings.TrimSuffix(at, "/"), Text: "is published, and gone here; only who keeps the board takes a submission away"})
		}
	}
	return faults
}
