package minihub

import (
	"fmt"

	"infbench/datasets"
)

// nevIRPairs are pairs of passages that differ in a negation, each with the question that
// only it answers.
var nevIRPairs = [][2]struct{ passage, question string }{
	{{"The bridge was rebuilt in stone and trains still cross it.", "Which bridge do trains still use?"}, {"The bridge was rebuilt in stone but trains no longer cross it.", "Which bridge do trains not use any more?"}},
	{{"Adult moths of this family feed on nectar.", "Which moths feed as adults?"}, {"Adult moths of this family never feed.", "Which moths do not feed as adults?"}},
	{{"The treaty was signed by both kings.", "Which treaty did both kings sign?"}, {"The treaty was signed by one king, not by the other.", "Which treaty did only one king sign?"}},
}

// nevIR is a miniature NevIR: a question ranks the two passages of its pair.
func nevIR() []Repository {
	type list struct {
		Query string   `parquet:"query-id"`
		Docs  []string `parquet:"corpus-ids,list"`
	}
	s := sample{qrels: map[string]map[string]int{}}
	var ranked []list
	for i, pair := range nevIRPairs {
		both := []string{fmt.Sprintf("%d_doc1", i), fmt.Sprintf("%d_doc2", i)}
		for k, side := range pair {
			query := fmt.Sprintf("%d_q%d", i, k+1)
			s.docs = append(s.docs, datasets.Document{ID: both[k], Text: side.passage})
			s.queries = append(s.queries, datasets.Query{ID: query, Text: side.question})
			s.qrels[query] = map[string]int{both[k]: 1}
			ranked = append(ranked, list{query, both})
		}
	}
	files, configs := mtebTask("", &s, true)
	files["top_ranked/test-00000-of-00001.parquet"] = parquetFile(ranked)
	files["README.md"] = card("mit", configs...)
	return []Repository{dataset("orionweller/NevIR-mteb", "eab99575c01c6a8e39f8d2adc6e3c3adcfe84413", files)}
}
