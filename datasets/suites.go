package datasets

import (
	"path/filepath"
	"slices"

	"infbench/datasets/format"
	"infbench/internal/disk"
)

// SuiteLayout is how the files of a suite are laid out.
type SuiteLayout string

// The layouts.
const (
	MTEB        SuiteLayout = "mteb"    // configs corpus, queries or query, default or qrels
	WithAspects SuiteLayout = "aspects" // as BRIGHT-Pro: configs documents, examples, aspects with a split a domain
	InQueries   SuiteLayout = "queries" // as CRUMB: configs passage_corpus, evaluation_queries with a split a task, judgments in the rows of queries
)

// Suite describes one of the newer suites of retrieval tests, one file a suite: where its
// data lie at which commit, under which terms, and what a comparable run must do.
type Suite struct {
	Name     string
	About    string // one line
	Licence  string
	Citation string
	Protocol string   // what a run must do to be comparable
	Measures []string // the main one first
	Layout   SuiteLayout
	Parts    []SuitePart
	Private  bool // its texts must never be published: IDs and numbers only
	DropSelf bool // no query ranks the document with its own ID (Task.DropSelf)

	// Elsewhere is where the files of one that no hub serves are to be had, which its
	// users import; "" where its parts are on the hub.
	Elsewhere string
}

// SuitePart is a task of a suite.
type SuitePart struct {
	Task        string
	Repo        string // of the hub
	Revision    string // the commit that it is read at
	Within      string // which subset, split or folder of the repository it is; "" the whole
	Split       string // of its judgments; "" test, or the only one
	Instruction string // that all its queries get; "" none

	// Of CRUMB:
	Folder      string   // of its files
	Judgments   string   // column of queries that has them
	PassageMark string   // what ends a document's ID in that of its passages, where documents are judged and passages ranked; "" else
	Measures    []string // of the suite's, where it has not all; nil all
}

// pinned is a part that is a repository of its own, with what its prompts ask.
type pinned struct{ task, repo, revision, ask string }

// parts are pinned ones.
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

// SuiteInFolder is the name of the suite, of those that no hub serves, whose files are in a folder;
// "" where none is.
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

// IsFollowTable says whether a folder is a set of FollowTable, in either form.
func IsFollowTable(dir string) bool {
	_, err := format.Find(filepath.Join(dir, FollowTableQueries))
	return err == nil || IsReleasedFollowTable(dir)
}

// isThere says whether a folder has a file or folder of that name.
func isThere(dir, name string) bool {
	_, err := disk.Stat(filepath.Join(dir, name))
	return err == nil
}
