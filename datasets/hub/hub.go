// Package hub fetches repositories of the Hugging Face hub, pinned to a commit and verified. It
// uses the hub's usual cache layout, so that Python tools share the files, and finds cached
// repositories without a network.
//
// It handles files, not their content, which package datasets reads.
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

// Kind is the kind of a repository's content.
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
	Revision string // empty means main
}

func (r Repo) String() string { return fmt.Sprintf("%s %s@%s", r.Kind, r.ID, r.revision()) }

func (r Repo) revision() string {
	if r.Revision == "" {
		return "main"
	}
	return r.Revision
}

// Check rejects invalid IDs and revisions, before they become part of a path or an address.
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

// folder returns the repository's folder in the cache: datasets--org--name.
func (r Repo) folder() string {
	return string(r.Kind) + "s--" + strings.ReplaceAll(r.ID, "/", "--")
}

// infoPath is the URL path of a revision's commit and files.
func (r Repo) infoPath() string {
	return "/api/" + string(r.Kind) + "s/" + r.ID + "/revision/" + url.PathEscape(r.revision()) + "?blobs=true"
}

// path is the URL path of the repository's page for people.
func (r Repo) path() string {
	if r.Kind == Dataset {
		return "/datasets/" + r.ID
	}
	return "/" + r.ID
}

// filePath is the URL path of one file of a commit.
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
	// Blob names the content in the cache: the SHA-256 of a large file (LFS), or the git blob SHA-1
	// of a small file.
	Blob string
	LFS  bool
}

// Snapshot is a repository at a commit.
type Snapshot struct {
	Repo   Repo
	Commit string
	Files  []File
}

// ErrUnsafeName means that the hub named a file that would leave its folder or that some file
// system does not accept.
var ErrUnsafeName = errors.New("unsafe file name")

// checkPath rejects file names that could be written outside the snapshot.
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

// DefaultCache returns the cache folder, the same as the Python library's: $HF_HUB_CACHE,
// $HF_HOME/hub, or ~/.cache/huggingface/hub.
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
