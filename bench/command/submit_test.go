package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/usage"
)

// declared are the flags for values that a run folder does not have, hostile where a stranger
// can write anything.
var declared = []string{"--model-url", "https://acme.org/e?<b>", "--by", "Ada <script>alert(1)</script> \x1b[2J", "--contact", "ada@acme.org", "--licence", "=cmd()",
	"--prompts", "none", "--training-data", "MS MARCO", "--training-benchmarks", ""}

// submitted evaluates a system and writes a submission of it.
func submitted(t *testing.T, into, system, revision string, flags ...string) string {
	t.Helper()
	run := filepath.Join(t.TempDir(), "run")
	verbOutput(t, "evaluate", "--model", "random", "--data", "mini-bright", "--out", run)
	return submission(t, run, into, system, revision, flags...)
}

// submission writes a submission of a run folder.
func submission(t *testing.T, run, into, system, revision string, flags ...string) string {
	t.Helper()
	args := append([]string{"submit", "new", run, "--into", into, "--system", system, "--revision", revision}, declared...)
	verbOutput(t, append(args, flags...)...)
	return filepath.Join(into, strings.Replace(system, "/", "__", 1), revision)
}

// A system goes from its evaluation to another board. With rankings, it has exactly the
// values of its evaluation; with scores only, it is marked in every format and part of no
// test. A newer revision replaces it.
func TestSubmit(t *testing.T) {
	at := t.TempDir()
	all, out, page := filepath.Join(at, "submissions"), filepath.Join(at, "submitted"), filepath.Join(at, "page.html")
	run := filepath.Join(at, "run")
	verbOutput(t, "evaluate", "--model", "bm25", "--data", "mini-followir", "--out", run)

	if text := verbOutput(t, "submit", "new", run, "--into", all, "--system", "acme/bare", "--revision", "v1"); !strings.Contains(text, "to fill in") {
		t.Error(text)
	}
	verbFails(t, usage.ExitGate, "1 submission is refused", "submit", "check", filepath.Join(all, "acme__bare"))
	verbFails(t, usage.ExitUsage, "exists already", "submit", "new", run, "--into", all, "--system", "acme/bare", "--revision", "v1")
	verbFails(t, usage.ExitUsage, "--system and --revision", "submit", "new", run, "--into", all)
	if err := os.RemoveAll(filepath.Join(all, "acme__bare")); err != nil {
		t.Fatal(err)
	}

	submission(t, run, all, "acme/embed-1", "v1")
	claimed := submission(t, run, all, "other/claims", "2.0", "--training-benchmarks", "mini-followir")
	if err := os.RemoveAll(filepath.Join(claimed, "runs")); err != nil {
		t.Fatal(err)
	}
	onScreens(t, func(t *testing.T) string { return verbOutput(t, "submit", "check", all) })
	t.Setenv("COLUMNS", "")
	text := verbOutput(t, "submit", "check", all, "--out", out)
	for _, want := range []string{"acme/embed-1 v1: accepted, recomputed", "other/claims 2.0: accepted, as claimed", "accepted: 2; refused: 0"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	boardMarks(t, run, out)
	verbOutput(t, "report", run, out, "--format", "html", "--out", page)
	for _, args := range [][]string{{page}, {page, "--runs", run, "--runs", out}, {out}} {
		if text := verbOutput(t, append([]string{"verify"}, args...)...); !strings.Contains(text, "0 differences") {
			t.Error(text)
		}
	}
	html, err := os.ReadFile(page)
	if err != nil || strings.Contains(string(html), "<script>alert") || !strings.Contains(string(html), "Ada &lt;script&gt;") {
		t.Errorf("%v: the page runs a stranger's text, or lacks it", err)
	}

	submission(t, run, all, "other/claims", "2.1", "--replaces", "2.0")
	next := filepath.Join(at, "next")
	if text := verbOutput(t, "submit", "check", all, "--out", next); !strings.Contains(text, "other/claims 2.0: accepted, as claimed; not shown: revision 2.1 replaces it") {
		t.Error(text)
	}
	if board := verbOutput(t, "report", next); strings.Contains(board, " as claimed  ") || !strings.Contains(board, "other/claims  recomputed") {
		t.Error(board)
	}
}

// boardMarks looks for the marks of a board in every format.
func boardMarks(t *testing.T, run, out string) {
	t.Helper()
	for _, format := range []string{"text", "markdown", "latex", "csv", "json"} {
		args := []string{"report", run, out, "--format", format}
		if format == "text" {
			args = args[:3]
		}
		text := verbOutput(t, args...)
		for _, want := range []string{"standing", "measured", "recomputed", "as claimed"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %q", format, want)
			}
		}
		if format == "text" && strings.ContainsAny(text, "\x1b\r") {
			t.Error("control bytes")
		}
	}
	if text := verbOutput(t, "report", run, out, "--all"); !strings.Contains(text, "In each column: 1 pair of 2 systems") || !strings.Contains(text, "other/claims was trained on texts or judgments of mini-followir") {
		t.Errorf("a claim is tested, or its training is not said:\n%s", text)
	}
	var object struct {
		Trials []struct{ System, Standing string }
	}
	if err := json.Unmarshal([]byte(verbOutput(t, "export", "--format", "json", run, out)), &object); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, trial := range object.Trials {
		got[trial.System] = trial.Standing
	}
	if got["bm25"] != "" || got["acme/embed-1"] != "recomputed" || got["other/claims"] != "as claimed" {
		t.Errorf("standings %v", got)
	}
	site := filepath.Join(t.TempDir(), "site")
	verbOutput(t, "publish", site, run, out)
	index, err := os.ReadFile(filepath.Join(site, "index.html"))
	if err != nil || !strings.Contains(string(index), "recomputed") || !strings.Contains(string(index), "as claimed") {
		t.Errorf("%v: the site does not mark submitted systems", err)
	}
}

// The values that a board recomputes from rankings equal those of the evaluation, bit for
// bit.
func TestSubmitIsEvaluate(t *testing.T) {
	at := t.TempDir()
	run := filepath.Join(at, "run")
	verbOutput(t, "evaluate", "--model", "random", "--data", "mini-bright", "--out", run)
	dir := submission(t, run, at, "acme/embed-1", "v1")
	out := filepath.Join(at, "out")
	verbOutput(t, "submit", "check", dir, "--out", out)
	want, err := json.Marshal(scoresOf(t, run))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := json.Marshal(scoresOf(t, out)); string(got) != string(want) {
		t.Errorf("submitted\n%.300s\nevaluated\n%.300s", got, want)
	}
}

// JSON and Markdown of a check contain a stranger's input as text.
func TestSubmitCheckHostile(t *testing.T) {
	dir := submitted(t, filepath.Join(t.TempDir(), "submissions"), "acme/embed-1", "v1")
	rankings := filepath.Join(dir, "runs", "mini-bright.nature.trec")
	rewrite(t, rankings, []byte("<img_src=x> Q0 @everyone 1 NaN \x1b[2J\n|a| Q0 `b` 1 NaN x\n"))
	if err := os.Remove(rankings + ".gz"); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"text", "json", "markdown"} {
		var stdout, stderr strings.Builder
		if code := run([]string{"submit", "check", dir, "--format", format}, &stdout, &stderr); code != exitGate {
			t.Errorf("%s: exit %d, %s", format, code, stderr.String())
		}
		text := stdout.String()
		if strings.Contains(text, "\x1b") || format != "text" && strings.Contains(text, "<img") || format == "markdown" && strings.Contains(text, " @everyone") {
			t.Errorf("%s is not safe: %.800s", format, text)
		}
		if format == "json" && !json.Valid([]byte(text)) {
			t.Errorf("no JSON: %.300s", text)
		}
	}
}
