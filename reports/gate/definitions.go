package gate

import (
	"fmt"
	"strings"

	"infbench/internal/words"
	"infbench/metrics/stats"
	"infbench/reports/table"
)

// Definition is a word that gates, comments and histories use, with what it means.
type Definition struct{ Word, Text string }

// What gates call a change. Whatever prints one of them takes it from here.
const (
	Large    = "large"
	Real     = "real"
	NotShown = "not shown to be real"
	Lost     = "lost"
	New      = "new"
)

// DefinitionsTitle heads Definitions where they are a page.
const DefinitionsTitle = "When a change is real"

// Definitions is the one place that says what the words of a gate mean and what it tests.
// The verb's help, the site and the tests that hold programs to it read it here.
func Definitions() []Definition {
	return []Definition{
		{"tested", "What boards show (a measure on a task, or the mean over tasks, stratified by task) and the single tasks behind it, of each system, against the same number of the baseline. Queries are a sample within their task, crossed with baseline and run; training runs are replicates of their system, so that both what queries and what seeds vary by is in every test: two-sided t tests over both."},
		{"corrected", "All tests of all rules of a gate are one family, corrected by Holm: half of the level is shared by the numbers that boards show and half by the single tasks behind them, and what the one does not need goes to the other. A gate on every push is a test on every push: at a significance of .05, of 100 pushes that change nothing but the seeds at most 5 fail by chance, and since only drops fail, about 2."},
		{Large, "A drop (a rise where lower is better) of more than the maximum_drop of its rule. A rule without a significance fails what is large, whether by chance or not."},
		{"significant", "Of a corrected p of at most the significance of its rule."},
		{Real, "A significant difference: one that other queries and other seeds would show too. A rule with a significance fails what is large and real; without a maximum_drop any real drop is large."},
		{NotShown, "Large, tested, and not significant: it passes with a note. That is no proof that nothing changed. The smallest drop that the tests would find stands beside every gate; where it is more than a rule allows, more seeds (or queries) are recommended."},
		{string(Undecided), fmt.Sprintf("Large, and nothing tells how runs with other seeds vary: a system was trained once on a side, no system beside it was trained more often, and the last %[1]d commits of the history do not tell (fewer that differ in seed or value, or all of one seed that is now another, or several changes among them: one step or drift is told from seeds). Then a run is taken to lie ±%[2]s from its system (standard deviation, times 100; more where the history shows more), three times what make seeds-check measures in p-MRR. A drop that is significant by that is real and fails. One that only these runs show to be more than the rule allows fails, too, as undecided for other seeds, unless the history has %[1]d commits to hold it to. What is not shown passes: the verdict is \"gate undecided\", which --undecided fail makes a failure. The same holds for what cannot be tested, with that bound alone. Cure: several seeds a commit.", LastCommits, words.Fixed(100*SeedBound, 1))},
		{"smallest drop", fmt.Sprintf("The true drop that the test would find with a chance of %.0f%% at its corrected level, where what changed moves single queries as much as another seed does. A change that moves them less, with the same seeds on both sides, is found when it is smaller, too.", 100*Chance)},
		{Lost, "Missing: the baseline has the number, it is still asked for, and there is no result. It fails."},
		{string(Dropped), "The plan was read and no longer asks for it. It passes, and is listed, unless the rule says dropped: fail."},
		{New, "The baseline has no such number. It fails unless the rule says new: pass."},
		{string(Agreed), "A drop, or a number that is gone, that somebody answers for until a day, and why. It passes and is marked; a drop below the accepted value is tested from there; after its last day it fails again. It lifts no minimum and no maximum."},
		{"step", "A commit of the history after which a number settled elsewhere, found by a sequential test over its commits."},
		{"drift", fmt.Sprintf("A way from one level to another over several commits, none of which need be real by itself: cumulated sums of what each commit lies off the level before it, in both directions, with what seeds and queries vary by. How seeds vary is known from the second commit on where each runs several, and from commit %d on where each runs one: until then it is undecided whether a number moved. One seed a commit tells late: of 44 numbers one that drifts by a standard deviation of a run a commit is named by the fifteenth commit, by two by the twelfth, and a step of twelve by the fourth commit after it. All numbers of a board together raise a false alarm of step or drift once in %d commits. A number fails whose history ends with drifts and steps for the worse that are each too small to fail, and together more than the rule allows, until it is back or accepted.", stats.LeastCommits, stats.QuietFor)},
	}
}

// Help prints the definitions as text of at most so many columns, each below its word.
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

// Markdown prints the definitions as a list.
func Markdown() string {
	var b strings.Builder
	b.WriteString("### " + DefinitionsTitle + "\n\n")
	for _, d := range Definitions() {
		fmt.Fprintf(&b, "- **%s**: %s\n", table.MarkdownText(d.Word), table.MarkdownText(d.Text))
	}
	return b.String()
}
