package main

import (
	"testing"

	"infbench/bench/usage"
)

// sixTexts and their vectors are those of the tests of metrics/diversity, which
// name the outside numbers.
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
	matchesGolden(t, "diversity.golden", verbOutput(t, "diversity", texts, "--embeddings", vectors))
	matchesGolden(t, "diversity-sample.golden", verbOutput(t, "diversity", texts, "--sample", "4", "--ingf", "simpson", "--orders", "1", "--format", "csv"))
}

// One text has no n-gram frequencies to compare, no pair, no other text.
func TestDiversityUndefined(t *testing.T) {
	texts, vectors := inFile(t, "texts.jsonl", `{"text": "one two"}`), inFile(t, "vectors.jsonl", "[1]")
	matchesGolden(t, "diversity-undefined.golden", verbOutput(t, "diversity", texts, "--embeddings", vectors, "--orders", "3", "--format", "csv"))
}

func TestDiversityErrors(t *testing.T) {
	texts := inFile(t, "texts.jsonl", sixTexts)
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{usage.ExitUsage, "accepts 1 arg(s)", []string{"diversity"}},
		{usage.ExitUsage, `did you mean "dqi_t1"?`, []string{"diversity", texts, "--ingf", "dqi-t1"}},
		{usage.ExitUsage, "--orders 0", []string{"diversity", texts, "--orders", "0"}},
		{exitFailure, "texts.jsonl:1: column \"body\" is missing", []string{"diversity", texts, "--field", "body"}},
		{exitFailure, "--sample 7 of 6 texts", []string{"diversity", texts, "--sample", "7"}},
		{exitFailure, "holds 1 vectors", []string{"diversity", texts, "--embeddings", inFile(t, "v.jsonl", "[1,2]\n")}},
		{exitFailure, "v.jsonl:2: vector of 1 dimensions", []string{"diversity", texts, "--embeddings", inFile(t, "v.jsonl", "[1,2]\n[1]\n")}},
		{exitFailure, "v.jsonl:1: vector is zero", []string{"diversity", texts, "--embeddings", inFile(t, "v.jsonl", "[0,0]\n")}},
		{exitFailure, "bad.jsonl:2", []string{"diversity", inFile(t, "bad.jsonl", "{\"text\": \"a\"}\n{\n")}},
		{exitFailure, "empty.jsonl: no texts", []string{"diversity", inFile(t, "empty.jsonl", "")}},
	} {
		verbFails(t, c.code, c.want, c.args...)
	}
}
