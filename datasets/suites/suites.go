// Package suites describes the newer suites of retrieval tests, one file a suite: where
// their data lie at which commit, under which terms, what a comparable run must do, and
// how those that have a layout of their own are read. Package datasets makes tasks of
// what they say.
package suites

import "slices"

// Layout is how the files of a suite are laid out.
type Layout string

// The layouts.
const (
	MTEB        Layout = "mteb"    // configs corpus, queries or query, default or qrels
	WithAspects Layout = "aspects" // as BRIGHT-Pro: configs documents, examples, aspects with a split a domain
)

// Suite is a benchmark that is known by its name.
type Suite struct {
	Name     string
	About    string // one line
	Licence  string
	Citation string
	Protocol string   // what a run must do to be comparable
	Measures []string // the main one first
	Layout   Layout
	Parts    []Part
	Private  bool // its texts must never be published: IDs and numbers only
}

// Part is a task of a suite.
type Part struct {
	Task        string
	Repo        string // of the hub
	Revision    string // the commit that it is read at
	Within      string // which subset, split or folder of the repository it is; "" the whole
	Split       string // of its judgments; "" test, or the only one
	Instruction string // that all its queries get; "" none
}

// All lists the suites.
func All() []Suite {
	return slices.Concat([]Suite{r2med(), brightPro(), browseCompPlus(), obliqBench(), limit(), limitSmall()}, beir())
}
