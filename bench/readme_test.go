package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Every infbench command that the README or a verb's help shows names a verb
// that exists, with flags and a number of arguments that it takes.
func TestExamplesParse(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{string(readme)}
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
			if !ok || !strings.HasPrefix(line, "  ") { // prose begins at the margin
				continue
			}
			command = strings.TrimSuffix(command, "\\") // goes on in the next line
			command, _, _ = strings.Cut(command, "#")
			command, _, _ = strings.Cut(command, " > ")
			checkExample(t, strings.Fields(strings.ReplaceAll(command, "'", "")))
			commands++
		}
	}
	if commands < 30 {
		t.Errorf("only %d examples found", commands)
	}
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
