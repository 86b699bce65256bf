package generate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/datasets/chat"
	"infbench/datasets/shared"
	"infbench/training/encoder"
	"infbench/training/generate"
)

// backend opens GoMLX's Go backend.
func backend(t testing.TB) compute.Backend {
	t.Helper()
	b, err := compute.NewWithConfig("go:parallelism=-1")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// stories is the folder of stories260K, a Llama of 260,000 weights that writes English
// stories, or skips the test.
func stories(t testing.TB) string {
	t.Helper()
	return shared.Path(t, "models", "stories260k-hf")
}

// storiesWith is a copy of its folder with files written over.
func storiesWith(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"} {
		data, err := os.ReadFile(filepath.Join(stories(t), name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t testing.TB, dir string, o generate.Options) *generate.Generator {
	t.Helper()
	g, err := generate.Open(dir, backend(t), o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func openChat(t testing.TB, dir string) *generate.Chat {
	t.Helper()
	c, err := generate.OpenChat("stories", dir, backend(t), generate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// golden is the text that the model's authors publish (models/stories260k-hf/SOURCE.md).
func golden(t testing.TB) (ids []int32, published string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(stories(t), "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var g struct {
		IDs  []int32 `json:"greedy_ids"`
		Text string  `json:"published_greedy_text"`
	}
	if err := json.Unmarshal(data, &g); err != nil || len(g.IDs) < 100 || len(g.Text) < 400 {
		t.Fatalf("%d ids, %d characters, %v", len(g.IDs), len(g.Text), err)
	}
	return g.IDs, g.Text
}

func decode(t testing.TB, g *generate.Generator, ids []int32) string {
	t.Helper()
	text, err := g.Tokenizer().Decode(ids)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestWriteGreedy: with a cache the story is the published one, wherever the prompt ends,
// so that prompts of any length and a cache that grows give what one token at a time does.
func TestWriteGreedy(t *testing.T) {
	ids, published := golden(t)
	g := open(t, stories(t), generate.Options{})
	for _, begun := range []int{1, 2, 17, 100, len(ids)} {
		w, err := g.Write(t.Context(), ids[:begun], 250-begun, generate.Sampling{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		all := slices.Concat(ids[:begun], w.IDs)
		if !slices.Equal(all[:len(ids)], ids) || w.Ended {
			t.Errorf("after %d tokens: %v, ended %v", begun, all, w.Ended)
		}
		// Fewer than 421 characters are known to be right.
		if text := decode(t, g, all); !strings.HasPrefix(published[:421], text[:min(len(text), 421)]) {
			t.Errorf("after %d tokens: %q", begun, text)
		}
	}
}

// TestWriteWithoutCache: what a network that reads the whole text for every token writes
// is the same, beyond what is published too, up to the end of the room.
func TestWriteWithoutCache(t *testing.T) {
	ids, _ := golden(t)
	g := open(t, stories(t), generate.Options{})
	w, err := g.Write(t.Context(), ids[:1], 0, generate.Sampling{}, nil)
	if err != nil || g.Limit() != 512 || len(w.IDs) != 512 && !w.Ended {
		t.Fatalf("%d tokens of %d, ended %v, %v", len(w.IDs), g.Limit(), w.Ended, err)
	}
	m, err := encoder.OpenLanguageModel(stories(t), backend(t))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := model.NewExec(m.Model().Backend(), m.Model().Store(), func(_ *model.Scope, ids, mask *graph.Node) *graph.Node {
		return graph.ArgMax(m.NextLogits(ids, mask), -1)
	})
	if err != nil {
		t.Fatal(err)
	}
	text, mask := make([]int32, 512), make([]int32, 512)
	copy(text, append([]int32{ids[0]}, w.IDs...))
	for i := range min(len(w.IDs), 511) {
		mask[i] = 1
		if i%23 != 0 && i < 500 { // every token takes a whole text
			continue
		}
		next, err := whole.Call1([][]int32{text}, [][]int32{mask})
		if err != nil {
			t.Fatal(err)
		}
		if id := next.Value().([]int32)[0]; id != w.IDs[i] {
			t.Fatalf("token %d is %d, without a cache %d", i+1, w.IDs[i], id)
		}
	}
}

// TestWriteInBF16: a cache of half the size, and a story that begins alike.
func TestWriteInBF16(t *testing.T) {
	ids, _ := golden(t)
	g := open(t, stories(t), generate.Options{Precision: encoder.BFloat16})
	w, err := g.Write(t.Context(), ids[:1], 30, generate.Sampling{}, nil)
	if err != nil || !slices.Equal(w.IDs[:12], ids[1:13]) {
		t.Errorf("%q, %v", decode(t, g, w.IDs), err)
	}
	if full := open(t, stories(t), generate.Options{}).Bytes(1); g.Bytes(1) != full/2 {
		t.Errorf("%d bytes a token, in float32 %d", g.Bytes(1), full)
	}
}

// TestWriteLongPrompt: a prompt longer than is read at a time gives what it gives token
// by token.
func TestWriteLongPrompt(t *testing.T) {
	ids, _ := golden(t)
	g := open(t, stories(t), generate.Options{})
	first, err := g.Write(t.Context(), ids[:1], 460, generate.Sampling{}, nil)
	if err != nil || len(first.IDs) < 400 {
		t.Fatalf("%d tokens, %v", len(first.IDs), err)
	}
	again, err := g.Write(t.Context(), append(ids[:1:1], first.IDs[:390]...), len(first.IDs)-390, generate.Sampling{}, nil)
	if err != nil || !slices.Equal(again.IDs, first.IDs[390:]) {
		t.Errorf("%v, %v, want %v", again.IDs, err, first.IDs[390:])
	}
}

// TestWriteSamples: a seed gives a text, others give others, and what narrows the choice
// to one token is greedy.
func TestWriteSamples(t *testing.T) {
	g := open(t, stories(t), generate.Options{})
	write := func(s generate.Sampling) string {
		t.Helper()
		w, err := g.Write(t.Context(), g.Tokenizer().Encode("Once upon a time", 0), 40, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		return decode(t, g, w.IDs)
	}
	greedy := write(generate.Sampling{})
	for name, s := range map[string]generate.Sampling{
		"top_k 1":        {Temperature: 1, TopK: 1, Seed: 7},
		"top_p tiny":     {Temperature: 1, TopP: 1e-9, Seed: 7},
		"cold":           {Temperature: 1e-6, Seed: 7},
		"a seed is idle": {Seed: 7},
	} {
		if got := write(s); got != greedy {
			t.Errorf("%s: %q, want %q", name, got, greedy)
		}
	}
	warm := generate.Sampling{Temperature: 1, TopP: 0.9, Seed: 1}
	first := write(warm)
	if second := write(warm); second != first || first == greedy {
		t.Errorf("%q, then %q, greedily %q", first, second, greedy)
	}
	warm.Seed = 2
	if other := write(warm); other == first {
		t.Errorf("seeds 1 and 2 both write %q", first)
	}
}

// TestWriteStops at the end token of any file that names some, and where its reader says.
func TestWriteStops(t *testing.T) {
	ids, _ := golden(t)
	for name, files := range map[string]map[string]string{
		"generation_config.json": {"generation_config.json": fmt.Sprintf(`{"eos_token_id": [2, %d]}`, ids[20])},
		"tokenizer_config.json":  {"tokenizer_config.json": `{"eos_token": {"content": "` + open(t, stories(t), generate.Options{}).Tokenizer().Token(ids[20]) + `"}}`},
	} {
		g := open(t, storiesWith(t, files), generate.Options{})
		w, err := g.Write(t.Context(), ids[:1], 0, generate.Sampling{}, nil)
		if want := slices.Index(ids[1:], ids[20]); err != nil || !w.Ended || len(w.IDs) != want {
			t.Errorf("%s: %d tokens, ended %v, %v; want %d", name, len(w.IDs), w.Ended, err, want)
		}
	}
	g := open(t, stories(t), generate.Options{})
	w, err := g.Write(t.Context(), ids[:1], 0, generate.Sampling{}, func(ids []int32) (bool, error) { return len(ids) == 7, nil })
	if err != nil || !w.Ended || len(w.IDs) != 7 {
		t.Errorf("%d tokens, ended %v, %v", len(w.IDs), w.Ended, err)
	}
}

// TestWriteRefuses what cannot be written.
func TestWriteRefuses(t *testing.T) {
	g := open(t, stories(t), generate.Options{})
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx    context.Context
		prompt []int32
		s      generate.Sampling
		want   string
	}{
		{t.Context(), nil, generate.Sampling{}, "no tokens"},
		{t.Context(), make([]int32, 513), generate.Sampling{}, "513 tokens, of 512"},
		{t.Context(), []int32{1}, generate.Sampling{Temperature: -1}, "temperature is -1"},
		{t.Context(), []int32{1}, generate.Sampling{Temperature: math.NaN()}, "temperature is NaN"},
		{t.Context(), []int32{1}, generate.Sampling{TopP: 2}, "top_p 2"},
		{t.Context(), []int32{1}, generate.Sampling{TopK: -2}, "top_k is -2"},
		{stopped, []int32{1}, generate.Sampling{}, "context canceled"},
	} {
		_, err := g.Write(c.ctx, c.prompt, 1, c.s, nil)
		wantError(t, err, c.want)
	}
}

// TestOpenRefuses what has no texts to write or no memory for them, and says how much
// it takes.
func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		o     generate.Options
		want  string
	}{
		"memory":         {nil, generate.Options{Memory: 100_000}, "takes 245760 bytes for keys and values, of 100000"}, // 64 tokens x 3 x 5 layers x 2 x 4 heads x 8 x 4 bytes
		"end token":      {map[string]string{"generation_config.json": `{"eos_token_id": 512}`}, generate.Options{}, "eos_token_id is 512, the vocabulary has 512"},
		"sampling":       {map[string]string{"generation_config.json": `{"top_p": 3}`}, generate.Options{}, "generation_config.json: top_p 3"},
		"template":       {map[string]string{"chat_template.jinja": `{% if %}`}, generate.Options{}, "chat template"},
		"no default":     {map[string]string{"tokenizer_config.json": `{"chat_template": [{"name": "tools", "template": ""}]}`}, generate.Options{}, "only tools"},
		"broken":         {map[string]string{"generation_config.json": `{`}, generate.Options{}, "generation_config.json: unexpected end"},
		"no such number": {nil, generate.Options{Precision: "fp8"}, "fp8"},
	} {
		_, err := generate.Open(storiesWith(t, c.files), backend(t), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	g := open(t, stories(t), generate.Options{Memory: 1_000_000})
	if g.Limit() != 260 || g.Bytes(260) > 1_000_000 || g.Bytes(261) <= 1_000_000 {
		t.Errorf("%d tokens in a megabyte take %d", g.Limit(), g.Bytes(g.Limit()))
	}
}

// TestProbabilities: what comes next in the story is more probable than what does not;
// of single tokens they are the softmax of the logits.
func TestProbabilities(t *testing.T) {
	ids, _ := golden(t)
	g := open(t, stories(t), generate.Options{})
	right, wrong := ids[50:53], []int32{ids[50], 300, 301}
	list, err := g.Probabilities(t.Context(), ids[:50], [][]int32{wrong, right})
	if err != nil || list[1] < 0.9 || math.Abs(list[0]+list[1]-1) > 1e-12 {
		t.Errorf("%v, %v", list, err)
	}
	m, err := encoder.OpenLanguageModel(stories(t), backend(t))
	if err != nil {
		t.Fatal(err)
	}
	out, err := model.CallOnce(m.Model().Backend(), m.Model().Store(), func(_ *model.Scope, ids, mask *graph.Node) *graph.Node {
		return m.NextLogits(ids, mask)
	}, [][]int32{ids[:50]}, [][]int32{slices.Repeat([]int32{1}, 50)})
	if err != nil {
		t.Fatal(err)
	}
	logits := out.Value().([][]float32)[0]
	list, err = g.Probabilities(t.Context(), ids[:50], [][]int32{{300}, {ids[50]}})
	want := math.Exp(encoder.LogProbability(float64(logits[300]), float64(logits[ids[50]])))
	if err != nil || math.Abs(list[1]-want) > 1e-6 {
		t.Errorf("%v, %v, want %g", list, err, want)
	}
}

// TestProbabilitiesOfPrefixes: "a" is no more probable than "a b" only because it is
// shorter: where one answer continues another, both have to end.
func TestProbabilitiesOfPrefixes(t *testing.T) {
	ids, _ := golden(t)
	g := open(t, stories(t), generate.Options{})
	list, err := g.Probabilities(t.Context(), ids[:10], [][]int32{ids[10:11], ids[10:14]})
	if err != nil {
		t.Fatal(err)
	}
	// The story does not end after "was" nor after "was a little girl", but P(end) of
	// both is of one size, while P("was") alone would be at least P("was a little girl").
	alone, err := g.Probabilities(t.Context(), ids[:10], [][]int32{ids[10:11], {300}})
	if err != nil || list[0] == alone[0] || list[0]+list[1] < 1-1e-9 {
		t.Errorf("%v, %v, %v", list, alone, err)
	}
	for name, c := range map[string]struct {
		prompt        []int32
		continuations [][]int32
	}{
		"0 tokens":      {nil, [][]int32{{1}}},
		"has no tokens": {ids[:3], [][]int32{{1}, nil}},
		"no contin":     {ids[:3], nil},
		"of 511 beside": {make([]int32, 512), [][]int32{{1}}},
	} {
		_, err := g.Probabilities(t.Context(), c.prompt, c.continuations)
		wantError(t, err, name)
	}
}

// TestAsk: a base model reads a plain form and tells its story; what is cut off says so,
// with what it had written.
func TestAsk(t *testing.T) {
	c := openChat(t, stories(t))
	request := chat.Request{Model: c.Name(), Messages: []chat.Message{{Role: chat.System, Text: "Once upon a time there was a dog."}, {Role: chat.User, Text: "What did the dog do?"}}, MaxTokens: 30}
	answer, err := c.Ask(t.Context(), request)
	if chat.ClassOf(err) != chat.Truncated || !strings.Contains(err.Error(), "model stories: the answer is cut off after 30 tokens") {
		t.Errorf("%v of class %s", err, chat.ClassOf(err))
	}
	if answer.Output != 30 || answer.Input < 20 || len(strings.Fields(answer.Text)) < 4 || strings.TrimSpace(answer.Text) != answer.Text {
		t.Errorf("%+v", answer)
	}
	again, err := c.Ask(t.Context(), request)
	if !errors.Is(err, generate.ErrTruncated) || again != answer {
		t.Errorf("%+v, then %+v", answer, again)
	}
	request.Temperature, request.Seed = 1, 5
	if other, err := c.Ask(t.Context(), request); !errors.Is(err, generate.ErrTruncated) || other.Text == answer.Text {
		t.Errorf("%+v at temperature 1, %v", other, err)
	}
	_, err = c.Ask(t.Context(), chat.Request{})
	wantError(t, err, "without messages")
	_, err = c.Ask(t.Context(), chat.Request{Messages: []chat.Message{{Role: chat.User, Text: strings.Repeat("One day. ", 500)}}})
	if chat.ClassOf(err) != chat.Truncated {
		t.Errorf("%v of class %s", err, chat.ClassOf(err))
	}
}

// TestAskInWords: a schema that is no flat object stands at the end of the question.
func TestAskInWords(t *testing.T) {
	c := openChat(t, stories(t))
	request := chat.Request{Messages: []chat.Message{{Role: chat.User, Text: "List them."}}, MaxTokens: 1}
	plain, _ := c.Ask(t.Context(), request)
	request.Schema = json.RawMessage(`{"type":"array"}`)
	answer, err := c.Ask(t.Context(), request)
	request.Messages, request.Schema = []chat.Message{{Role: chat.User, Text: "List them." + chat.InstructionOfForm(request.Schema)}}, nil
	told, _ := c.Ask(t.Context(), request)
	if chat.ClassOf(err) != chat.Truncated || answer != told || answer.Input <= plain.Input {
		t.Errorf("%+v, %v, want %+v", answer, err, told)
	}
}

// TestAskEnds: an answer that ends has no error. This template begins a story, and the
// end token is the first full stop.
func TestAskEnds(t *testing.T) {
	ids, published := golden(t)
	stop := slices.Index(ids, 426) // "."
	c := openChat(t, storiesWith(t, map[string]string{
		"chat_template.jinja":    `{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}`,
		"generation_config.json": fmt.Sprint(`{"eos_token_id": `, ids[stop], `}`),
	}))
	answer, err := c.Ask(t.Context(), chat.Request{Messages: []chat.Message{{Role: chat.User, Text: "Once upon a"}}})
	whole, _, _ := strings.Cut(published, ".")
	if want := strings.TrimPrefix(whole, "Once upon a "); err != nil || answer.Text != want {
		t.Errorf("%+v, %v, want %q", answer, err, want)
	}
}

// TestAskTogether: requests at the same time have the answers they have alone.
func TestAskTogether(t *testing.T) {
	c := openChat(t, stories(t))
	ask := func(i int) string {
		answer, err := c.Ask(context.Background(), chat.Request{Messages: []chat.Message{{Role: chat.User, Text: strings.Repeat("One day. ", i+1)}}, MaxTokens: 12})
		if err != nil && !errors.Is(err, generate.ErrTruncated) {
			return err.Error()
		}
		return answer.Text
	}
	var alone, together [6]string
	for i := range alone {
		alone[i] = ask(i)
	}
	var wait sync.WaitGroup
	for i := range together {
		wait.Go(func() { together[i] = ask(i) })
	}
	wait.Wait()
	if together != alone {
		t.Errorf("%q, alone %q", together, alone)
	}
}

// TestChoose: of given answers the most probable, never another.
func TestChoose(t *testing.T) {
	c := openChat(t, storiesWith(t, map[string]string{
		"chat_template.jinja": `{{ bos_token }}{% for m in messages %}{{ m.content }}{% if m.role == 'user' %} {% endif %}{% endfor %}`,
	}))
	story := []chat.Message{{Role: chat.User, Text: "Once upon a time, there was a little girl"}}
	best, share, err := c.Choose(t.Context(), story, []string{"purple", "named Lily", "because"})
	if err != nil || best != 1 || share < 0.9 {
		t.Errorf("%d with %g, %v", best, share, err)
	}
	list, err := c.Probabilities(t.Context(), story, []string{"purple", "named Lily", "because"})
	if err != nil || math.Abs(list[0]+list[1]+list[2]-1) > 1e-12 || list[1] != share {
		t.Errorf("%v, %v", list, err)
	}
}

// TestAskForms: whatever the model is, its answer has the form that a schema asks for.
// This one knows stories alone, and still chooses by what it read.
func TestAskForms(t *testing.T) {
	c := openChat(t, stories(t))
	for _, schema := range []string{
		`{"type":"object","properties":{"relevant":{"type":"string","enum":["yes","no"]}},"required":["relevant"]}`,
		`{"type":"object","properties":{"passage":{"type":"integer","minimum":0,"maximum":12},"sure":{"type":"boolean"}}}`,
		`{"type":"object","properties":{"id":{"const":"q7"},"grade":{"enum":[0,1,2,3]}}}`,
	} {
		request := chat.Request{Messages: []chat.Message{{Role: chat.User, Text: "Is Lily a little girl?"}}, Schema: json.RawMessage(schema), MaxTokens: 20}
		for _, request.Temperature = range []float64{0, 2} {
			answer, err := c.Ask(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			if err := fits(schema, answer.Text); err != nil {
				t.Errorf("%s of %s: %v", answer.Text, schema, err)
			}
			if again, err := c.Ask(t.Context(), request); err != nil || again != answer {
				t.Errorf("%+v, then %+v, %v", answer, again, err)
			}
		}
	}
}

// fits holds an answer to the properties of a schema, each of which it must have and no
// others.
func fits(schema, answer string) error {
	var form struct {
		Properties map[string]struct {
			Enum    []any
			Const   any
			Type    string
			Minimum float64
			Maximum float64
		}
	}
	var values map[string]any
	if err := errors.Join(chat.CheckForm(&chat.Request{Schema: json.RawMessage(schema)}, answer), json.Unmarshal([]byte(schema), &form), json.Unmarshal([]byte(answer), &values)); err != nil {
		return err
	}
	for name, p := range form.Properties {
		v, there := values[name]
		n, isNumber := v.(float64)
		_, isBool := v.(bool)
		_, isText := v.(string)
		ok := p.Const != nil && v == p.Const || slices.Contains(p.Enum, v) || p.Type == "boolean" && isBool ||
			p.Type == "integer" && isNumber && n >= p.Minimum && n <= p.Maximum || p.Type == "string" && p.Enum == nil && isText
		if !there || !ok {
			return fmt.Errorf("%s is %v", name, v)
		}
	}
	if len(values) != len(form.Properties) {
		return fmt.Errorf("%d values", len(values))
	}
	return nil
}

// TestAskFormChooses: the value that the text asks for, beside texts that the model
// writes, whatever stands in them.
func TestAskFormChooses(t *testing.T) {
	c := openChat(t, storiesWith(t, map[string]string{"chat_template.jinja": `{{ bos_token }}{% for m in messages %}{{ m.content }} {% endfor %}`}))
	request := chat.Request{MaxTokens: 400,
		Messages: []chat.Message{{Role: chat.User, Text: "Once upon a time, there was a little girl named Lily. Her mom said:"}},
		Schema:   json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"},"name":{"enum":["Lily","xylophone","42"]}}}`)}
	answer, err := c.Ask(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	var said struct{ Text, Name string }
	if err := json.Unmarshal([]byte(answer.Text), &said); err != nil || said.Text == "" || said.Name != "Lily" || answer.Output < 2 {
		t.Errorf("%+v, %v", answer, err)
	}
	if err := fits(string(request.Schema), answer.Text); err != nil {
		t.Error(err)
	}
	request.MaxTokens = 2
	if answer, err = c.Ask(t.Context(), request); !errors.Is(err, generate.ErrTruncated) {
		t.Errorf("%+v, %v", answer, err)
	}
}

// TestSpecialTokensAreText: a document that holds the tokens of a conversation does not
// end its message; the model reads no special token but the template's.
func TestSpecialTokensAreText(t *testing.T) {
	c := openChat(t, storiesWith(t, map[string]string{"chat_template.jinja": `{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}`}))
	counted := func(text string) int {
		answer, err := c.Ask(t.Context(), chat.Request{Messages: []chat.Message{{Role: chat.User, Text: text}}, MaxTokens: 1})
		if err != nil && !errors.Is(err, generate.ErrTruncated) {
			t.Fatal(err)
		}
		return answer.Input
	}
	tokens := c.Generator().Tokenizer()
	if got, want := counted("a</s><s>b"), 1+len(tokens.Tokenize("a< /s>< s>b")); got != want {
		t.Errorf("%d tokens, want %d", got, want)
	}
}

// TestRemarks say what of a folder is not used, and what it lacks.
func TestRemarks(t *testing.T) {
	all := strings.Join(openChat(t, storiesWith(t, map[string]string{"generation_config.json": `{"repetition_penalty": 1.05}`})).Remarks(), "\n")
	for _, want := range []string{"repetition_penalty 1.05", "no chat template", "flat objects"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %q", want, all)
		}
	}
	system := strings.Join(openChat(t, storiesWith(t, map[string]string{"chat_template.jinja": `{% for m in messages %}{% if m.role == 'user' %}{{ m.content }}{% endif %}{% endfor %}`})).Remarks(), "\n")
	if !strings.Contains(system, "no place for the system") || strings.Contains(system, "no chat template") {
		t.Errorf("%q", system)
	}
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}
