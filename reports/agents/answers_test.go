package agents

import (
	"testing"

	"infbench/internal/testkit"
)

// FuzzParseAnswer checks that no line of a file of answers crashes the parser.
func FuzzParseAnswer(f *testing.F) {
	f.Add(`{"query_id": "1", "rounds": [{"round": 1, "docids": ["a", 2]}], "quality": 3}`)
	f.Add(`{"query_id": 1, "aspects": [{"id": "a", "weight": 1, "score": null}], "answer": "【3】"}`)
	f.Fuzz(func(t *testing.T, line string) {
		testkit.Small.Within(t, len(line), func() {
			a, err := parseAnswer([]byte(line))
			if err != nil {
				return
			}
			if a.Query == "" {
				t.Error("an answer without a query")
			}
			Score([]Answer{a}, nil)
		})
	})
}
