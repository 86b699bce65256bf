package analysis

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"infbench/bench/data"
	"infbench/internal/testkit"
)

// Mean lengths in words of InF-IR's instructions, queries and passages (the paper's Table 1),
// and its number of records.
const (
	instructionWords = 35.57
	queryWords       = 8.06
	passageWords     = 55.2
	paperRecords     = 38_759
)

// vocabulary returns the words of the static model, then invented ones: 60,000 in all.
func vocabulary(tb testing.TB, model string) (words []string, known int) {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(model, "0_StaticEmbedding", "tokenizer.json"))
	if err != nil {
		tb.Fatal(err)
	}
	var tokenizer struct {
		Model struct{ Vocab map[string]int }
	}
	if err := json.Unmarshal(text, &tokenizer); err != nil {
		tb.Fatal(err)
	}
	words = make([]string, len(tokenizer.Model.Vocab))
	for word, id := range tokenizer.Model.Vocab {
		words[id] = word
	}
	for known = len(words); len(words) < 60_000; {
		words = append(words, fmt.Sprintf("made%d", len(words)))
	}
	return words, known
}

// writeCorpus writes records with InF-IR's columns and mean lengths. N-grams repeat less often
// than in natural language, which is the harder case for counting them. Every text has a word
// that the model knows.
func writeCorpus(tb testing.TB, file string, records int, words []string, known int) {
	tb.Helper()
	f, err := os.Create(file)
	if err != nil {
		tb.Fatal(err)
	}
	out := bufio.NewWriter(f)
	r := rand.New(rand.NewPCG(1, 38_759))
	zipf := rand.NewZipf(r, 1.1, 10, uint64(len(words)-1))
	text := func(mean float64) string {
		drawn := []string{words[known/2+r.IntN(known/2)]}
		for range int(mean*(0.5+r.Float64()) - 0.5) {
			drawn = append(drawn, words[zipf.Uint64()])
		}
		return strings.Join(drawn, " ")
	}
	to := json.NewEncoder(out)
	for i := range records {
		if err := to.Encode(map[string]string{
			"id": fmt.Sprint(i), "instruction_positive": text(instructionWords), "instruction_negative": text(instructionWords),
			"query_positive": text(queryWords), "query_negative": text(queryWords), "document_positive": text(passageWords),
			"hard_negative_document_1": text(passageWords), "hard_negative_document_2": text(passageWords),
		}); err != nil {
			tb.Fatal(err)
		}
	}
	if err := errors.Join(out.Flush(), f.Close()); err != nil {
		tb.Fatal(err)
	}
}

// staticModel is the folder of the shared static model.
func staticModel(tb testing.TB) string {
	tb.Helper()
	return testkit.SharedPath(tb, "models", "glove-50d-5k-static")
}

// runVerb runs a verb as if in a new process: the memory of earlier verbs is released.
func runVerb(tb testing.TB, cmd *cobra.Command, args ...string) {
	tb.Helper()
	debug.FreeOSMemory()
	cmd.SetArgs(args)
	cmd.SetOut(io.Discard)
	if err := cmd.ExecuteContext(tb.Context()); err != nil {
		tb.Fatalf("%s %s: %v", cmd.Name(), strings.Join(args, " "), err)
	}
}

// analyses runs the analyses of Table 1 and Figure 3b on a corpus: counts and mean lengths,
// INGF of all texts, APS of 10,000.
func analyses(tb testing.TB, file, model string) {
	runVerb(tb, data.Command(), "stats", file)
	for _, field := range []string{"instruction", "query", "passage"} {
		runVerb(tb, DiversityCommand(), file, "--field", field)
		runVerb(tb, DiversityCommand(), file, "--field", field, "--sample", "10000", "--model", model)
	}
}

// TestLargeCorpus checks that a corpus of InF-IR's size, 38,759 records with 77,518 negatives,
// is analysed within 60 s of two processors and 500 MiB.
func TestLargeCorpus(t *testing.T) {
	if os.Getenv("INFBENCH_LARGE") == "" {
		t.Skip("SKIP: INFBENCH_LARGE is not set (make large)")
	}
	model, file := staticModel(t), filepath.Join(t.TempDir(), "train.jsonl")
	if kept := os.Getenv("INFBENCH_LARGE_CORPUS"); kept != "" {
		file = kept
	}
	words, known := vocabulary(t, model)
	writeCorpus(t, file, paperRecords, words, known)
	started, before := time.Now(), testkit.ProcessorTime()
	analyses(t, file, model)
	wall, busy := time.Since(started), testkit.ProcessorTime()-before
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	t.Logf("%v, %v of the processor, %d MiB at most", wall, busy, used.Maxrss>>10)
	if min(wall, busy/2) > 60*time.Second {
		t.Errorf("took %v by the clock and %v of the processor", wall, busy)
	}
	if used.Maxrss>>10 > 500 {
		t.Errorf("peak memory %d MiB", used.Maxrss>>10)
	}
}

// BenchmarkAnalysis analyses a tenth of that corpus.
func BenchmarkAnalysis(b *testing.B) {
	model, file := staticModel(b), filepath.Join(b.TempDir(), "train.jsonl")
	words, known := vocabulary(b, model)
	writeCorpus(b, file, paperRecords/10, words, known)
	for b.Loop() {
		analyses(b, file, model)
	}
}
