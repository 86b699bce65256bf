package command

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"infbench/internal/usage"
)

// sixTexts and their vectors are those of the tests of metrics/diversity, which name the
// outside numbers.
const (
	sixTexts = `{"text": "The cat sat on the mat."}
{"text": "The cat sat on a mat!"}
{"text": "A dog barked at the cat on the mat today"}
{"text": "Retrieval follows instructions"}
{"text": "the the the cat"}
{"text": "retrieval of the cat on the mat follows"}
`
	sixVectors = `[2.54, -2.06, 0.92, -0.07]
[0.05, 0.28, -1.52, 0.27]
[-0.37, 3.82, 0.73, 0.15]
[0.22, -0.17, -0.56, 0.11]
[0.98, 0.26, 1.46, 0.3]
[0.52, 2.05, 1.05, -0.01]
`
)

func TestDiversityGolden(t *testing.T) {
	texts, vectors := inFile(t, "texts.jsonl", sixTexts), inFile(t, "vectors.jsonl", sixVectors)
	matchesGolden(t, "diversity.golden", verbOutput(t, "data", "diversity", texts, "--embeddings", vectors))
	matchesGolden(t, "diversity-sample.golden", verbOutput(t, "data", "diversity", texts, "--sample", "4", "--ingf", "simpson", "--orders", "1", "--format", "csv"))
}

// A single text has no n-gram frequencies to compare, no pair and no other text.
func TestDiversityUndefined(t *testing.T) {
	texts, vectors := inFile(t, "texts.jsonl", `{"text": "one two"}`), inFile(t, "vectors.jsonl", "[1]")
	matchesGolden(t, "diversity-undefined.golden", verbOutput(t, "data", "diversity", texts, "--embeddings", vectors, "--orders", "3", "--format", "csv"))
}

func TestDiversityErrors(t *testing.T) {
	texts := inFile(t, "texts.jsonl", sixTexts)
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{usage.ExitUsage, "requires at least 1 arg(s)", []string{"data", "diversity"}},
		{usage.ExitUsage, `did you mean "dqi_t1"?`, []string{"data", "diversity", texts, "--ingf", "dqi-t1"}},
		{usage.ExitUsage, "--orders 0", []string{"data", "diversity", texts, "--orders", "0"}},
		{usage.ExitUsage, "--embeddings given 1 times for 2 sets", []string{"data", "diversity", texts, texts, "--embeddings", "v.npy"}},
		{usage.ExitUsage, "not both", []string{"data", "diversity", texts, "--embeddings", "v.npy", "--model", "x"}},
		{exitFailure, "texts.jsonl:1: column \"body\" is missing", []string{"data", "diversity", texts, "--field", "body"}},
		{exitFailure, "--sample 7 of 6 texts", []string{"data", "diversity", texts, "--sample", "7"}},
		{exitFailure, "has 1 vectors", []string{"data", "diversity", texts, "--embeddings", inFile(t, "v.jsonl", "[1,2]\n")}},
		{exitFailure, "v.jsonl:2: vector of 1 dimensions", []string{"data", "diversity", texts, "--embeddings", inFile(t, "v.jsonl", "[1,2]\n[1]\n")}},
		{exitFailure, "v.jsonl:1: vector is zero", []string{"data", "diversity", texts, "--embeddings", inFile(t, "v.jsonl", "[0,0]\n")}},
		{exitFailure, "bad.jsonl:2", []string{"data", "diversity", inFile(t, "bad.jsonl", "{\"text\": \"a\"}\n{\n")}},
		{exitFailure, "empty.jsonl: no texts", []string{"data", "diversity", inFile(t, "empty.jsonl", "")}},
	} {
		verbFails(t, c.code, c.want, c.args...)
	}
}

// Several sets are measured in samples of the size of the smallest, from a model or from
// vectors that encode wrote, and each result is kept for the view.
func TestDiversityOfSeveral(t *testing.T) {
	model := goldenModel(t, "bert", nil)
	texts := inFile(t, "texts.jsonl", sixTexts)
	few := inFile(t, "few.jsonl", strings.Join(strings.SplitAfter(sixTexts, "\n")[:4], ""))
	matchesGolden(t, "diversity-several.golden", verbOutput(t, "data", "diversity", texts, few, "--orders", "1"))
	t.Chdir(t.TempDir())
	for i, file := range []string{texts, few} {
		verbOutput(t, "encode", file, "--sample", "4", "--model", model, "--out", fmt.Sprintf("%d.npy", i))
	}
	byModel := verbOutput(t, "data", "diversity", texts, few, "--model", model, "--keep", "both", "--format", "csv")
	byFile := verbOutput(t, "data", "diversity", texts, few, "--embeddings", "0.npy", "--embeddings", "1.npy", "--format", "csv")
	if byModel != byFile || strings.Count(byModel, ",APS,") != 2 {
		t.Errorf("by the model and by its vectors:\n%s\n%s", byModel, byFile)
	}
	if capped := verbOutput(t, "data", "diversity", texts, few, "--sample", "10000", "--orders", "1"); !strings.Contains(capped, "2 sets of 4 texts each") || !strings.Contains(capped, "--sample 10000: 4 texts of each, since the smallest set has no more") {
		t.Errorf("a sample larger than the smallest set:\n%s", capped)
	}
	alone := verbOutput(t, "data", "diversity", texts, "--sample", "4", "--model", model, "--format", "csv")
	for line := range strings.Lines(alone) {
		if strings.HasPrefix(line, "APS") && !strings.Contains(byModel, line) {
			t.Errorf("alone %s, together\n%s", line, byModel)
		}
	}
	shown := verbOutput(t, "report", "--view", "diversity")
	for _, want := range []string{"both-texts.jsonl", "both-few.jsonl", "4 of 6 texts; ", "drawn with seed 1", "vectors of bert"} {
		if !strings.Contains(shown, want) {
			t.Errorf("report --view diversity has no %q:\n%s", want, shown)
		}
	}
}

// One field of a corpus and a benchmark: passages are a benchmark's documents.
func TestDiversityOfPassages(t *testing.T) {
	t.Chdir(t.TempDir())
	out := verbOutput(t, "data", "diversity", "mini-infir", "mini-followir", "--field", "passage", "--sample", "20", "--orders", "1", "--keep", "passage")
	documents := verbOutput(t, "data", "diversity", "mini-followir", "--field", "document", "--sample", "20", "--orders", "1", "--format", "csv")
	if !strings.Contains(out, "mini-followir: field document, 20 of ") || !strings.Contains(out, "mini-infir: field passage, 20 of ") {
		t.Errorf("fields:\n%s", out)
	}
	if passages := verbOutput(t, "data", "diversity", "mini-followir", "--field", "passage", "--sample", "20", "--orders", "1", "--format", "csv"); passages != documents {
		t.Errorf("passages\n%s\ndocuments\n%s", passages, documents)
	}
	if shown := verbOutput(t, "report", "--view", "diversity"); !strings.Contains(shown, "passage-mini-followir") {
		t.Errorf("what is kept:\n%s", shown)
	}
}

// The user's own file with the columns of InF-IR has the same fields, unless a column has
// that name.
func TestDiversityOfOwnRecords(t *testing.T) {
	records := inFile(t, "trip.jsonl", `{"instruction_positive":"be brief","instruction_negative":"be long","query_positive":"what","query_negative":"who is",`+
		`"document_positive":"it","hard_negative_document_1":"that","hard_negative_document_2":"they are","query":"own"}`+"\n")
	for field, texts := range map[string]string{"instruction": "2 of 2 texts", "passage": "3 of 3 texts", "negatives": "no texts in field negatives", "query": "1 of 1 texts", "query_negative": "1 of 1 texts"} {
		var out bytes.Buffer
		run([]string{"data", "diversity", records, "--field", field}, &out, &out)
		if !strings.Contains(out.String(), texts) {
			t.Errorf("field %s: %s", field, out.String())
		}
	}
	verbFails(t, exitFailure, "trip.jsonl:1: column \"instructions\" is missing", "data", "diversity", records, "--field", "instructions")
}
