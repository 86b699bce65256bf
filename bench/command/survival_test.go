package command

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"iter"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"infbench/datasets"
	"infbench/datasets/mixture"
	"infbench/internal/testkit"
	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/runners/spec"
	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// smallBackbone saves a network that trains in milliseconds for each step.
func smallBackbone(t *testing.T) string {
	t.Helper()
	return backbone(t, func(c *encoder.Config) {
		c.HiddenSize, c.IntermediateSize, c.MaxPositionEmbeddings = 8, 8, 16
		c.Text.MaxQuery, c.Text.MaxDocument = 12, 12
	})
}

// backbone saves a network with a given shape, whose vocabulary is that of mini data.
func backbone(t *testing.T, shape func(*encoder.Config)) string {
	t.Helper()
	return backboneOf(t, catalog.Texts(miniData(t)), shape)
}

// backboneOf saves a network with a given shape and the vocabulary of some texts.
func backboneOf(t *testing.T, texts iter.Seq[string], shape func(*encoder.Config)) string {
	t.Helper()
	backend, err := device.OpenBackend(device.GoDevice)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.BuildWordPiece(texts, 300)
	if err != nil {
		t.Fatal(err)
	}
	c := encoder.TinyBERT()
	shape(&c)
	enc, err := encoder.New(c, tok, 1, backend)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "some-bert")
	if err := enc.Save(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// survivalSweep is an experiment of six cells, two of them trained for some 30 steps.
func survivalSweep(t *testing.T) string {
	t.Helper()
	return inFile(t, "survival.yaml", fmt.Sprintf(`
name: survival
base:
  backbone: %s
  train: {epochs: 1, rows_per_group: 120, lr: 5e-3}
matrix: {loss: [uni(P), "multi(P,I)"]}
baselines: [untrained, bm25, constant, random]
evaluate: [mini-bright]
`, smallBackbone(t)))
}

// survivalArgs is the command line that the tests in this file kill and repeat.
func survivalArgs(file, runs string, workers int) []string {
	return []string{"sweep", file, "--runs", runs, "--checkpoint-every", "5", "--workers", fmt.Sprint(workers)}
}

// infbench runs the program as a separate process: the binary in INFBENCH_BINARY, or this
// test program, which behaves like it.
func infbench(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	program := os.Getenv("INFBENCH_BINARY")
	if program == "" {
		var err error
		if program, err = os.Executable(); err != nil {
			t.Fatal(err)
		}
	}
	return exec.Command(program, args...)
}

// outcome hashes the results of an experiment: rankings, scores and the report.
func outcome(t *testing.T, dir string) map[string][32]byte {
	t.Helper()
	sums := numbers(t, dir)
	if len(sums) != 6*5 { // 6 trials, each with 4 tasks and a scores file
		t.Errorf("%d files of numbers, want 30", len(sums))
	}
	sums["report"] = tableHash(t, dir)
	return sums
}

// finishedCellLine matches the line that a sweep prints when a cell ends, with the name of
// the cell.
var finishedCellLine = regexp.MustCompile(`^ *\d+/\d+  (.+)  \d+\.\ds\n$`)

// Processes that work on one folder at the same time share the cells: none runs twice, none
// is forgotten, and the numbers are those of one process.
func TestSweepsShareAFolder(t *testing.T) {
	testkit.Deep(t)
	file, alone := survivalSweep(t), t.TempDir()
	if out, err := infbench(t, survivalArgs(file, alone, 1)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := outcome(t, filepath.Join(alone, "survival"))
	for _, c := range []struct{ processes, workers int }{{2, 2}, {4, 1}} {
		t.Run(fmt.Sprintf("%d processes of %d workers", c.processes, c.workers), func(t *testing.T) {
			runs := t.TempDir()
			said := make([]bytes.Buffer, c.processes)
			var all sync.WaitGroup
			for i := range c.processes {
				cmd := infbench(t, survivalArgs(file, runs, c.workers)...)
				cmd.Stderr = &said[i]
				all.Go(func() {
					if err := cmd.Run(); err != nil {
						t.Errorf("%v: %s", err, said[i].String())
					}
				})
			}
			all.Wait()
			ran := map[string]int{}
			for i := range said {
				for line := range strings.Lines(said[i].String()) {
					if cell := finishedCellLine.FindStringSubmatch(line); cell != nil {
						ran[cell[1]]++
					}
				}
			}
			if len(ran) != 6 {
				t.Errorf("%d cells were run, want 6: %v", len(ran), ran)
			}
			for cell, n := range ran {
				if n != 1 {
					t.Errorf("%s ran %d times", cell, n)
				}
			}
			if !maps.Equal(outcome(t, filepath.Join(runs, "survival")), want) {
				t.Error("rankings, scores or report differ from those of one process")
			}
		})
	}
}

// tableHash hashes the numbers of a run's report, without the times on its page.
func tableHash(t *testing.T, dir string) [32]byte {
	t.Helper()
	return sha256.Sum256([]byte(verbOutput(t, "report", dir, "--format", "csv")))
}

// miniData is the training data of world 1.
func miniData(t *testing.T) mixture.Data {
	t.Helper()
	data, err := catalog.LoadData(&spec.Cell{Data: datasets.MiniTraining, World: 1})
	if err != nil {
		t.Fatal(err)
	}
	return data
}
