// Package published holds numbers that others measured and published: the tables of the InF-IR
// paper, and result files of MTEB.
//
// A published number has no per-query values, so it is never tested. It may be shown next to a
// measured one only if both follow the same conventions, which every cell has.
package published

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
)

// Cell is one published number.
type Cell struct {
	Source   string // "MTEB" or "InF-IR, table 2"
	Model    string // as published: org/name if the source has it
	Revision string // of the model; "" if the source names none
	Config   string // distinguishes rows of one model: "base", "multi:P+I"

	Task    string // as published: Core17InstructionRetrieval
	Split   string // in MTEB: "test"; for tasks of several splits their names
	Subset  string // in MTEB: "default" for most
	Side    string // the given instruction: "original", "changed", "" if there is only one
	Measure string // name in package metrics if it has the measure: nDCG@5, AP@1000, p-MRR

	Value     float64 // native scale, 0 to 1 for most measures
	Raw       string  `json:",omitempty"` // as printed, ×100 for most measures; "" if the source prints none
	Tolerance float64 // half a unit of the last printed digit; 0 if all digits are known
	Main      bool    // the number by which the source ranks

	Conventions Conventions
	Footnotes   []string
	File        string // the file that has the number
	Data        string // revision of the data; "" if the source names none

	score bool // its value equals the score of the task in the file
}

// Conventions are choices on which the value of a number depends. An empty field is unknown, and
// equals only another unknown.
type Conventions struct {
	Qrels   string // judgments that evaluated the ranking: "original" or "changed"
	Ties    string // order of equal scores
	Version string // measuring program: "mteb 1.18.0"
	Why     string // how Qrels was determined

	Excluded string // treatment of documents that a query excludes, if queries do
}

// ExcludedRemoved means that excluded documents are not ranked.
const ExcludedRemoved = "removed"

// The orders of documents of equal score.
const (
	TiesByID        = "document ID" // score, then ID, both descending
	TiesByInsertion = "insertion"   // the order in which the program met them
)

// Missing is a result that a source should have and does not.
type Missing struct {
	Model, Revision, Task, File, Reason string
}

// Collection is the published numbers of one source.
type Collection struct {
	Source  string
	Cells   []Cell // sorted by model, revision, task, split, subset, side, measure
	Missing []Missing
	Files   int       // number of read files, including empty ones
	Tables  []Printed `json:",omitempty"` // in their layout, if the source is a paper

	// Doubts are contradictions within the source: a number that does not follow from its parts, or
	// a convention that the numbers contradict.
	Doubts []string

	// Absent marks a collection that is known only by its name and SHA256.
	Absent bool
	SHA256 string

	Origin Origin `json:"-"`
}

// Hash returns the SHA-256 of the contents of a collection, including its texts.
func (c *Collection) Hash() string {
	if c.Absent {
		return c.SHA256
	}
	sum := sha256.New()
	_ = json.NewEncoder(sum).Encode(c.hashed()) // numbers and texts only
	return hex.EncodeToString(sum.Sum(nil))
}

// hashed returns the contents of a collection. Tables are left out if there are none, so that
// earlier hashes remain valid.
func (c *Collection) hashed() []any {
	all := []any{c.Source, c.Cells, c.Missing, c.Files, c.Doubts}
	if len(c.Tables) > 0 {
		all = append(all, c.Tables)
	}
	return all
}

// Table finds a table by its number, or returns nil.
func (c *Collection) Table(number string) *Printed {
	i := slices.IndexFunc(c.Tables, func(t Printed) bool { return t.Number == number })
	if i < 0 {
		return nil
	}
	return &c.Tables[i]
}

// Printed is a table of a paper, with its entries row by row.
type Printed struct {
	Number string
	Cells  []PrintedCell
}

// PrintedCell is one entry of a table. The Cell of a Blank entry has no value: the table prints a
// dash or a word.
type PrintedCell struct {
	Cell
	Row             int    // from 1
	Dataset, Metric string // heads of its column, as printed
	Label           string // printed label of its row if Config resolves it; else ""
	Group           string // the group of rows that it belongs to; "" without groups
	Blank           bool
}

// Models lists the models with at least one cell, sorted.
func (c *Collection) Models() []string {
	seen := map[string]bool{}
	var names []string
	for i := range c.Cells {
		if m := c.Cells[i].Model; !seen[m] {
			seen[m] = true
			names = append(names, m)
		}
	}
	slices.Sort(names)
	return names
}

// sort sorts cells and missing results, so that nothing depends on the order of files in an
// archive.
func (c *Collection) sort() {
	slices.SortStableFunc(c.Cells, func(a, b Cell) int {
		return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.Revision, b.Revision), cmp.Compare(a.Task, b.Task),
			cmp.Compare(a.Split, b.Split), cmp.Compare(a.Subset, b.Subset), cmp.Compare(a.Side, b.Side), cmp.Compare(a.Measure, b.Measure), cmp.Compare(a.File, b.File))
	})
	slices.SortFunc(c.Missing, func(a, b Missing) int { return cmp.Compare(a.File, b.File) })
	slices.Sort(c.Doubts)
}
