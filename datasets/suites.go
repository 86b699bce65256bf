package datasets

import (
	"path/filepath"
	"slices"

	"infbench/datasets/format"
	"infbench/internal/disk"
)

// SuiteLayout is the layout of a suite's files.
type SuiteLayout string

// The layouts.
const (
	MTEB        SuiteLayout = "mteb"    // configs corpus, queries or query, default or qrels
	WithAspects SuiteLayout = "aspects" // like BRIGHT-Pro: configs documents, examples, aspects with one split per domain
	InQueries   SuiteLayout = "queries" // like CRUMB: configs passage_corpus, evaluation_queries with one split per task, judgments in the rows of queries
)

// Suite describes one of the newer suites of retrieval tests, one per file: the location and commit
// of its data, its licence, and the requirements for a comparable run.
type Suite struct {
	Name     string
	About    string // one line
	Licence  string
	Citation string
	Protocol string   // requirements for a comparable run
	Measures []string // the main one first
	Layout   SuiteLayout
	Parts    []SuitePart
	Private  bool // its texts must never be published: only IDs and numbers
	DropSelf bool // no query ranks the document with its own ID (Task.DropSelf)

	// Elsewhere is the source of a suite outside the hub, whose files users import; "" if its parts
	// are on the hub.
	Elsewhere string
}

// SuitePart is a task of a suite.
type SuitePart struct {
	Task        string
	Repo        string // on the hub
	Revision    string // the commit to read
	Within      string // subset, split or folder of the repository; "" for all of it
	Split       string // split of its judgments; "" for test, or the only one
	Instruction string // instruction of all queries; "" for none

	// For CRUMB:
	Folder      string   // folder of its files
	Judgments   string   // column of queries with the judgments
	PassageMark string   // separator after a document's ID in passage IDs, if documents are judged and passages ranked; else ""
	Measures    []string // subset of the suite's measures; nil for all
}

// pinned is a part with its own repository, and its instruction.
type pinned struct{ task, repo, revision, ask string }

// parts converts pinned parts.
func parts(all []pinned) []SuitePart {
	out := make([]SuitePart, len(all))
	for i, p := range all {
		out[i] = SuitePart{Task: p.task, Repo: p.repo, Revision: p.revision, Instruction: p.ask}
	}
	return out
}

// Suites lists the suites.
func Suites() []Suite {
	return slices.Concat([]Suite{
		r2med(), brightPro(), followTable(), browseCompPlus(), excluIR(), multiConIR(), crumb(), obliqBench(), limit(), limitSmall(), rteb(),
	}, beir())
}

// SuiteInFolder returns the name of the suite outside the hub whose files are in a folder; "" if
// there is none.
func SuiteInFolder(dir string) string {
	switch {
	case isThere(dir, excluIRQueries):
		return "excluir"
	case isThere(dir, multiConIRFolder):
		return "multiconir"
	case IsFollowTable(dir), slices.ContainsFunc(FollowTableSets, func(set string) bool { return IsFollowTable(filepath.Join(dir, set)) }):
		return "followtable"
	}
	return ""
}

// IsFollowTable reports whether a folder is a set of FollowTable, in either form.
func IsFollowTable(dir string) bool {
	_, err := format.Find(filepath.Join(dir, FollowTableQueries))
	return err == nil || IsReleasedFollowTable(dir)
}

// isThere reports whether a folder has a file or folder of that name.
func isThere(dir, name string) bool {
	_, err := disk.Stat(filepath.Join(dir, name))
	return err == nil
}
