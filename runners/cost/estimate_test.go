package cost

import (
	"math"
	"testing"

	"infbench/datasets"
	"infbench/runners/spec"
	"infbench/training/encoder"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"149M": 149e6, "1.5B": 1.5e9, "3B": 3e9, "": 0, "big": 0, "-1B": 0, "1e3": 0} {
		if got, err := parseSize(text); got != want || (err == nil) != (want > 0) {
			t.Errorf("parseSize(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	cards, err := encoder.Cards()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cards {
		if _, err := parseSize(c.Size); err != nil && c.Size != "" && c.Kind == "encoder" {
			t.Errorf("card %s: %v", c.Name, err)
		}
	}
}

// TestLonger: training for steps, or on less data, takes time in proportion to its rows.
func TestLonger(t *testing.T) {
	cell := func(edit func(*spec.Cell)) *spec.Cell {
		c := spec.DefaultCell()
		c.Data = "mini-infir-unfiltered"
		edit(&c)
		return &c
	}
	whole := cell(func(*spec.Cell) {}) // 2 epochs of 774 batches of 12 rows, of 3,096 records
	for name, c := range map[string]struct {
		cell *spec.Cell
		want float64
	}{
		"four epochs":         {cell(func(c *spec.Cell) { c.Train.Epochs = 4 }), 2},
		"a quarter":           {cell(func(c *spec.Cell) { c.Share = .25 }), .25},
		"without I-":          {cell(func(c *spec.Cell) { c.Drop = "I-" }), 2. / 3},
		"steps":               {cell(func(c *spec.Cell) { c.Train = c.Train.ForSteps(774) }), .5},
		"as on mini-infir":    {cell(func(c *spec.Cell) { c.Train.StepsOf = "mini-infir" }), 1200. / 3096},
		"a quarter, as whole": {cell(func(c *spec.Cell) { c.Share, c.Train.StepsOf = .25, c.Data }), 1},
	} {
		e := estimator{work: map[string]workload{}, rows: map[string]int{}}
		if got, err := e.longer(c.cell, whole); err != nil || math.Abs(got-c.want) > .002 {
			t.Errorf("%s: %v times as long, want %v, %v", name, got, c.want, err)
		}
	}
}

// TestMemoryOfInstructionTerms: a loss with instruction terms embeds as many pairs as the
// square of the rows. A step of uni(I) on 120 rows of tiny-bert took 1.29 GB, a step of uni(P)
// .15 GB, both including the process (speed.jsonl of two such cells). Activations depend on the
// actual tokens: a network that can read longer texts keeps no more for these.
func TestMemoryOfInstructionTerms(t *testing.T) {
	s, err := backboneShape("tiny-bert")
	if err != nil {
		t.Fatal(err)
	}
	c := spec.DefaultCell()
	c.Data = "mini-infir"
	c.Train.RowsPerGroup, c.Train.Groups = 120, 1
	for loss, measured := range map[string]float64{"uni(P)": .15e9, "uni(I)": 1.29e9} {
		c.Loss = loss
		for _, longest := range []int{s.tokens, 512} {
			s.tokens = longest
			e := estimator{work: map[string]workload{}}
			tokens, err := e.tokensAtOnce(&c, s)
			if err != nil {
				t.Fatal(err)
			}
			if m := deviceBytes(&c, s, tokens); m.low > measured || m.high < measured/2 || m.high > 4*measured {
				t.Errorf("%s, texts of up to %d tokens: %.2g to %.2g bytes, measured %.2g", loss, longest, m.low, m.high, measured)
			}
		}
	}
	c.Train.Chunk = 8
	e := estimator{}
	if tokens, err := e.tokensAtOnce(&c, s); err != nil || tokens != 8*512 {
		t.Errorf("a chunk of 8 keeps %v tokens, %v; want 8 of the longest", tokens, err)
	}
	p, i := c, c
	p.Loss, i.Loss = "uni(P)", "uni(I)"
	if likeness(&p) == likeness(&i) {
		t.Error("the time of uni(P) is taken to tell that of uni(I)")
	}
}

// TestMemoryOfHost: the estimated memory of a process on this machine is within a factor of two
// of the measured peak of its resident memory (VmHWM of infbench train, three or four steps on
// mini-infir).
func TestMemoryOfHost(t *testing.T) {
	for name, m := range map[string]struct {
		network, loss string
		edit          func(*spec.Cell)
		measured      float64 // MiB
	}{
		"small":              {"tiny-bert", "uni(P)", func(c *spec.Cell) {}, 64},
		"bert":               {"tiny-bert", "uni(P)", func(c *spec.Cell) { c.Train.RowsPerGroup = 120 }, 118},
		"modernbert":         {"tiny-modernbert", "uni(P)", func(c *spec.Cell) { c.Train.RowsPerGroup = 120 }, 126},
		"llama":              {"tiny-llama", "uni(P)", func(c *spec.Cell) { c.Train.RowsPerGroup = 120 }, 111},
		"qwen3":              {"tiny-qwen3", "uni(P)", func(c *spec.Cell) { c.Train.RowsPerGroup = 120 }, 111},
		"chunks":             {"tiny-bert", "uni(P)", func(c *spec.Cell) { c.Train.RowsPerGroup, c.Train.Chunk = 120, 8 }, 73},
		"instructions":       {"tiny-bert", "uni(I)", func(c *spec.Cell) { c.Train.RowsPerGroup, c.Train.Groups = 120, 1 }, 968},
		"instructions again": {"tiny-bert", "uni(I)", func(c *spec.Cell) { c.Train.RowsPerGroup, c.Train.Groups, c.Train.Checkpointing = 120, 1, true }, 992},
	} {
		s, err := backboneShape(m.network)
		if err != nil {
			t.Fatal(err)
		}
		c := spec.DefaultCell()
		c.Model, c.Data, c.Backbone, c.Loss = spec.Trained, "mini-infir", m.network, m.loss
		m.edit(&c)
		e := newEstimator(Options{})
		tokens, err := e.tokensAtOnce(&c, s)
		if err != nil {
			t.Fatal(err)
		}
		length, err := e.longTexts(&c, s, workload{})
		if err != nil {
			t.Fatal(err)
		}
		got := hostBytes(&c, s, workload{}, tokens, length)
		if measured := m.measured * (1 << 20); measured < got.low || measured > got.high || got.high > 4*got.low {
			t.Errorf("%s: %s, measured %s", name, got.text(sizeText), sizeText(measured))
		}
	}
}

// TestMemoryOfFolders is TestMemoryOfHost for folders of a BERT with 6 layers of width 256, a
// vocabulary of 30,000 tokens and at most 128 tokens in a text: trained with and without an adapter
// in four steps on mini-infir, and as a SPLADE, a ColBERT and an encoder evaluated on mini-followir.
// Nearly all of their texts have 128 tokens.
func TestMemoryOfFolders(t *testing.T) {
	bert := shape{Parameters: 12.6e6, working: 4.7e6, Layers: 6, Width: 256, heads: 4, tokens: 128, dim: 256}
	colbert, splade := bert, bert
	colbert.late, colbert.dim = true, 128
	splade.head, splade.dim = 30_000, 0
	trained := func(groups, rank int) spec.Cell {
		c := spec.DefaultCell()
		c.Model, c.Loss = spec.Trained, "uni(P)"
		c.Train.RowsPerGroup, c.Train.Groups, c.Train.LoRA.Rank = 12, groups, rank
		return c
	}
	for name, m := range map[string]struct {
		shape    shape
		cell     spec.Cell
		measured float64 // MiB
	}{
		"complete, 24 rows":  {bert, trained(2, 0), 1501},
		"adapter, 24 rows":   {bert, trained(2, 8), 1200},
		"complete, 120 rows": {bert, trained(10, 0), 4045},
		"adapter, 120 rows":  {bert, trained(10, 8), 4053},
		"encoder":            {bert, spec.Cell{}, 206},
		"ColBERT":            {colbert, spec.Cell{}, 376},
		"SPLADE":             {splade, spec.Cell{}, 550},
	} {
		work := workload{Texts: 3200, Length: 128}
		got := hostBytes(&m.cell, m.shape, work, atFullLength(&m.cell, m.shape), 128)
		if measured := m.measured * (1 << 20); measured < got.low || measured > got.high || got.high > 4*got.low {
			t.Errorf("%s: %s, measured %s", name, got.text(sizeText), sizeText(measured))
		}
	}
}

// TestBytesOfTraining: on a card the estimate is what TestTrainingWritesInPlace counts and, for
// a batch in one piece, the gradient that it cannot see. On disk the next checkpoint is
// complete before the last is removed.
func TestBytesOfTraining(t *testing.T) {
	s := shape{Parameters: 109e6, working: 85e6, Layers: 12, Width: 768, tokens: 1} // almost no activations
	for name, want := range map[string]struct {
		edit              func(*spec.Cell)
		memory, low, high float64 // bytes per parameter, the last two on disk
	}{
		"whole":      {func(*spec.Cell) {}, 16, 24, 24},
		"chunks":     {func(c *spec.Cell) { c.Train.Chunk = 24 }, 16, 24, 24},
		"accumulate": {func(c *spec.Cell) { c.Train.Accumulate = 2 }, 16, 24, 24},
		"evaluated":  {func(c *spec.Cell) { c.Train.EvaluateEvery = 10 }, 16, 28, 32},
		"adapter":    {func(c *spec.Cell) { c.Train.LoRA.Rank = 8 }, 4.4, 8.8, 8.8},
	} {
		c := spec.DefaultCell()
		c.Train.RowsPerGroup = 3
		want.edit(&c)
		per := func(bytes float64) float64 { return bytes / float64(s.Parameters) }
		near := func(got, want float64) bool { return math.Abs(got-want) < .02*want }
		memory, disk := deviceBytes(&c, s, float64(s.tokens)), checkpointBytes(&c, s)
		if !near(per(memory.low), want.memory) || !near(per(disk.low), want.low) || !near(per(disk.high), want.high) {
			t.Errorf("%s: %.1f bytes per parameter in memory, %.1f to %.1f on disk; want %v, %v to %v", name, per(memory.low), per(disk.low), per(disk.high), want.memory, want.low, want.high)
		}
	}
}

// TestGeneratedBenchmarkIsMadeOnce: a generated benchmark is made once for all cells of a
// world; another world has its own.
func TestGeneratedBenchmarkIsMadeOnce(t *testing.T) {
	e := newEstimator(Options{})
	load := func(world uint64) *datasets.Benchmark {
		b, err := e.benchmark("mini-bright", world)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	first := load(1)
	if load(1) != first {
		t.Error("made again for the same world")
	}
	if other := load(2); other == first || other.Revision == first.Revision {
		t.Errorf("world 2 has the benchmark of world 1, revision %s", other.Revision)
	}
}
