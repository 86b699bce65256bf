package minihub

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// followIRParts are the tasks of FollowIR with the commits that mteb pins.
var followIRParts = []struct{ task, old, oldCommit, new, newCommit string }{
	{"robust04", "jhu-clsp/robust04-instructions", "a5a1c4fe2bc528ac12e83f8cdf82178da85d2f1d",
		"mteb/Robust04InstructionRetrieval", "0495a5cb69aa8fa5bca81bd56ac248911c19eeb6"},
	{"news21", "jhu-clsp/news21-instructions", "e0144086b45fe31ac125e9ac1a83b6a409bb6ca6",
		"mteb/News21InstructionRetrieval", "c6fffeb9cdd95c1ffa81c62c687b48b56352872b"},
	{"core17", "jhu-clsp/core17-instructions", "e39ff896cf3efbbdeeb950e6bd7c79f266995b07",
		"mteb/Core17InstructionRetrieval", "67d8733dd0691f08f34ed9dda5941578cba8d91c"},
}

// followIR returns the three tasks in the layouts of mteb 1 and mteb 2.
func followIR() []Repository {
	var all []Repository
	for i, p := range followIRParts {
		s := draw(generated("mini-followir", i), 0, 4)
		all = append(all, dataset(p.old, p.oldCommit, followIROld(&s)), dataset(p.new, p.newCommit, followIRNew(&s)),
			dataset(p.old+"-mteb", "", followIRNew(&s)))
	}
	return all
}

type oldDocument struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

type oldQuery struct {
	ID       string `json:"_id"`
	Text     string `json:"text"`
	Original string `json:"instruction_og"`
	Changed  string `json:"instruction_changed"`
	Keywords string `json:"keywords"`
	Short    string `json:"short_query"`
}

type oldCandidate struct {
	Query string `json:"qid"`
	Doc   string `json:"pid"`
}

// oldQrel is a judgment. Tables on the hub have no comments on types: scores are integers.
type oldQrel struct {
	Query string `json:"query-id"`
	Doc   string `json:"corpus-id"`
	Score int    `json:"score"`
}

// followIROld has the layout of mteb 1: judgments twice, as test.jsonl and test.tsv; the card
// names only the first.
func followIROld(s *sample) map[string][]byte {
	var docs []oldDocument
	for _, d := range s.docs {
		docs = append(docs, oldDocument{d.ID, d.Title, d.Text})
	}
	instructions := map[string]string{}
	for _, q := range s.queries {
		instructions[q.ID] = q.Instruction
	}
	var queries []oldQuery
	var candidates []oldCandidate
	sides := map[string][]oldQrel{}
	for i, p := range s.pairs {
		text := s.queries[2*i].Text
		queries = append(queries, oldQuery{p.ID, text, instructions[p.Original], instructions[p.Changed], "", text})
		for _, doc := range s.ids() {
			candidates = append(candidates, oldCandidate{p.ID, doc})
		}
		for side, id := range map[string]string{"qrels_og": p.Original, "qrels_changed": p.Changed} {
			for _, doc := range slices.Sorted(maps.Keys(s.qrels[id])) {
				sides[side] = append(sides[side], oldQrel{p.ID, doc, s.qrels[id][doc]})
			}
		}
	}
	files := map[string][]byte{
		"corpus.jsonl": jsonLines(docs), "queries.jsonl": jsonLines(queries), "top_ranked.jsonl": jsonLines(candidates),
		"empty_scores.json": []byte("{}\n"),
		"README.md": card("mit",
			config{"qrels_og", [][2]string{{"test", "qrels_og/test.jsonl"}}},
			config{"qrels_changed", [][2]string{{"test", "qrels_changed/test.jsonl"}}},
			config{"corpus", [][2]string{{"corpus", "corpus.jsonl"}}},
			config{"queries", [][2]string{{"queries", "queries.jsonl"}}},
			config{"top_ranked", [][2]string{{"top_ranked", "top_ranked.jsonl"}}}),
	}
	for side, qrels := range sides {
		files[side+"/test.jsonl"] = jsonLines(qrels)
		files[side+"/test.tsv"] = tabbed(qrels)
	}
	return files
}

// tabbed formats judgments as BEIR's table.
func tabbed(qrels []oldQrel) []byte {
	var b strings.Builder
	b.WriteString("query-id\tcorpus-id\tscore\n")
	for _, q := range qrels {
		fmt.Fprintf(&b, "%s\t%s\t%d\n", q.Query, q.Doc, q.Score)
	}
	return []byte(b.String())
}

// followIRNew has the layout of mteb 2: every query twice, its judgments in the config qrels,
// and the documents that the change moves in qrel_diff.
func followIRNew(s *sample) map[string][]byte {
	type document struct {
		ID    string `parquet:"_id"`
		Title string `parquet:"title"`
		Text  string `parquet:"text"`
	}
	type query struct {
		ID   string `parquet:"_id"`
		Text string `parquet:"text"`
	}
	type instruction struct {
		Query string `parquet:"query-id"`
		Text  string `parquet:"instruction"`
	}
	type qrel struct {
		Query string `parquet:"query-id"`
		Doc   string `parquet:"corpus-id"`
		Score int64  `parquet:"score"`
	}
	type list struct {
		Query string   `parquet:"query-id"`
		Docs  []string `parquet:"corpus-ids,list"`
	}
	var docs []document
	for _, d := range s.docs {
		docs = append(docs, document{d.ID, d.Title, d.Text})
	}
	var queries []query
	var instructions []instruction
	var qrels []qrel
	var ranked, moved []list
	for _, q := range s.queries {
		queries = append(queries, query{q.ID, q.Text})
		instructions = append(instructions, instruction{q.ID, q.Instruction})
		ranked = append(ranked, list{q.ID, s.ids()})
		for _, doc := range slices.Sorted(maps.Keys(s.qrels[q.ID])) {
			qrels = append(qrels, qrel{q.ID, doc, int64(s.qrels[q.ID][doc])})
		}
	}
	for _, p := range s.pairs {
		moved = append(moved, list{p.ID, p.Moved})
	}
	files := map[string][]byte{
		"corpus/corpus-00000-of-00001.parquet":       parquetFile(docs),
		"queries/queries-00000-of-00001.parquet":     parquetFile(queries),
		"instruction/test-00000-of-00001.parquet":    parquetFile(instructions),
		"qrels/test-00000-of-00001.parquet":          parquetFile(qrels),
		"top_ranked/test-00000-of-00001.parquet":     parquetFile(ranked),
		"qrel_diff/qrel_diff-00000-of-00001.parquet": parquetFile(moved),
		"config.json": []byte("{}\n"),
	}
	var configs []config
	for _, c := range [][2]string{{"corpus", "corpus"}, {"queries", "queries"}, {"instruction", "test"}, {"qrels", "test"}, {"top_ranked", "test"}, {"qrel_diff", "qrel_diff"}} {
		configs = append(configs, config{c[0], [][2]string{{c[1], c[0] + "/" + c[1] + "-*"}}})
	}
	files["README.md"] = card("mit", configs...)
	return files
}
