package command

import (
	_ "embed"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"testing"

	"infbench/internal/tools/pyenv"
)

// pythonPins are the packages that docs/python.md imports, from python.in there.
//
//go:embed testdata/python.txt
var pythonPins []byte

// pythonBlock matches a block of Python on a page.
var pythonBlock = regexp.MustCompile("(?ms)^```python\n(.*?)^```$")

// TestPython types docs/python.md: its commands in order, and the Python between them. Then
// testdata/python.py compares what Python has read, and what the hub's library makes of model cards and
// of a model that was pushed. INFBENCH_PYTHON=1 runs it; it makes a Python environment of 560 MB.
func TestPython(t *testing.T) {
	if os.Getenv("INFBENCH_PYTHON") == "" {
		t.Skip("SKIP: INFBENCH_PYTHON is not set: .ci/run python runs the Python of docs/python.md")
	}
	folder, err := pyenv.Folder()
	if err != nil {
		t.Fatal(err)
	}
	python, err := pyenv.Make(t.Context(), t.Output(), folder, "python", pythonPins)
	if gap := (pyenv.Absent{}); errors.As(err, &gap) {
		t.Skip("SKIP:", gap)
	} else if err != nil {
		t.Fatal(err)
	}
	s := newPageStage(t)
	s.env = append(s.env, "HF_HUB_DISABLE_XET=1", "HF_HUB_DISABLE_TELEMETRY=1")
	var page docPage
	for _, p := range docPages(t) {
		if p.path == "docs/python.md" {
			page = p
		}
	}
	script := ""
	run := func(more string) {
		t.Helper()
		script += more
		cmd := exec.Command(python, "-W", "error::DeprecationWarning", "-c", script)
		cmd.Dir, cmd.Env = s.dir, s.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v in\n%s\n%s", err, more, out)
		}
	}
	at, blocks := 0, pythonBlock.FindAllStringSubmatchIndex(page.text, -1)
	for _, b := range append(blocks, nil) {
		end := len(page.text)
		if b != nil {
			end = b[0]
		}
		for _, c := range (docPage{page.path, page.text[at:end]}).commands() {
			if err := s.typed(c); err != nil {
				t.Fatal(err)
			}
		}
		if b != nil {
			run(page.text[b[2]:b[3]])
			at = b[1]
		}
	}
	if len(blocks) < 4 {
		t.Errorf("%d blocks of Python on the page", len(blocks))
	}
	s.run("export", "--format", "model-index", "--out", "index", "runs/demo")
	s.run("export", "--format", "eval-results", "--out", "results", "runs/demo")
	s.run("models", "push", "runs/demo:uni:P", "me/ours", "--yes")
	run(string(mustRead(t, "testdata/python.py")))
}
