package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/usage"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// TestKeepAdapter: with train.lora.keep adapter the model folder of a trained cell holds the
// adapter and the path of its backbone. It has the results of the merged model, is evaluated and
// checked like any model, and another cell of the same weights takes it.
func TestKeepAdapter(t *testing.T) {
	folder := writeEncoder(t, "")
	t.Chdir(t.TempDir())
	const head = "name: NAME\nbase: {backbone: FOLDER, loss: uni(P), design: {pooling: cls}, train: {epochs: 1, rows_per_group: 240, lr: 0.05, lora: {r: 2KEEP}}}\n" +
		"matrix: {similarity: [cosine, dot]}\nevaluate: [{mini-bright: [nature]}]\n"
	written := func(name, backbone, keep string) string {
		return inFile(t, name+".yaml", strings.NewReplacer("NAME", name, "FOLDER", backbone, "KEEP", keep).Replace(head))
	}
	sweep := func(name, keep string) (cosine, dot *results.Trial) {
		t.Helper()
		verbOutput(t, "sweep", written(name, folder, keep))
		exp, err := runs.At("runs/" + name).Reader().Load()
		if err != nil || len(exp.Trials) != 2 {
			t.Fatalf("%d trials, %v", len(exp.Trials), err)
		}
		cosine, dot = &exp.Trials[0], &exp.Trials[1]
		if cosine.Config[results.Similarity] != "" {
			cosine, dot = dot, cosine
		}
		return cosine, dot
	}
	plain, plainDot := sweep("plain", "")
	merged, _ := sweep("merged", ", keep: merged")
	kept, keptDot := sweep("kept", ", keep: adapter")
	if plain.ID != merged.ID || kept.ID == plain.ID {
		t.Errorf("IDs %s by default, %s merged, %s as an adapter", plain.ID, merged.ID, kept.ID)
	}
	if differ := append(results.Differ(plain.Results, kept.Results), results.Differ(plainDot.Results, keptDot.Results)...); len(differ) > 0 {
		t.Errorf("merged and adapter: %s", differ[0])
	}
	at := filepath.Join("runs", "kept", "trials", kept.ID)
	for name, want := range map[string]bool{"model/adapter_config.json": true, "model/adapter_model.safetensors": true, "model/infbench.json": true, "model/README.md": true,
		"model/model.safetensors": false, "model/modules.json": false, "adapter": false} {
		if _, err := os.Stat(filepath.Join(at, name)); (err == nil) != want {
			t.Errorf("%s: %v, want %t", name, err, want)
		}
	}
	verbOutput(t, "evaluate", "--model", filepath.Join(at, "model"), "--data", "mini-bright", "--task", "nature", "--out", "alone")
	if differ := results.Differ(trialOf(t, "alone", "").Results, plain.Results); len(differ) > 0 {
		t.Errorf("evaluated from its folder: %s", differ[0])
	}
	if out := checked(t, exitOK, filepath.Join(at, "model")); !strings.Contains(out, "merged into") {
		t.Errorf("models check printed\n%s", out)
	}
	verbFails(t, exitFailure, "is an adapter of ../", "models", "push", filepath.Join(at, "model"), "me/kept")
	verbFails(t, usage.ExitUsage, `lora: unknown keep "adaptor"; did you mean "adapter"?`, "plan", written("x", folder, ", keep: adaptor"))
	verbFails(t, usage.ExitUsage, "train.lora: keep adapter: backbone tiny-bert is made for a cell and not saved, so an adapter would have no base", "plan", written("y", "tiny-bert", ", keep: adapter"))
}
