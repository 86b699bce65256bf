package site

import (
	"fmt"
	"regexp"
)

// Commit is the record of one commit: a line of a site's history.jsonl, without the sums that chain
// it.
type Commit struct {
	Commit string        `json:"commit"`
	Date   string        `json:"date,omitempty"` // as given, never from the clock
	Values []CommitValue `json:"values"`

	// Seeds lists the seeds of each system's finished runs, "1,2,3". Values are means over these
	// runs.
	Seeds map[string]string `json:"seeds,omitempty"`

	// Tasks are the values on single tasks that no column shows, of systems that were run once:
	// they show how runs vary.
	Tasks []CommitValue `json:"tasks,omitempty"`

	// Comparison with the commit before.
	Marks   []Mark   `json:"marks,omitempty"`   // from a gate
	Causes  []string `json:"causes,omitempty"`  // differences: "train.lr 0.004, before 0.005"
	Dropped []string `json:"dropped,omitempty"` // systems, or numbers of systems, that are no longer asked for
	Lost    []string `json:"lost,omitempty"`    // numbers that were asked for but failed
}

// CommitValue is a number of a leaderboard.
type CommitValue struct {
	System  string  `json:"system"`
	Test    string  `json:"test"`    // benchmark and task
	Scoring string  `json:"scoring"` // measure and side
	Value   float64 `json:"value"`
	Queries int     `json:"queries"`

	// The following are in the unit of Value.
	Runs   int     `json:"runs,omitempty"`   // number of runs in the mean
	Error  float64 `json:"error,omitempty"`  // standard error, over queries and training runs
	Spread float64 `json:"spread,omitempty"` // standard deviation of its runs
	Moved  float64 `json:"moved,omitempty"`  // standard error that queries add to its change since the commit before, beyond that of runs
}

// commitName matches the names of commits.
var commitName = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._/-]{0,99}$`)

// CheckName returns an error for a text that cannot name a commit.
func CheckName(commit string) error {
	if !commitName.MatchString(commit) {
		return fmt.Errorf("%q names no commit: want letters, digits, dots, dashes, at most 100", commit)
	}
	return nil
}
