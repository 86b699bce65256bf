package command

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Only regular files are read: a pipe without a writer, or a link to an endless device, in
// place of any file of a run folder ends every verb that reads it. The verb names the file if
// it needs it.
//
// With INFBENCH_FAULTS=1 each file is tried with all verbs, else with one of them.
func TestOnlyRegularFilesOfRunsAreRead(t *testing.T) {
	t.Chdir(t.TempDir())
	tinyData(t, ".")
	writeFile(t, "sweep.yaml", "name: tiny\nbase: {train: {steps: 1}}\nevaluate: [./data]\nbaselines: [bm25, random]\n")
	verbOutput(t, "sweep", "sweep.yaml", "--workers", "1")
	verbOutput(t, "evaluate", "--model", "bm25", "--data", "data", "--out", "runs/evaluation")
	verbOutput(t, "publish", "site", "runs/tiny", "--commit", "c0ffee1")
	kept := t.TempDir()
	if err := os.CopyFS(kept, os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, dir := range []string{"runs/tiny", "runs/evaluation", "site"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && !strings.HasSuffix(path, ".svg") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	named, tried := 0, 0
	every := os.Getenv("INFBENCH_FAULTS") == "1"
	for i, path := range files {
		verbs := readersOf(path)
		if !every {
			verbs = verbs[i%len(verbs):][:1]
		}
		for kind, put := range map[string]func() error{
			"pipe":   func() error { return syscall.Mkfifo(path, 0o644) },
			"device": func() error { return os.Symlink("/dev/zero", path) },
		} {
			if !every && (i%3 > 0 || (kind == "pipe") == (i/3%2 == 0)) {
				continue
			}
			for _, verb := range verbs {
				if err := errors.Join(os.RemoveAll(path), put()); err != nil {
					t.Fatal(err)
				}
				tried++
				code, said := endsSoon(t, path+" is a "+kind, verb...)
				if strings.Contains(said, filepath.Base(path)) {
					named++
				} else if strings.Contains(said, "not a regular file") {
					t.Errorf("%s is a %s: infbench %q does not name it: exit %d, %s", path, kind, verb, code, said)
				}
				if err := errors.Join(os.RemoveAll("runs"), os.RemoveAll("site"), os.CopyFS("runs", os.DirFS(filepath.Join(kept, "runs"))), os.CopyFS("site", os.DirFS(filepath.Join(kept, "site")))); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	t.Logf("%d commands on %d files that are not regular: all ended, %d named the file", tried, len(files), named)
}

// readersOf returns commands that read the kind of file at path.
func readersOf(path string) [][]string {
	switch dir := filepath.ToSlash(path); {
	case strings.HasPrefix(dir, "site/"):
		return [][]string{{"publish", "site", "runs/tiny", "--commit", "c0ffee2"}, {"verify", "site/report.html"}}
	case strings.HasPrefix(dir, "runs/evaluation/"):
		return [][]string{{"report", "runs/evaluation"}, {"query", "runs/evaluation"}, {"query", "runs/evaluation", "q1"}, {"verify", "runs/evaluation"}, {"export", "--format", "trec", "--out", "out", "runs/evaluation"},
			{"evaluate", "--model", "bm25", "--data", "data", "--out", "runs/evaluation"}}
	}
	return [][]string{{"report", "runs/tiny"}, {"query", "runs/tiny"}, {"query", "runs/tiny", "q1"}, {"status", "runs/tiny"}, {"verify", "runs/tiny"}, {"diff", "runs/tiny", "runs/evaluation"}, {"export", "--format", "qrels", "--out", "out", "runs/tiny"},
		{"retry", "runs/tiny"}, {"verify", "runs/tiny/report.html", "--runs", "runs/tiny"}, {"sweep", "--merge", "runs/tiny", "--runs", "merged"}}
}

// endsSoon runs a command line, which must end within a minute.
func endsSoon(t *testing.T, what string, args ...string) (code int, said string) {
	t.Helper()
	var out bytes.Buffer
	ended := make(chan int, 1)
	go func() { ended <- run(args, &out, &out) }()
	select {
	case code := <-ended:
		return code, out.String()
	case <-time.After(time.Minute):
		t.Fatalf("%s: infbench %q does not end", what, args)
		return 0, ""
	}
}
