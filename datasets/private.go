package datasets

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

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
