package command

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestSameBytes compares this program with another version of it. INFBENCH_REFERENCE is that
// version's binary, or the folder of its run of the demo; make same-bytes builds the binary
// of an earlier commit. The weights that the demo trains, its rankings and its per-query
// values must be the same bytes. Trials are paired by label and tasks by name, and none of
// our readers opens the folders, so the versions may use different IDs and layouts. -v prints
// the hashes.
//
//	INFBENCH_REFERENCE=path/to/runs/demo go test ./bench/command -run TestSameBytes -v
func TestSameBytes(t *testing.T) {
	reference := os.Getenv("INFBENCH_REFERENCE")
	if reference == "" {
		t.Skip("INFBENCH_REFERENCE names no other version")
	}
	info, err := os.Stat(reference)
	if err != nil {
		t.Fatal(err)
	}
	demo := filepath.Join("..", "experiments", "demo.yaml")
	if !info.IsDir() {
		folder := t.TempDir()
		if out, err := exec.CommandContext(t.Context(), reference, "sweep", demo, "--runs", folder).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", reference, err, out)
		}
		reference = folder
	}
	folder := t.TempDir()
	verbOutput(t, "sweep", demo, "--runs", folder)
	want, got := outcomes(t, reference), outcomes(t, folder)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		t.Logf("%.16s  %s", want[name], name)
		if got[name] != want[name] {
			t.Errorf("%s: %.16q here, %.16q in the reference", name, got[name], want[name])
		}
	}
	for name := range got {
		if want[name] == "" {
			t.Errorf("%s is not in the reference", name)
		}
	}
	// 11 losses with weights, and 16 systems with rankings and values of 16 tasks.
	if n := 11 + 16*16*2; len(want) != n {
		t.Errorf("%d hashes, want %d", len(want), n)
	}
}

// outcomes hashes the results of the trials below a folder, by the trial's label and the name
// of the task: "uni(P) seed=1: headline: ranking".
func outcomes(t *testing.T, dir string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	add := func(content []byte, name ...string) {
		key := strings.Join(name, ": ")
		if sums[key] != "" {
			t.Errorf("%s is twice below %s", key, dir)
		}
		sums[key] = fmt.Sprintf("%x", sha256.Sum256(content))
	}
	for _, file := range filesNamed(t, dir, "trial.yaml") {
		var trial struct{ Label string }
		if err := yaml.Unmarshal(contents(t, file), &trial); err != nil || trial.Label == "" {
			t.Fatalf("%s: label %q, %v", file, trial.Label, err)
		}
		folder := filepath.Dir(file)
		values := valuesByTask(t, filepath.Join(folder, "scores.jsonl"))
		for task, lines := range values {
			add([]byte(strings.Join(lines, "\n")), trial.Label, task, "values")
		}
		for _, ranking := range filesNamed(t, folder, "*.trec.gz") {
			add(contents(t, ranking), trial.Label, taskOf(t, ranking, slices.Collect(maps.Keys(values))), "ranking")
		}
		for _, weights := range filesNamed(t, folder, "*.safetensors") {
			add(contents(t, weights), trial.Label, filepath.Base(weights))
		}
	}
	return sums
}

// valuesByTask reads the lines of per-query values, sorted, each with sorted keys.
func valuesByTask(t *testing.T, file string) map[string][]string {
	t.Helper()
	values := map[string][]string{}
	for line := range bytes.Lines(contents(t, file)) {
		var fields map[string]any
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber()
		if err := decoder.Decode(&fields); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		text, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		task := fmt.Sprint(fields["task"])
		values[task] = append(values[task], string(text))
	}
	for _, lines := range values {
		slices.Sort(lines)
	}
	return values
}

// taskOf finds the task of a ranking: the longest task name that ends the file's name.
func taskOf(t *testing.T, file string, tasks []string) string {
	t.Helper()
	name, found := strings.TrimSuffix(filepath.Base(file), ".trec.gz"), ""
	for _, task := range tasks {
		if strings.HasSuffix(name, task) && len(task) > len(found) {
			found = task
		}
	}
	if found == "" {
		t.Fatalf("%s is of none of the tasks %q", file, tasks)
	}
	return found
}

// filesNamed lists the files below a folder whose names match.
func filesNamed(t *testing.T, dir, pattern string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		matches, err := filepath.Match(pattern, d.Name())
		if matches {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// contents reads a file, unpacked if its name ends in .gz.
func contents(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err == nil && strings.HasSuffix(file, ".gz") {
		var unpacked *gzip.Reader
		if unpacked, err = gzip.NewReader(bytes.NewReader(content)); err == nil {
			content, err = io.ReadAll(unpacked)
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return content
}
