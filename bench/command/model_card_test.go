package command

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

// frontOf returns the metadata at the top of a model card.
func frontOf(t *testing.T, text string) map[string]any {
	t.Helper()
	parts := strings.SplitN(text, "---\n", 3)
	front := map[string]any{}
	if len(parts) != 3 || parts[0] != "" {
		t.Fatalf("no metadata in\n%s", text)
	}
	if err := yaml.Unmarshal([]byte(parts[1]), &front); err != nil {
		t.Fatal(err)
	}
	return front
}

// Every trained folder has a model card, also one whose model another trial has trained. The card
// has no path of this machine, and no marker lists it: the user may change it.
func TestModelCard(t *testing.T) {
	t.Chdir(t.TempDir())
	smallNetwork(t, ".")
	trainingFiles(t, ".")
	verbOutput(t, "sweep", "sweep.yaml")
	grown := strings.Replace(fileText(t, "sweep.yaml"), "evaluate: [data]", "evaluate: [data, mini-bright]", 1)
	writeFile(t, "sweep.yaml", grown)
	verbOutput(t, "sweep", "sweep.yaml")
	verbOutput(t, "train", "train.yaml", "--out", "alone")
	cards, err := filepath.Glob("runs/tiny/trials/*/model/README.md")
	if err != nil || len(cards) == 0 {
		t.Fatal(cards, err)
	}
	plan, err := runs.At("runs/tiny").Plan()
	if err != nil {
		t.Fatal(err)
	}
	trained := 0
	for _, trial := range plan.Trials {
		at := runs.At("runs/tiny").Trial(trial.ID)
		if trial.Cell.Model != spec.Trained {
			continue
		}
		trained++
		marker := fileText(t, filepath.Join(at.Dir, results.DoneFile))
		if strings.Contains(marker, results.CardFile) {
			t.Errorf("the marker lists the card: %s", marker)
		}
		if extra, err := at.Marker().ExtraFiles(); err != nil || len(extra) > 0 {
			t.Errorf("extra files %q, %v", extra, err)
		}
		card := filepath.Join(at.Model(), results.CardFile)
		if fileText(t, card) != fileText(t, "alone/model/README.md") {
			t.Errorf("the card of the sweep differs from that of train:\n%s", fileText(t, card))
		}
		if err := errors.Join(os.WriteFile(card, []byte("mine"), 0o666), at.Marker().Verify()); err != nil {
			t.Error(err)
		}
	}
	if trained == 0 {
		t.Error("nothing was trained")
	}
	text := fileText(t, "alone/model/README.md")
	front := frontOf(t, text)
	keys := slices.Sorted(maps.Keys(front))
	if want := []string{"library_name", "pipeline_tag", "prompts", "tags", "training"}; !slices.Equal(keys, want) { // its backbone and its data are not on the hub
		t.Errorf("keys %v, want %v", keys, want)
	}
	training, _ := front["training"].(map[string]any)
	if front["library_name"] != "sentence-transformers" || training["loss"] != "uni(P)" || training["backbone"] != "small-bert" || fmt.Sprint(training["seed"]) != "1" {
		t.Errorf("metadata %v", front)
	}
	if prompts, _ := front["prompts"].(map[string]any); prompts["query"] != "{query} {instruction}" || prompts["document_without_title"] != "{text}" {
		t.Errorf("prompts %v", prompts)
	}
	here, err := os.Getwd()
	if err != nil || strings.Contains(text, here) || !strings.Contains(text, "| `train.jsonl` | `sha256:") {
		t.Errorf("the card reads\n%s", text)
	}
	verbOutput(t, "train", "train.yaml", "--out", "crossed", "--set", "interaction=cross_attention")
	if text = fileText(t, "crossed/model/README.md"); frontOf(t, text)["library_name"] != "infbench" || strings.Contains(text, "sentence_transformers") {
		t.Errorf("the card of a model that only infbench reads:\n%s", text)
	}
}
