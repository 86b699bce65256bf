// Package shell is what a command line owes a shell: verbs in groups, help, completion of
// names, a manual page, and the nearest verb for one that is not there. What a verb does
// is in the file of its name.
package shell

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/reports/terminal"
)

// groups are the verbs by what one wants to do. The first is for new users; help gives
// each of its verbs a line, and only names those of the others.
var groups = []struct {
	title string
	verbs []string
}{
	{"Start here", []string{"init", "plan", "sweep", "report", "evaluate", "score", "data", "models"}},
	{"Experiments", []string{"train", "status", "retry", "repeat", "serve", "probe", "encode"}},
	{"Results", []string{"compare", "diff", "query", "claims", "verify", "import", "export"}},
	{"Publishing", []string{"gate", "publish", "submit", "board"}},
	{"Corpora and names", []string{"curate", "list", "help"}},
	{also, []string{"completion", "gpu-check", "man", "open-device", "version"}},
}

// also is the group of verbs that are about this program and this machine.
const also = "Also"

// joined are names of verbs that stand below another verb, and where.
var joined = map[string]string{
	"agents":      "score agents",
	"agreement":   "data agreement",
	"annotate":    "data annotate",
	"cache":       "models cache",
	"discard":     "retry --discard",
	"diversity":   "data diversity",
	"map":         "data map",
	"measures":    "list measures",
	"models show": "models",
	"schema":      "list schema",
}

// shorter are those of the joined names that are meant to be typed.
var shorter = []string{"measures", "schema"}

// Current puts the verb's name of today into a command line that names it by an older or
// a shorter one. It returns a sentence that says so, or "" where there is nothing to tell.
func Current(args []string) (now []string, moved string) {
	verb := 0
	if len(args) > 0 && slices.Contains([]string{"help", "man", "__complete", "__completeNoDesc"}, args[0]) {
		verb = 1
	}
	for n := min(2, len(args)-verb); n > 0; n-- {
		name := strings.Join(args[verb:verb+n], " ")
		to, ok := joined[name]
		if !ok || verb+n == len(args) && args[0] != args[verb] && strings.HasPrefix(args[0], "__") {
			continue // a shell completes the name itself
		}
		if verb > 0 {
			to, _, _ = strings.Cut(to, " --")
		}
		now = slices.Concat(args[:verb], strings.Fields(to), args[verb+n:])
		if verb == 0 && !slices.Contains(shorter, name) {
			moved = fmt.Sprintf("%s is now: infbench %s", name, to)
		}
		return now, moved
	}
	return args, ""
}

// Group sorts the verbs of the root into groups, whose order help has, and gives all verbs
// their help.
func Group(root *cobra.Command) {
	fitHelp(root)
	root.SetUsageFunc(writeUsage)
	root.SetHelpCommand(helpCommand())
	root.SetHelpCommandGroupID(groupOf("help"))
	root.InitDefaultHelpCmd()
	root.SetCompletionCommandGroupID(groupOf("completion"))
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
	}
	for _, cmd := range root.Commands() {
		if (cmd.Runnable() || cmd.HasSubCommands()) && !cmd.Hidden {
			cmd.GroupID = groupOf(cmd.Name())
		}
	}
}

// groupOf is the group of a verb; "" of one that is in none.
func groupOf(verb string) string {
	for _, g := range groups {
		if slices.Contains(g.verbs, verb) {
			return g.title
		}
	}
	return ""
}

// helpCommand is the verb help, which fails for what there is no help of.
func helpCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:               "help [VERB|TOPIC]",
		Short:             "Explain a verb, or a topic such as experiment",
		Example:           "  infbench help sweep\n  infbench help experiment\n  infbench help --all",
		ValidArgsFunction: verbNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if all && len(args) == 0 {
				_, err := io.WriteString(cmd.OutOrStdout(), Fit(allVerbs(cmd.Root()), terminal.On(cmd.OutOrStdout()).Width))
				return err
			}
			found, err := asked(cmd, args)
			if err != nil {
				return err
			}
			found.InitDefaultHelpFlag()
			found.InitDefaultVersionFlag()
			return found.Help()
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "a line for every verb, with those below it")
	return cmd
}

// asked is the verb that help or man, cmd, is to be about.
func asked(cmd *cobra.Command, args []string) (*cobra.Command, error) {
	if err := CheckVerb(cmd.Root(), args); err != nil {
		return nil, err
	}
	found, rest, err := cmd.Root().Find(args)
	if err == nil && len(rest) > 0 {
		err = usage.Errorf("%s: %s has no part %q", cmd.Name(), found.CommandPath(), rest[0])
	}
	return found, err
}

// CheckVerb refuses a verb, or a verb of a verb, that is not there, whatever flags follow.
func CheckVerb(root *cobra.Command, args []string) error {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	if len(args) > 0 && strings.HasPrefix(args[0], "__") {
		return nil // a shell that asks for completions
	}
	cmd, rest, err := root.Find(args)
	if err != nil || !cmd.HasAvailableSubCommands() || len(rest) == 0 || strings.HasPrefix(rest[0], "-") || strings.Contains(cmd.Use, " ") && !slip(rest[0], names(cmd)) {
		return nil // of what is wrong beside the verb, the verb says it; so it does of its own arguments
	}
	kind := "verb"
	if cmd != root {
		kind += " of " + cmd.Name()
	}
	return usage.Error{Err: nearest.Unknown(kind, rest[0], names(cmd))}
}

// slip says whether an argument is no file and all but one of the names.
func slip(arg string, names []string) bool {
	_, near := nearest.Of(arg, names)
	_, err := os.Lstat(arg)
	return near && errors.Is(err, fs.ErrNotExist)
}

// names lists the verbs of a command that a user may type.
func names(cmd *cobra.Command) []string {
	var out []string
	for _, sub := range cmd.Commands() {
		if !sub.Hidden && !strings.HasPrefix(sub.Name(), "__") {
			out = append(out, sub.Name())
		}
	}
	return out
}

// verbs are names with what they do.
func verbs(cmd *cobra.Command) []cobra.Completion {
	var out []cobra.Completion
	for _, name := range names(cmd) {
		sub, _, err := cmd.Find([]string{name})
		if err == nil {
			out = append(out, cobra.CompletionWithDesc(name, sub.Short))
		}
	}
	return out
}
