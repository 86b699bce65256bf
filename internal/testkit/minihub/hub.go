// Package minihub is a miniature hub. It serves a few records of every data set and networks
// of one layer for every model that the paper needs, under their real names and in exactly
// their real layouts (configs, splits, columns, shards, duplicate files, revisions, gates).
// With it the experiments of the paper run from start to end with an empty cache and without
// a network. Texts are taken from the generated world and weights are random: its numbers
// mean nothing.
package minihub

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"infbench/datasets/hub"
)

// Repository is one repository of the hub.
type Repository struct {
	Kind   hub.Kind
	ID     string
	Commit string // "": the hash of its files
	Gated  bool   // its files require a token
	Files  map[string][]byte
}

// Hub implements the part of huggingface.co that infbench and the Python library use for
// files: /api/KIND/ID[/revision/REV], .../tree/REV, .../refs and resolve, and uploads.
type Hub struct {
	Token string // token that opens gated repositories and may write
	repos map[string]*Repository
	uploads
}

// NewHub serves repositories; a later one replaces an earlier one with the same name.
func NewHub(token string, repos ...Repository) *Hub {
	h := &Hub{Token: token, repos: map[string]*Repository{}, uploads: uploads{content: map[string][]byte{}}}
	for _, r := range repos {
		r.Commit = cmp.Or(r.Commit, r.hash())
		h.repos[string(r.Kind)+"s/"+r.ID] = &r
	}
	return h
}

// Repositories lists the repositories, by kind and name.
func (h *Hub) Repositories() []*Repository {
	var all []*Repository
	for _, key := range slices.Sorted(maps.Keys(h.repos)) {
		all = append(all, h.repos[key])
	}
	return all
}

// hash derives a commit from the files.
func (r *Repository) hash() string {
	all := sha1.New()
	for _, name := range r.names() {
		fmt.Fprintf(all, "%s %s\n", name, gitBlob(r.Files[name]))
	}
	return hex.EncodeToString(all.Sum(nil))
}

func (r *Repository) names() []string { return slices.Sorted(maps.Keys(r.Files)) }

// gitBlob returns the git hash of a content.
func gitBlob(content []byte) string {
	sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(content)), content...))
	return hex.EncodeToString(sum[:])
}

// isLFS reports whether the hub keeps a file outside git, by its ending, as in
// .gitattributes.
func isLFS(name string) bool {
	return slices.Contains([]string{".parquet", ".safetensors", ".bin", ".onnx", ".model", ".pdf"}, path.Ext(name))
}

// pointer is a large file's entry in siblings.
type pointer struct {
	SHA256 string `json:"sha256"`
	Size   int    `json:"size"`
	Length int    `json:"pointerSize"`
}

func lfsOf(name string, content []byte) *pointer {
	if !isLFS(name) {
		return nil
	}
	sum := sha256.Sum256(content)
	return &pointer{hex.EncodeToString(sum[:]), len(content), 132}
}

// ServeHTTP answers one request.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost || r.Method == http.MethodPut {
		h.lock.Lock()
		defer h.lock.Unlock()
		h.upload(w, r)
		return
	}
	h.lock.RLock()
	defer h.lock.RUnlock()
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	api := parts[0] == "api"
	if api {
		parts = parts[1:]
	} else if parts[0] != "datasets" {
		parts = append([]string{"models"}, parts...)
	}
	if len(parts) < 3 {
		refuse(w, http.StatusNotFound, "", "Sorry, we can't find the page you are looking for.")
		return
	}
	repo, ok := h.repos[strings.Join(parts[:3], "/")]
	if !ok {
		h.refuseUnknown(w, r)
		return
	}
	switch rest := parts[3:]; {
	case api && len(rest) == 0:
		h.info(w, repo, "main")
	case api && len(rest) == 2 && rest[0] == "revision":
		h.info(w, repo, rest[1])
	case api && len(rest) >= 2 && rest[0] == "tree":
		h.tree(w, repo, rest[1], strings.Join(rest[2:], "/"))
	case api && len(rest) == 1 && rest[0] == "refs":
		h.refs(w, repo)
	case !api && len(rest) >= 3 && rest[0] == "resolve":
		h.resolve(w, r, repo, rest[1], strings.Join(rest[2:], "/"))
	default:
		refuse(w, http.StatusNotFound, "", "Sorry, we can't find the page you are looking for.")
	}
}

// refuse answers with an error in the hub's form.
func refuse(w http.ResponseWriter, status int, code, message string) {
	if code != "" {
		w.Header().Set("X-Error-Code", code)
	}
	w.Header().Set("X-Error-Message", message)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"error": message})
}

// refuseUnknown hides from clients without a token whether a repository is private or does
// not exist.
func (h *Hub) refuseUnknown(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") == "" {
		refuse(w, http.StatusUnauthorized, "RepoNotFound", "Invalid username or password.")
		return
	}
	refuse(w, http.StatusNotFound, "RepoNotFound", "Repository not found")
}

// at checks a revision: main, the commit, or at least the first 7 digits of the commit.
func (r *Repository) at(w http.ResponseWriter, revision string) bool {
	if revision == "main" || len(revision) >= 7 && strings.HasPrefix(r.Commit, revision) {
		return true
	}
	refuse(w, http.StatusNotFound, "RevisionNotFound", "Invalid rev id: "+revision)
	return false
}

// info describes a revision. It is public also for gated repositories.
func (h *Hub) info(w http.ResponseWriter, r *Repository, revision string) {
	if !r.at(w, revision) {
		return
	}
	type sibling struct {
		Name string   `json:"rfilename"`
		Size int      `json:"size"`
		Blob string   `json:"blobId"`
		LFS  *pointer `json:"lfs,omitempty"`
	}
	var siblings []sibling
	for _, name := range r.names() {
		content := r.Files[name]
		siblings = append(siblings, sibling{name, len(content), gitBlob(content), lfsOf(name, content)})
	}
	author, _, _ := strings.Cut(r.ID, "/")
	answer(w, map[string]any{"_id": r.Commit[:24], "id": r.ID, "author": author, "sha": r.Commit, "private": false,
		"gated": r.gate(), "disabled": false, "tags": []string{}, "downloads": 0, "siblings": siblings})
}

func (r *Repository) gate() any {
	if r.Gated {
		return "manual"
	}
	return false
}

// tree lists the files below a folder of a revision.
func (h *Hub) tree(w http.ResponseWriter, r *Repository, revision, folder string) {
	if !r.at(w, revision) {
		return
	}
	type entry struct {
		Type string `json:"type"`
		OID  string `json:"oid"`
		Size int    `json:"size"`
		Path string `json:"path"`
		LFS  object `json:"lfs,omitempty"`
	}
	entries := []entry{}
	for _, name := range r.names() {
		if folder == "" || strings.HasPrefix(name, folder+"/") {
			content := r.Files[name]
			var lfs object // with another name for the hash than in siblings
			if p := lfsOf(name, content); p != nil {
				lfs = object{"oid": p.SHA256, "size": p.Size, "pointerSize": p.Length}
			}
			entries = append(entries, entry{"file", gitBlob(content), len(content), name, lfs})
		}
	}
	answer(w, entries)
}

// refs lists the branches.
func (h *Hub) refs(w http.ResponseWriter, r *Repository) {
	main := map[string]string{"name": "main", "ref": "refs/heads/main", "targetCommit": r.Commit}
	answer(w, map[string]any{"branches": []any{main}, "tags": []any{}, "converts": []any{}})
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	json.NewEncoder(w).Encode(v)
}

// resolve serves a file: a small file directly, a large one by a redirect.
func (h *Hub) resolve(w http.ResponseWriter, req *http.Request, r *Repository, revision, name string) {
	if r.Gated && req.Header.Get("Authorization") != "Bearer "+h.Token {
		status := http.StatusUnauthorized
		if req.Header.Get("Authorization") != "" {
			status = http.StatusForbidden
		}
		refuse(w, status, "GatedRepo", fmt.Sprintf("Access to %s %s is restricted. You must have access to it and be authenticated to access it. Please log in.", r.Kind, r.ID))
		return
	}
	if !r.at(w, revision) {
		return
	}
	content, ok := r.Files[name]
	if !ok {
		refuse(w, http.StatusNotFound, "EntryNotFound", "Entry not found")
		return
	}
	w.Header().Set("X-Repo-Commit", r.Commit)
	w.Header().Set("ETag", fmt.Sprintf("%q", gitBlob(content)))
	if lfs := lfsOf(name, content); lfs != nil && req.URL.Query().Get("cdn") == "" {
		w.Header().Set("X-Linked-Etag", fmt.Sprintf("%q", lfs.SHA256))
		w.Header().Set("X-Linked-Size", fmt.Sprint(len(content)))
		http.Redirect(w, req, req.URL.Path+"?cdn="+lfs.SHA256, http.StatusFound)
		return
	}
	http.ServeContent(w, req, "", time.Time{}, bytes.NewReader(content))
}
