//go:build xla

package gpucheck_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"

	"infbench/bench/gpucheck"
	"infbench/datasets/mixture"
	"infbench/internal/testkit/pjrttest"
	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/runners/spec"
	"infbench/training"
	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// card is a fake card on which a cell trains.
type card struct {
	plugin     *pjrttest.Plugin
	cell       spec.Cell
	enc        *encoder.Encoder
	data       mixture.Data
	parameters int
}

// quietly keeps go-xla from looking for CUDA's folders.
func quietly(t *testing.T) { t.Setenv("GOPJRT_CUDA_CHECKS", "0") }

// newCard opens a fake card for a cell with the default network and data.
func newCard(t *testing.T, change func(*spec.Cell)) *card {
	t.Helper()
	quietly(t)
	c := &card{plugin: pjrttest.New(t), cell: spec.DefaultCell()}
	c.cell.Loss, c.cell.Train.RowsPerGroup = "uni(P)", 6
	change(&c.cell)
	var err error
	if c.enc, c.data, err = catalog.NewBackbone(&c.cell, device.Options{Device: c.plugin.Path + ",self_test=false"}); err != nil {
		t.Fatal(err)
	}
	for v := range c.enc.Store().IterVariables() {
		c.parameters += v.Shape().Size()
	}
	return c
}

// train trains the cell.
func (c *card) train(t *testing.T, o training.Options) {
	t.Helper()
	loss, err := training.ParseLoss(c.cell.Loss)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := training.Train(t.Context(), c.cell.Train, loss, c.enc, c.data, o); err != nil {
		t.Fatal(err)
	}
}

// moved counts the transfers and programs in a part of the log.
type moved struct {
	up, down             int64 // bytes
	uploads, downloads   int
	programs, executions int
}

// count adds up the calls of the log.
func count(calls []pjrttest.Call) (m moved) {
	for _, c := range calls {
		switch c.Call {
		case "compile":
			m.programs++
		case "execute":
			m.executions++
		case "upload":
			m.up, m.uploads = m.up+c.Bytes, m.uploads+1
		case "download":
			m.down, m.downloads = m.down+c.Bytes, m.downloads+1
		}
	}
	return m
}

// lengthen lets the card's network read texts of up to 512 tokens, and adds texts with the
// paper's lengths.
func (c *card) lengthen(t *testing.T) {
	t.Helper()
	config, backend := c.enc.Config(), c.enc.Backend()
	config.MaxPositionEmbeddings, config.Text.MaxQuery, config.Text.MaxDocument = 512, 512, 512
	enc, err := encoder.New(config, c.enc.Tokenizer(), 1, backend)
	if err == nil {
		err = enc.SetInteraction(encoder.Interaction(c.cell.Interaction))
	}
	if err != nil {
		t.Fatal(err)
	}
	c.enc, c.data, c.parameters = enc, gpucheck.PaperRecords(64), 0
	for v := range enc.Store().IterVariables() {
		c.parameters += v.Shape().Size()
	}
}

// TestLittleIsMovedInTraining: a training step uploads the tokens of its batch with the arrays
// that go with them, and downloads a few numbers; with chunks also the embeddings and their
// gradients. No way of computing a step moves weights, moments or gradients of weights. Batches
// of dozens of lengths compile few programs.
func TestLittleIsMovedInTraining(t *testing.T) {
	const steps = 40
	for name, c := range map[string]struct {
		change     func(*spec.Cell)
		up, down   float64 // maximum bytes per token, over all steps except the first
		executions int     // maximum per step
		programs   int     // maximum per run
	}{
		"whole":           {func(*spec.Cell) {}, 12, .1, 1, 5},
		"instructions":    {func(c *spec.Cell) { c.Loss = "multi(P,I)" }, 12, .1, 1, 5},
		"accumulate":      {func(c *spec.Cell) { c.Train.Accumulate = 2 }, 12, .1, 4, 9},
		"adapter":         {func(c *spec.Cell) { c.Train.LoRA = encoder.LoRA{Rank: 4} }, 12, .1, 1, 5},
		"checkpointing":   {func(c *spec.Cell) { c.Train.Checkpointing = true }, 12, .1, 1, 5},
		"cross-attention": {func(c *spec.Cell) { c.Interaction = string(encoder.CrossAttention) }, 12, .1, 1, 5},
		// Two executions per chunk. Each program has a few shapes, planned before the first
		// step. The states of cross-attention are the tokens of its texts, 256 bytes each.
		"chunks":                    {func(c *spec.Cell) { c.Train.Chunk = 6 }, 24, 16, 24, 24},
		"cross-attention in chunks": {func(c *spec.Cell) { c.Interaction, c.Train.Chunk = string(encoder.CrossAttention), 6 }, 500, 500, 32, 48},
	} {
		card := newCard(t, func(cell *spec.Cell) {
			c.change(cell)
			cell.Train = cell.Train.ForSteps(steps)
		})
		card.lengthen(t)
		var ends, tokens []int // length of the log after each step, and tokens of the step
		card.train(t, training.Options{OnStep: func(s training.Step) {
			ends, tokens = append(ends, len(card.plugin.Log(t))), append(tokens, s.Tokens)
		}})
		log, longest := card.plugin.Log(t), card.longest(t)
		executions, total := 0, 0
		for i := 1; i < steps; i++ {
			executions, total = max(executions, count(log[ends[i-1]:ends[i]]).executions), total+tokens[i]
		}
		rest := count(log[ends[0]:ends[steps-1]])
		up, down := float64(rest.up)/float64(total), float64(rest.down)/float64(total)
		programs, late := count(log).programs, count(log[ends[steps/2]:]).programs
		t.Logf("%s: %.1f bytes up, %.1f down per token, %d executions; %d programs, %d of them late, for batches of %d lengths", name, up, down, executions, programs, late, longest)
		if up > c.up || down > c.down || executions > c.executions {
			t.Errorf("%s: %.1f bytes up, %.1f down per token in %d executions; want at most %v, %v, %d", name, up, down, executions, c.up, c.down, c.executions)
		}
		if programs > c.programs || late > programs/3 || longest < 2*12 {
			t.Errorf("%s: %d programs for batches of %d lengths, %d of them in the second half of the run; want at most %d, and few late", name, programs, longest, late, c.programs)
		}
		if weights := float64(4 * card.parameters); c.up*float64(slices.Max(tokens)) > weights {
			t.Errorf("%s: the bound of %v bytes per token is more than the weights' %v bytes for %d tokens", name, c.up, weights, slices.Max(tokens))
		}
		card.enc.Backend().Finalize()
	}
}

// TestNextBatchIsUploadedAhead: the next batch is tokenised and uploaded while a step runs.
// Before the last step begins, only the factors of its update are still uploaded.
func TestNextBatchIsUploadedAhead(t *testing.T) {
	const steps = 3
	t.Setenv(pjrttest.Delay, "30")
	for name, change := range map[string]func(*spec.Cell){
		"whole":           func(*spec.Cell) {},
		"accumulate":      func(c *spec.Cell) { c.Train.Accumulate = 2 },
		"chunks":          func(c *spec.Cell) { c.Train.Chunk = 12 },
		"cross-attention": func(c *spec.Cell) { c.Interaction, c.Train.Chunk = string(encoder.CrossAttention), 12 },
	} {
		card := newCard(t, func(cell *spec.Cell) {
			change(cell)
			cell.Train = cell.Train.ForSteps(steps)
		})
		tokens, done := 0, 0 // calls before the last step
		card.train(t, training.Options{OnStep: func(s training.Step) {
			if tokens = s.Tokens; s.Step == steps-1 {
				done = len(card.plugin.Log(t))
			}
		}})
		last := card.plugin.Log(t)[done:]
		first := slices.IndexFunc(last, func(c pjrttest.Call) bool { return c.Call == "execute" })
		if m := count(last[:first]); m.up > 64 || m.up >= int64(tokens) {
			t.Errorf("%s: %d bytes go up before the last step of %d tokens", name, m.up, tokens)
		}
		card.enc.Backend().Finalize()
	}
}

// TestChunksGoToTheirCards: each of several cards gets the chunks that it computes.
func TestChunksGoToTheirCards(t *testing.T) {
	t.Setenv(pjrttest.Devices, "2")
	card := newCard(t, func(cell *spec.Cell) {
		cell.Train.Chunk = 4
		cell.Train = cell.Train.ForSteps(2)
	})
	second, err := device.OpenBackend(card.plugin.Path + ":1,self_test=false")
	if err != nil {
		t.Fatal(err)
	}
	defer second.Finalize()
	defer card.enc.Backend().Finalize()
	card.plugin.Forget(t)
	card.train(t, training.Options{Devices: []compute.Backend{second}})
	up := map[int]int{}
	for _, c := range card.plugin.Log(t, "upload") {
		up[c.Device]++
	}
	if len(up) != 2 || up[0] == 0 || up[1] == 0 {
		t.Errorf("uploads by card: %v", up)
	}
}

// longest is the number of different lengths of the longest texts in the cell's steps.
func (c *card) longest(t *testing.T) int {
	t.Helper()
	loss, err := training.ParseLoss(c.cell.Loss)
	if err != nil {
		t.Fatal(err)
	}
	lengths, err := training.Lengths(c.cell.Train, loss, c.enc, c.data)
	if err != nil {
		t.Fatal(err)
	}
	distinct := map[int]bool{}
	for _, of := range lengths {
		distinct[slices.Max(of)] = true
	}
	return len(distinct)
}

// TestLittleIsMovedInEvaluation: evaluation uploads its tokens, twelve bytes each, and
// downloads vectors. Texts of a hundred lengths need two programs for each of a few buckets,
// and later texts reuse them.
func TestLittleIsMovedInEvaluation(t *testing.T) {
	card := newCard(t, func(*spec.Cell) {})
	defer card.enc.Backend().Finalize()
	var texts []string
	lengths, buckets, tokens := map[int]bool{}, map[int]bool{}, 0
	for _, row := range training.Rows(gpucheck.PaperRecords(700)) {
		texts = append(texts, row.Passage)
		n := len(card.enc.Tokens().Document("", row.Passage))
		bucket := encoder.FewLengths(n, card.enc.Config().Text.MaxDocument)
		lengths[n], buckets[bucket], tokens = true, true, tokens+bucket
	}
	encode := func() moved {
		t.Helper()
		card.plugin.Forget(t)
		dst := make([]float32, len(texts)*card.enc.Dim())
		if err := card.enc.EncodeDocuments(t.Context(), make([]string, len(texts)), texts, dst); err != nil {
			t.Fatal(err)
		}
		return count(card.plugin.Log(t))
	}
	first, again := encode(), encode()
	t.Logf("%d lengths, %d buckets, %d tokens with padding: %+v, then %+v", len(lengths), len(buckets), tokens, first, again)
	vectors := int64(4 * card.enc.Dim() * len(texts))
	switch {
	case first.programs > 2*len(buckets) || 2*len(buckets) > len(lengths)/2:
		t.Errorf("%d programs for %d lengths in %d buckets", first.programs, len(lengths), len(buckets))
	case again.programs != 0:
		t.Errorf("the same texts compile %d programs", again.programs)
	case again.up > 12*int64(tokens)*11/10 || again.up < 12*int64(tokens):
		t.Errorf("%d bytes go up for %d tokens", again.up, tokens)
	case again.down > vectors*12/10 || again.down < vectors: // batches are filled up
		t.Errorf("%d bytes come down, vectors have %d", again.down, vectors)
	case first.up-again.up > int64(4*card.parameters)*11/10:
		t.Errorf("%d bytes of weights go up, %d parameters have %d", first.up-again.up, card.parameters, 4*card.parameters)
	}
}

// TestNoSquareOfLongTexts: no program for a text of thousands of tokens has all attention
// scores at once.
func TestNoSquareOfLongTexts(t *testing.T) {
	const long, short = 4096, 1024
	quietly(t)
	plugin := pjrttest.New(t)
	backend, err := device.OpenBackend(plugin.Path + ",self_test=false")
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Finalize()
	text := strings.TrimSpace(strings.Repeat("word ", long))
	tok, err := tokenizer.BuildWordPiece(slices.Values([]string{text}), 100)
	if err != nil {
		t.Fatal(err)
	}
	config := encoder.TinyLlama()
	const heads = 4
	config.MaxPositionEmbeddings, config.Text.MaxDocument, config.NumAttentionHeads = long, long, heads
	enc, err := encoder.New(config, tok, 1, backend)
	if err != nil {
		t.Fatal(err)
	}
	for length, square := range map[int]bool{long: false, short: true} {
		plugin.Forget(t)
		if err := enc.EncodeDocuments(t.Context(), []string{""}, []string{text[:len("word ")*(length-2)]}, make([]float32, enc.Dim())); err != nil {
			t.Fatal(err)
		}
		for _, call := range plugin.Log(t, "compile") {
			program := plugin.Program(t, call.Program)
			if !strings.Contains(program, fmt.Sprintf("x%dx", length)) {
				t.Errorf("no program of %d tokens:\n%s", length, program)
			}
			scores := fmt.Sprintf(`tensor<1x%dx(1x)?%[2]dx%[2]dxf32>`, heads, length)
			if got := regexp.MustCompile(scores).MatchString(program); got != square {
				t.Errorf("the program of %d tokens has all scores at once: %t, want %t", length, got, square)
			}
		}
	}
}
