package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"infbench/bench/flags"
	"infbench/bench/shell"
	"infbench/internal/usage"
	"infbench/reports"
	"infbench/reports/export"
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

// completions returns the shell's suggestions for the last word.
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

// Every verb is in a group of the help.
func TestVerbsAreGrouped(t *testing.T) {
	for _, cmd := range newRoot().Commands() {
		if !cmd.Hidden && cmd.GroupID == "" && (cmd.Runnable() || cmd.HasSubCommands()) {
			t.Errorf("verb %s is in no group", cmd.Name())
		}
	}
}

// The suggestions for a flag are its valid values.
func TestCompletionOfFlags(t *testing.T) {
	for _, c := range []struct {
		args, want []string
	}{
		{[]string{"report", "--format", ""}, export.Formats()},
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
		{[]string{"list", "measures", "nDCG"}, []string{"nDCG", "nDCGRel"}},
		{[]string{"measures", "nDCG"}, []string{"nDCG", "nDCGRel"}},
		{[]string{"map", "mini-follow"}, []string{"mini-followir"}},
		{[]string{"data", "div"}, []string{"diversity"}},
		{[]string{"models", "e5-base-v"}, []string{"e5-base-v2"}},
		{[]string{"repeat", "nowhere", ""}, nil},
	} {
		if got := completions(t, c.args...); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
}

// Names in run folders are suggested wherever they can be given, and are unambiguous there.
func TestCompletionOfNames(t *testing.T) {
	smallRuns(t)
	for _, c := range []struct {
		args, want []string
	}{
		{[]string{"query", "runs/sm"}, []string{"runs/small"}},
		{[]string{"query", "runs/small", "", ""}, nil},
		{[]string{"query", "runs/small", "--sort", ""}, []string{"difference", "A", "B", "id"}},
		{[]string{"query", "runs/small", "--systems", "bm"}, []string{"bm25"}},
		{[]string{"query", "runs/small", "--systems", "bm25,unt"}, []string{"bm25,untrained"}},
		{[]string{"query", "runs/small", "--measure", "AP"}, []string{"AP@1000 original"}},
		{[]string{"query", "runs/small", "--task", "followir/n"}, []string{"followir/news21"}},
		{[]string{"report", "runs/small", "--measure", ""}, []string{"FollowIR score", "p-MRR", "AP@1000", "nDCG@5"}},
		{[]string{"report", "runs/small", "--row", "train.lr"}, []string{"train.lr"}},
		{[]string{"report", "runs/small", "--filter", "bench"}, []string{"benchmark="}},
		{[]string{"report", "runs/small", "--filter", "loss="}, []string{"loss=uni:P", "loss=multi:P+I"}},
		{[]string{"report", "runs/small", "--filter", "side="}, []string{"side=original"}},
		{[]string{"report", "--filter", "task=news"}, []string{"task=news21"}}, // from all below runs/
		{[]string{"report", "runs/small", "--reference", "b"}, []string{"bm25"}},
		{[]string{"diff", "runs/small:b"}, []string{"runs/small:bm25"}},
		{[]string{"submit", "new", "runs/small:b"}, []string{"runs/small:bm25"}},
		{[]string{"report", "runs/imported:"}, []string{"runs/imported:team/old"}},
		{[]string{"evaluate", "--data", "mini-bright", "--task", "nat"}, []string{"nature"}},
		{[]string{"gate", "--undecided", ""}, []string{"pass", "fail"}},
		{[]string{"sweep", "--kernels", "avx"}, []string{"avx512bf16", "avx512", "avx2"}},
	} {
		if got := completions(t, c.args...); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
	for _, c := range [][]string{
		{"query", "runs/small", ""}, {"report", "runs/small", "--sort", ""}, {"report", "runs/small", "--reference", ""},
		{"repeat", "runs/small", "uni"}, {"repeat", "runs/small", ""}, {"evaluate", "--model", "runs/small:"}, {"diff", "runs/small:"},
	} {
		offered := completions(t, c...)
		if len(offered) < 2 {
			t.Errorf("%q: %q", c, offered)
		}
		for _, name := range offered {
			if strings.ContainsAny(name, "(") && c[0] != "report" {
				t.Errorf("%q offers %q, which a shell reads otherwise", c, name)
			}
		}
	}
}

// Every suggested name is accepted.
func TestCompletionsAreTaken(t *testing.T) {
	smallRuns(t)
	for _, c := range [][]string{
		{"query", "runs/small", "--systems", ""}, {"query", "runs/small", "--task", ""}, {"query", "runs/small", ""},
		{"query", "runs/small", "--measure", "AP"},
		{"report", "runs/small", "--sort", ""}, {"report", "runs/small", "--reference", ""}, {"report", "runs/small", "--row", "system", "--col", "task,measure,side", "--filter", "system="},
		{"report", "runs/small", "--measure", ""}, {"report", "runs/small:"},
	} {
		for _, name := range completions(t, c...) {
			verbOutput(t, append(slices.Clone(c[:len(c)-1]), name)...)
		}
	}
}

// Completion suggests the readable names and never fails.
func TestCompletionOfBrokenFolders(t *testing.T) {
	smallRuns(t)
	plan := filepath.Join("runs", "small", "plan.json")
	scores, err := filepath.Glob(filepath.Join("runs", "small", "trials", "*", "scores*"))
	if err != nil || len(scores) == 0 {
		t.Fatal(scores, err)
	}
	asked := [][]string{
		{"query", "runs/small", ""}, {"query", "runs/small", "--systems", ""}, {"report", "runs/small", "--sort", ""},
		{"report", "--sort", ""}, {"repeat", "runs/small", ""}, {"evaluate", "--model", "runs/small:"}, {"report", "runs/small", "--filter", "task="},
	}
	for _, damage := range []struct {
		what string
		do   func() error
	}{
		{"values of the first trial cut", func() error { return os.Truncate(scores[0], 10) }},
		{"no values", func() error {
			for _, path := range scores {
				if err := os.Remove(path); err != nil {
					return err
				}
			}
			return nil
		}},
		{"plan cut", func() error { return os.Truncate(plan, 100) }},
		{"plan empty", func() error { return os.Truncate(plan, 0) }},
		{"no plan", func() error { return os.Remove(plan) }},
		{"a folder for a plan", func() error { return os.Mkdir(plan, 0o755) }},
		{"no folder", func() error { return os.RemoveAll(filepath.Join("runs", "small")) }},
	} {
		if err := damage.do(); err != nil {
			t.Fatal(err)
		}
		for i, args := range asked {
			offered := completions(t, args...) // fails the test if it fails
			if damage.what == "values of the first trial cut" && len(offered) == 0 {
				t.Errorf("%s: %q offers nothing", damage.what, asked[i])
			}
		}
	}
}

// Every flag whose help lists its values suggests them.
func TestListedValuesAreOffered(t *testing.T) {
	root, words := newRoot(), []string{"search", "older", "drop"} // the help has examples of these
	shell.Complete(root)
	verbs(root, func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			values := shell.Values(f)
			if _, offered := cmd.GetFlagCompletionFunc(f.Name); len(values) > 1 && !offered && !slices.Contains(words, f.Name) {
				t.Errorf("%s --%s offers none of %q", cmd.CommandPath(), f.Name, values)
			}
		})
	})
}

// An unknown verb is reported as such, with any flags after it.
func TestNearestVerb(t *testing.T) {
	verbFails(t, usage.ExitUsage, `unknown verb "swep"; did you mean "sweep"?`, "swep", "x", "--workers", "2")
	verbFails(t, usage.ExitUsage, `unknown verb "foo"`, "help", "foo")
	verbFails(t, usage.ExitUsage, `unknown verb of data "fech"; did you mean "fetch"?`, "help", "data", "fech")
	verbFails(t, usage.ExitUsage, `unknown verb of models "chek"; did you mean "check"?`, "models", "chek", "--format", "json")
	verbFails(t, usage.ExitUsage, `unknown verb of list "loses"; did you mean "losses"?`, "list", "loses")
	verbFails(t, usage.ExitUsage, `unknown measure "nDGC"; did you mean "nDCG"?`, "measures", "nDGC@10")
	verbFails(t, usage.ExitUsage, `unknown loss "MarginMSELos"; did you mean "MarginMSELoss"?`, "list", "losses", "MarginMSELos")
	verbFails(t, usage.ExitUsage, `did you mean "e5-base-v2"?`, "models", "e5-bose-v2")
	verbFails(t, usage.ExitUsage, `sweep has no part "x"`, "help", "sweep", "x")
	verbFails(t, usage.ExitUsage, `unknown verb of gate "acept"; did you mean "accept"?`, "gate", "acept", "--rule", "gate.yaml")
	verbFails(t, exitFailure, "runs/none is not a run folder", "gate", "runs/none", "--rule", inFile(t, "gate.yaml", "rules: [{measure: p-MRR, minimum: 1}]"))
}

// A verb that was moved below another one still runs by its former name, with a note of the
// current name. Shorter names belong to the command line, so they cause no note.
func TestJoinedVerbs(t *testing.T) {
	for _, c := range []struct {
		typed, now, said string
	}{
		{"agents a.jsonl", "score agents a.jsonl", "agents is now: infbench score agents"},
		{"annotate read key.json", "data annotate read key.json", "annotate is now: infbench data annotate"},
		{"cache ls vectors", "models cache ls vectors", "cache is now: infbench models cache"},
		{"discard runs/x 68", "retry --discard runs/x 68", "discard is now: infbench retry --discard"},
		{"models show e5", "models e5", "models show is now: infbench models"},
		{"measures nDCG", "list measures nDCG", ""},
		{"schema experiment", "list schema experiment", ""},
		{"help discard", "help retry", ""},
		{"man map", "man data map", ""},
		{"__complete map", "__complete map", ""},
		{"__complete map x", "__complete data map x", ""},
		{"sweep map", "sweep map", ""},
		{"", "", ""},
	} {
		now, said := shell.Current(strings.Fields(c.typed))
		if strings.Join(now, " ") != c.now || said != c.said {
			t.Errorf("%s: %q, %q", c.typed, now, said)
		}
	}
	var stdout, stderr bytes.Buffer
	texts := inFile(t, "texts.jsonl", `{"text": "one two"}`+"\n"+`{"text": "two one"}`+"\n")
	if code := run([]string{"diversity", texts}, &stdout, &stderr); code != exitOK || stdout.String() != verbOutput(t, "data", "diversity", texts) {
		t.Errorf("exit %d: %s", code, stderr.String())
	}
	if got, want := stderr.String(), "infbench: diversity is now: infbench data diversity\n"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
}

// Names are explained under their own name.
func TestNamesAreExplained(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"measures", "nDCG@10"}, "names: nDCG"},
		{[]string{"list", "measures", "p-MRR"}, "whose relevance changed"},
		{[]string{"list", "losses", "multi:I+P"}, "multi(P,I)\n  loss: multi:P+I"},
		{[]string{"list", "losses", "map_add/qk_with_neg"}, "  loss: "},
		{[]string{"list", "losses", "MarginMSELoss"}, "margin_mse"},
		{[]string{"models", "e5-base-v2"}, "intfloat/e5-base-v2"},
	} {
		if out := verbOutput(t, c.args...); !strings.Contains(out, c.want) {
			t.Errorf("%q: no %q in\n%s", c.args, c.want, out)
		}
	}
}

// A verb with many flags shows them under headings, at most twelve under each.
func TestFlagsAreGrouped(t *testing.T) {
	verbs(newRoot(), func(cmd *cobra.Command) {
		cmd.InitDefaultHelpFlag()
		all := 0
		cmd.Flags().VisitAll(func(*pflag.Flag) { all++ })
		if all <= 15 {
			return
		}
		for _, g := range flags.ByHeading(cmd.LocalFlags()) {
			n := 0
			g.Flags.VisitAll(func(f *pflag.Flag) {
				n++
				if g.Heading == "" {
					t.Errorf("%s: --%s is under no heading", cmd.CommandPath(), f.Name)
				}
			})
			if n > 12 {
				t.Errorf("%s: %d flags under %q, want at most 12", cmd.CommandPath(), n, g.Heading)
			}
		}
	})
}

// Help, version and topics exist.
func TestHelpAndVersion(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"help", "experiment"}, "matrix"},
		{[]string{"help", "data", "fetch"}, "infbench data fetch"},
		{[]string{"--version"}, "infbench version"},
		{[]string{"list", "keys", "train.lr"}, "train.lr  number in (0,∞)"},
		{[]string{"list", "schema", "experiment"}, "json-schema.org"},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(c.args, &stdout, &stderr); code != exitOK || !strings.Contains(stdout.String(), c.want) {
			t.Errorf("%q: exit %d, %s%s", c.args, code, stderr.String(), stdout.String())
		}
	}
}

// groff accepts the manual page of every verb without complaint.
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
