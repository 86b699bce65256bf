package runners

import (
	"context"
	"strings"
	"testing"

	"infbench/datasets"
)

// oneVector is an encoder with one vector for texts that begin with "other" and one for all
// other texts.
type oneVector struct{}

func (oneVector) Dim() int { return 2 }

func (oneVector) EncodeQueries(_ context.Context, queries, _ []string, dst []float32) error {
	for i := range queries {
		dst[2*i], dst[2*i+1] = 1, 0
	}
	return nil
}

func (oneVector) EncodeDocuments(_ context.Context, _, texts []string, dst []float32) error {
	for i, text := range texts {
		if dst[2*i], dst[2*i+1] = 0.6, 0.8; strings.HasPrefix(text, "other") {
			dst[2*i] = 0.7
		}
	}
	return nil
}

// TestOneVectorForAll: one vector for all documents is an error unless all their texts are
// equal.
func TestOneVectorForAll(t *testing.T) {
	for want, texts := range map[string][]string{
		"all 3 documents have the same vector": {"a", "b", "a"},
		"":                                     {"a", "b", "other"},
		" ":                                    {"a", "a", "a"},
		"  ":                                   {"a"},
	} {
		var docs []datasets.Document
		for i, text := range texts {
			docs = append(docs, datasets.Document{ID: string(rune('1' + i)), Text: text})
		}
		task := &datasets.Task{Name: "t", Queries: []datasets.Query{{ID: "q", Text: "q"}}, Corpus: datasets.MemoryCorpus(docs)}
		_, err := NewDense("m", oneVector{}, DenseOptions{BatchSize: 2}).Retrieve(t.Context(), task, 10)
		if want = strings.TrimSpace(want); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", texts, err, want)
		}
	}
}
