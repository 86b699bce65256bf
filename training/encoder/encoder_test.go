package encoder_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/training/encoder"
)

// text returns a text of n words.
func text(n, salt int) string {
	var words []string
	for i := range n {
		words = append(words, fmt.Sprintf("w%d", (i*7+salt*13)%600))
	}
	return strings.Join(words, " ")
}

func encodeTexts(t testing.TB, e *encoder.Encoder, texts []string) []float32 {
	t.Helper()
	dst := make([]float32, len(texts)*e.Dim())
	if err := e.EncodeDocuments(context.Background(), make([]string, len(texts)), texts, dst); err != nil {
		t.Fatal(err)
	}
	return dst
}

// TestNeighbours: a vector depends only on its own text, to 1e-6, whatever is encoded with it,
// and has the right place in the result.
func TestNeighbours(t *testing.T) {
	e := tiny(t)
	var texts []string
	for i := range 300 {
		texts = append(texts, text(1+(i*11)%60, i)) // some are cut at 40 tokens
	}
	together := encodeTexts(t, e, texts)
	worst := 0.0
	for _, i := range []int{0, 1, 5, 17, 150, 299} {
		alone := encodeTexts(t, e, texts[i:i+1])
		norm := 0.0
		for k, v := range alone {
			worst = max(worst, math.Abs(float64(v-together[i*e.Dim()+k])))
			norm += float64(v) * float64(v)
		}
		if math.Abs(norm-1) > 1e-5 {
			t.Errorf("text %d: squared length %g", i, norm)
		}
	}
	t.Logf("largest difference %g", worst)
	if !(worst <= 1e-6) {
		t.Errorf("vectors differ by %g between alone and together", worst)
	}
}

func TestEncodeErrors(t *testing.T) {
	e := tiny(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := e.EncodeQueries(ctx, []string{"w1"}, []string{"w2"}, make([]float32, e.Dim()))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	ctx = context.Background()
	if err := e.EncodeQueries(ctx, []string{"w1"}, nil, make([]float32, e.Dim())); err == nil {
		t.Error("one query, no instruction: no error")
	}
	if err := e.EncodeDocuments(ctx, []string{""}, []string{"w1"}, make([]float32, 3)); err == nil {
		t.Error("short dst: no error")
	}
	if err := e.EncodeQueries(ctx, nil, nil, nil); err != nil {
		t.Errorf("nothing to encode: %v", err)
	}
	config := encoder.TinyBERT()
	config.VocabSize = 9
	bare, err := encoder.New(config, nil, 1, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	err = bare.EncodeDocuments(ctx, []string{""}, []string{"w1"}, make([]float32, bare.Dim()))
	if err == nil || !strings.Contains(err.Error(), "tokenizer.json") {
		t.Errorf("no tokenizer: %v", err)
	}
}

// TestTokens: query and instruction are joined by the template, a missing instruction or title
// leaves nothing behind, and lengths are respected.
func TestTokens(t *testing.T) {
	e := tiny(t)
	words := func(ids []int32) string {
		var out []string
		for _, id := range ids {
			out = append(out, e.Tokenizer().Token(id))
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct{ got, want string }{
		{words(e.Tokens().Query("w1 w2", "w3")), "[CLS] w1 w2 w3 [SEP]"},
		{words(e.Tokens().Query("w1", "")), "[CLS] w1 [SEP]"},
		{words(e.Tokens().Document("w1", "w2")), "[CLS] w1 w2 [SEP]"},
		{words(e.Tokens().Document("", "w2")), "[CLS] w2 [SEP]"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	if got, want := e.Tokens().Document("{text}", "w2"), e.Tokenizer().Encode("{text} w2", 0); !slices.Equal(got, want) {
		t.Errorf("a title that looks like a place: %q, want %q", words(got), words(want))
	}
	if n := len(e.Tokens().Query(text(100, 0), "w1")); n != 40 {
		t.Errorf("a long query has %d tokens, want 40", n)
	}
}

// TestFresh: weights and vectors depend only on the seed.
func TestFresh(t *testing.T) {
	texts := []string{text(5, 1), text(9, 2)}
	a, b := encodeTexts(t, tiny(t), texts), encodeTexts(t, tiny(t), texts)
	if !slices.Equal(a, b) {
		t.Error("one seed, different vectors")
	}
	other, err := encoder.New(encoder.TinyBERT(), wordTokenizer(t, 600), 43, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(a, encodeTexts(t, other, texts)) {
		t.Error("different seeds, one vector")
	}
}

func TestNewErrors(t *testing.T) {
	for _, c := range []struct {
		change func(*encoder.Config)
		want   string
	}{
		{func(c *encoder.Config) { c.ModelType = "brt" }, `unknown model_type "brt"; did you mean "bert"?`},
		{func(c *encoder.Config) { c.HiddenAct = "gelo" }, `unknown hidden_act "gelo"; did you mean "gelu"?`},
		{func(c *encoder.Config) { c.NumAttentionHeads = 7 }, "hidden_size 64 is not a multiple of num_attention_heads 7"},
		{func(c *encoder.Config) { c.HiddenSize = 0 }, "hidden_size is 0"},
		{func(c *encoder.Config) { c.VocabSize = 10 }, "tokenizer has"},
		{func(c *encoder.Config) { c.Text.Pooling = "meen" }, `unknown pooling "meen"; did you mean "mean"?`},
		{func(c *encoder.Config) { c.Text.Query = "{query}" }, "must hold {instruction} once"},
		{func(c *encoder.Config) { c.Text.MaxQuery = 65 }, "maximum of 65 tokens is not in [1,64]"},
		{func(c *encoder.Config) { c.PositionEmbeddingType = "relative_key" }, `position_embedding_type "relative_key"`},
	} {
		config := encoder.TinyBERT()
		c.change(&config)
		_, err := encoder.New(config, wordTokenizer(t, 600), 1, backend(t))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// TestVariable finds a weight under every spelling of its name.
func TestVariable(t *testing.T) {
	e := tiny(t)
	for _, name := range []string{"embeddings.LayerNorm.weight", "bert.embeddings.LayerNorm.gamma"} {
		if v := e.Variable(name); v == nil || v.Path() != "/embeddings.LayerNorm.weight" || !v.Trainable {
			t.Errorf("%s: %v", name, v)
		}
	}
	if v := e.Variable("pooler.dense.weight"); v != nil {
		t.Errorf("pooler: %v", v)
	}
}

// TestSaveOpen: a saved model opens to the same bits, also if it replaced an older one, and
// leaves no other files behind.
func TestSaveOpen(t *testing.T) {
	e := tiny(t)
	parent := t.TempDir()
	dir := filepath.Join(parent, "model")
	for range 2 {
		if err := e.Save(dir); err != nil {
			t.Fatal(err)
		}
	}
	again, err := encoder.Open(dir, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{text(5, 1), text(30, 2)}
	if !slices.Equal(encodeTexts(t, e, texts), encodeTexts(t, again, texts)) {
		t.Error("vectors changed")
	}
	if a, b := e.Config().Text, again.Config().Text; a != b {
		t.Errorf("texts are handled as %+v, were as %+v", b, a)
	}
	entries, err := os.ReadDir(parent)
	if err != nil || len(entries) != 1 {
		t.Errorf("folder holds %v, %v", entries, err)
	}
}

// TestTwoTowers: two calls of Embed in one graph share the weights, and the gradient is the sum
// of the gradients of the single calls.
func TestTwoTowers(t *testing.T) {
	e := tiny(t)
	queries, queryMask := batchOf(4, 16, 600)
	documents, documentMask := batchOf(3, 24, 600)
	gradient := func(first, second float64) [][]float32 {
		t.Helper()
		values, err := model.CallOnceN(e.Backend(), e.Store(), func(s *model.Scope, in []*graph.Node) []*graph.Node {
			g := in[0].Graph()
			loss := graph.Add(
				graph.MulScalar(ramp(e.Embed(g, in[0], in[1])), first),
				graph.MulScalar(ramp(e.Embed(g, in[2], in[3])), second))
			return s.BuildTrainableVariablesGradientsGraph(loss)
		}, queries, queryMask, documents, documentMask)
		if err != nil {
			t.Fatal(err)
		}
		var flat [][]float32
		for _, v := range values {
			flat = append(flat, tensors.MustCopyFlatData[float32](v))
		}
		return flat
	}
	both, one, two := gradient(1, 1), gradient(1, 0), gradient(0, 1)
	norm, worst := 0.0, 0.0
	for i := range both {
		for k, v := range both[i] {
			norm += math.Abs(float64(v))
			worst = max(worst, math.Abs(float64(v-one[i][k]-two[i][k])))
		}
	}
	if len(both) != e.Store().NumVariables() || norm < 1 || !(worst < 1e-4) {
		t.Errorf("%d gradients of %d weights, sum of sizes %g, largest difference %g", len(both), e.Store().NumVariables(), norm, worst)
	}
}

// ramp is a loss in which every component has a different weight.
func ramp(v *graph.Node) *graph.Node {
	return graph.ReduceAllSum(graph.Mul(v, graph.Iota(v.Graph(), v.Shape(), 1)))
}
