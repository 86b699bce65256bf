package datasets

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets/hub"
)

// HashPrivate returns what is kept of a private collection whose files have these sizes, by
// SHA-256.
func HashPrivate(b *Benchmark, files map[string]int64) (hub.Private, error) {
	p := hub.Private{Files: files, Content: map[string]bool{}}
	contents, err := HashContents(b)
	for _, c := range contents {
		p.Content[c.Documents], p.Content[c.Queries] = true, true
	}
	delete(p.Content, newDigest().sum()) // of a task without any
	return p, err
}

// IsPrivate reports whether the texts of a file or folder are private: by its name, as of a
// private suite, or by a mark (hub.Private).
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

// ErrPrivate is the error of whatever would show or write texts of private data of that name.
func ErrPrivate(name string) error {
	return fmt.Errorf("the texts of %s are private: only IDs and numbers may leave it", name)
}

// HasPrivateContent reports whether a task that was read as c, from a folder ("" where from
// none), is private by what the user keeps now: it may have become so after it was read.
func HasPrivateContent(all hub.Private, folder string, c ContentHashes) bool {
	return all.Content[c.Documents] || all.Content[c.Queries] || folder != "" && all.HasFolder(folder)
}

// IsPrivateRepository reports whether a repository of the hub has the texts of a private suite. The hub
// finds a repository by its name in any case.
func IsPrivateRepository(repo string) bool {
	return slices.ContainsFunc(privateRepos(), func(id string) bool { return strings.EqualFold(id, repo) })
}

// IsPrivateFolder says whether a folder is, or lies in, one that is called as a repository
// of a private suite is, in the hub's cache or where it was downloaded to. A link counts by
// its own name and by what it leads to.
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
