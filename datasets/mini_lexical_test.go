package datasets

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/go-porterstemmer"

	"infbench/metrics"
	"infbench/metrics/trec"
)

// bm25 ranks the documents of each query of a task by the words of text(q), with k1 0.9 and b 0.4
// and statistics of the full corpus.
func bm25(task Task, text func(Query) string) trec.Run {
	tf, length, df, total := map[string]map[string]float64{}, map[string]float64{}, map[string]float64{}, 0.0
	var all []string
	for d := range task.Corpus.Documents() {
		all, tf[d.ID] = append(all, d.ID), map[string]float64{}
		for _, w := range lexicalWords(d.Text) {
			if tf[d.ID][w]++; tf[d.ID][w] == 1 {
				df[w]++
			}
			length[d.ID]++
			total++
		}
	}
	n, run := float64(len(all)), trec.Run{}
	for _, q := range task.Queries {
		skip, words := set(task.Excluded[q.ID]), lexicalWords(text(q))
		candidates := all
		if task.Candidates != nil {
			candidates = task.Candidates[q.ID]
		}
		var ranking trec.Ranking
		for _, d := range candidates {
			if skip[d] {
				continue
			}
			norm, sum := 0.9*(0.6+0.4*length[d]*n/total), 0.0
			for _, w := range words {
				idf := math.Log(1 + (n-df[w]+0.5)/(df[w]+0.5))
				sum += idf * tf[d][w] / (tf[d][w] + norm)
			}
			ranking = append(ranking, trec.Scored{Doc: d, Score: sum})
		}
		ranking.Sort()
		run[q.ID] = ranking
	}
	return run
}

// lexicalWords returns the tokens of a text without punctuation marks.
func lexicalWords(text string) []string {
	return slices.DeleteFunc(miniTokens(text), func(w string) bool { return strings.ContainsAny(w, ".,:;?") })
}

func queryOnly(q Query) string { return q.Text }
func wholeText(q Query) string { return q.Text + " " + q.Instruction }

// meanOf averages a measure over the queries of one side of a run, over all queries, or over the
// pairs.
func meanOf(t *testing.T, task Task, run trec.Run, scoring Scoring) float64 {
	t.Helper()
	m, err := metrics.Parse(scoring.Measure)
	if err != nil {
		t.Fatal(err)
	}
	var cases []metrics.Case
	for _, p := range task.Pairs {
		id := map[Side]string{None: p.Changed, Original: p.Original, Changed: p.Changed}[scoring.Side]
		cases = append(cases, metrics.Case{
			Query: id, Judgments: task.Qrels[id], Ranking: run[id], Before: run[p.Original], Changed: p.Moved,
		})
	}
	if task.Pairs == nil {
		for _, q := range task.Queries {
			cases = append(cases, metrics.Case{Query: q.ID, Judgments: task.Qrels[q.ID], Ranking: run[q.ID]})
		}
	}
	sum := 0.0
	for i := range cases {
		v, ok := m.Score(&cases[i])
		if !ok {
			t.Fatalf("%s: %s is undefined", cases[i].Query, scoring.Measure)
		}
		sum += v
	}
	return sum / float64(len(cases))
}

// TestMiniFollowIRIsNotLexical checks the limits of matching words; miniworld.md gives BM25 a p-MRR
// of .05.
func TestMiniFollowIRIsNotLexical(t *testing.T) {
	for _, seed := range miniSeeds {
		b, err := Mini("mini-followir", seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range b.Tasks {
			whole, queries := bm25(task, wholeText), bm25(task, queryOnly)
			for _, s := range task.Scorings {
				v, only := meanOf(t, task, whole, s), meanOf(t, task, queries, s)
				t.Logf("world %d %-10s %-8s %-8s BM25 %+.3f, query only %+.3f", seed, task.Name, s.Measure, s.Side, v, only)
				lowest, highest := -0.1, 0.1 // of p-MRR
				switch task.Name {
				case "headline":
					lowest, highest = 0.01, 0.12
				case "no-overlap":
					lowest, highest = 0, 0
				}
				if s.Measure == "p-MRR" && (v < lowest || v > highest) {
					t.Errorf("world %d, %s: p-MRR of matching words is %g, want %g to %g", seed, task.Name, v, lowest, highest)
				}
				if s.Side == Changed && task.Name != "null" && only > 0.6 {
					t.Errorf("world %d, %s: the query alone has %s %g", seed, task.Name, s.Measure, only)
				}
			}
		}
	}
}

func TestMiniSearchNeedsInstruction(t *testing.T) {
	for _, name := range []string{"mini-mair", "mini-bright"} {
		b, err := Mini(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range b.Tasks {
			s := task.Scorings[0]
			v, only := meanOf(t, task, bm25(task, wholeText), s), meanOf(t, task, bm25(task, queryOnly), s)
			t.Logf("%s %-22s %d documents, %d queries: BM25 %.3f, query only %.3f",
				name, task.Name, task.Corpus.Len(), len(task.Queries), v, only)
			if task.Name != "plain-topic" && only > 0.6 {
				t.Errorf("%s: the query alone has nDCG@10 %g", task.Name, only)
			}
		}
	}
}

// TestMiniNoOverlap: no word of a no-overlap instruction, except stop words, is in any document,
// nor is a word with the same stem.
func TestMiniNoOverlap(t *testing.T) {
	r := newMiniReader()
	stems := func(text string) []string {
		var all []string
		for w := range r.content(text) {
			all = append(all, porterstemmer.StemString(w))
		}
		return all
	}
	for _, seed := range miniSeeds {
		records, all := miniWorldOf(t, seed)
		_, _, documents := trainTexts(records)
		for _, b := range all {
			for _, task := range b.Tasks {
				for _, text := range texts(t, task) {
					documents = append(documents, text)
				}
			}
		}
		inDocuments := map[string]bool{}
		for _, text := range documents {
			for _, w := range stems(text) {
				inDocuments[w] = true
			}
		}
		eachMiniQuery(all, func(_ *Benchmark, task Task, q Query) {
			if task.Name != "no-overlap" {
				return
			}
			for _, w := range stems(q.Instruction) {
				if inDocuments[w] {
					t.Errorf("world %d, %s: %q of %q is in a document", seed, q.ID, w, q.Instruction)
				}
			}
		})
	}
}

// TestMiniBrightSharesNoWord: posts of mini-bright share no content word with their answers, not
// even in their instruction or by stem.
func TestMiniBrightSharesNoWord(t *testing.T) {
	r := newMiniReader()
	for _, seed := range miniSeeds {
		b, err := Mini("mini-bright", seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range b.Tasks {
			docs := texts(t, task)
			for _, q := range task.Queries {
				words := map[string]bool{}
				for w := range r.content(q.Text, q.Instruction) {
					words[porterstemmer.StemString(w)] = true
				}
				for _, d := range relevant(task, q.ID) {
					for w := range r.content(docs[d]) {
						if words[porterstemmer.StemString(w)] {
							t.Errorf("world %d, %s: shares %q with %q", seed, q.ID, w, docs[d])
						}
					}
				}
			}
		}
	}
}
