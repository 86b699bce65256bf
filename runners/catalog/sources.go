package catalog

import (
	"crypto/sha256"
	"fmt"

	"infbench/datasets"
	"infbench/datasets/hub"
	"infbench/datasets/mixture"
	"infbench/internal/disk"
	"infbench/runners/spec"
)

// sourceRevision pins a source of training data: a generated one by its content, one of the hub
// by the commit, a file by its SHA-256, a folder by the hash of its files.
func sourceRevision(name string, world uint64) (string, error) {
	if generated, ok := miniTriplets(name, world); ok {
		return datasets.MiniInfIRRevision(world, generated), nil
	}
	if s, err := datasets.FindTraining(name); err == nil {
		if err := checkFetched(name); err != nil {
			return "", err
		}
		return lockedCommit(name, s.Repo)
	}
	lock, err := hub.ReadLock(hub.LockFile)
	if err != nil {
		return "", err
	}
	if f, ok := lock.Folder(name); ok {
		return folderRevision(f), checkImported(f)
	}
	if repo, ok := isHubDataset(name); ok {
		_, commit, err := locate(repo)
		if err != nil {
			return "", absentOr(err, notFetched(name))
		}
		return commit, nil
	}
	return pathRevision(name)
}

// pathRevision hashes a file or the files of a folder.
func pathRevision(path string) (string, error) {
	info, err := disk.Stat(path)
	if err != nil {
		return "", noSuch("data", path)
	}
	if info.IsDir() {
		f, err := hub.LockFolder("", path)
		return folderRevision(f), err
	}
	sum, _, err := disk.SHA256(path)
	return "sha256:" + sum, err
}

// folderRevision hashes the names and hashes of a folder's files.
func folderRevision(f hub.LockedFolder) string {
	all := sha256.New()
	for _, file := range f.Files {
		fmt.Fprintf(all, "%q %s\n", file.Path, file.SHA256)
	}
	return fmt.Sprintf("sha256:%x", all.Sum(nil))
}

// DataRevision pins a mixture in a world.
func (r Revisions) DataRevision(text string, world uint64) (string, error) {
	m, err := mixture.Parse(text)
	if err != nil {
		return "", err
	}
	var all []string
	for _, name := range m.Names() {
		rev, err := r.Resolve(spec.DataInput+name, world)
		if err != nil {
			return "", err
		}
		all = append(all, rev)
	}
	return spec.JoinRevisions(all), nil
}

// DataLabel names a mixture in reports; see spec.DataLabel.
func (r Revisions) DataLabel(text string, world uint64) (string, error) {
	text, err := CheckData(text)
	if err != nil {
		return "", err
	}
	m, err := mixture.Parse(text)
	if err != nil {
		return "", err
	}
	label := spec.DataLabel(m, func(name string) (rev string) {
		if err == nil {
			rev, err = r.Resolve(spec.DataInput+name, world)
		}
		return rev
	})
	return label, err
}

// CheckSources returns an error if training data have changed since the plan was made.
func CheckSources(t *spec.Trial) error {
	for _, name := range t.Cell.Reads() {
		now, err := sourceRevision(name, t.Cell.World)
		if err != nil {
			return err
		}
		if err := checkRevision(t, name, now); err != nil {
			return err
		}
	}
	return nil
}
