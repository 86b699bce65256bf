// Package hub fetches repositories of the HuggingFace hub into its usual cache
// layout, pinned to a commit and verified, so that Python tools share the
// files; and finds them again without a network.
//
// It knows files, not what is in them: package datasets reads those.
package hub

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Kind says what a repository holds.
type Kind string

// The kinds of repositories.
const (
	Dataset Kind = "dataset"
	Model   Kind = "model"
)

// Repo names a repository at a revision: a branch, a tag or a commit.
type Repo struct {
	Kind     Kind
	ID       string // "org/name"
	Revision string // empty: main
}

func (r Repo) String() string { return fmt.Sprintf("%s %s@%s", r.Kind, r.ID, r.revision()) }

func (r Repo) revision() string {
	if r.Revision == "" {
		return "main"
	}
	return r.Revision
}

// Check refuses IDs and revisions that are no names, before they become part
// of a path or an address.
func (r Repo) Check() error {
	if r.Kind != Dataset && r.Kind != Model {
		return fmt.Errorf("repository kind %q: want %s or %s", r.Kind, Dataset, Model)
	}
	names := strings.Split(r.ID, "/")
	if len(names) > 2 || strings.Contains(r.ID, "--") { // "--" separates the names in the cache
		return fmt.Errorf("repository %q: want ORG/NAME", r.ID)
	}
	for _, part := range append(names, strings.Split(r.revision(), "/")...) {
		if part == "" || part == "." || part == ".." || strings.ContainsAny(part, "\\\x00?#%: ") {
			return fmt.Errorf("repository %q at %q: not a name the hub gives", r.ID, r.revision())
		}
	}
	return nil
}

// folder is the repository's folder in the cache: datasets--org--name.
func (r Repo) folder() string {
	return string(r.Kind) + "s--" + strings.ReplaceAll(r.ID, "/", "--")
}

// infoPath is where the hub tells a revision's commit and files.
func (r Repo) infoPath() string {
	return "/api/" + string(r.Kind) + "s/" + r.ID + "/revision/" + url.PathEscape(r.revision()) + "?blobs=true"
}

// path is where a person reads about the repository.
func (r Repo) path() string {
	if r.Kind == Dataset {
		return "/datasets/" + r.ID
	}
	return "/" + r.ID
}

// filePath is where one file of a commit is served.
func (r Repo) filePath(commit, name string) string {
	var escaped []string
	for _, part := range strings.Split(name, "/") {
		escaped = append(escaped, url.PathEscape(part))
	}
	return r.path() + "/resolve/" + commit + "/" + strings.Join(escaped, "/")
}

// File is one file of a snapshot as the hub describes it.
type File struct {
	Path string
	Size int64
	// Blob names the content in the cache: the SHA-256 of a large file (LFS),
	// the git blob SHA-1 of a small one.
	Blob string
	LFS  bool
}

// Snapshot is a repository at a commit.
type Snapshot struct {
	Repo   Repo
	Commit string
	Files  []File
}

// ErrUnsafeName says that the hub named a file that would leave its folder or
// that no file system takes.
var ErrUnsafeName = errors.New("unsafe file name")

// checkPath refuses file names that could be written outside the snapshot.
func checkPath(name string) error {
	bad := name == "" || !utf8.ValidString(name) || strings.ContainsAny(name, "\\\x00") ||
		path.IsAbs(name) || path.Clean(name) != name || !filepath.IsLocal(filepath.FromSlash(name))
	for _, part := range strings.Split(name, "/") {
		bad = bad || len(part) > 255
	}
	if bad {
		return fmt.Errorf("%w: %.80q", ErrUnsafeName, name)
	}
	return nil
}

// DefaultCache is the cache folder that the Python library uses too:
// $HF_HUB_CACHE, $HF_HOME/hub, or ~/.cache/huggingface/hub.
func DefaultCache() (string, error) {
	if dir := os.Getenv("HF_HUB_CACHE"); dir != "" {
		return dir, nil
	}
	if home := os.Getenv("HF_HOME"); home != "" {
		return filepath.Join(home, "hub"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the hub cache: %w", err)
	}
	return filepath.Join(home, ".cache", "huggingface", "hub"), nil
}
