package gate

import (
	"fmt"
	"strings"

	"infbench/internal/words"
	"infbench/metrics/stats"
)

// Definition is a term of gates, comments and histories, with its meaning.
type Definition struct{ Word, Text string }

// Terms for changes. Every text that uses them takes them from here.
const (
	Large    = "large"
	Real     = "real"
	NotShown = "not shown to be real"
	Lost     = "lost"
	New      = "new"
)

// DefinitionsTitle is the title of the page of Definitions, and DefinitionsFile its place in a
// site.
const (
	DefinitionsTitle = "When a change is real"
	DefinitionsFile  = "definitions.html"
)

// Definitions explains the terms of gates and their tests. The help of the verb, the site and the
// tests of programs all use it.
func Definitions() []Definition {
	return []Definition{
		{"tested", "The numbers that boards show (a measure on a task, or the mean over tasks, stratified by task) and the single tasks behind them, for each system, against the same number of the baseline. Queries are a sample within their task, crossed with baseline and run. Training runs are replicates of their system. Every test is a two-sided t test that includes the variation of both queries and seeds."},
		{"corrected", "All tests of all rules of a gate form one family, corrected by Holm. The numbers that boards show share half of the level, and the single tasks behind them share the other half; unused level goes to the other half. A gate on every push is a test on every push. With a significance of .05, at most 5 of 100 pushes that change only the seeds fail by chance, and about 2 do, since only drops fail."},
		{Large, "A drop (a rise if lower is better) of more than the maximum_drop of its rule. A rule without a significance fails every large drop, whether by chance or not."},
		{"significant", "The corrected p is at most the significance of the rule."},
		{Real, "A significant difference: other queries and other seeds would also show it. A rule with a significance fails drops that are large and real. Without a maximum_drop any real drop is large."},
		{NotShown, "Large and tested, but not significant. It passes with a note. That does not prove that nothing changed. Every gate reports the smallest drop that its tests would find; if a rule allows less, the gate recommends more seeds (or queries)."},
		{string(Undecided), fmt.Sprintf("Large, but the variation between seeds is unknown: a system was trained once on one side, no other system was trained more often, and the last %[1]d commits of the history do not show it. They do not show it if fewer of them differ in seed or value, if all ran one seed that has now changed, or if they contain several changes (one step or drift is distinguished from seeds). A run is then assumed to vary by ±%[2]s around its system (standard deviation, times 100; more if the history shows more), three times the value that make seeds-check measures in p-MRR. A drop that is significant under this assumption is real and fails. A drop that only these runs show to be more than the rule allows also fails, as undecided for other seeds, unless the history has %[1]d commits for comparison. Any other drop passes: the verdict is \"gate undecided\", which --undecided fail turns into a failure. The same holds for drops that cannot be tested, with that bound alone. Cure: several seeds a commit.", LastCommits, words.Fixed(100*SeedBound, 1))},
		{"smallest drop", fmt.Sprintf("The true drop that the test would find with a chance of %.0f%% at its corrected level, if the change moves single queries as much as another seed does. With the same seeds on both sides, a change that moves them less is found even if it is smaller.", 100*Chance)},
		{Lost, "Missing: the baseline has the number and the plan still asks for it, but there is no result. It fails."},
		{string(Dropped), "The plan was read and no longer asks for the number. It passes, and is listed, unless the rule sets dropped: fail."},
		{New, "The baseline has no such number. It fails unless the rule sets new: pass."},
		{string(Agreed), "A drop, or a missing number, that somebody has accepted until a given day, with a reason. It passes and is marked. A drop below the accepted value is tested against that value. After the last day it fails again. An acceptance lifts no minimum and no maximum."},
		{"step", "A commit of the history after which a number stays at another level, found by a sequential test over the commits."},
		{"drift", fmt.Sprintf("A change of level over several commits; no single one of them need be a real change. It is found by cumulative sums of each commit's distance from the level before, in both directions, given the variation of seeds and queries. The variation of seeds is known from the second commit on if each commit runs several, and from commit %d on if each runs one. Until then it is undecided whether a number moved. One seed a commit finds changes late: among 44 numbers, one that drifts by a standard deviation of a run a commit is named by the fifteenth commit, by two by the twelfth, and a step of twelve by the fourth commit after it. All numbers of a board together raise a false alarm of step or drift once in %d commits. A number also fails if its history ends with drifts and steps for the worse that are each too small to fail but together more than the rule allows, until it is back or accepted.", stats.LeastCommits, stats.QuietFor)},
	}
}

// Help prints the definitions as text of at most width columns, each below its term.
func Help(width int) string {
	var b strings.Builder
	b.WriteString(DefinitionsTitle + ":\n")
	for _, d := range Definitions() {
		fmt.Fprintf(&b, "\n  %s\n", d.Word)
		line := "   "
		for _, word := range strings.Fields(d.Text) {
			if len(line)+1+len(word) > width {
				b.WriteString(line + "\n")
				line = "   "
			}
			line += " " + word
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
