package command

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Every infbench command on a page or in a verb's help names an existing verb, with valid
// flags and a valid number of arguments.
func TestExamplesParse(t *testing.T) {
	var texts []string
	for _, p := range docPages(t) {
		texts = append(texts, p.text)
	}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		texts = append(texts, cmd.Example)
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRoot())
	commands := 0
	for _, text := range texts {
		for line := range strings.Lines(text) {
			command, ok := strings.CutPrefix(strings.TrimSpace(line), "infbench ")
			if !ok || !strings.HasPrefix(line, "  ") { // prose starts without indentation
				continue
			}
			command = strings.TrimSuffix(command, "\\") // continues on the next line
			command, _, _ = strings.Cut(command, "#")
			command, _, _ = strings.Cut(command, " > ")
			checkExample(t, typedWords(command))
			commands++
		}
	}
	if commands < 30 {
		t.Errorf("only %d examples found", commands)
	}
}

// typedWords splits a command into words as a shell does, at unquoted blanks.
func typedWords(command string) []string {
	quote := rune(0)
	apart := strings.FieldsFunc(strings.Map(func(r rune) rune {
		switch {
		case quote == r:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		case quote != 0 && r == ' ':
			return '\u00a0' // does not split the word
		}
		return r
	}, command), func(r rune) bool { return r == ' ' || r == '\t' })
	for i, word := range apart {
		apart[i] = strings.NewReplacer(`"`, "", "'", "", "\u00a0", " ").Replace(word)
	}
	return apart
}

func checkExample(t *testing.T, words []string) {
	t.Helper()
	cmd, rest, err := newRoot().Find(words)
	if err != nil || cmd == cmd.Root() {
		t.Errorf("infbench %s: no such verb (%v)", strings.Join(words, " "), err)
		return
	}
	if err := cmd.ParseFlags(rest); err != nil {
		t.Errorf("infbench %s: %v", strings.Join(words, " "), err)
		return
	}
	if cmd.Args == nil {
		return
	}
	if err := cmd.Args(cmd, cmd.Flags().Args()); err != nil {
		t.Errorf("infbench %s: %v", strings.Join(words, " "), err)
	}
}
