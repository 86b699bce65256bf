package published

import (
	"fmt"
	"infbench/metrics"
	"math"
	"strconv"
	"strings"
)

// version is the first numbers of a version: 1.18.0 is {1, 18, 0}.
type version [3]int

func parseVersion(text string) (v version, ok bool) {
	parts := strings.SplitN(text, ".", 3)
	for i, p := range parts {
		n, err := strconv.Atoi(digits(p))
		if err != nil {
			return v, i > 0
		}
		v[i] = n
	}
	return v, true
}

// atLeast compares versions.
func (v version) atLeast(w version) bool {
	for i := range v {
		if v[i] != w[i] {
			return v[i] > w[i]
		}
	}
	return true
}

// mtebTies says how a version of mteb orders documents of equal score when it
// ranks them for p-MRR: by ID since 2.19.5 (its PR 5241), before as they came.
func mtebTies(text string) string {
	v, ok := parseVersion(text)
	switch {
	case !ok:
		return ""
	case v.atLeast(version{2, 19, 5}):
		return TiesByID
	default:
		return TiesByInsertion
	}
}

// sideQrels says against which judgments the numbers of a side were computed.
// Where mteb 1.x writes "individual" its loader has swapped the two: what it
// calls original is the original instructions' ranking held against the
// judgments of the changed ones.
func sideQrels(side string, swapped bool, version string) (qrels, why string) {
	if !swapped {
		return side, version + " writes og and changed, each against its own judgments"
	}
	return otherSide[side], version + " writes individual, with the two sets of judgments swapped"
}

// fingerprints hold the precision at 1000 of FollowIR's tasks under the
// judgments of each side. With the 1000 candidates that all systems rerank and
// a recall of 1 it is the mean number of relevant documents over 1000, so it
// tells which judgments were used (measured on 191 published models).
var fingerprints = map[string]map[string]float64{
	"Core17InstructionRetrieval":   {"changed": .0327, "original": .0545},
	"News21InstructionRetrieval":   {"changed": .01634, "original": .03725},
	"Robust04InstructionRetrieval": {"changed": .01981, "original": .03369},
}

// checkQrels says so where the numbers of a side deny the judgments that its
// layout implies.
func checkQrels(c Cell, object map[string]any) string {
	precision, _ := object["precision_at_1000"].(float64)
	recall, _ := object["recall_at_1000"].(float64)
	known := fingerprints[c.Task]
	if known == nil || recall != 1 {
		return ""
	}
	for qrels, want := range known {
		if math.Abs(precision-want) <= 2*rounding && qrels != c.Conventions.Qrels {
			return fmt.Sprintf("%s: P@1000 of %v is that of the %s judgments, where %s is said to use the %s ones",
				c.File, precision, qrels, c.Conventions.Version, c.Conventions.Qrels)
		}
	}
	return ""
}

// Differ lists the conventions in which two cells of a measure differ, in words;
// none means that their numbers may be compared. Ties matter where documents of
// equal score are told apart by rank alone, to p-MRR; judgments to everything
// else, since p-MRR only asks which of them changed. The version of the program is no
// convention of its own: what changed with it is named.
func (c Conventions) Differ(d Conventions, measure string) []string {
	var out []string
	if !metrics.IsShift(measure) && c.Qrels != d.Qrels {
		out = append(out, fmt.Sprintf("judgments: %s, not %s", orUnknown(c.Qrels), orUnknown(d.Qrels)))
	}
	if metrics.IsShift(measure) && c.Ties != d.Ties {
		out = append(out, fmt.Sprintf("ties: by %s, not by %s", orUnknown(c.Ties), orUnknown(d.Ties)))
	}
	if c.Excluded != d.Excluded {
		out = append(out, fmt.Sprintf("excluded documents: %s, not %s", orUnknown(c.Excluded), orUnknown(d.Excluded)))
	}
	return out
}

// MeasuredLike reports whether a benchmark of this program is read as the program that
// made a number read it: FollowIR with its judgments swapped for mteb 1, as they are
// for others.
func (c Conventions) MeasuredLike(benchmark string) bool {
	return strings.HasPrefix(c.Version, "mteb 1.") == (benchmark == followIRSwapped)
}

// hasExcluded reports whether queries of a task exclude documents: those of four
// of BRIGHT's domains do, and so its mean.
func hasExcluded(n Name) bool {
	for _, domain := range []string{"leetcode", "aops", "theoremqa_questions", "theoremqa_theorems"} {
		if n.Task == "Bright"+brightTasks[domain]+"Retrieval" || n.Task == "BrightRetrieval" && n.Subset == domain {
			return true
		}
	}
	return n.Task == "Bright"
}

// mtebExcluded says what became of excluded documents: mteb's tasks by domain
// never rank them. Its BrightRetrieval does, yet some of the numbers published
// under that name were made by BRIGHT's authors, who do not.
func mtebExcluded(task string) string {
	if task != "BrightRetrieval" && hasExcluded(Name{Task: task}) {
		return ExcludedRemoved
	}
	return ""
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// digits returns the digits that text begins with: "5" of "5.dev1".
func digits(text string) string {
	if end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		return text[:end]
	}
	return text
}
