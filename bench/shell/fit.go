package shell

import (
	"bytes"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"infbench/reports/terminal"
)

// fitHelp wraps the help of a root and of its verbs to the width of the terminal.
func fitHelp(root *cobra.Command) {
	print := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		out := cmd.OutOrStdout()
		var text bytes.Buffer
		cmd.SetOut(&text)
		print(cmd, args)
		cmd.SetOut(out)
		_, _ = io.WriteString(out, Fit(text.String(), terminal.On(out).Width)) // Output remembers a failed write
	})
}

// Fit wraps the lines of a text that are wider than width, and only those. It fills paragraphs
// again and keeps descriptions in their column. Commands continue after a backslash and
// comments after a #, so that both can be pasted. Width 0 means no limit.
func Fit(text string, width int) string {
	if width <= 0 {
		return text
	}
	var out []string
	var open part
	for line := range strings.SplitSeq(text, "\n") {
		if !open.takes(line) {
			out, open = append(out, open.fit(width)...), newPart(line)
			continue
		}
		open.lines = append(open.lines, line)
	}
	return strings.Join(append(out, open.fit(width)...), "\n")
}

// part is a group of lines that are wrapped together: a paragraph, a name with its description,
// or a command. Further lines of it begin after hang blanks.
type part struct {
	lines  []string
	lead   string // beginning of the first line, up to the column of the text
	hang   int
	closed bool // takes no further line
}

var (
	columns  = regexp.MustCompile(`^( *\S.*?  +)(\S.*)$`)
	command  = regexp.MustCompile(`^ *infbench `)
	argument = regexp.MustCompile(`(--?[a-z][\w-]* )?("[^"]*"|'[^']*'|[^\s-]\S*|-)("[^"]*"|'[^']*'|\S)*|\S+`) // with its flag
	remark   = regexp.MustCompile(`^ *# +`)
	entry    = regexp.MustCompile(`^ +(- |[a-z_][\w./-]*:( |$))`) // as in YAML
)

func newPart(line string) part {
	indent := indentOf(line)
	p := part{lines: []string{line}, lead: line[:indent], hang: indent}
	switch found := columns.FindStringSubmatch(line); {
	case command.MatchString(line), strings.TrimSpace(line) == "":
		p.closed = true
	case remark.MatchString(line):
		p.closed, p.lead = true, remark.FindString(line)
	case found != nil:
		p.lead, p.hang = found[1], terminal.Width(found[1])
	case entry.MatchString(line):
		p.closed = true
		p.hang += 2
	}
	return p
}

// takes reports whether a line continues the part.
func (p part) takes(line string) bool {
	return len(p.lines) > 0 && !p.closed && indentOf(line) == p.hang && strings.TrimSpace(line) != "" && !strings.HasPrefix(strings.TrimSpace(line), "- ") &&
		!command.MatchString(line) && !columns.MatchString(line) && !remark.MatchString(line)
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// fit returns the part in lines of at most width.
func (p part) fit(width int) []string {
	wide := false
	for _, line := range p.lines {
		wide = wide || terminal.Width(line) > width
	}
	switch {
	case !wide:
		return p.lines
	case command.MatchString(p.lines[0]):
		return fitCommand(p.lines[0], width)
	}
	text := strings.TrimPrefix(p.lines[0], p.lead) + " " + strings.Join(p.lines[1:], " ")
	lead, next := p.lead, strings.Repeat(" ", p.hang)
	var out []string
	if p.hang > width*2/3 { // no room next to the name
		next = strings.Repeat(" ", indentOf(lead)+4)
		if name := strings.TrimSpace(lead); name != "" {
			out = newPart(lead[:indentOf(lead)] + strings.Join(strings.Fields(name), " ")).fit(width)
		}
		lead = next
	}
	switch {
	case remark.MatchString(lead):
		next = lead
	case strings.HasPrefix(text, "# "):
		next += "# "
	}
	for i, line := range terminal.Wrap(strings.TrimSpace(text), max(1, width-terminal.Width(next))) {
		if i > 0 {
			lead = next
		}
		out = append(out, lead+line)
	}
	return out
}

// fitCommand breaks a command between its arguments, using the quoting of a shell.
func fitCommand(line string, width int) (out []string) {
	args := argument.FindAllString(line, -1)
	at := line[:indentOf(line)] + args[0]
	for i, arg := range args[1:] {
		room := width
		if i < len(args)-2 {
			room -= len(` \`)
		}
		if terminal.Width(at+" "+arg) > room {
			out, at = append(out, at+` \`), line[:indentOf(line)]+"   "
		}
		at += " " + arg
	}
	return append(out, at)
}
