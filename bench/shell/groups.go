// Package shell integrates the command line with a shell: verbs in groups, help, completion of
// names, a manual page, and the nearest verb for an unknown one. Each verb is implemented in
// the file of its name.
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

// groups are the verbs by purpose. The first group is for new users: help has a line for each
// of its verbs, and only names the others.
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

// also is the group of verbs about this program and this machine.
const also = "Also"

// joined maps former names of verbs to their present place below another verb.
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

// shorter are the joined names that users are meant to type.
var shorter = []string{"measures", "schema"}

// Current replaces an older or shorter name of a verb in a command line by its present name. It
// returns a sentence that reports this, or "" if there is nothing to report.
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

// Group sorts the verbs of the root into groups, in the order of help, and sets the help of all
// verbs.
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

// groupOf is the group of a verb; "" if it has none.
func groupOf(verb string) string {
	for _, g := range groups {
		if slices.Contains(g.verbs, verb) {
			return g.title
		}
	}
	return ""
}

// helpCommand is the verb help, which fails if there is no such verb or topic.
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

// asked returns the verb that the arguments of help or man, cmd, name.
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

// CheckVerb returns an error for an unknown verb, or verb of a verb, whatever flags follow.
func CheckVerb(root *cobra.Command, args []string) error {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	if len(args) > 0 && strings.HasPrefix(args[0], "__") {
		return nil // a shell that asks for completions
	}
	cmd, rest, err := root.Find(args)
	if err != nil || !cmd.HasAvailableSubCommands() || len(rest) == 0 || strings.HasPrefix(rest[0], "-") || strings.Contains(cmd.Use, " ") && !isTypo(rest[0], names(cmd)) {
		return nil // the verb itself reports its other errors and those of its arguments
	}
	kind := "verb"
	if cmd != root {
		kind += " of " + cmd.Name()
	}
	return usage.Error{Err: nearest.Unknown(kind, rest[0], names(cmd))}
}

// isTypo reports whether an argument is nearly one of the names and is not a file.
func isTypo(arg string, names []string) bool {
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

// verbs are the names of verbs with their descriptions.
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
