package minihub

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"infbench/datasets/hub"
)

// uploads is what a hub needs to receive files. Large files go to a store, at addresses that are
// signed: like those of the real hub, they take no token.
type uploads struct {
	Store string // address of another server with this handler, for large files; "": the same server
	Part  int    // the largest piece that the store takes; 0: any

	lock    sync.RWMutex
	content map[string][]byte // of the store, by SHA-256, or by SHA-256/part
	Puts    int               // pieces that the store took
}

// upload answers a request that writes.
func (h *Hub) upload(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		refuse(w, http.StatusBadRequest, "", err.Error())
		return
	}
	path := strings.Trim(r.URL.Path, "/")
	if rest, ok := strings.CutPrefix(path, "store/"); ok {
		h.store(w, r, rest, body)
		return
	}
	if path == "api/validate-yaml" {
		answer(w, object{"errors": []string{}, "warnings": []string{}})
		return
	}
	if h.Token == "" || r.Header.Get("Authorization") != "Bearer "+h.Token {
		refuse(w, http.StatusUnauthorized, "", "Invalid username or password.")
		return
	}
	if path == "api/repos/create" {
		h.create(w, body)
		return
	}
	path = strings.TrimPrefix(path, "api/")
	if repo, ok := strings.CutSuffix(path, ".git/info/lfs/objects/batch"); ok {
		path = "models/" + repo + "/batch" // only models are pushed
	}
	parts := strings.SplitN(path, "/", 4)
	if len(parts) < 4 {
		refuse(w, http.StatusNotFound, "", "Sorry, we can't find the page you are looking for.")
		return
	}
	repo, ok := h.repos[strings.Join(parts[:3], "/")]
	if !ok {
		refuse(w, http.StatusNotFound, "RepoNotFound", "Repository not found")
		return
	}
	switch parts[3] {
	case "preupload/main":
		h.preupload(w, body)
	case "batch":
		h.batch(w, r, body)
	case "commit/main":
		h.commit(w, repo, body)
	default:
		refuse(w, http.StatusNotFound, "", "Sorry, we can't find the page you are looking for.")
	}
}

// create makes an empty repository.
func (h *Hub) create(w http.ResponseWriter, body []byte) {
	var asked struct{ Name, Organization, Type string }
	if err := json.Unmarshal(body, &asked); err != nil {
		refuse(w, http.StatusBadRequest, "", err.Error())
		return
	}
	id := asked.Organization + "/" + asked.Name
	if _, ok := h.repos["models/"+id]; ok {
		refuse(w, http.StatusConflict, "", "You already created this model repo")
		return
	}
	if asked.Organization == "others" {
		refuse(w, http.StatusForbidden, "", `You don't have the rights to create a model under the namespace "others"`)
		return
	}
	r := &Repository{Kind: hub.Model, ID: id, Files: map[string][]byte{".gitattributes": attributes()}}
	r.Commit = r.hash()
	h.repos["models/"+id] = r
	answer(w, object{"url": "/" + id, "name": id})
}

// preupload distinguishes large files from others.
func (h *Hub) preupload(w http.ResponseWriter, body []byte) {
	var asked struct {
		Files []struct {
			Path string `json:"path"`
			Size int    `json:"size"`
		} `json:"files"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		refuse(w, http.StatusBadRequest, "", err.Error())
		return
	}
	var files []object
	for _, f := range asked.Files {
		mode := "regular"
		if isLFS(f.Path) {
			mode = "lfs"
		}
		files = append(files, object{"path": f.Path, "uploadMode": mode, "shouldIgnore": false, "oid": nil})
	}
	answer(w, object{"files": files})
}

// batch returns the addresses of large files; it returns none for a file that the store has.
func (h *Hub) batch(w http.ResponseWriter, r *http.Request, body []byte) {
	var asked struct {
		Objects []struct {
			OID  string `json:"oid"`
			Size int    `json:"size"`
		} `json:"objects"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		refuse(w, http.StatusBadRequest, "", err.Error())
		return
	}
	var objects []object
	for _, o := range asked.Objects {
		told := object{"oid": o.OID, "size": o.Size}
		store := cmp.Or(h.Store, "http://"+r.Host)
		at := store + "/store/" + o.OID + "?signature=secret-of-the-store"
		if _, ok := h.content[o.OID]; !ok {
			upload := object{"href": at, "header": object{}}
			if h.Part > 0 && o.Size > h.Part {
				header := object{"chunk_size": fmt.Sprint(h.Part)}
				for i := 0; i*h.Part < o.Size; i++ {
					header[fmt.Sprintf("%05d", i+1)] = fmt.Sprintf("%s/store/%s/%d?signature=secret-of-the-store", store, o.OID, i+1)
				}
				upload["header"] = header
			}
			told["actions"] = object{"upload": upload, "verify": object{"href": at + "&verify=1"}}
		}
		objects = append(objects, told)
	}
	answer(w, object{"transfer": "basic", "objects": objects})
}

// store takes a large file or a part of it, joins the parts, or confirms a file.
func (h *Hub) store(w http.ResponseWriter, r *http.Request, name string, body []byte) {
	if h.Store != "" && r.Header.Get("Authorization") != "" && r.URL.Query().Get("verify") == "" {
		refuse(w, http.StatusBadRequest, "", "Only one auth mechanism allowed")
		return
	}
	if r.URL.Query().Get("signature") != "secret-of-the-store" {
		refuse(w, http.StatusForbidden, "", "SignatureDoesNotMatch")
		return
	}
	if r.Method == http.MethodPut {
		h.Puts++
		h.content[name] = body
		w.Header().Set("ETag", fmt.Sprintf("%q", gitBlob(body)))
		return
	}
	var asked struct {
		OID   string `json:"oid"`
		Size  *int   `json:"size"`
		Parts []struct {
			Number int    `json:"partNumber"`
			ETag   string `json:"etag"`
		} `json:"parts"`
	}
	err := json.Unmarshal(body, &asked)
	for _, p := range asked.Parts {
		part := h.content[fmt.Sprintf("%s/%d", name, p.Number)]
		if fmt.Sprintf("%q", gitBlob(part)) != p.ETag {
			err = errors.New("a part has another tag")
		}
		h.content[name] = append(h.content[name], part...)
	}
	sum := sha256.Sum256(h.content[name])
	if err == nil && (hex.EncodeToString(sum[:]) != name || asked.OID != name || asked.Size != nil && *asked.Size != len(h.content[name])) {
		err = errors.New("the content has another hash or size")
	}
	if err != nil {
		delete(h.content, name)
		refuse(w, http.StatusBadRequest, "", err.Error())
	}
}

// commit changes the files of a repository.
func (h *Hub) commit(w http.ResponseWriter, r *Repository, body []byte) {
	files := map[string][]byte{}
	lines := json.NewDecoder(bytes.NewReader(body))
	for {
		var line struct {
			Key   string
			Value struct {
				Path, Encoding, OID string
				Content             []byte // in base64
			}
		}
		err := lines.Decode(&line)
		if err == io.EOF {
			break
		}
		switch v := line.Value; {
		case err != nil:
		case line.Key == "file" && v.Encoding == "base64" && !isLFS(v.Path):
			files[v.Path] = v.Content
		case line.Key == "lfsFile":
			content, ok := h.content[v.OID]
			if !ok {
				err = fmt.Errorf("the store does not have %s", v.Path)
			}
			files[v.Path] = content
		case line.Key != "header":
			err = fmt.Errorf("key %q of %s", line.Key, v.Path)
		}
		if err != nil {
			refuse(w, http.StatusBadRequest, "", err.Error())
			return
		}
	}
	for name, content := range files {
		r.Files[name] = content
	}
	r.Commit = r.hash()
	answer(w, object{"success": true, "commitOid": r.Commit, "commitUrl": "/" + r.ID + "/commit/" + r.Commit, "hookOutput": ""})
}
