package datasets

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets/hub"
)

// HashPrivate returns the record of a private collection. files has the sizes of its files by
// SHA-256.
func HashPrivate(b *Benchmark, files map[string]int64) (hub.Private, error) {
	p := hub.Private{Files: files, Content: map[string]bool{}}
	contents, err := HashContents(b)
	for _, c := range contents {
		p.Content[c.Documents], p.Content[c.Queries] = true, true
	}
	delete(p.Content, newDigest().sum()) // hash of an empty part
	return p, err
}

// IsPrivate reports whether the texts of a file or folder are private: by its name, as in a private
// suite, or by a mark (hub.Private).
func IsPrivate(path string) (bool, error) {
	if IsPrivateFolder(path) {
		return true, nil
	}
	all, err := hub.ReadPrivate()
	if err != nil {
		return false, err
	}
	return all.HasFile(path)
}

// ErrPrivate returns the error for showing or writing texts of the private data with that name.
func ErrPrivate(name string) error {
	return fmt.Errorf("the texts of %s are private: only IDs and numbers may leave it", name)
}

// HasPrivateContent reports whether a task with contents c, read from a folder ("" if none), is
// private by the user's current settings: it may have become private after it was read.
func HasPrivateContent(all hub.Private, folder string, c ContentHashes) bool {
	return all.Content[c.Documents] || all.Content[c.Queries] || folder != "" && all.HasFolder(folder)
}

// IsPrivateRepository reports whether a repository of the hub has the texts of a private suite.
// Like the hub, it ignores the case of the name.
func IsPrivateRepository(repo string) bool {
	return slices.ContainsFunc(privateRepos(), func(id string) bool { return strings.EqualFold(id, repo) })
}

// IsPrivateFolder reports whether a folder, or one that contains it, is named like a repository of
// a private suite, in the hub's cache or as a download. A link counts by its own name and by its
// target's.
func IsPrivateFolder(dir string) bool {
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = dir
	}
	paths := []string{abs}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		paths = append(paths, real)
	}
	for _, id := range privateRepos() {
		names := []string{path.Base(id), "datasets--" + strings.ReplaceAll(id, "/", "--")}
		for _, p := range paths {
			for part := range strings.SplitSeq(filepath.ToSlash(p), "/") {
				if slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, part) }) {
					return true
				}
			}
		}
	}
	return false
}

// privateRepos lists the repositories of the suites whose texts are private.
func privateRepos() (repos []string) {
	for _, s := range Suites() {
		if !s.Private {
			continue
		}
		for _, p := range s.Parts {
			if p.Repo != "" && !slices.Contains(repos, p.Repo) {
				repos = append(repos, p.Repo)
			}
		}
	}
	return repos
}
