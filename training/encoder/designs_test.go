package encoder_test

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/training/encoder"
)

// applied returns a tiny encoder with a design.
func applied(t *testing.T, d encoder.Design) *encoder.Encoder {
	t.Helper()
	e := tiny(t)
	if err := e.Apply(d); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestJoin spells out the tokens of a query under its instruction.
func TestJoin(t *testing.T) {
	long := "w1 w2 w3 w4 w5 w6 w7 w8"
	for _, c := range []struct {
		design             encoder.Design
		query, instruction string
		want               string
	}{
		{encoder.Design{}, "w1 w2", "w3", "[CLS] w1 w2 w3 [SEP]"},
		{encoder.Design{Join: "query_first"}, "w1 w2", "w3", "[CLS] w1 w2 w3 [SEP]"},
		{encoder.Design{Join: "instruction_first"}, "w1 w2", "w3", "[CLS] w3 w1 w2 [SEP]"},
		{encoder.Design{Join: "w9 {instruction} w8 {query}"}, "w1", "w3", "[CLS] w9 w3 w8 w1 [SEP]"},
		// Joined tokens: each text has special tokens, and the space between them is left out,
		// because the vocabulary has no token for it.
		{encoder.Design{Concat: encoder.ByToken}, "w1 w2", "w3", "[CLS] w1 w2 [SEP] [CLS] w3 [SEP]"},
		{encoder.Design{Concat: encoder.ByToken, Join: "instruction_first"}, "w1 w2", "w3", "[CLS] w3 [SEP] [CLS] w1 w2 [SEP]"},
		{encoder.Design{Concat: encoder.ByToken, Join: "w9 {query} w8 {instruction}"}, "w1", "w3", "w9 [CLS] w1 [SEP] w8 [CLS] w3 [SEP]"},
		{encoder.Design{Concat: encoder.ByToken}, "w1 w2", "", "[CLS] w1 w2 [SEP]"},
		// Long texts are cut on the right, or on the left; joined tokens one by one.
		{encoder.Design{MaxQuery: 6}, long, "w9", "[CLS] w1 w2 w3 w4 [SEP]"},
		{encoder.Design{MaxQuery: 6, TruncationSide: encoder.Left}, long, "w9", "[CLS] w6 w7 w8 w9 [SEP]"},
		{encoder.Design{MaxQuery: 5, Concat: encoder.ByToken}, long, long, "[CLS] w1 w2 w3 [SEP] [CLS] w1 w2 w3 [SEP]"},
		{encoder.Design{MaxQuery: 5, Concat: encoder.ByToken, TruncationSide: encoder.Left}, long, "w9", "[CLS] w6 w7 w8 [SEP] [CLS] w9 [SEP]"},
		// BERT reads padding on the left as positions: texts end at MaxQuery.
		{encoder.Design{MaxQuery: 6, PaddingSide: encoder.Left}, "w1", "w3", "[PAD] [PAD] [CLS] w1 w3 [SEP]"},
	} {
		e := applied(t, c.design)
		var got []string
		for _, id := range e.Tokens().Query(c.query, c.instruction) {
			got = append(got, e.Tokenizer().Token(id))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %q, want %q", c.design, strings.Join(got, " "), c.want)
		}
	}
}

// TestJoinWithinPositions: 40 and 40 tokens do not fit into 64 positions. Truncation shortens one
// text and keeps its special tokens.
func TestJoinWithinPositions(t *testing.T) {
	for side, want := range map[encoder.Edge][2]int{encoder.Right: {40, 24}, encoder.Left: {24, 40}} {
		e := applied(t, encoder.Design{Concat: encoder.ByToken, TruncationSide: side})
		ids := e.Tokens().Query(text(60, 1), text(60, 2))
		second := slices.Index(ids[1:], ids[0]) + 1
		if len(ids) != 64 || second != want[0] || ids[63] != ids[second-1] {
			t.Errorf("cut on the %s: %d tokens, the second text from %d; want 64 from %d", side, len(ids), second, want[0])
		}
	}
}

// TestPrompts: without prompts nothing is written around texts; a new order keeps the prompts.
func TestPrompts(t *testing.T) {
	config := encoder.TinyBERT()
	config.Text.Query, config.Text.QueryAlone = "w7 {query} {instruction}", "w7 {query}"
	config.Text.Document, config.Text.DocumentAlone = "w8 {title} {text}", "w8 {text}"
	no := false
	for _, c := range []struct {
		design          encoder.Design
		query, document string
	}{
		{encoder.Design{}, "[CLS] w7 w1 w2 [SEP]", "[CLS] w8 w3 [SEP]"},
		{encoder.Design{Prompts: &no}, "[CLS] w1 w2 [SEP]", "[CLS] w3 [SEP]"},
		{encoder.Design{Join: "instruction_first"}, "[CLS] w7 w2 w1 [SEP]", "[CLS] w8 w3 [SEP]"},
		{encoder.Design{Prompts: &no, Join: "instruction_first"}, "[CLS] w2 w1 [SEP]", "[CLS] w3 [SEP]"},
	} {
		e, err := encoder.New(config, wordTokenizer(t, 600), 1, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Apply(c.design); err != nil {
			t.Fatal(err)
		}
		spell := func(ids []int32) string {
			var out []string
			for _, id := range ids {
				out = append(out, e.Tokenizer().Token(id))
			}
			return strings.Join(out, " ")
		}
		if q, d := spell(e.Tokens().Query("w1", "w2")), spell(e.Tokens().Document("", "w3")); q != c.query || d != c.document {
			t.Errorf("%+v: %q and %q, want %q and %q", c.design, q, d, c.query, c.document)
		}
	}
}

// TestPaddingOnTheLeft: BERT's vector is the vector of the padded row, as in transformers,
// whatever is encoded with it. A network of relative positions has the same vectors as with
// padding on the right.
func TestPaddingOnTheLeft(t *testing.T) {
	e := applied(t, encoder.Design{PaddingSide: encoder.Left})
	texts := []string{text(3, 1), text(20, 2), text(60, 3)}
	together := encodeTexts(t, e, texts)
	for n, one := range texts {
		right := tiny(t).Tokens().Document("", one)
		ids, mask := make([]int32, 40), make([]int32, 40)
		for k := range ids {
			ids[k] = e.Tokens().PadID()
		}
		for k, id := range right {
			ids[40-len(right)+k], mask[40-len(right)+k] = id, 1
		}
		value, err := model.CallOnce(e.Backend(), e.Store(), func(_ *model.Scope, ids, mask *graph.Node) *graph.Node {
			return e.Embed(ids.Graph(), ids, mask)
		}, [][]int32{ids}, [][]int32{mask})
		if err != nil {
			t.Fatal(err)
		}
		for d, want := range tensors.MustCopyFlatData[float32](value) {
			if got := together[n*e.Dim()+d]; math.Abs(float64(got-want)) > 2e-6 {
				t.Fatalf("text %d, component %d: %v, want %v", n, d, got, want)
			}
		}
	}

	config := encoder.TinyBERT()
	config.ModelType, config.NormEps, config.HiddenAct = "llama", 1e-6, "silu"
	decoder := func(side encoder.Edge) *encoder.Encoder {
		e, err := encoder.New(config, wordTokenizer(t, 600), 1, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Apply(encoder.Design{PaddingSide: side, Pooling: encoder.Last}); err != nil {
			t.Fatal(err)
		}
		return e
	}
	left, right := encodeTexts(t, decoder(encoder.Left), texts), encodeTexts(t, decoder(encoder.Right), texts)
	for i := range left {
		if math.Abs(float64(left[i]-right[i])) > 2e-6 {
			t.Fatalf("llama, component %d: %v on the left, %v on the right", i, left[i], right[i])
		}
	}
}

// TestDesignIsSaved: all changes of a design are read back from the folder.
func TestDesignIsSaved(t *testing.T) {
	no := false
	for _, d := range []encoder.Design{
		{Pooling: encoder.Last, PaddingSide: encoder.Left, TruncationSide: encoder.Left, Join: "instruct", Concat: encoder.ByToken, MaxQuery: 20, MaxDocument: 30},
		{ShareEncoder: &no, Pooling: encoder.CLS, Prompts: &no},
	} {
		e := applied(t, d)
		dir := filepath.Join(t.TempDir(), "model")
		if err := e.Save(dir); err != nil {
			t.Fatal(err)
		}
		back, err := encoder.Open(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		if back.Config().Text != e.Config().Text || back.Separated() != e.Separated() {
			t.Errorf("%+v comes back as %+v", e.Config().Text, back.Config().Text)
		}
		q, i := []string{text(50, 1)}, []string{text(8, 2)}
		if !slices.Equal(encodePairs(t, e, q, i)[0], encodePairs(t, back, q, i)[0]) {
			t.Errorf("%+v: other vectors after saving", d)
		}
	}
}

func TestDesignErrors(t *testing.T) {
	yes := true
	for _, c := range []struct {
		design encoder.Design
		want   string
	}{
		{encoder.Design{Pooling: "first"}, "first"},
		{encoder.Design{PaddingSide: "top"}, "padding_side"},
		{encoder.Design{TruncationSide: "top"}, "truncation_side"},
		{encoder.Design{Concat: "texts"}, "concat"},
		{encoder.Design{Join: "{query}"}, "{instruction} once"},
		{encoder.Design{Join: "reversed"}, "reversed"},
		{encoder.Design{MaxQuery: -1}, "max_query_tokens"},
		{encoder.Design{MaxQuery: 100}, "[1,64]"},
		{encoder.Design{ShareEncoder: &yes}, "separate"},
	} {
		e := separated(t, "/documents/")
		before := e.Config().Text
		if err := e.Apply(c.design); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.design, err, c.want)
		}
		if e.Config().Text != before {
			t.Errorf("%+v: error, but applied all the same", c.design)
		}
	}
}
