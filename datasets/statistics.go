package datasets

import (
	"crypto/sha256"
	"encoding/json"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Statistics describes a task by the numbers that mteb publishes for it (mteb/descriptive_stats),
// with the same names and definitions, so that a loader can be checked against them. Lengths are in
// code points.
type Statistics struct {
	NumSamples         int                  `json:"num_samples"` // number of documents and queries
	NumberOfCharacters int                  `json:"number_of_characters"`
	Documents          *TextStatistics      `json:"documents_text_statistics"`
	Queries            *TextStatistics      `json:"queries_text_statistics"`
	RelevantDocs       *RelevantStatistics  `json:"relevant_docs_statistics"`
	TopRanked          *TopRankedStatistics `json:"top_ranked_statistics"` // nil: the full corpus is ranked
	NumDocuments       int                  `json:"num_documents"`
	NumQueries         int                  `json:"num_queries"`
}

// TextStatistics describes texts. The text of a document is its title and text joined by a space
// and trimmed; that of a query its text and instruction joined by a space.
type TextStatistics struct {
	Total   int     `json:"total_text_length"`
	Min     int     `json:"min_text_length"`
	Average float64 `json:"average_text_length"`
	Max     int     `json:"max_text_length"`
	Unique  int     `json:"unique_texts"`
}

// RelevantStatistics describes judgments. Num, Min, Average and Max count grades other than 0
// (Average over all judged queries), Unique all judged documents.
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

// WriteJSON writes the numbers in the format of mteb's files.
func (s *Statistics) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "    ")
	return e.Encode(s)
}

// documentText returns the text of a document as mteb counts it and as its models read it.
func documentText(title, text string) string {
	if title != "" {
		text = title + " " + text
	}
	return strings.TrimFunc(text, isPythonSpace)
}

// isPythonSpace reports whether Python's str.strip strips r: Unicode's white space and the four
// separators of ASCII.
func isPythonSpace(r rune) bool {
	return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f
}

// queryText returns the text of a query as mteb counts it.
func queryText(text, instruction string) string {
	if instruction == "" {
		return text
	}
	return text + " " + instruction
}

// textCounter counts texts one by one. It compares texts by 128 bits of their SHA-256, so that a
// corpus need not be in memory.
type textCounter struct {
	N     int // number of texts so far
	stats TextStatistics
	seen  map[[16]byte]struct{}
}

// Add adds one text.
func (c *textCounter) Add(text string) {
	n := utf8.RuneCountInString(text)
	if c.N == 0 || n < c.stats.Min {
		c.stats.Min = n
	}
	c.stats.Max = max(c.stats.Max, n)
	c.stats.Total += n
	c.N++
	sum := sha256.Sum256([]byte(text))
	if c.seen == nil {
		c.seen = map[[16]byte]struct{}{}
	}
	c.seen[[16]byte(sum[:16])] = struct{}{}
}

// Total returns the sum of the texts' lengths.
func (c *textCounter) Total() int { return c.stats.Total }

// Statistics returns the counts, nil if there are no texts.
func (c *textCounter) Statistics() *TextStatistics {
	if c.N == 0 {
		return nil
	}
	s := c.stats
	s.Average = float64(s.Total) / float64(c.N)
	s.Unique = len(c.seen)
	return &s
}

// countRelevant counts judgments: query ID -> document ID -> grade; nil for none.
func countRelevant(qrels map[string]map[string]int) *RelevantStatistics {
	if len(qrels) == 0 {
		return nil
	}
	var s RelevantStatistics
	unique := map[string]struct{}{}
	first := true
	for _, of := range qrels {
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
	s.Average = float64(s.Num) / float64(len(qrels))
	return &s
}

// countTopRanked counts the documents that each query may rank; nil for no queries.
func countTopRanked(perQuery []int) *TopRankedStatistics {
	if len(perQuery) == 0 {
		return nil
	}
	var s TopRankedStatistics
	for i, n := range perQuery {
		if s.Num += n; i == 0 || n < s.Min {
			s.Min = n
		}
		s.Max = max(s.Max, n)
	}
	s.Average = float64(s.Num) / float64(len(perQuery))
	return &s
}
