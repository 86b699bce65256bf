package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/runners/results"
)

// An adapter of the hub is used like any model: its base model is fetched and pinned with it,
// and named if it is missing. It ranks as the folder that models merge writes, with the
// settings of its card.
func TestAdapterIsAModel(t *testing.T) {
	r := newRehearsal(t)
	const adapter, base = "castorini/repllama-v1-7b-lora-passage", "meta-llama/Llama-2-7b-hf"
	const commit, baseCommit = "6097554dfe6e7d93e92f55010b678bcca1e233a8", "01c7f73d771dfac7d292323805ebc428287df4f9"
	r.run("data", "fetch", "followir-mteb1")
	file := filepath.Join(r.dir, "x.yaml")
	rewrite(t, file, []byte("name: x\nbaselines: ["+adapter+"]\nevaluate: [followir-mteb1]\n"))
	r.fails("model "+adapter+" is not on this machine: infbench models fetch "+adapter, "sweep", file)
	token := r.env
	r.env = append(slices.Clone(token), "HF_TOKEN=")
	r.fails("HF_TOKEN", "models", "fetch", "repllama-v1-7b") // the base is gated
	r.env = token
	if out := r.run("models", "fetch", "repllama-v1-7b"); !strings.Contains(out, base+" at "+baseCommit[:12]) {
		t.Errorf("models fetch printed\n%s", out)
	}
	for _, model := range []string{adapter, r.snapshot(adapter)} {
		if out := r.run("models", "check", model); !strings.Contains(out, base+"@"+baseCommit) {
			t.Errorf("models check printed\n%s", out)
		}
	}
	if out := r.run("plan", file); strings.Contains(out, "unknown") {
		t.Errorf("plan printed\n%s", out)
	}
	r.run("sweep", file)
	alone := r.run("evaluate", "--model", adapter, "--data", "followir-mteb1", "--out", "alone")
	r.run("models", "merge", r.snapshot(base), r.snapshot(adapter), "--out", "merged")
	rewrite(t, filepath.Join(r.dir, "merged", "infbench.json"), []byte(r.run("models", "settings", "repllama-v1-7b")))
	merged := r.run("evaluate", "--model", "merged", "--data", "followir-mteb1", "--out", "merged-alone")
	if want := printedRows(alone); len(want) < 6 || !slices.Equal(want, printedRows(merged)) {
		t.Errorf("with the adapter\n%s\nmerged\n%s", alone, merged)
	}
	if out := r.run("diff", "runs/x", "alone"); !strings.Contains(out, "\n0 of ") {
		t.Errorf("swept and evaluated differ:\n%s", out)
	}
	was, now := trialOf(t, filepath.Join(r.dir, "runs", "x"), adapter).Config, trialOf(t, filepath.Join(r.dir, "alone"), "").Config
	if was[results.Weights] == "" || was[results.Weights] == commit || was[results.Weights] != now[results.Weights] {
		t.Errorf("weights %q and %q: want one hash of adapter and base", was[results.Weights], now[results.Weights])
	}

	if err := os.RemoveAll(filepath.Join(r.home, "hub", "models--meta-llama--Llama-2-7b-hf")); err != nil {
		t.Fatal(err)
	}
	want := "model " + base + "@" + baseCommit + ", which the adapter " + adapter + " is merged into, is not on this machine: infbench models fetch"
	r.fails(want, "evaluate", "--model", adapter, "--data", "followir-mteb1")
	r.fails(want, "sweep", file, "--runs", "again")
	if out := r.run("models", "check", adapter); !strings.Contains(out, "(not on this machine)") {
		t.Errorf("models check printed\n%s", out)
	}
}

// printedRows returns the rows of numbers that evaluate prints.
func printedRows(printed string) (rows []string) {
	for line := range strings.Lines(printed) {
		if strings.HasPrefix(line, " followir") {
			rows = append(rows, line)
		}
	}
	return rows
}
