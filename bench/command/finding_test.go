package command

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"infbench/internal/testkit/minihub"
	"infbench/runners/runs"
	"infbench/training/encoder"
)

// make finding decides every claim of its file except those that need FULL=1. Here a tiny network
// takes the place of MiniLM, and tiny sets that of FollowTable, whose texts are not on the page.
func TestFindingDecidesItsClaims(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	backbone := backboneOf(t, maps.Values(narrowedSet("", minihub.Canary+" north")), func(c *encoder.Config) { c.HiddenSize, c.IntermediateSize = 8, 8 })
	t.Chdir(t.TempDir())
	writeNarrowedSets(t, "sets", minihub.Canary+" north", minihub.Canary)
	verbOutput(t, "data", "import", "sets", "--name", "sets", "--private")
	const inputs = "corpora/followtable/"
	for _, dir := range []string{"tarx", "tarx-avoid"} {
		if err := os.CopyFS(inputs+dir, os.DirFS("sets/TArX")); err != nil {
			t.Fatal(err)
		}
		verbOutput(t, "data", "import", inputs+dir, "--name", dir, "--private")
	}
	if err := os.CopyFS(inputs+"all-MiniLM-L6-v2", os.DirFS(backbone)); err != nil {
		t.Fatal(err)
	}
	claims := string(mustRead(t, filepath.Join(root, "bench", "claims", "followtable.yaml")))
	for name, more := range map[string]string{"records": "", "shuffled": "--shuffle-instructions"} {
		verbOutput(t, line("data records ./sets --task WTR --test ./sets --out "+inputs+name+" "+more)...)
		verbOutput(t, "data", "overlap", "./"+inputs+name, "./"+inputs+"tarx")
		var kept runs.Overlap
		if err := json.Unmarshal(mustRead(t, "runs/overlap/"+name+"-tarx.json"), &kept); err != nil {
			t.Fatal(err)
		}
		claims = regexp.MustCompile(`\b`+name+`@[0-9a-f]{8}`).ReplaceAllString(claims, kept.Label)
	}
	writeFile(t, "claims.yaml", claims)
	writeFile(t, "followtable.yaml", strings.Replace(string(mustRead(t, filepath.Join(root, "bench", "experiments", "followtable.yaml"))), "groups: 2", "groups: 1", 1))
	verbOutput(t, "sweep", "followtable.yaml", "--set", "train.steps=2")
	plan, err := runs.At("runs/followtable").Plan()
	if err != nil {
		t.Fatal(err)
	}
	scifact := "scifact"
	oddCollection(t, scifact)
	folders := []string{"runs/followtable"}
	evaluate := func(model, data, name string) {
		folders = append(folders, "runs/further/"+name)
		verbOutput(t, "evaluate", "--model", model, "--data", data, "--out", "runs/further/"+name)
	}
	evaluate(inputs+"all-MiniLM-L6-v2", scifact, "scifact")
	evaluate(inputs+"all-MiniLM-L6-v2", inputs+"tarx-avoid", "avoid")
	for _, p := range plan.Trials {
		if p.Cell.Loss != "" && p.Cell.Seed == 1 && strings.HasSuffix(p.Cell.Data, "records") {
			evaluate("runs/followtable:"+p.ID, scifact, "scifact-"+p.ID)
		}
		if p.Cell.Loss == "uni(P)" && strings.HasSuffix(p.Cell.Data, "records") {
			evaluate("runs/followtable:"+p.ID, inputs+"tarx-avoid", "avoid-"+p.ID)
		}
	}
	var judged []struct{ ID, Verdict, Command string }
	if err := json.Unmarshal([]byte(verbOutput(t, append([]string{"claims", "claims.yaml", "--format", "json"}, folders...)...)), &judged); err != nil {
		t.Fatal(err)
	}
	for _, c := range judged {
		if full := strings.Contains(c.Command, "FULL=1"); (c.Verdict == "not run") != full {
			t.Errorf("%s: %s (%s)", c.ID, c.Verdict, c.Command)
		}
	}
	if len(judged) < 15 {
		t.Errorf("%d claims", len(judged))
	}
	verbOutput(t, append([]string{"report", "--claims", "claims.yaml", "--format", "html", "--out", "finding.html"}, folders...)...)
	verbOutput(t, "verify", "finding.html", "--runs", "runs/followtable", "--runs", "runs/further")
	if strings.Contains(string(mustRead(t, "finding.html")), minihub.Canary) {
		t.Error("the page has a private text")
	}
}
