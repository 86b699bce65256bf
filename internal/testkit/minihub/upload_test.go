package minihub

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/datasets/hub"
)

// pushed sends files with the token of the environment.
func pushed(t *testing.T, id string, files []hub.Upload) (hub.Pushed, error) {
	t.Helper()
	c, err := hub.NewClient()
	if err != nil {
		t.Fatal(err)
	}
	return c.Push(t.Context(), hub.Repo{Kind: hub.Model, ID: id}, files, "a model", false)
}

// Push creates a repository and sends only what it lacks, large files in parts to a store that takes
// no token. The test fetches the files again.
func TestPush(t *testing.T) {
	for _, part := range []int{0, 1000, 1024} {
		h := NewHub("hf_right")
		h.Part = part
		store := httptest.NewServer(h)
		t.Cleanup(store.Close)
		h.Store = store.URL
		serve(t, h, "hf_right")
		dir := t.TempDir()
		weights := bytes.Repeat([]byte{1, 2, 3, 4}, 1024)
		for name, content := range map[string][]byte{"model.safetensors": weights, "1_Pooling/config.json": []byte("{}"), ".hidden": nil, "README.md": []byte("mine"), "empty.model": nil} {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, content, 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		files, err := hub.FolderUploads(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for i, f := range files {
			if names = append(names, f.Path); f.Path == "README.md" {
				files[i] = hub.Upload{Path: f.Path, Data: []byte("theirs")}
			}
			if f.Path == "empty.model" { // the miniature knows no empty file outside git
				files[i].Path = "empty.txt"
			}
		}
		if want := []string{"1_Pooling/config.json", "README.md", "empty.model", "model.safetensors"}; !slices.Equal(names, want) {
			t.Errorf("files %v, want %v", names, want)
		}
		first, err := pushed(t, "me/small", files)
		if err != nil || len(first.Sent) != 4 {
			t.Fatalf("parts of %d: %+v, %v", part, first, err)
		}
		puts := 1
		if part > 0 {
			puts = (len(weights) + part - 1) / part
		}
		got := h.repos["models/me/small"]
		if got.Commit != first.Commit || h.Puts != puts || !bytes.Equal(got.Files["model.safetensors"], weights) || string(got.Files["README.md"]) != "theirs" || got.Files[".gitattributes"] == nil {
			t.Errorf("parts of %d: %d requests, %d files at %s, pushed %+v", part, h.Puts, len(got.Files), got.Commit, first)
		}
		if err := fetch(t, hub.Repo{Kind: hub.Model, ID: "me/small"}); err != nil {
			t.Error(err)
		}
		if again, err := pushed(t, "me/small", files); err != nil || len(again.Sent) > 0 || again.Commit != first.Commit {
			t.Errorf("the same again: %+v, %v", again, err)
		}
		files[1].Data, files[3].Path = []byte("new"), "other.safetensors"
		if again, err := pushed(t, "me/small", files); err != nil || !slices.Equal(again.Sent, []string{"README.md", "other.safetensors"}) || h.Puts != puts {
			t.Errorf("with changes: %+v, %v; %d pieces sent", again, err, h.Puts)
		}
	}
}

// A refusal tells the user what to do, and has no token and no signature in its text.
func TestPushRefused(t *testing.T) {
	small, large := []hub.Upload{{Path: "config.json", Data: []byte("{}")}}, []hub.Upload{{Path: "model.safetensors", Data: []byte("{}")}}
	h := NewHub("hf_right_token", Repository{Kind: hub.Model, ID: "me/small", Files: map[string][]byte{"a": nil}})
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	h.Store = other.URL
	for _, c := range []struct {
		name, id, token string
		files           []hub.Upload
		want            string
	}{
		{"no token", "me/small", "", small, "set HF_TOKEN"},
		{"wrong token", "me/small", "hf_wrong_token", small, "must be allowed to write to me/small"},
		{"wrong token, new repository", "me/new", "hf_wrong_token", small, "must be allowed to write to me/new"},
		{"not my organisation", "others/new", "hf_right_token", small, `403 Forbidden: You don't have the rights to create a model under the namespace "others"`},
		{"bad name", "me/a b", "hf_right_token", small, "not a name the hub gives"},
		{"no organisation", "small", "hf_right_token", small, "want ORG/NAME"},
		{"name that leads out", "me/small", "hf_right_token", []hub.Upload{{Path: "../x"}}, "unsafe file name"},
		{"no store", "me/small", "hf_right_token", large, "send model.safetensors: the store for large files answered 404 Not Found"},
	} {
		serve(t, h, c.token)
		_, err := pushed(t, c.id, c.files)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "_token") || strings.Contains(err.Error(), "signature") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if err != nil && strings.Count(err.Error(), "HF_TOKEN") > 1 {
			t.Errorf("%s: advice twice: %v", c.name, err)
		}
	}
	if files := h.repos["models/me/small"].Files; len(files) != 1 {
		t.Errorf("%d files after refusals", len(files))
	}
}
