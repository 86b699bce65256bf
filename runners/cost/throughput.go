package cost

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"infbench/datasets/mixture"
	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/runners/spec"
	"infbench/training"
	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// Settings of the network that is measured to estimate speed: the network itself if infbench
// makes it, else layers of BERT. On processors BERT's base size with a small batch is enough:
// its products have the largest size at which memory and caches do not yet decide. On a card it
// has layers of the network's own width and complete batches, since a card is fast only on
// large ones.
const (
	hostLayers, hostWidth = 1, 768
	cardLayers            = 2
	headWidth             = 64
)

// throughputs caches measured speeds.
type throughputs struct {
	machine device.Options
	known   map[string]speed
}

// speed is the result of a measurement.
type speed struct {
	rate  float64 // operations per second; see operations
	begin float64 // seconds before the first step, in which graphs are compiled
	exact bool    // the network itself was measured
}

// remember returns the cached measurement of a name, or measures it.
func (t *throughputs) remember(name string, measure func() (speed, error)) (speed, error) {
	if known, ok := t.known[name]; ok {
		return known, nil
	}
	found, err := measure()
	if err == nil {
		t.known[name] = found
	}
	return found, err
}

// standIn is the network that is measured instead of one with a shape.
func (t *throughputs) standIn(c *spec.Cell, s shape) (config encoder.Config, exact bool) {
	if made, ok := encoder.Tiny()[network(c)]; ok {
		return made, true
	}
	config = encoder.TinyBERT()
	config.HiddenAct, config.MaxPositionEmbeddings = "gelu", 512
	config.NumHiddenLayers, config.HiddenSize = hostLayers, hostWidth
	if !device.OnHost(t.machine.Device) {
		config.NumHiddenLayers = cardLayers
		if s.Width > 0 {
			config.HiddenSize = s.Width / headWidth * headWidth
		}
	}
	config.IntermediateSize, config.NumAttentionHeads = 4*config.HiddenSize, config.HiddenSize/headWidth
	if n := min(s.tokens, config.MaxPositionEmbeddings); n > 0 {
		config.Text.MaxQuery, config.Text.MaxDocument = n, n
	}
	return config, false
}

// Duration and input of the encoding measurement: several passes of a small network, or one of
// a large one, are enough for an estimate within computedFactor. The first pass compiles the
// graph.
const (
	measureFor = 100 * time.Millisecond // maximum duration
	mostPasses = 7
	hostTexts  = 32
	cardTexts  = 2048
	textWords  = 30 // one token each
)

// encoding is the encoding speed of a network with the shape on the device.
func (t *throughputs) encoding(ctx context.Context, c *spec.Cell, s shape) (speed, error) {
	config, exact := t.standIn(c, s)
	return t.remember(fmt.Sprint("encoding ", config.ModelType, " ", config.HiddenSize, " ", c.Precision), func() (speed, error) {
		rate, err := t.encode(ctx, config, c.Precision)
		return speed{rate: rate, exact: exact}, err
	})
}

// encode measures encoding.
func (t *throughputs) encode(ctx context.Context, c encoder.Config, precision encoder.Precision) (float64, error) {
	backend, err := t.machine.Open()
	if err != nil {
		return 0, err
	}
	defer backend.Finalize()
	text := strings.TrimSpace(strings.Repeat("word ", textWords))
	tok, err := tokenizer.BuildWordPiece(slices.Values([]string{text}), 100)
	if err != nil {
		return 0, err
	}
	enc, err := encoder.New(c, tok, 1, backend)
	if err != nil {
		return 0, err
	}
	if err := enc.SetPrecision(precision); err != nil {
		return 0, err
	}
	shape, err := tinyShape(c)
	if err != nil {
		return 0, err
	}
	enc.SetBatching(t.machine.Batching())
	count := hostTexts
	if !device.OnHost(t.machine.Device) {
		count = cardTexts
	}
	texts := slices.Repeat([]string{text}, count)
	titles := make([]string, len(texts))
	dst := make([]float32, len(texts)*enc.Dim())
	pass := func() error { return enc.EncodeDocuments(ctx, titles, texts, dst) }
	if err := pass(); err != nil {
		return 0, err
	}
	seconds, err := usualPass(pass)
	if err != nil {
		return 0, err
	}
	tokens := float64(count * (textWords + 2)) // [CLS] and [SEP]
	return 2 * float64(shape.working) * tokens / seconds, nil
}

// usualPass is the median time in seconds of several passes, so that a disturbance of one does
// not count.
func usualPass(pass func() error) (float64, error) {
	var seconds []float64
	for began := time.Now(); len(seconds) < mostPasses && time.Since(began) < measureFor; {
		start := time.Now()
		if err := pass(); err != nil {
			return 0, err
		}
		seconds = append(seconds, time.Since(start).Seconds())
	}
	slices.Sort(seconds)
	return seconds[len(seconds)/2], nil
}

// measureSteps is the number of training steps that are measured after the first.
const measureSteps = 2

// training is the training speed of a network with the shape on the device, with the settings
// and texts of a cell.
func (t *throughputs) training(ctx context.Context, c *spec.Cell, s shape, epoch workload) (speed, error) {
	config, exact := t.standIn(c, s)
	name := fmt.Sprint("training ", config.ModelType, " ", config.HiddenSize, " ", c.Data, " ", c.Interaction, " ", c.Train.Precision, c.Train.Chunk, c.Train.Checkpointing, c.Train.LoRA)
	return t.remember(name, func() (speed, error) {
		few := fewSteps(*c, !device.OnHost(t.machine.Device))
		enc, data, err := t.trainable(&few, config)
		if err != nil {
			return speed{}, err
		}
		defer enc.Backend().Finalize()
		shape, err := tinyShape(config)
		if err != nil {
			return speed{}, err
		}
		row, err := rowOperations(&few, shape, epoch)
		if err != nil {
			return speed{}, err
		}
		first, step, err := timeSteps(ctx, &few, enc, data)
		if err != nil {
			return speed{}, err
		}
		rows := float64(few.Train.RowsOn(data.Rows())) / float64(few.Train.Steps)
		layers := float64(max(1, s.Layers)) / float64(config.NumHiddenLayers)
		return speed{rate: row * rows / step, begin: max(0, first-step) * layers, exact: exact}, nil
	})
}

// hostRows is the maximum number of rows of a batch on processors: more take the same time per
// row.
const hostRows = 48

// fewSteps is a cell that is trained for a few steps on any weights, without settings that need
// other weights or those of its network. Unless full is set, its batches have one group and
// few rows.
func fewSteps(c spec.Cell, full bool) spec.Cell {
	c.Validate = spec.Validation{}
	t := &c.Train
	t.EvaluateEvery, t.Patience, t.Freeze, t.LoRA.Targets = 0, 0, nil, nil
	t.FalseNegatives, t.Distill, t.Matryoshka = training.FalseNegativeConfig{}, training.DistillConfig{}, training.Matryoshka{}
	if !full {
		t.Groups, t.Accumulate, t.RowsPerGroup = 1, 0, min(t.RowsPerGroup, hostRows)
	}
	*t = t.ForSteps(1 + measureSteps)
	return c
}

// trainable opens a network of the configuration with new weights, and enough of the cell's
// data for its steps.
func (t *throughputs) trainable(c *spec.Cell, config encoder.Config) (*encoder.Encoder, mixture.Data, error) {
	data, err := catalog.LoadData(c)
	if err != nil {
		return nil, nil, err
	}
	if enough := c.Train.RowsOn(0); data.Len() > enough { // a record has one row or more
		c.Share = mixture.Share(enough)
	}
	if data, err = catalog.Left(c, data); err != nil {
		return nil, nil, err
	}
	tok, err := tokenizer.BuildWordPiece(catalog.Texts(data), catalog.TinyVocabulary)
	if err != nil {
		return nil, nil, err
	}
	backend, err := t.machine.Open()
	if err != nil {
		return nil, nil, err
	}
	enc, err := encoder.New(config, tok, 1, backend)
	if err == nil {
		err = enc.SetInteraction(encoder.Interaction(c.Interaction))
	}
	if err != nil {
		backend.Finalize()
	}
	return enc, data, err
}

// timeSteps trains a cell: first is the time in seconds to the end of the first step, usual the
// median time of the other steps.
func timeSteps(ctx context.Context, c *spec.Cell, enc *encoder.Encoder, data mixture.Data) (first, usual float64, err error) {
	loss, err := training.ParseLoss(c.Loss)
	if err != nil {
		return 0, 0, err
	}
	var seconds []float64
	last := time.Now()
	_, err = training.Train(ctx, c.Train, loss, enc, data, training.Options{OnStep: func(training.Step) {
		now := time.Now()
		seconds, last = append(seconds, now.Sub(last).Seconds()), now
	}})
	if err != nil {
		return 0, 0, err
	}
	first, rest := seconds[0], seconds[1:]
	slices.Sort(rest)
	return first, rest[len(rest)/2], nil
}
