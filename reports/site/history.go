package site

import (
	"fmt"
	"regexp"
)

// Commit is what one commit measured: a line of a site's history.jsonl, without what
// chains it.
type Commit struct {
	Commit string        `json:"commit"`
	Date   string        `json:"date,omitempty"` // as given, never the clock's
	Values []CommitValue `json:"values"`

	// Seeds are those of the finished runs of each system that has any, "1,2,3", of
	// which Values are means.
	Seeds map[string]string `json:"seeds,omitempty"`

	// Tasks are the values on single tasks that no column shows, of systems that were run
	// once: how their runs vary is known from nothing else.
	Tasks []CommitValue `json:"tasks,omitempty"`

	// What is known of it beside the commit before.
	Marks   []Mark   `json:"marks,omitempty"`   // what a gate found
	Causes  []string `json:"causes,omitempty"`  // what differs: "train.lr 0.004, before 0.005"
	Dropped []string `json:"dropped,omitempty"` // systems, and numbers of some, that nobody asks for any more
	Lost    []string `json:"lost,omitempty"`    // numbers that were asked for and came to nothing
}

// CommitValue is a number of a leaderboard.
type CommitValue struct {
	System  string  `json:"system"`
	Test    string  `json:"test"`    // benchmark and task
	Scoring string  `json:"scoring"` // measure and side
	Value   float64 `json:"value"`
	Queries int     `json:"queries"`

	// All are in the unit of Value.
	Runs   int     `json:"runs,omitempty"`   // that it is a mean of
	Error  float64 `json:"error,omitempty"`  // standard error, over queries and training runs
	Spread float64 `json:"spread,omitempty"` // standard deviation of its runs
	Moved  float64 `json:"moved,omitempty"`  // standard error that queries bring into its change since the commit before, beyond what runs do
}

// commitName is what a commit may be called.
var commitName = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._/-]{0,99}$`)

// CheckName refuses what no commit is called.
func CheckName(commit string) error {
	if !commitName.MatchString(commit) {
		return fmt.Errorf("%q names no commit: want letters, digits, dots, dashes, at most 100", commit)
	}
	return nil
}
