package encoder_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/training/encoder"
)

// TestMaxAndMeanSqrt by hand; a row of padding is zero.
func TestMaxAndMeanSqrt(t *testing.T) {
	for pooling, want := range map[encoder.Pooling][][]float64{
		encoder.Max:      {{10, -1}, {10, -1}, {0, 0}},
		encoder.MeanSqrt: {{15 / math.Sqrt(3), -6 / math.Sqrt(3)}, {15 / math.Sqrt(3), -6 / math.Sqrt(3)}, {0, 0}},
	} {
		out, err := model.CallOnce(backend(t), model.NewStore(), func(_ *model.Scope, states, mask *graph.Node) *graph.Node {
			return encoder.Pool(pooling, states, mask)
		}, [][][]float32{{{1, -1}, {4, -2}, {10, -3}, {99, 9}}, {{99, 9}, {1, -1}, {4, -2}, {10, -3}}, {{9, 9}, {9, 9}, {9, 9}, {9, 9}}},
			[][]int32{{1, 1, 1, 0}, {0, 1, 1, 1}, {0, 0, 0, 0}})
		if err != nil {
			t.Fatal(err)
		}
		if worst := distance2(out.Value().([][]float32), want); !(worst <= 1e-6) {
			t.Errorf("%s: %v", pooling, out)
		}
	}
}

// TestSentenceTransformers: spellings of different versions are accepted; poolings without a
// vector here are errors that name them.
func TestSentenceTransformers(t *testing.T) {
	pooling := filepath.Join("1_Pooling", "config.json")
	none := map[string]any{"pooling_mode_mean_tokens": nil}
	with := func(key string, value any) map[string]any {
		return map[string]any{"pooling_mode_mean_tokens": nil, key: value}
	}
	for _, c := range []struct {
		file    string
		changes map[string]any
		want    encoder.Pooling
		wrong   string
	}{
		{pooling, with("pooling_mode_max_tokens", true), encoder.Max, ""},
		{pooling, with("pooling_mode_mean_sqrt_len_tokens", true), encoder.MeanSqrt, ""},
		{pooling, with("pooling_mode_weightedmean_tokens", true), encoder.WeightedMean, ""},
		{pooling, with("pooling_mode", "lasttoken"), encoder.Last, ""},
		{pooling, with("pooling_mode", "mean_sqrt_len_tokens"), encoder.MeanSqrt, ""},
		{pooling, map[string]any{"pooling_mode": "mean"}, encoder.Mean, ""},
		{pooling, map[string]any{"pooling_mode": "cls"}, "", "several poolings at once"},
		{pooling, map[string]any{"pooling_mode_max_tokens": true}, "", "several poolings at once"},
		{pooling, with("pooling_mode", "meen"), "", `did you mean "mean"?`},
		{pooling, with("pooling_mode_attention", true), "", "pooling_mode_attention is not supported"},
		{pooling, none, "", "no pooling mode is on"},
		{pooling, map[string]any{"pooling_mode_mean_tokens": nil, "pooling_mode_max_tokens": true, "include_prompt": false}, "", "include_prompt false with max pooling"},
		{"sentence_bert_config.json", map[string]any{"do_lower_case": true}, encoder.Mean, ""}, // the tokenizer does it
		{"config_sentence_transformers.json", map[string]any{"default_prompt_name": "nothing"}, "", `unknown prompt "nothing"`},
	} {
		dir := filepath.Join(t.TempDir(), "model")
		if err := tiny(t).Save(dir); err != nil {
			t.Fatal(err)
		}
		damage(t, filepath.Join(dir, "infbench.json"), nil)
		rewrite(t, filepath.Join(dir, c.file), c.changes)
		e, err := encoder.Open(dir, backend(t))
		if c.wrong != "" {
			wantError(t, err, c.wrong)
			continue
		}
		if err != nil {
			t.Fatalf("%v: %v", c.changes, err)
		}
		if got := e.Config().Text.Pooling; got != c.want {
			t.Errorf("%v: %s pooling, want %s", c.changes, got, c.want)
		}
		saved := filepath.Join(t.TempDir(), "saved")
		if err := e.Save(saved); err != nil {
			t.Fatal(err)
		}
		damage(t, filepath.Join(saved, "infbench.json"), nil)
		again, err := encoder.Open(saved, backend(t))
		if err != nil || again.Config().Text.Pooling != c.want {
			t.Errorf("%v: saved as %v, %v", c.changes, again, err)
		}
	}
}

// TestSentencePrompts: the prompts that encode_query and encode_document of sentence-transformers
// 6.2.0 use, and the prompts that infbench.json selects. The default prompt is for encode, and
// "document" always exists, so "passage" and "corpus" are not used.
func TestSentencePrompts(t *testing.T) {
	prompts := map[string]any{"query": "q: ", "corpus": "c: ", "all": "a: "}
	for _, c := range []struct {
		changes         map[string]any
		query, document string
	}{
		{map[string]any{"prompts": prompts}, "q: {query}", "{text}"},
		{map[string]any{"prompts": map[string]any{"query": "q: "}, "default_prompt_name": "query"}, "q: {query}", "{text}"},
		{map[string]any{"prompts": map[string]any{"query": "q: ", "document": "d: "}, "default_prompt_name": "query"}, "q: {query}", "d: {text}"},
		{map[string]any{"prompts": map[string]any{"query": "", "all": "a: "}, "default_prompt_name": "all"}, "{query}", "{text}"},
		{map[string]any{"prompts": map[string]any{"query": nil, "document": nil, "passage": "p: "}, "default_prompt_name": "passage"}, "{query}", "{text}"},
		{map[string]any{"prompts": map[string]any{"query": "q: "}, "default_prompt_name": "document"}, "q: {query}", "{text}"},
		{map[string]any{"prompts": map[string]any{"document": "", "passage": "p: "}}, "{query}", "{text}"},
		{map[string]any{"prompts": prompts, "default_prompt_name": "all"}, "q: {query}", "{text}"},
		{map[string]any{"prompts": map[string]any{"all": "a: "}}, "{query}", "{text}"},
	} {
		dir := filepath.Join(t.TempDir(), "model")
		if err := tiny(t).Save(dir); err != nil {
			t.Fatal(err)
		}
		damage(t, filepath.Join(dir, "infbench.json"), nil)
		rewrite(t, filepath.Join(dir, "config_sentence_transformers.json"), c.changes)
		damage(t, filepath.Join(dir, "modules.json"), replace("sentence_transformers.models.Normalize", "sentence_transformers.base.modules.normalize.Normalize"))
		e, err := encoder.Open(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		if text := e.Config().Text; text.QueryAlone != c.query || text.DocumentAlone != c.document || !text.Normalize {
			t.Errorf("%v: %q and %q", c.changes, text.QueryAlone, text.DocumentAlone)
		}
	}
}
