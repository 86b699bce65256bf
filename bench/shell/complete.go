package shell

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"infbench/bench/keys"
	"infbench/datasets"
	"infbench/metrics"
	"infbench/reports"
	"infbench/reports/queries"
	"infbench/reports/scores"
	"infbench/runners/catalog"
	"infbench/runners/runs"
	"infbench/runners/spec"
	"infbench/training/encoder"
)

// completer lists the completions of a word, given the arguments before it. It ignores read
// errors, since a shell would show them.
type completer func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective)

// ofArguments are the completers of verbs' arguments; other verbs take files.
var ofArguments = map[string]completer{
	"plan":            yamlFiles,
	"sweep":           yamlFiles,
	"train":           yamlFiles,
	"curate":          yamlFiles,
	"init":            nothing,
	"status":          runFolders,
	"serve":           runFolders,
	"report":          runOrSystem,
	"gate":            runFolders,
	"export":          runOrSystem,
	"retry":           runThenTrials,
	"repeat":          runThenTrials,
	"query":           runThenQueries,
	"verify":          runFolders,
	"diff":            runOrSystem,
	"submit new":      runOrSystem,
	"publish":         runFolders,
	"claims":          yamlThenRuns,
	"list keys":       keyNames,
	"list losses":     from(func() []string { return keys.Values("loss") }),
	"list measures":   from(metrics.Names),
	"data fetch":      from(dataNames),
	"data show":       from(dataNames),
	"data stats":      from(dataNames),
	"data overlap":    from(dataNames),
	"data diversity":  from(dataNames),
	"encode":          from(dataNames),
	"data map":        from(dataNames),
	"models":          from(models),
	"models settings": from(models),
	"models fetch":    from(models),
	"models check":    from(models),
	"man":             verbNames,
}

// ofFlags are the completers of flags, for all verbs or for one.
var ofFlags = map[string]completer{
	"set":       settings,
	"only":      settings,
	"data":      from(dataNames),
	"evaluate":  from(datasets.Names),
	"model":     model,
	"first":     from(spec.BaselineNames),
	"fuse":      model,
	"backbone":  from(catalog.Backbones),
	"loss":      from(func() []string { return keys.Values("loss") }),
	"measure":   from(func() []string { return keys.Values("select.measure") }),
	"task":      tasksOfData,
	"device":    from(func() []string { return []string{"go", "xla:cpu", "xla:cuda"} }),
	"baseline":  runFolders,
	"run":       runFolders,
	"published": from(func() []string { return []string{"paper"} }),

	"report --sort":      ofBoard((*reports.Report).Columns),
	"report --measure":   ofSet((*scores.Set).Measures),
	"report --reference": ofSet(systems),
	"report --table":     ofSet((*scores.Set).Keys),
	"report --row":       ofSet((*scores.Set).Keys),
	"report --col":       ofSet((*scores.Set).Keys),
	"report --filter":    filters,
	"query --systems":    pairOfSystems,
	"query --task":       ofSet(tests),
	"query --measure":    ofSet(scorings),
	"query --sort":       from(queries.Orders),
}

// listed are flags whose help lists all their values.
var listed = []string{"format", "view", "picture", "as", "correct", "ingf", "from", "method", "how", "recipe", "structure", "engine", "checkpointing", "shape", "test", "remote-api", "precision", "paper", "undecided", "kernels", "storage", "dense-blocks", "similarity", "scale", "weights", "scenarios", "pick", "judge"}

// Asks reports whether a shell asks for completions.
func Asks(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// Complete gives completers to every verb below root.
func Complete(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		Complete(cmd)
		_, path, _ := strings.Cut(cmd.CommandPath(), " ")
		if c := ofArguments[path]; c != nil && cmd.ValidArgsFunction == nil {
			cmd.ValidArgs, cmd.ValidArgsFunction = nil, c
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			c := ofFlags[path+" --"+f.Name]
			if c == nil {
				c = ofFlags[f.Name]
			}
			if c == nil && slices.Contains(listed, f.Name) {
				c = from(func() []string { return Values(f) })
			}
			if c != nil {
				// This fails only if the flag already has one.
				_ = cmd.RegisterFlagCompletionFunc(f.Name, c)
			}
		})
	}
}

// Values returns the values in the help of a flag: "one of a, b" or "meaning: a, b (why) or c;
// more".
func Values(f *pflag.Flag) []string {
	text := f.Usage
	for {
		before, rest, open := strings.Cut(text, " (")
		_, after, closed := strings.Cut(rest, ")")
		if !open || !closed {
			break
		}
		text = before + after
	}
	if _, after, ok := strings.Cut(text, ": "); ok {
		text = after
	}
	text, _, _ = strings.Cut(strings.TrimPrefix(text, "one of "), ";")
	text, _, _ = strings.Cut(text, ": ")
	var values []string
	for _, v := range strings.Split(strings.NewReplacer(", or ", ", ", " or ", ", ").Replace(text), ", ") {
		if v != "" && !strings.Contains(v, " ") {
			values = append(values, v)
		}
	}
	return values
}

// from completes from a list, and with files.
func from(list func() []string) completer {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return beginning(list(), typed), cobra.ShellCompDirectiveDefault
	}
}

// beginning returns the words with the prefix typed.
func beginning(words []cobra.Completion, typed string) []cobra.Completion {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !strings.HasPrefix(word, typed) })
}

func nothing(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func yamlFiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

func verbNames(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	found, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return beginning(verbs(found), typed), cobra.ShellCompDirectiveNoFileComp
}

func dataNames() []string { return append(datasets.Names(), catalog.Corpora()...) }

func baselinesAndModels() []string { return append(spec.BaselineNames(), models()...) }

// models are the models that have a card.
func models() []string {
	cards, err := encoder.Cards()
	if err != nil {
		return nil
	}
	var names []string
	for _, c := range cards {
		names = append(names, c.Name)
	}
	return names
}

// runFolders completes the run folders below runs/ and below the typed path, and files.
func runFolders(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	found := runs.Below(typed)
	found = slices.DeleteFunc(found, func(dir string) bool { return slices.Contains(args, dir) })
	return found, cobra.ShellCompDirectiveDefault
}

func yamlThenRuns(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return yamlFiles(cmd, args, typed)
	}
	return runFolders(cmd, args, typed)
}

// printable removes characters that would break the lines of a shell's list.
func printable(r rune) rune {
	if r < ' ' || r >= 0x7f && r < 0xa0 {
		return -1
	}
	return r
}

func keyNames(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return beginning(keys.Names(), typed), cobra.ShellCompDirectiveNoFileComp
}

// settings completes KEY= and then the values of the key, so that a shell needs no quotes.
func settings(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	key, _, given := strings.Cut(typed, "=")
	var out []cobra.Completion
	if !given {
		for _, path := range keys.OfCells() {
			if strings.HasPrefix(path, typed) {
				out = append(out, cobra.CompletionWithDesc(path+"=", keys.Meaning(path)))
			}
		}
		return out, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
	for _, value := range keys.Values(key) {
		out = append(out, key+"="+value)
	}
	return beginning(out, typed), cobra.ShellCompDirectiveNoFileComp
}
