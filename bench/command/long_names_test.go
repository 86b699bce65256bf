package command

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"infbench/internal/usage"
	"infbench/runners/results"
)

// sized returns a name of that many bytes, made of one letter, with an ending.
func sized(size int, letter, ending string) string {
	name := strings.Repeat(letter, (size-len(ending))/len(letter))
	return name + strings.Repeat("x", size-len(ending)-len(name)) + ending
}

// The verbs work with the longest names that file systems allow, in any script: temporary
// files next to them have names that fit, and derived names are shortened. Names that become
// part of other names are limited, which is reported before anything is written.
func TestLongNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIP: Windows bounds whole paths")
	}
	network := t.TempDir()
	smallNetwork(t, network)
	for _, letter := range []string{"n", "語"} {
		for _, size := range []int{240, 255} {
			t.Run(fmt.Sprint(letter, size), func(t *testing.T) {
				t.Chdir(t.TempDir())
				if err := os.CopyFS(".", os.DirFS(network)); err != nil {
					t.Fatal(err)
				}
				folder, model := sized(size, letter, ""), sized(size-1, letter, "m")
				for from, to := range map[string]string{"data": folder, "small-bert": model} {
					if err := os.Rename(from, to); err != nil {
						t.Fatal(err)
					}
				}
				file := func(ending string) string { return sized(size, letter, ending) }
				run := results.RunName(folder, "test")
				for _, args := range [][]string{
					{"data", "import", folder, "--name", sized(results.MostFileName, "n", ""), "--lock", file(".lock")},
					{"evaluate", "--model", "bm25", "--data", folder},
					{"evaluate", "--model", model, "--data", folder},
					{"evaluate", "--model", "bm25", "--fuse", model, "--data", folder},
					{"evaluate", "--model", "bm25", "--data", folder, "--out", file("out")},
					{"evaluate", "--model", "bm25", "--data", folder, "--out", file("out")},
					{"report", file("out"), "--format", "html", "--out", file(".html")},
					{"report", file("out"), "--format", "csv", "--out", file(".csv")},
					{"verify", file(".html"), "--runs", file("out")},
					{"export", "--format", "trec", "--out", file("trec"), file("out")},
					{"export", "--format", "qrels", "--out", file("qrels"), file("out")},
					{"export", "--format", "mteb", "--out", file("mteb"), file("out")},
					{"publish", file("site"), file("out"), "--commit", "a1"},
					{"encode", filepath.Join(folder, "corpus.jsonl"), "--field", "text", "--model", model, "--out", sized(size-5, letter, ".npy")},
					{"data", "mine", "--data", "mini-infir", "--model", "bm25", "--negatives", "1", "--out", file(".jsonl")},
					{"data", "stats", folder, "--keep", sized(results.MostFileName, "n", "")},
					{"data", "overlap", "mini-infir", folder, "--out", file(".json")},
				} {
					mustRunIn(t, ".", args...)
				}
				if _, err := os.Stat(filepath.Join(file("out"), filepath.FromSlash(run))); err != nil {
					t.Error(err)
				}
				if left, err := filepath.Glob(".tmp-*"); err != nil || len(left) > 0 {
					t.Errorf("left %v, %v", left, err)
				}
				for _, args := range [][]string{
					{"data", "stats", folder, "--keep", folder},
					{"data", "import", folder, "--name", sized(results.MostFileName+1, "n", "")},
					{"init", folder},
				} {
					refusedAsUsage(t, "", args...)
				}
				if size == 255 && letter == "n" {
					verbFails(t, usage.ExitFailure, "file name too long", "encode", filepath.Join(folder, "corpus.jsonl"), "--field", "text", "--model", model, "--out", file(".npy"))
				}
			})
		}
	}
}
