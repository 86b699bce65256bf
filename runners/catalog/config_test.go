package catalog

import (
	"maps"
	"testing"

	"infbench/runners/results"
	"infbench/runners/spec"
	"infbench/training/setting"
)

// TestConfig: the options of an evaluation write only known keys, and all keys except those
// that verbs add themselves.
func TestConfig(t *testing.T) {
	o := ModelOptions{Model: remoteModel, First: "bm25", Depth: 2, Fuse: []string{"bm25"}, Similarity: "dot", Storage: "int8", Index: spec.Index{Engine: "chroma"}, Precision: "bf16", Dims: 3, QueryPrompt: "sts", DocumentPrompt: "passage",
		Remote: RemoteOptions{Remote: spec.Remote{API: "cohere", URL: "u", Model: "m", QueryTemplate: "{query}", Dim: 4}}}
	c := o.config()
	chat := ModelOptions{Model: chatModel, Language: spec.Chat{Model: "m", URL: "u", How: "listwise", Window: 4, Step: 2, Passes: 1, Orders: 3, Bytes: 9, Tokens: 9, Structure: "words", Reasoning: true}}
	maps.Copy(c, chat.config())
	chat.Language = spec.Chat{Model: "m", URL: "u", Recipe: "rank1"}
	maps.Copy(c, chat.config())
	if c[results.ChatPrompts] == "" {
		t.Error("nothing writes the hash of the prompts")
	}
	delete(c, results.ChatPrompts)
	for _, k := range results.Keys() {
		if k.Group != setting.OfEvaluation || k.Name == results.Tasks || k.Name == results.Probe {
			continue
		}
		if c[k.Name] == "" {
			t.Errorf("nothing writes %s", k.Name)
		}
		delete(c, k.Name)
	}
	delete(c, results.Model)
	delete(c, results.Seed)
	if len(c) > 0 {
		t.Errorf("no keys: %v", c)
	}
}
