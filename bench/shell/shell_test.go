package shell_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"infbench/bench/shell"
)

func TestValues(t *testing.T) {
	for usage, want := range map[string]string{
		"one of terminal, markdown, html": "terminal markdown html",
		"table, json, csv or trec":        "table json csv trec",
		"pca or tsne":                     "pca tsne",
		"how it is asked: pointwise (the default), graded, pairwise or listwise":                  "pointwise graded pairwise listwise",
		"where: local (processes, here), slurm (arrays) or kubernetes (Jobs); clusters are asked": "local slurm kubernetes",
		"to save memory: on, off, or auto: where the shape needs it":                              "on off auto",
		"multiply in: float32, the default, or bf16, which is faster; how far":                    "float32 bf16",
	} {
		cmd := &cobra.Command{Use: "x"}
		cmd.Flags().String("f", "", usage)
		if got := strings.Join(shell.Values(cmd.Flags().Lookup("f")), " "); got != want {
			t.Errorf("%s: %s, want %s", usage, got, want)
		}
	}
}

// TestManEscapes: no part of a text becomes a request or an escape of troff.
func TestManEscapes(t *testing.T) {
	cmd := &cobra.Command{Use: "x", Short: "say", Long: "First.\n.br is no request\n'nor this\n\n  a \\n b", Example: "  x --y", Run: func(*cobra.Command, []string) {}}
	cmd.Flags().Int("many", 3, "take `NUMBER` of them")
	var out bytes.Buffer
	if err := shell.WriteMan(&out, cmd); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\n\\&.br is no request", "\n\\&'nor this", `a \en b`, `x \-\-y`, `\fB\-\-many\fR \fINUMBER\fR`, "take NUMBER of them (default 3)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("lacks %q:\n%s", want, out.String())
		}
	}
}

func TestCheckVerb(t *testing.T) {
	root := &cobra.Command{Use: "root", Args: cobra.ArbitraryArgs}
	data := &cobra.Command{Use: "data"}
	run := func(*cobra.Command, []string) {}
	data.AddCommand(&cobra.Command{Use: "fetch", Run: run})
	root.AddCommand(data, &cobra.Command{Use: "sweep", Run: run})
	for args, want := range map[string]string{
		"sweep x --flag":     "",
		"swep x --workers 2": `unknown verb "swep"; did you mean "sweep"?`,
		"data fech --task x": `unknown verb of data "fech"; did you mean "fetch"?`,
		"data fetch x":       "",
		"--help":             "",
		"":                   "",
		"data":               "",
		"help sweep":         "",
		"__complete swep x":  "",
		"completion bash":    "",
		"completion tcsh":    `unknown verb of completion "tcsh"`,
	} {
		err := shell.CheckVerb(root, strings.Fields(args))
		if err == nil && want != "" || err != nil && (want == "" || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
	if slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == "swep" }) {
		t.Error("it is there")
	}
}
