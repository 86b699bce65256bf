package encoder_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/training/encoder"
)

// TestReading: infbench.json selects the reading of a folder's tokenizer.json, and a saved folder
// keeps the IDs.
func TestReading(t *testing.T) {
	const text = "W17 W45"
	lower, cased := tiny(t).Tokens().Query("w17 w45", ""), tiny(t).Tokens().Query(text, "")
	if !slices.Equal(lower, cased) {
		t.Fatal("the test's tokenizer keeps case")
	}
	for _, c := range []struct {
		name   string
		own    map[string]any // infbench.json; nil: none
		tokens map[string]any // tokenizer_config.json; nil: none
		lowers bool
		wrong  string
	}{
		{"the class", nil, map[string]any{"tokenizer_class": "BertTokenizer", "do_lower_case": false}, false, ""},
		{"the file", map[string]any{"tokenizer": "file"}, map[string]any{"tokenizer_class": "BertTokenizer", "do_lower_case": false}, true, ""},
		{"transformers 4", map[string]any{"tokenizer": "transformers 4"}, map[string]any{"tokenizer_class": "BertTokenizer", "do_lower_case": false}, false, ""},
		{"saved by infbench before", map[string]any{}, nil, true, ""},
		{"another name", map[string]any{"tokenizer": "transformers 3"}, nil, false, `unknown tokenizer "transformers 3"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "model")
			if err := tiny(t).Save(dir); err != nil {
				t.Fatal(err)
			}
			for name, keys := range map[string]map[string]any{"infbench.json": c.own, "tokenizer_config.json": c.tokens} {
				damage(t, filepath.Join(dir, name), nil)
				if keys != nil {
					rewrite(t, filepath.Join(dir, name), keys)
				}
			}
			e, err := encoder.Open(dir, backend(t))
			if c.wrong != "" {
				wantError(t, err, c.wrong)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			ids := e.Tokens().Query(text, "")
			if slices.Equal(ids, lower) != c.lowers {
				t.Errorf("%v, lower-cased %v", ids, lower)
			}
			saved := filepath.Join(t.TempDir(), "saved")
			if err := e.Save(saved); err != nil {
				t.Fatal(err)
			}
			again, err := encoder.Open(saved, backend(t))
			if err != nil || !slices.Equal(again.Tokens().Query(text, ""), ids) {
				t.Errorf("saved: %v", err)
			}
		})
	}
}

// TestLowerCase: do_lower_case in sentence-transformers' file lower-cases texts for any
// vocabulary, also after the model is saved.
func TestLowerCase(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	if err := tiny(t).Save(dir); err != nil {
		t.Fatal(err)
	}
	damage(t, filepath.Join(dir, "tokenizer.json"), replace(`"lowercase":true`, `"lowercase":false`))
	open := func(lower bool) *encoder.Encoder {
		rewrite(t, filepath.Join(dir, "sentence_bert_config.json"), map[string]any{"do_lower_case": lower})
		e, err := encoder.Open(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	text := "W17 W45"
	want := open(false).Tokens().Query(strings.ToLower(text), "")
	if slices.Equal(open(false).Tokens().Query(text, ""), want) {
		t.Fatal("the tokenizer does not keep case")
	}
	e := open(true)
	saved := filepath.Join(t.TempDir(), "saved")
	if err := e.Save(saved); err != nil {
		t.Fatal(err)
	}
	again, err := encoder.Open(saved, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []*encoder.Encoder{e, again} {
		if got := e.Tokens().Query(text, ""); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}
