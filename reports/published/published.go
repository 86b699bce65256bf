// Package published holds numbers that others measured and printed: the tables of the
// InF-IR paper, and result files of MTEB.
//
// A published number has no per-query values, so it is never tested. It may be shown next
// to a measured one only if both follow the same conventions, which every cell carries.
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
	Model    string // as published: org/name where the source has it
	Revision string // of the model; "" where the source names none
	Config   string // what tells rows of one model apart: "base", "multi:P+I"

	Task    string // as published: Core17InstructionRetrieval
	Split   string // of MTEB: "test"; for tasks of several splits their names
	Subset  string // of MTEB: "default" for most
	Side    string // instruction that was given: "original", "changed", "" where there is one only
	Measure string // by the names of package metrics where it is one of theirs: nDCG@5, AP@1000, p-MRR

	Value     float64 // native scale, 0 to 1 for most measures
	Raw       string  `json:",omitempty"` // as printed, ×100 for most measures; "" where the source prints none
	Tolerance float64 // half a unit of the last digit printed; 0 where all digits are there
	Main      bool    // the number that the source ranks by

	Conventions Conventions
	Footnotes   []string
	File        string // that it was read from
	Data        string // revision of the data it was measured on; "" where the source names none

	score bool // its value is what the file calls the score of its task
}

// Conventions are the choices that make two numbers of one name incomparable.
// An empty field is unknown, and unknown equals nothing but itself.
type Conventions struct {
	Qrels   string // judgments the ranking was held against: "original" or "changed"
	Ties    string // order of equal scores
	Version string // of the measuring program: "mteb 1.18.0"
	Why     string // how Qrels was recognised

	Excluded string // what became of documents that a query excludes, where queries do
}

// ExcludedRemoved says that excluded documents are not ranked.
const ExcludedRemoved = "removed"

// The orders of documents of equal score.
const (
	TiesByID        = "document ID" // score, then ID, both descending
	TiesByInsertion = "insertion"   // whatever order the program met them in
)

// Missing is a result that a source should have and has not.
type Missing struct {
	Model, Revision, Task, File, Reason string
}

// Collection is what a source published.
type Collection struct {
	Source  string
	Cells   []Cell // by model, revision, task, split, subset, side, measure
	Missing []Missing
	Files   int       // read, those with nothing in them included
	Tables  []Printed `json:",omitempty"` // as they are laid out, where the source is a paper

	// Doubts are contradictions within the source: a number that does not follow
	// from its parts, a convention that the numbers deny.
	Doubts []string

	// Absent is a collection that is known by name and SHA256 only.
	Absent bool
	SHA256 string
}

// Hash is the SHA-256 of all that a collection holds.
func (c *Collection) Hash() string {
	if c.Absent {
		return c.SHA256
	}
	sum := sha256.New()
	_ = json.NewEncoder(sum).Encode(c.hashed()) // numbers and texts only
	return hex.EncodeToString(sum.Sum(nil))
}

// hashed is all that a collection holds, of one without tables as ever.
func (c *Collection) hashed() []any {
	all := []any{c.Source, c.Cells, c.Missing, c.Files, c.Doubts}
	if len(c.Tables) > 0 {
		all = append(all, c.Tables)
	}
	return all
}

// Table finds a table by its number; nil where there is none.
func (c *Collection) Table(number string) *Printed {
	i := slices.IndexFunc(c.Tables, func(t Printed) bool { return t.Number == number })
	if i < 0 {
		return nil
	}
	return &c.Tables[i]
}

// Printed is a table of a paper, its entries row by row.
type Printed struct {
	Number string
	Cells  []PrintedCell
}

// PrintedCell is one entry of a table. Its Cell has no value where it is Blank: the
// table holds a dash or a word.
type PrintedCell struct {
	Cell
	Row             int    // from 1
	Dataset, Metric string // heads of its column, as printed
	Label           string // of its row as printed, where Config resolves it; else ""
	Group           string // of rows that it stands in; "" where there are none
	Blank           bool
}

// Models lists the models that have at least one cell, sorted.
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

// sort puts cells and missing files in the order that Collection promises, so
// that nothing depends on the order of files in an archive.
func (c *Collection) sort() {
	slices.SortStableFunc(c.Cells, func(a, b Cell) int {
		return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.Revision, b.Revision), cmp.Compare(a.Task, b.Task),
			cmp.Compare(a.Split, b.Split), cmp.Compare(a.Subset, b.Subset), cmp.Compare(a.Side, b.Side), cmp.Compare(a.Measure, b.Measure), cmp.Compare(a.File, b.File))
	})
	slices.SortFunc(c.Missing, func(a, b Missing) int { return cmp.Compare(a.File, b.File) })
	slices.Sort(c.Doubts)
}
