package cost

import (
	"strings"

	"infbench/datasets"
	"infbench/datasets/hub"
	"infbench/runners/catalog"
	"infbench/runners/spec"
)

// workload is an amount of text.
type workload struct {
	Texts   int     // documents and queries of a benchmark, rows of a training set
	Queries int     // how many of the texts are queries
	Length  float64 // mean number of tokens of a text, or of both sides of a training row
	Asked   float64 // tokens of the instruction and query of a training row
}

func (w workload) tokens() float64 { return float64(w.Texts) * w.Length }

// tokensPerWord is the number of tokens per English word, including subwords and punctuation:
// 1.3 on MS MARCO passages for BERT's WordPiece, and about the same for the BPE of Llama 3 and
// Qwen 2.
const tokensPerWord = 1.3

// sampled is the number of documents of a corpus that are read to estimate their length, and of
// texts whose tokens are counted.
const sampled = 200

// counter estimates the number of tokens of texts. It counts those of the first texts if the
// network's tokenizer is known, and the words of all.
type counter struct {
	shape
	texts         int // whose tokens were counted
	words, tokens float64
}

// of is the approximate number of tokens of a text, at most the network's maximum.
func (c *counter) of(text string) float64 {
	words := float64(len(strings.Fields(text)))
	perWord := tokensPerWord
	if c.tokenizer != nil && c.texts < sampled {
		c.texts++
		c.words += words
		c.tokens += float64(len(c.tokenizer.Tokenize(text)))
	}
	if c.words > 0 {
		perWord = c.tokens / c.words
	}
	if limit := c.shape.tokens; limit > 0 {
		return min(perWord*words, float64(limit))
	}
	return perWord * words
}

// trainingWork counts the rows that a cell trains on, each a query with its instruction and a
// passage. For a share it is that share of all rows, which are drawn later.
func trainingWork(cell *spec.Cell, s shape) (workload, error) {
	count := counter{shape: s}
	corpora, err := catalog.OpenCell(cell)
	if err != nil {
		return workload{}, err
	}
	var w workload
	records, drop := 0, cell.Dropped()
	for _, c := range corpora {
		for r, err := range c.All {
			if err != nil {
				return workload{}, err
			}
			records++
			for _, row := range drop.Record(r, c.Shape).Rows {
				w.Texts++
				asked := count.of(row.Instruction + " " + row.Query)
				w.Length += asked + count.of(row.Passage)
				w.Asked += asked
			}
		}
	}
	w.Length /= float64(max(w.Texts, 1))
	w.Asked /= float64(max(w.Texts, 1))
	taken, err := cell.Share.Count(records)
	w.Texts = w.Texts * taken / max(records, 1)
	return w, err
}

// benchmarkWork counts the texts of a benchmark that a model encodes.
func benchmarkWork(b *datasets.Benchmark, s shape) (workload, error) {
	count := counter{shape: s}
	lock, err := hub.ReadLock(hub.LockFile)
	if err != nil {
		return workload{}, err
	}
	var w workload
	tokens := 0.0
	for i := range b.Tasks {
		t := &b.Tasks[i]
		documents := t.Corpus.Len()
		if locked, ok := lock.Counts[b.Name+"/"+t.Name]; ok && documents < 0 {
			documents = locked.Documents
		}
		seen, length := 0, 0.0
		for d, err := range t.Corpus.Documents() {
			if err != nil {
				return workload{}, err
			}
			if seen++; seen <= sampled {
				length += count.of(d.Title + " " + d.Text)
			} else if documents >= 0 {
				break
			}
		}
		if documents < 0 {
			documents = seen
		}
		tokens += float64(documents) * length / float64(max(1, min(seen, sampled)))
		for _, q := range t.Queries {
			tokens += count.of(q.Text + " " + q.Instruction)
		}
		w.Texts += documents + len(t.Queries)
		w.Queries += len(t.Queries)
	}
	w.Length = tokens / float64(max(w.Texts, 1))
	return w, nil
}
