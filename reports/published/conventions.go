package published

import (
	"fmt"
	"infbench/metrics"
	"math"
	"strconv"
	"strings"
)

// version is the first three numbers of a version: 1.18.0 is {1, 18, 0}.
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

// atLeast reports whether v is w or later.
func (v version) atLeast(w version) bool {
	for i := range v {
		if v[i] != w[i] {
			return v[i] > w[i]
		}
	}
	return true
}

// mtebTies returns the order of documents of equal score in which a version of mteb ranks them for
// p-MRR: by ID since 2.19.5 (its PR 5241), before in order of insertion.
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

// sideQrels returns the judgments with which the numbers of a side were computed. If mteb 1.x
// writes "individual", its loader has swapped the two: its original side is the original
// instructions' ranking, evaluated by the judgments of the changed ones.
func sideQrels(side string, swapped bool, version string) (qrels, why string) {
	if !swapped {
		return side, version + " writes og and changed, each against its own judgments"
	}
	return otherSide[side], version + " writes individual, with the two sets of judgments swapped"
}

// fingerprints has the precision at 1000 of FollowIR's tasks under the judgments of each side. With
// the 1000 candidates that all systems rerank and a recall of 1, it is the mean number of relevant
// documents over 1000, so it shows which judgments were used (measured on 191 published models).
var fingerprints = map[string]map[string]float64{
	"Core17InstructionRetrieval":   {"changed": .0327, "original": .0545},
	"News21InstructionRetrieval":   {"changed": .01634, "original": .03725},
	"Robust04InstructionRetrieval": {"changed": .01981, "original": .03369},
}

// checkQrels returns a doubt if the numbers of a side contradict the judgments that its layout
// implies.
func checkQrels(c Cell, object map[string]any) string {
	precision, _ := object["precision_at_1000"].(float64)
	recall, _ := object["recall_at_1000"].(float64)
	known := fingerprints[c.Task]
	if known == nil || recall != 1 {
		return ""
	}
	for qrels, want := range known {
		if math.Abs(precision-want) <= 2*rounding && qrels != c.Conventions.Qrels {
			return fmt.Sprintf("%s: P@1000 of %v is that of the %s judgments, where %s is said to use the %s ones", //plain:ok in Collection.Hash
				c.File, precision, qrels, c.Conventions.Version, c.Conventions.Qrels)
		}
	}
	return ""
}

// Differ describes the conventions in which two cells of a measure differ; if there are none, their
// numbers may be compared. Ties matter to p-MRR, which compares documents of equal score by their
// ranks alone. Judgments matter to all other measures; p-MRR only asks which of them changed. The
// version of the program is not a convention itself: the conventions that changed with it are.
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

// MeasuredLike reports whether this program reads a benchmark like the program that made a number.
// mteb 1 reads FollowIR with swapped judgments, as followir-mteb1 does; others do not.
func (c Conventions) MeasuredLike(benchmark string) bool {
	return strings.HasPrefix(c.Version, "mteb 1.") == (benchmark == followIRSwapped)
}

// hasExcluded reports whether queries of a task exclude documents: those of four of BRIGHT's
// domains do, and so does its mean.
func hasExcluded(n Name) bool {
	for _, domain := range []string{"leetcode", "aops", "theoremqa_questions", "theoremqa_theorems"} {
		if n.Task == "Bright"+brightTasks[domain]+"Retrieval" || n.Task == "BrightRetrieval" && n.Subset == domain {
			return true
		}
	}
	return n.Task == "Bright"
}

// mtebExcluded returns how mteb treats excluded documents: its tasks by domain never rank them. Its
// BrightRetrieval does, but some of the numbers published under that name were made by BRIGHT's
// authors, who do not.
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

// digits returns the digits at the beginning of a text: "5" of "5.dev1".
func digits(text string) string {
	if end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		return text[:end]
	}
	return text
}
