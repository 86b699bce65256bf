package hub

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/endpoint"
	"infbench/internal/secret"
)

// Upload is a file to be sent to a repository.
type Upload struct {
	Path string // in the repository, with slashes
	From string // file with the content; "": Data has it
	Data []byte
}

// Size returns the number of bytes.
func (u *Upload) Size() (int64, error) {
	if u.From == "" {
		return int64(len(u.Data)), nil
	}
	info, err := disk.Stat(u.From)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// hash returns the SHA-256 of the content, or its SHA-1 as a git blob.
func (u *Upload) hash(kind disk.HashKind) (string, error) {
	if u.From != "" {
		return disk.HashOf(u.From, kind)
	}
	if kind == disk.HashGit {
		return gitBlob(u.Data), nil
	}
	return disk.Sum(u.Data), nil
}

// gitBlob returns the name that git gives a content.
func gitBlob(content []byte) string {
	sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(content)), content...))
	return hex.EncodeToString(sum[:])
}

// part opens a range of the content.
func (u *Upload) part(from, size int64) (io.ReadCloser, error) {
	if u.From == "" {
		return io.NopCloser(bytes.NewReader(u.Data[from : from+size])), nil
	}
	f, err := os.Open(u.From)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(f, from, size), f}, nil
}

// Pushed is a commit of a repository with files that were sent.
type Pushed struct {
	Commit string
	Sent   []string // paths; the repository had the others already
}

// Push commits files to the main branch of a repository, with the requests of huggingface_hub 2.4
// (create_repo, create_commit). A missing repository is created; private applies only to that. Other
// files of the repository stay. Nothing is committed before all large files have arrived.
func (c *Client) Push(ctx context.Context, repo Repo, files []Upload, message string, private bool) (Pushed, error) {
	if c.Token == (secret.Secret{}) {
		return Pushed{}, fmt.Errorf("push to %s: set HF_TOKEN to a token of your account that may write (%s/settings/tokens)", repo.ID, c.Endpoint)
	}
	for _, f := range files {
		if err := checkPath(f.Path); err != nil {
			return Pushed{}, err
		}
	}
	p := pushing{c, repo}
	before, err := p.open(ctx, private)
	if err != nil {
		return Pushed{}, p.explainWrite(err)
	}
	files, err = unlike(files, before)
	if err != nil || len(files) == 0 {
		return Pushed{Commit: before.Commit}, err
	}
	modes, err := p.modes(ctx, files)
	if err == nil {
		err = p.large(ctx, files, modes)
	}
	if err != nil {
		return Pushed{}, p.explainWrite(err)
	}
	commit, err := p.commit(ctx, files, modes, message)
	if err != nil {
		return Pushed{}, p.explainWrite(err)
	}
	out := Pushed{Commit: commit}
	for _, f := range files {
		out.Sent = append(out.Sent, f.Path)
	}
	return out, nil
}

// pushing sends files to one repository.
type pushing struct {
	*Client
	repo Repo
}

// explainWrite adds the hub's message to a refusal, and advice for the user.
func (p *pushing) explainWrite(err error) error {
	var s refusal
	if !errors.As(err, &s) {
		return err
	}
	if said := s.Header.Get("X-Error-Message"); said != "" {
		err = fmt.Errorf("%w: %s", err, said)
	}
	if errors.Is(err, ErrUnauthorized) {
		return fmt.Errorf("%w: the token of HF_TOKEN or of the login file must be allowed to write to %s (%s/settings/tokens)", err, p.repo.ID, p.Endpoint)
	}
	return err
}

// api is the URL path of the repository in the hub's API.
func (p *pushing) api() string { return "/api/" + string(p.repo.Kind) + "s/" + p.repo.ID }

// post sends a body and decodes the answer.
func (p *pushing) post(ctx context.Context, what, path string, body []byte, header http.Header, into any) error {
	return p.retry(ctx, what, func() error {
		const largest = 16 << 20
		answer, err := p.http.Send(ctx, endpoint.Request{Path: path, Body: body, Kind: header.Get("Content-Type"), Header: header}, largest)
		if err != nil || into == nil {
			return err
		}
		return endpoint.Decode(answer, into)
	})
}

// postJSON is post of a value as JSON.
func (p *pushing) postJSON(ctx context.Context, what, path string, value any, header http.Header, into any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return p.post(ctx, what, path, body, header, into)
}

// open returns the files of the main branch, of a new repository if there was none.
func (p *pushing) open(ctx context.Context, private bool) (*Snapshot, error) {
	p.repo.Revision = "main"
	s, err := p.resolve(ctx, p.repo)
	if err == nil || !errors.Is(err, ErrNotFound) {
		return s, err
	}
	org, name, ok := strings.Cut(p.repo.ID, "/")
	if !ok {
		return nil, fmt.Errorf("repository %q: want ORG/NAME", p.repo.ID)
	}
	create := struct {
		Name         string `json:"name"`
		Organization string `json:"organization"`
		Type         Kind   `json:"type"`
		Visibility   string `json:"visibility,omitempty"`
	}{name, org, p.repo.Kind, ""}
	if private {
		create.Visibility = "private"
	}
	if err := p.postJSON(ctx, "create "+p.repo.ID, "/api/repos/create", create, nil, nil); err != nil {
		return nil, err
	}
	return &Snapshot{Repo: p.repo}, nil
}

// unlike lists the files that the repository does not have with the same content.
func unlike(files []Upload, have *Snapshot) (out []Upload, err error) {
	for _, f := range files {
		i := slices.IndexFunc(have.Files, func(old File) bool { return old.Path == f.Path })
		sum := ""
		if i >= 0 && have.Files[i].LFS {
			sum, err = f.hash(disk.HashSHA256)
		} else if i >= 0 {
			sum, err = f.hash(disk.HashGit)
		}
		if err != nil {
			return nil, err
		}
		if i < 0 || sum != have.Files[i].Blob {
			out = append(out, f)
		}
	}
	return out, nil
}

// modes asks the hub which files it keeps outside git.
func (p *pushing) modes(ctx context.Context, files []Upload) (lfs map[string]bool, err error) {
	type sample struct {
		Path   string `json:"path"`
		Sample string `json:"sample"` // the first 512 bytes
		Size   int64  `json:"size"`
	}
	lfs = map[string]bool{}
	for some := range slices.Chunk(files, 256) {
		var asked struct {
			Files []sample `json:"files"`
		}
		for _, f := range some {
			size, err := f.Size()
			if err != nil {
				return nil, err
			}
			begin, err := f.part(0, min(size, 512))
			if err != nil {
				return nil, err
			}
			data, err := io.ReadAll(begin)
			if err = errors.Join(err, begin.Close()); err != nil {
				return nil, err
			}
			asked.Files = append(asked.Files, sample{f.Path, base64.StdEncoding.EncodeToString(data), size})
		}
		var told struct {
			Files []struct {
				Path   string `json:"path"`
				Mode   string `json:"uploadMode"`
				Ignore bool   `json:"shouldIgnore"`
			} `json:"files"`
		}
		if err := p.postJSON(ctx, "announce files to "+p.repo.ID, p.api()+"/preupload/main", asked, nil, &told); err != nil {
			return nil, err
		}
		for _, f := range told.Files {
			if f.Ignore {
				return nil, fmt.Errorf("push to %s: the .gitignore of the repository excludes %s", p.repo.ID, f.Path)
			}
			lfs[f.Path] = f.Mode == "lfs"
		}
	}
	for _, f := range files {
		if _, ok := lfs[f.Path]; !ok {
			return nil, fmt.Errorf("push to %s: the hub gives no way to send %s", p.repo.ID, f.Path)
		}
		if size, err := f.Size(); err != nil || size == 0 { // the stores of large files accept no empty ones
			lfs[f.Path] = false
		}
	}
	return lfs, nil
}

// object names the content of a large file.
type object struct {
	OID  string `json:"oid"`
	Size int64  `json:"size"`
}

// action is one request of an upload.
type action struct {
	Address string            `json:"href"`
	Header  map[string]string `json:"header"`
}

// large sends the large files that the hub does not have
// (github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md).
func (p *pushing) large(ctx context.Context, files []Upload, lfs map[string]bool) error {
	header := http.Header{"Accept": {"application/vnd.git-lfs+json"}, "Content-Type": {"application/vnd.git-lfs+json"}}
	for i := range files {
		f := &files[i]
		if !lfs[f.Path] {
			continue
		}
		it, err := f.object()
		if err != nil {
			return err
		}
		var told struct {
			Objects []struct {
				object
				Actions struct{ Upload, Verify *action }
				Error   *struct{ Message string }
			}
		}
		asked := map[string]any{"operation": "upload", "transfers": []string{"basic", "multipart"}, "objects": []object{it},
			"hash_algo": "sha256", "ref": map[string]string{"name": "main"}}
		if err := p.postJSON(ctx, "announce "+f.Path, p.repo.path()+".git/info/lfs/objects/batch", asked, header, &told); err != nil {
			return err
		}
		if len(told.Objects) != 1 || told.Objects[0].OID != it.OID {
			return fmt.Errorf("send %s: the hub gives no address for it", f.Path)
		}
		answer := told.Objects[0]
		if answer.Error != nil {
			return fmt.Errorf("send %s: the hub refuses it: %s", f.Path, answer.Error.Message)
		}
		if answer.Actions.Upload == nil {
			continue // the hub has it
		}
		if err := p.send(ctx, f, it, answer.Actions.Upload); err != nil {
			return err
		}
		if v := answer.Actions.Verify; v != nil {
			if err := p.reply(ctx, "finish "+f.Path, v.Address, it); err != nil {
				return err
			}
		}
	}
	return nil
}

func (u *Upload) object() (o object, err error) {
	if o.Size, err = u.Size(); err == nil {
		o.OID, err = u.hash(disk.HashSHA256)
	}
	return o, err
}

// send sends a large file as one piece, or in parts of a given size to an address each.
func (p *pushing) send(ctx context.Context, f *Upload, it object, to *action) error {
	chunk := to.Header["chunk_size"]
	if chunk == "" {
		_, err := p.put(ctx, f, to.Address, 0, it.Size)
		return err
	}
	size, err := strconv.ParseInt(chunk, 10, 64)
	if err != nil || size <= 0 {
		return fmt.Errorf("send %s: the hub asks for parts of %q bytes", f.Path, chunk)
	}
	type part struct {
		Number int    `json:"partNumber"`
		ETag   string `json:"etag"`
	}
	var parts []part
	addresses := map[int]string{}
	for key, address := range to.Header {
		if n, err := strconv.Atoi(key); err == nil {
			addresses[n] = address
		}
	}
	for from := int64(0); from < it.Size; from += size {
		n := len(parts) + 1
		address, ok := addresses[n]
		if !ok {
			return fmt.Errorf("send %s: the hub gives no address for part %d", f.Path, n)
		}
		etag, err := p.put(ctx, f, address, from, min(size, it.Size-from))
		if err != nil {
			return err
		}
		if etag == "" {
			return fmt.Errorf("send %s: the store did not confirm part %d", f.Path, n)
		}
		parts = append(parts, part{n, etag})
	}
	return p.reply(ctx, "join the parts of "+f.Path, to.Address, map[string]any{"oid": it.OID, "parts": parts})
}

// put sends a range of a file, and returns the tag that the store gives it.
func (p *pushing) put(ctx context.Context, f *Upload, address string, from, size int64) (etag string, err error) {
	all, err := f.Size()
	if err != nil {
		return "", err
	}
	store, path, err := p.at(address)
	if err != nil {
		return "", fmt.Errorf("send %s: %w", f.Path, err)
	}
	err = p.retry(ctx, "send "+f.Path, func() error {
		resp, err := store.Open(ctx, endpoint.Request{Path: path, Size: size, Put: func() (io.ReadCloser, error) {
			content, err := f.part(from, size)
			return &counted{ReadCloser: content, told: p.Progress, file: f.Path, at: from, size: all}, err
		}})
		if err != nil {
			return err
		}
		etag = resp.Header.Get("ETag")
		return resp.Body.Close()
	})
	var s refusal
	if errors.As(err, &s) { // not for a reason that the hub's token could have
		err = fmt.Errorf("send %s: the store for large files answered %d %s", f.Path, s.Code, http.StatusText(s.Code))
	}
	return etag, err
}

// counted reports how much of a file was read.
type counted struct {
	io.ReadCloser
	told     func(file string, written, size int64)
	file     string
	at, size int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	if c.at += int64(n); c.told != nil {
		c.told(c.file, c.at, c.size)
	}
	return n, err
}

// reply sends a value to an address that the hub named.
func (p *pushing) reply(ctx context.Context, what, address string, value any) error {
	to, path, err := p.at(address)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return p.retry(ctx, what, func() error {
		_, err := to.Send(ctx, endpoint.Request{Path: path, Body: body}, 1<<20)
		return err
	})
}

// at returns a client for an address that the hub named. The key goes only to the hub itself. A
// mirror of the hub (HF_ENDPOINT) also stands for the addresses of the public hub.
func (p *pushing) at(address string) (c *endpoint.Client, path string, err error) {
	if rest, ok := strings.CutPrefix(address, DefaultEndpoint+"/"); ok {
		address = p.Endpoint + "/" + rest
	}
	if rest, ok := strings.CutPrefix(address, p.Endpoint+"/"); ok {
		return p.http, "/" + rest, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && !strings.HasPrefix(p.Endpoint, u.Scheme+":") {
		return nil, "", errors.New("the hub names an address that is not https")
	}
	o := p.http.Options
	o.Address, o.Key = u.Scheme+"://"+u.Host, secret.Secret{}
	c, err = endpoint.New(o)
	return c, u.RequestURI(), err
}

// commit adds the files to the main branch in one commit.
func (p *pushing) commit(ctx context.Context, files []Upload, lfs map[string]bool, message string) (string, error) {
	var body bytes.Buffer
	lines := json.NewEncoder(&body)
	add := func(key string, value any) error { return lines.Encode(map[string]any{"key": key, "value": value}) }
	err := add("header", map[string]string{"summary": message, "description": ""})
	for i := 0; i < len(files) && err == nil; i++ {
		f := &files[i]
		if !lfs[f.Path] {
			content := f.Data
			if f.From != "" {
				if content, err = disk.ReadFile(f.From); err != nil {
					return "", err
				}
			}
			err = add("file", map[string]string{"content": base64.StdEncoding.EncodeToString(content), "path": f.Path, "encoding": "base64"})
			continue
		}
		var it object
		if it, err = f.object(); err == nil {
			err = add("lfsFile", map[string]any{"path": f.Path, "algo": "sha256", "oid": it.OID, "size": it.Size})
		}
	}
	if err != nil {
		return "", err
	}
	var made struct {
		Commit string `json:"commitOid"`
	}
	header := http.Header{"Content-Type": {"application/x-ndjson"}}
	if err := p.post(ctx, "commit to "+p.repo.ID, p.api()+"/commit/main", body.Bytes(), header, &made); err != nil {
		return "", err
	}
	if !isHex(made.Commit, 40) {
		return "", fmt.Errorf("commit to %s: the hub returned no commit", p.repo.ID)
	}
	return made.Commit, nil
}

// Address returns the repository's page for people.
func (c *Client) Address(repo Repo) string { return c.Endpoint + repo.path() }

// FolderUploads lists the files of a folder for a repository, in the order of their paths. Hidden and
// temporary files are left out.
func FolderUploads(dir string) (files []Upload, err error) {
	err = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		hidden := path != dir && strings.HasPrefix(e.Name(), ".")
		switch {
		case err != nil:
			return err
		case hidden && e.IsDir():
			return filepath.SkipDir
		case hidden, e.IsDir(), disk.IsTemporary(path):
			return nil
		}
		name, err := filepath.Rel(dir, path)
		files = append(files, Upload{Path: filepath.ToSlash(name), From: path})
		return err
	})
	slices.SortFunc(files, func(a, b Upload) int { return cmp.Compare(a.Path, b.Path) })
	return files, err
}
