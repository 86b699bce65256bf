package datasets

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Statistics describes a task by the numbers that mteb publishes for it
// (mteb/descriptive_stats), under the same names and by the same definitions, so
// that a loader can be held against them. Lengths are in code points.
type Statistics struct {
	NumSamples         int                  `json:"num_samples"` // documents and queries
	NumberOfCharacters int                  `json:"number_of_characters"`
	Documents          *TextStatistics      `json:"documents_text_statistics"`
	Queries            *TextStatistics      `json:"queries_text_statistics"`
	RelevantDocs       *RelevantStatistics  `json:"relevant_docs_statistics"`
	TopRanked          *TopRankedStatistics `json:"top_ranked_statistics"` // nil: the whole corpus is ranked
	NumDocuments       int                  `json:"num_documents"`
	NumQueries         int                  `json:"num_queries"`
}

// TextStatistics describes texts: of a document its title and text joined by a
// blank and trimmed, of a query its text and instruction joined by a blank.
type TextStatistics struct {
	Total   int     `json:"total_text_length"`
	Min     int     `json:"min_text_length"`
	Average float64 `json:"average_text_length"`
	Max     int     `json:"max_text_length"`
	Unique  int     `json:"unique_texts"`
}

// RelevantStatistics describes judgments: Num, Min, Average and Max count grades
// other than 0 (Average over all judged queries), Unique all judged documents.
type RelevantStatistics struct {
	Num     int     `json:"num_relevant_docs"`
	Min     int     `json:"min_relevant_docs_per_query"`
	Average float64 `json:"average_relevant_docs_per_query"`
	Max     int     `json:"max_relevant_docs_per_query"`
	Unique  int     `json:"unique_relevant_docs"`
}

// TopRankedStatistics describes the documents each query may rank: its
// candidates, or the corpus without its excluded documents.
type TopRankedStatistics struct {
	Num     int     `json:"num_top_ranked"`
	Min     int     `json:"min_top_ranked_per_query"`
	Average float64 `json:"average_top_ranked_per_query"`
	Max     int     `json:"max_top_ranked_per_query"`
}

// Stats streams the corpus of the task once and counts.
func Stats(t *Task) (*Statistics, error) {
	var docs, queries textCounter
	excluded := map[string][]string{} // document -> queries that exclude it
	for q, list := range t.Excluded {
		for _, doc := range list {
			if !slices.Contains(excluded[doc], q) {
				excluded[doc] = append(excluded[doc], q)
			}
		}
	}
	dropped := map[string]int{} // query -> excluded documents that the corpus has
	for d, err := range t.Corpus.Documents() {
		if err != nil {
			return nil, fmt.Errorf("count task %s: %w", t.Name, err)
		}
		docs.add(documentText(d))
		for _, q := range excluded[d.ID] {
			dropped[q]++
		}
	}
	prompted := t.prompted()
	for _, q := range t.Queries {
		if prompted {
			q.Instruction = ""
		}
		queries.add(queryText(q))
	}
	return &Statistics{
		NumSamples: docs.n + queries.n, NumDocuments: docs.n, NumQueries: queries.n,
		NumberOfCharacters: docs.stats.Total + queries.stats.Total,
		Documents:          docs.statistics(), Queries: queries.statistics(),
		RelevantDocs: t.relevantStatistics(), TopRanked: t.topRankedStatistics(docs.n, dropped),
	}, nil
}

// prompted tells whether all queries, at least two, share their instruction: it is
// then a prompt, as BRIGHT's are, which mteb does not count with the data.
func (t *Task) prompted() bool {
	for _, q := range t.Queries {
		if q.Instruction != t.Queries[0].Instruction {
			return false
		}
	}
	return len(t.Queries) > 1
}

// WriteJSON writes the numbers as mteb's files have them.
func (s *Statistics) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "    ")
	return e.Encode(s)
}

// documentText is the text mteb counts, and its models see, of a document.
func documentText(d Document) string {
	if d.Title != "" {
		return strings.TrimFunc(d.Title+" "+d.Text, isPythonSpace)
	}
	return strings.TrimFunc(d.Text, isPythonSpace)
}

// isPythonSpace tells what str.strip of Python strips: Unicode's white space and
// the four separators of ASCII.
func isPythonSpace(r rune) bool {
	return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f
}

// queryText is the text mteb counts of a query.
func queryText(q Query) string {
	if q.Instruction == "" {
		return q.Text
	}
	return q.Text + " " + q.Instruction
}

// textCounter counts texts one by one; which are equal it tells by 128 bits of
// their SHA-256, so that a corpus need not be in memory.
type textCounter struct {
	n     int
	stats TextStatistics
	seen  map[[16]byte]struct{}
}

func (c *textCounter) add(text string) {
	n := utf8.RuneCountInString(text)
	if c.n == 0 || n < c.stats.Min {
		c.stats.Min = n
	}
	c.stats.Max = max(c.stats.Max, n)
	c.stats.Total += n
	c.n++
	sum := sha256.Sum256([]byte(text))
	if c.seen == nil {
		c.seen = map[[16]byte]struct{}{}
	}
	c.seen[[16]byte(sum[:16])] = struct{}{}
}

// statistics returns what was counted, nil for nothing.
func (c *textCounter) statistics() *TextStatistics {
	if c.n == 0 {
		return nil
	}
	s := c.stats
	s.Average = float64(s.Total) / float64(c.n)
	s.Unique = len(c.seen)
	return &s
}

func (t *Task) relevantStatistics() *RelevantStatistics {
	if len(t.Qrels) == 0 {
		return nil
	}
	var s RelevantStatistics
	unique := map[string]struct{}{}
	first := true
	for _, of := range t.Qrels {
		n := 0
		for doc, grade := range of {
			unique[doc] = struct{}{}
			if grade != 0 {
				n++
			}
		}
		if s.Num += n; first || n < s.Min {
			s.Min = n
		}
		s.Max = max(s.Max, n)
		first = false
	}
	s.Unique = len(unique)
	s.Average = float64(s.Num) / float64(len(t.Qrels))
	return &s
}

// topRankedStatistics counts what each query may rank; dropped says how many of
// its excluded documents the corpus of so many documents has.
func (t *Task) topRankedStatistics(documents int, dropped map[string]int) *TopRankedStatistics {
	if t.Candidates == nil && t.Excluded == nil || len(t.Queries) == 0 {
		return nil
	}
	var s TopRankedStatistics
	for i, q := range t.Queries {
		n := len(t.Candidates[q.ID])
		if t.Candidates == nil {
			n = documents - dropped[q.ID]
		}
		if s.Num += n; i == 0 || n < s.Min {
			s.Min = n
		}
		s.Max = max(s.Max, n)
	}
	s.Average = float64(s.Num) / float64(len(t.Queries))
	return &s
}
