package shell

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"infbench/bench/flags"
	"infbench/internal/usage"
)

// ManCommand is the verb man.
func ManCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man [VERB...]",
		Short: "Print the manual page of infbench, or of a verb",
		Long: `Print a manual page as troff source, for all verbs in brief or for the given verb. Save
it as infbench.1, or infbench-VERB.1, in a folder man1 of $MANPATH, where man finds it.`,
		Example: "  infbench man > infbench.1\n  infbench man sweep > infbench-sweep.1",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, err := asked(cmd, args)
			if err != nil {
				return err
			}
			return WriteMan(cmd.OutOrStdout(), found)
		},
	}
}

// WriteMan writes the manual page of a command in the macros of man(7).
func WriteMan(w io.Writer, cmd *cobra.Command) error {
	cmd.InitDefaultHelpFlag()
	p := &page{}
	title := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	p.line(`.TH "%s" "1" "" "infbench" "infbench"`, strings.ToUpper(roff(title)))
	p.line(".SH NAME\n%s \\- %s", roff(title), roff(cmd.Short))
	p.line(".SH SYNOPSIS\n.B %s", roff(cmd.UseLine()))
	if cmd.Long != "" {
		p.line(".SH DESCRIPTION")
		p.prose(cmd.Long)
	}
	p.verbs(cmd)
	p.flags(cmd)
	if cmd.Example != "" {
		p.line(".SH EXAMPLES\n.nf\n%s\n.fi", roff(cmd.Example))
	}
	if !cmd.HasParent() {
		p.line(".SH EXIT STATUS")
		for _, code := range usage.ExitCodes() {
			p.line(".TP\n.B %d\n%s", code.Code, roff(code.Meaning))
		}
	}
	_, err := io.WriteString(w, p.text.String())
	return err
}

// page is a manual page under construction.
type page struct{ text strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.text, format+"\n", args...) }

// prose adds paragraphs; indented lines stay as they are.
func (p *page) prose(text string) {
	for _, paragraph := range strings.Split(text, "\n\n") {
		if strings.HasPrefix(paragraph, " ") {
			p.line(".PP\n.nf\n%s\n.fi", roff(paragraph))
			continue
		}
		p.line(".PP\n%s", roff(paragraph))
	}
}

// verbs adds the verbs below a command, by groups if it has any.
func (p *page) verbs(cmd *cobra.Command) {
	ids := []string{""}
	for _, g := range cmd.Groups() {
		ids = append(ids, g.ID)
	}
	heading := ".SH VERBS"
	for _, id := range ids {
		below := slices.DeleteFunc(slices.Clone(cmd.Commands()), func(c *cobra.Command) bool { return !c.IsAvailableCommand() || c.GroupID != id })
		if len(below) == 0 {
			continue
		}
		if heading != "" {
			p.line("%s", heading)
			heading = ""
		}
		if id != "" {
			p.line(".SS %s", roff(id))
		}
		for _, c := range below {
			p.line(".TP\n.B %s\n%s", roff(c.Use), roff(c.Short))
		}
	}
}

// flags adds a command's flags with their defaults, under their headings.
func (p *page) flags(cmd *cobra.Command) {
	p.line(".SH OPTIONS")
	for _, g := range flags.ByHeading(cmd.Flags()) {
		if g.Heading != "" {
			p.line(".SS %s", roff(g.Heading))
		}
		g.Flags.VisitAll(p.flag)
	}
}

func (p *page) flag(f *pflag.Flag) {
	kind, about := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if !slices.Contains([]string{"", "0", "false", "[]", "0s"}, f.DefValue) {
		about += " (default " + f.DefValue + ")"
	}
	p.line(".TP\n\\fB%s\\fR \\fI%s\\fR\n%s", roff(name), roff(kind), roff(about))
}

// roff escapes a text for troff, so that no part of it is a request or an escape.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "’", "'").Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
