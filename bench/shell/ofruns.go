package shell

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"infbench/datasets"
	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/queries"
	"infbench/reports/scores"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// Completions from run folders come from sketches: plans, and the values of one trial of each
// system. Folders that cannot be read have no completions.

// sketchedAtMost is the maximum number of run folders that are read to complete a word.
const sketchedAtMost = 20

// sketches returns those of the run folders among the arguments; if there are none, those of
// all run folders below runs/.
func sketches(args []string) (exps []*results.Experiment) {
	if len(args) == 0 {
		args = runs.Below("")
	}
	for _, name := range args[:min(len(args), sketchedAtMost)] {
		dir, _ := runs.Split(name)
		if exp, err := runs.At(dir).Reader().Sketch(); err == nil {
			exps = append(exps, exp)
		}
	}
	return exps
}

// ofSet completes from a list that is computed from the run folders among the arguments.
func ofSet(list func(*scores.Set) []string) completer {
	return func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		v, err := scores.New(sketches(args))
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return beginning(list(v), typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// ofBoard is like ofSet for the boards of those run folders.
func ofBoard(list func(*reports.Report) []string) completer {
	return func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		r, err := reports.Build(sketches(args), reports.Options{Brief: true})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return beginning(list(r), typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// scorings are measures with their sides.
func scorings(v *scores.Set) (all []string) {
	for _, s := range v.Slots {
		all = words.AddNew(all, s.Scoring())
	}
	return all
}

// systems are the names to type for each system.
func systems(v *scores.Set) []string {
	named := v.Names()
	all := make([]string, len(named))
	for i := range named {
		all[i] = results.Typed(named, i)
	}
	return all
}

// tests are benchmarks, tasks and both together.
func tests(v *scores.Set) (all []string) {
	for _, name := range []func(scores.Slot) string{
		func(s scores.Slot) string { return s.Benchmark },
		func(s scores.Slot) string { return s.Task },
		scores.Slot.Test,
	} {
		for _, s := range v.Slots {
			all = words.AddNew(all, name(s))
		}
	}
	return all
}

// pairOfSystems completes A and, after a comma, B.
func pairOfSystems(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	first, second, both := strings.Cut(typed, ",")
	if !both {
		return ofSet(systems)(cmd, args, first)
	}
	others, directive := ofSet(systems)(cmd, args, second)
	for i, name := range others {
		others[i] = first + "," + name
	}
	return slices.DeleteFunc(others, func(pair string) bool { return pair == first+","+first }), directive
}

// filters completes KEY= and then its values.
func filters(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	key, _, given := strings.Cut(typed, "=")
	if !given {
		all, directive := ofSet((*scores.Set).Keys)(cmd, args, typed)
		for i := range all {
			all[i] += "="
		}
		return all, directive | cobra.ShellCompDirectiveNoSpace
	}
	return ofSet(func(v *scores.Set) (all []string) {
		for _, value := range v.ValuesOf(key) {
			if value = results.AsTyped(value); !strings.Contains(value, ",") { // a comma separates values of a filter
				all = words.AddNew(all, key+"="+value)
			}
		}
		return all
	})(cmd, args, typed)
}

// tasksOfData completes the tasks of the benchmark that --data or an argument names, if they
// are known without its files.
func tasksOfData(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if f := cmd.Flag("data"); f != nil {
		args = []string{f.Value.String()}
	}
	var all []string
	for _, name := range args {
		tasks, _ := datasets.TaskNames(name)
		for _, task := range tasks {
			all = words.AddNew(all, task)
		}
	}
	return beginning(all, typed), cobra.ShellCompDirectiveNoFileComp
}

// runOrSystem completes a run folder and, after a colon, its trials.
func runOrSystem(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if names := ofRun(typed, func(*results.Trial) bool { return true }); names != nil {
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return runFolders(cmd, args, typed)
}

// model completes a model by name, and RUN: with the models trained there.
func model(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	trained := func(t *results.Trial) bool { return t.Config[results.Loss] != "" }
	if names := ofRun(typed, trained); names != nil {
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	names, directive := from(baselinesAndModels)(cmd, args, typed)
	if typed != "" {
		names = append(names, runs.Below(typed)...)
	}
	return names, directive
}

// ofRun completes RUN:LABEL with the labels of wanted trials; nil if typed is not a run folder
// with a colon.
func ofRun(typed string, wanted func(*results.Trial) bool) []cobra.Completion {
	dir, _ := runs.Split(typed)
	if dir == typed {
		return nil
	}
	names := []cobra.Completion{}
	each(dir, func(t *results.Trial, name string) {
		if full := dir + ":" + name; wanted(t) && strings.HasPrefix(full, typed) {
			names = append(names, cobra.CompletionWithDesc(full, t.ID))
		}
	})
	return names
}

// each calls do with every trial of a run folder and its name for typing.
func each(dir string, do func(t *results.Trial, name string)) {
	exp, err := runs.At(dir).Reader().Sketch()
	if err != nil {
		return
	}
	named, err := runs.At(dir).Reader().NamesOf(exp)
	if err != nil {
		return
	}
	for i := range exp.Trials {
		do(&exp.Trials[i], strings.Map(printable, results.Typed(named, i)))
	}
}

// runThenTrials completes a run folder, then its trials by label or ID.
func runThenTrials(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return runFolders(cmd, args, typed)
	}
	var labels, ids []cobra.Completion
	each(args[0], func(t *results.Trial, name string) {
		if slices.Contains(args[1:], name) || slices.Contains(args[1:], t.ID) {
			return
		}
		if name != t.ID && strings.HasPrefix(name, typed) {
			labels = append(labels, cobra.CompletionWithDesc(name, t.ID))
		}
		if strings.HasPrefix(t.ID, typed) {
			ids = append(ids, cobra.CompletionWithDesc(t.ID, name))
		}
	})
	return append(labels, ids...), cobra.ShellCompDirectiveNoFileComp
}

// runThenQueries completes a run folder, then its queries by ID, in full if several have the
// same ID.
func runThenQueries(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return runOrSystem(cmd, args, typed)
	case 1:
		return ofSet(func(v *scores.Set) []string { return queryNames(v, typed) })(cmd, args, typed)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func queryNames(v *scores.Set, typed string) (names []string) {
	all, times := queries.All(v), map[string]int{}
	for _, q := range all {
		times[q.ID]++
	}
	for _, q := range all {
		if id := words.Clean(q.ID); times[q.ID] == 1 && strings.HasPrefix(id, typed) {
			names = append(names, id)
		} else {
			names = append(names, q.Name())
		}
	}
	return names
}
