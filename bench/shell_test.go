package main

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"infbench/bench/shell"
	"infbench/bench/usage"
	"infbench/reports"
	"infbench/reports/write"
)

// verbs calls do with every verb that a user may type.
func verbs(root *cobra.Command, do func(*cobra.Command)) {
	for _, cmd := range root.Commands() {
		if !cmd.Hidden {
			do(cmd)
			verbs(cmd, do)
		}
	}
}

// completions are what a shell is offered for the last word.
func completions(t *testing.T, args ...string) []string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(append([]string{"__complete"}, args...), &stdout, &stderr); code != exitOK {
		t.Fatalf("%q: exit %d: %s", args, code, stderr.String())
	}
	var words []string
	for line := range strings.Lines(stdout.String()) {
		if word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); !strings.HasPrefix(word, ":") {
			words = append(words, word)
		}
	}
	return words
}

// Every verb stands in a group of help.
func TestVerbsAreGrouped(t *testing.T) {
	for _, cmd := range newRoot().Commands() {
		if !cmd.Hidden && cmd.GroupID == "" && (cmd.Runnable() || cmd.HasSubCommands()) {
			t.Errorf("verb %s is in no group", cmd.Name())
		}
	}
}

// What is offered for a flag is what it takes.
func TestCompletionOfFlags(t *testing.T) {
	for _, c := range []struct {
		args, want []string
	}{
		{[]string{"report", "--format", ""}, write.Formats()},
		{[]string{"report", "--view", ""}, reports.Views()},
		{[]string{"report", "--picture", ""}, reports.Pictures()},
		{[]string{"sweep", "x.yaml", "--engine", ""}, []string{"local", "slurm", "kubernetes"}},
		{[]string{"sweep", "x.yaml", "--set", "loss=multi"}, []string{"loss=multi:P+I", "loss=multi:P+IQ", "loss=multi:I+IQ", "loss=multi:P+I+IQ"}},
		{[]string{"sweep", "x.yaml", "--only", "train.sche"}, []string{"train.schedule="}},
		{[]string{"sweep", "x.yaml", "--set", "train.schedule="}, []string{"train.schedule=linear", "train.schedule=cosine", "train.schedule=constant"}},
		{[]string{"evaluate", "--data", "mini-f"}, []string{"mini-followir"}},
		{[]string{"evaluate", "--model", "bm25-b"}, []string{"bm25-bright"}},
		{[]string{"list", "lo"}, []string{"losses"}},
		{[]string{"list", "keys", "stop_hopeless."}, []string{"stop_hopeless.alpha"}},
		{[]string{"help", "swe"}, []string{"sweep"}},
		{[]string{"swe"}, []string{"sweep"}},
		{[]string{"repeat", "nowhere", ""}, nil},
	} {
		if got := completions(t, c.args...); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
}

// A verb that is not there is said to be none, whatever flags follow it.
func TestNearestVerb(t *testing.T) {
	verbFails(t, usage.ExitUsage, `unknown verb "swep"; did you mean "sweep"?`, "swep", "x", "--workers", "2")
	verbFails(t, usage.ExitUsage, `unknown verb "foo"`, "help", "foo")
	verbFails(t, usage.ExitUsage, `unknown verb of data "fech"; did you mean "fetch"?`, "help", "data", "fech")
	verbFails(t, usage.ExitUsage, `unknown verb of models "chek"; did you mean "check"?`, "models", "chek", "--format", "json")
	verbFails(t, usage.ExitUsage, `sweep has no part "x"`, "help", "sweep", "x")
}

// Help, version and topics are there.
func TestHelpAndVersion(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"help", "experiment"}, "matrix"},
		{[]string{"help", "data", "fetch"}, "infbench data fetch"},
		{[]string{"--version"}, "infbench version"},
		{[]string{"list", "keys", "train.lr"}, "train.lr  number in (0,∞)"},
		{[]string{"schema", "experiment"}, "json-schema.org"},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(c.args, &stdout, &stderr); code != exitOK || !strings.Contains(stdout.String(), c.want) {
			t.Errorf("%q: exit %d, %s%s", c.args, code, stderr.String(), stdout.String())
		}
	}
}

// The manual page of every verb is one that groff has nothing to say against.
func TestMan(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Log("SKIP: no groff here: pages are written and not read")
	}
	page := func(cmd *cobra.Command) {
		var text, said bytes.Buffer
		if err := shell.WriteMan(&text, cmd); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), ".SH SYNOPSIS") || groff == "" {
			return
		}
		check := exec.Command(groff, "-man", "-Tutf8", "-K", "utf8", "-z", "-ww")
		check.Stdin, check.Stderr = &text, &said
		if err := check.Run(); err != nil || said.Len() > 0 {
			t.Errorf("%s: %v %s", cmd.CommandPath(), err, said.String())
		}
	}
	root := newRoot()
	page(root)
	verbs(root, page)
}
