package command

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"infbench/internal/usage"
)

// adoptedWorkflow is the workflow that docs/ci.md gives to other repositories, with the
// address of a release and its checksum.
func adoptedWorkflow(t *testing.T, release, sum string) (w workflow) {
	t.Helper()
	page := string(mustRead(t, "../../docs/ci.md"))
	for block := range strings.SplitSeq(page, "```yaml\n") {
		block, _, _ = strings.Cut(block, "```")
		if !strings.Contains(block, ".github/actions/measure@") {
			continue
		}
		if n := strings.Count(block, "\n"); n > 15 {
			t.Errorf("the workflow for other repositories has %d lines", n)
		}
		if uses, pinned := strings.Count(block, "uses:"), strings.Count(block, "@COMMIT"); uses != 3 || pinned != 3 {
			t.Errorf("%d of %d actions are named by their commit", pinned, uses)
		}
		block = regexp.MustCompile(`(?m)RELEASE: .*$`).ReplaceAllLiteralString(block, "RELEASE: "+release)
		block = regexp.MustCompile(`(?m)SHA256: .*$`).ReplaceAllLiteralString(block, "SHA256: "+sum)
		if err := yaml.Unmarshal([]byte(block), &w); err != nil {
			t.Fatal(err)
		}
		return w
	}
	t.Fatal("docs/ci.md has no workflow that uses the action measure")
	return w
}

// released is an archive as internal/tools/release makes it, whose infbench is this program.
func released(t *testing.T) []byte {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	archive := tar.NewWriter(z)
	for name, body := range map[string]string{"LICENSE": "free", "infbench": fmt.Sprintf("#!/bin/bash\nexec %s \"$@\"\n", usage.Quote(self))} {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: "infbench-v0.1.0-linux-amd64/" + name, Mode: 0o755, Size: int64(len(body)), Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(archive.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// An otherwise empty repository with an experiment, rules and the workflow of docs/ci.md: the
// first push publishes; a pull request that changes nothing computes nothing again, and its
// comment reports that the gate is met; one that drops a system fails the gate; merged submissions are published, also
// when the cache has their trials; a release with another checksum is not used.
func TestAdoptedWorkflow(t *testing.T) {
	archive := released(t)
	sum := fmt.Sprintf("%x", sha256.Sum256(archive))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v0.1.0/infbench-v0.1.0-linux-amd64.tar.gz" {
			http.NotFound(w, r)
			return
		}
		w.Write(archive)
	}))
	defer server.Close()
	release := server.URL + "/v0.1.0/infbench-v0.1.0-linux-amd64.tar.gz"
	r := newRunner(t)
	if err := os.Remove(filepath.Join(r.bin, "infbench")); err != nil {
		t.Fatal(err)
	}
	r.file = adoptedWorkflow(t, release, sum)
	const experiment = `name: own
base: {data: mini-infir, backbone: tiny-bert, train: {steps: 2, lr: 5e-3}}
matrix: {loss: [uni:P], seed: [1, 2]}
baselines: [bm25, constant]
evaluate: [mini-bright]
`
	r.commit("main", map[string]string{"board.yaml": experiment, ".gitignore": "runs/\n",
		".github/gate.yaml": "rules:\n  - {measure: nDCG@10, maximum_drop: 2, significance: 0.05, new: pass, dropped: fail}\n"})
	if failed, code, out := r.event("push", "main", nil); failed != "" || !strings.Contains(out, "4 trials, 4 to run") {
		t.Fatalf("first push: step %q, exit %d\n%s", failed, code, out)
	}
	r.commit("same", map[string]string{"README": "words"})
	if failed, code, out := r.event("pull_request", "same", nil); failed != "" || !strings.Contains(out, "4 trials, 0 to run") || !strings.Contains(out, "gate met: 0 of ") {
		t.Errorf("nothing changed: step %q, exit %d\n%s", failed, code, out)
	}
	r.posted("**Gate met**")
	r.commit("fewer", map[string]string{"board.yaml": strings.Replace(experiment, ", constant", "", 1)})
	if failed, code, out := r.event("pull_request", "fewer", nil); failed != "gate" || code != exitGate {
		t.Errorf("fewer: step %q, exit %d\n%s", failed, code, out)
	}
	r.posted("**Gate not met**", "constant")
	r.commit("main", map[string]string{"README": "more words"})
	if failed, code, out := r.event("push", "main", nil); failed != "" {
		t.Fatalf("second push: step %q, exit %d\n%s", failed, code, out)
	}
	r.published()
	r.commit("main", submissionFiles(t))
	for _, push := range []string{"with a submission", "with its trials from the cache"} {
		r.commit("main", map[string]string{"README": push})
		if failed, code, out := r.event("push", "main", nil); failed != "" {
			t.Fatalf("%s: step %q, exit %d\n%s", push, failed, code, out)
		}
		r.publishedNames("acme/embed-1")
	}

	for _, bad := range []struct{ name, release, sum, want string }{
		{"another checksum", release, strings.Repeat("0", 64), "has the SHA-256 " + sum},
		{"no checksum", release, "copy it here", "is not a SHA-256"},
		{"no such release", server.URL + "/v0.2.0/infbench.tar.gz", sum, "404"},
	} {
		r.file = adoptedWorkflow(t, bad.release, bad.sum)
		if failed, code, out := r.event("push", "main", nil); failed != "install" || code == 0 || !strings.Contains(out, bad.want) {
			t.Errorf("%s: step %q, exit %d\n%s", bad.name, failed, code, out)
		}
	}
}
