package shell

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"infbench/bench/flags"
)

// writeUsage writes the part of help below the description of a command.
func writeUsage(cmd *cobra.Command) error {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if !cmd.HasParent() {
		b.WriteString("  infbench VERB [flags]\n")
		writeFrontPage(&b, cmd)
	} else {
		writeVerb(&b, cmd)
	}
	_, err := io.WriteString(cmd.OutOrStderr(), b.String())
	return err
}

// writeFrontPage describes the verbs for new users, and names the others.
func writeFrontPage(b *strings.Builder, root *cobra.Command) {
	fmt.Fprintf(b, "\n%s:\n", groups[0].title)
	for _, verb := range groups[0].verbs {
		writeLine(b, root, verb, 9)
	}
	b.WriteString("\nMore verbs (infbench help --all has a line for each):\n")
	for _, g := range groups[1:] {
		fmt.Fprintf(b, "  %-18s %s\n", g.title, strings.Join(g.verbs, ", "))
	}
	fmt.Fprintf(b, "  %-18s %s\n", "Topics of help", strings.Join(topics(root), ", "))
	writeFlags(b, "Flags", root.LocalFlags())
	b.WriteString("\ninfbench VERB --help explains a verb, infbench help TOPIC a topic.\n")
}

// topics are the topics of help that are not verbs.
func topics(root *cobra.Command) (names []string) {
	for _, cmd := range root.Commands() {
		if cmd.IsAdditionalHelpTopicCommand() {
			names = append(names, cmd.Name())
		}
	}
	return names
}

// allVerbs lists all verbs by groups, with the verbs below them.
func allVerbs(root *cobra.Command) string {
	var b strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&b, "%s:\n", g.title)
		for _, verb := range g.verbs {
			writeLine(&b, root, verb, 20)
			cmd, _, _ := root.Find([]string{verb})
			if cmd == nil || verb == "completion" {
				continue
			}
			for _, below := range names(cmd) {
				writeLine(&b, cmd, below, 20)
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("Topics of help: " + strings.Join(topics(root), ", ") + "\n")
	return b.String()
}

// writeLine writes the path of a verb of cmd, without the program's name, and its description.
func writeLine(b *strings.Builder, cmd *cobra.Command, name string, width int) {
	sub, _, err := cmd.Find([]string{name})
	if err != nil {
		return
	}
	_, path, _ := strings.Cut(sub.CommandPath(), " ")
	fmt.Fprintf(b, "  %-*s %s\n", width, path, sub.Short)
}

// writeVerb shows how to call a verb: its usage line, examples, the verbs below it and flags.
func writeVerb(b *strings.Builder, cmd *cobra.Command) {
	if cmd.Runnable() {
		fmt.Fprintf(b, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(b, "  %s VERB\n", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprintf(b, "\nExamples:\n%s\n", cmd.Example)
	}
	if below := names(cmd); len(below) > 0 {
		b.WriteString("\nVerbs:\n")
		for _, name := range below {
			sub, _, err := cmd.Find([]string{name})
			if err == nil {
				fmt.Fprintf(b, "  %-*s %s\n", sub.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
	writeFlags(b, "Flags", cmd.LocalFlags())
	writeFlags(b, "General flags", cmd.InheritedFlags())
}

// writeFlags writes flags under their headings; those without a heading come last, under rest.
func writeFlags(b *strings.Builder, rest string, set *pflag.FlagSet) {
	for _, g := range flags.ByHeading(set) {
		heading := g.Heading
		if heading == "" {
			heading = rest
		}
		fmt.Fprintf(b, "\n%s:\n%s", heading, g.Flags.FlagUsages())
	}
}
