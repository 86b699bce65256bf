// Package shell is what a command line owes a shell: verbs in groups, help, completion of
// names, a manual page, and the nearest verb for one that is not there. What a verb does
// is in the file of its name.
package shell

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/usage"
	"infbench/metrics/nearest"
)

// groups are the verbs by what one wants to do.
var groups = []struct {
	title string
	verbs []string
}{
	{"Experiments", []string{"init", "plan", "sweep", "status", "serve", "retry", "repeat", "discard", "train"}},
	{"One model", []string{"models", "evaluate", "probe", "encode", "cache"}},
	{"Results", []string{"report", "query", "claims", "diff", "verify", "gate", "publish", "export", "import", "submit"}},
	{"Data", []string{"data", "curate", "annotate", "agreement", "diversity", "map"}},
	{"Cards", []string{"open-device", "gpu-check"}},
	{"Measures", []string{"score", "compare", "agents", "board", "measures"}},
	{"Names and help", []string{"list", "schema", "help", "man", "version", "completion"}},
}

// Group sorts the verbs of the root into groups, whose order help has, and fits help to
// the terminal.
func Group(root *cobra.Command) {
	fitHelp(root)
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
	return &cobra.Command{
		Use:               "help [VERB|TOPIC]",
		Short:             "Explain a verb, or a topic such as experiment",
		Example:           "  infbench help sweep\n  infbench help experiment",
		ValidArgsFunction: verbNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, err := asked(cmd, args)
			if err != nil {
				return err
			}
			found.InitDefaultHelpFlag()
			found.InitDefaultVersionFlag()
			return found.Help()
		},
	}
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
	if err != nil || !cmd.HasAvailableSubCommands() || len(rest) == 0 || strings.HasPrefix(rest[0], "-") || strings.Contains(cmd.Use, "...") && !slip(rest[0], names(cmd)) {
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
