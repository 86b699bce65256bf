// Package cost estimates what trials will take before anything runs: time, memory and disk.
package cost

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"

	"infbench/datasets"
	"infbench/runners"
	"infbench/runners/catalog"
	"infbench/runners/device"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/runners/spec"
	"infbench/training"
	"infbench/training/encoder"
)

// Error factors of estimates, in either direction. From a similar finished cell: other cells
// ran at the same time, and losses differ by some tens of percent. From another cell of the
// same network, or from a few steps of it just now: lengths and shapes of batches differ. From
// a layer that stands for the network: networks differ, too.
const (
	measuredFactor = 1.5
	recordedFactor = 2
	computedFactor = 3
)

// estimator estimates the costs of cells.
type estimator struct {
	machine  device.Options
	finished []finishedCell // cells of the same run folder
	others   []finishedCell // cells of other run folders
	speeds   throughputs
	shapes   map[string]shape
	made     map[string]*datasets.Benchmark // benchmarks that infbench generates
	work     map[string]workload
	rows     map[string]int // rows that training uses, if it is given in steps
}

func newEstimator(o Options) *estimator {
	machine := device.Options{Device: o.Device}
	return &estimator{
		machine: machine, shapes: map[string]shape{}, made: map[string]*datasets.Benchmark{}, work: map[string]workload{}, rows: map[string]int{},
		speeds: throughputs{machine: machine, known: map[string]speed{}},
	}
}

// Estimate describes the needs of the remaining trials in sentences.
func Estimate(ctx context.Context, run runs.Folder, plan *spec.Plan, states []results.Trial, o Options) ([]string, error) {
	e := newEstimator(o)
	if err := e.readFinished(run, plan, states); err != nil {
		return []string{"time is unknown: " + err.Error()}, nil
	}
	e.readOthers(o.Runs, run)
	var total, model needs
	counted := map[string]int{}
	for i := range plan.Trials {
		if states[i].State == results.Done || states[i].State == results.Stopped {
			continue
		}
		t := plan.Trials[i]
		if trained, _ := run.Weights().AreTrained(&t); trained {
			t.Cell.Model = spec.Untrained // it costs as much
		}
		n, err := e.cell(ctx, &t)
		if err != nil {
			return []string{"time is unknown: " + err.Error()}, nil
		}
		total = total.plus(n)
		counted[n.source]++
		if n.memory.high > model.memory.high {
			model = n
		}
	}
	if len(counted) == 0 {
		return nil, nil
	}
	words := total.sentences(ctx, o, model, counted, run.Dir)
	if load, busy := machineLoad(); busy && counted[fromShape] > 0 {
		words = append(words, fmt.Sprintf("this machine is busy (load %.0f on %d processors): without other load, cells are faster than estimated", load, runtime.NumCPU()))
	}
	return words, nil
}

// Sources of an estimate.
const (
	fromFinished = "finished cells of this folder"
	fromRecorded = "recorded runs of the same network and device"
	fromShape    = "the sizes of network and data and this build's speed just now"
)

// cell estimates one cell.
func (e *estimator) cell(ctx context.Context, t *spec.Trial) (needs, error) {
	c := &t.Cell
	s, work, err := e.sizes(t)
	if err != nil {
		return needs{}, err
	}
	n := needs{source: fromFinished, name: network(c), kept: keptBytes(c, s, work)}
	if n.name != "" {
		tokens, err := e.tokensAtOnce(c, s)
		if err != nil {
			return needs{}, err
		}
		n.memory = deviceBytes(c, s, tokens)
		if device.OnHost(e.machine.Device) {
			length, err := e.longTexts(c, s, work)
			if err != nil {
				return needs{}, err
			}
			n.memory = hostBytes(c, s, work, tokens, length)
		}
	}
	if c.Model == spec.Trained {
		n.scratch = checkpointBytes(c, s)
	}
	if seconds, ok := e.like(c); ok {
		n.seconds = seconds
		return n, nil
	}
	n.source = fromShape
	if n.name == "" {
		n.seconds = around(lexicalSeconds*float64(work.Texts), 10)
		return n, nil
	}
	o, err := e.operations(c, s, work)
	if err != nil {
		return needs{}, err
	}
	if seconds, ok := e.recorded(c, o); ok {
		n.source, n.seconds = fromRecorded, around(seconds, recordedFactor)
		return n, nil
	}
	n.seconds, err = e.measured(ctx, c, s, o)
	return n, err
}

// operations are the floating-point operations of a cell: two for each working weight and
// token.
type operations struct{ encoding, training float64 }

// operations counts the operations of a cell.
func (e *estimator) operations(c *spec.Cell, s shape, work workload) (o operations, err error) {
	o.encoding = 2 * float64(s.working) * work.tokens()
	if c.Depth > 0 { // pairs are scored, with this many documents for each query
		o.encoding = 2 * float64(s.working) * float64(work.Queries*c.Depth) * work.Length
	}
	if c.Model != spec.Trained {
		return o, nil
	}
	epoch, err := e.training(c, s)
	if err != nil {
		return o, err
	}
	times, err := e.passes(c, epoch)
	if err != nil {
		return o, err
	}
	row, err := rowOperations(c, s, epoch)
	o.training = row * float64(epoch.Texts) * times
	return o, err
}

// rowOperations are the operations of training per row of data.
func rowOperations(c *spec.Cell, s shape, epoch workload) (float64, error) {
	tokens, err := rowTokens(c, epoch)
	return trainingPasses(c) * 2 * float64(s.working) * tokens, err
}

// measured is the time of these operations at speeds that are measured now.
func (e *estimator) measured(ctx context.Context, c *spec.Cell, s shape, o operations) (span, error) {
	encoding, err := e.speeds.encoding(ctx, c, s)
	if err != nil {
		return span{}, fmt.Errorf("measure speed on %s: %w", e.machine.Device, err)
	}
	seconds := o.encoding / encoding.rate
	exact := encoding.exact
	if c.Model == spec.Trained {
		epoch, err := e.training(c, s)
		if err != nil {
			return span{}, err
		}
		training, err := e.speeds.training(ctx, c, s, epoch)
		if err != nil && ctx.Err() != nil {
			return span{}, fmt.Errorf("measure a training step on %s: %w", e.machine.Device, err)
		}
		if err != nil { // the network that stands for the cell's cannot be trained with its settings
			training = speed{rate: encoding.rate}
		}
		seconds += o.training/training.rate + training.begin
		exact = training.exact
	}
	if exact {
		return around(seconds, recordedFactor), nil
	}
	return around(seconds, computedFactor), nil
}

// lexicalSeconds is the time of a baseline without a network per text; BM25 took .1 to .4 ms,
// indexing and search together.
const lexicalSeconds = 3e-4

// trainingPasses is the cost of a training step in forward passes: one, and two for the
// gradient; one more if activations are recomputed, and one if chunks are first embedded
// without a gradient (GradCache).
func trainingPasses(c *spec.Cell) float64 {
	passes := 3.0
	if c.Train.Checkpointing {
		passes++
	}
	if c.Train.Chunk > 0 {
		passes++
	}
	return passes
}

// batchTexts is the number of rows in a batch of a trained cell, and of additional pairs of
// instruction and query, which some losses need.
func batchTexts(c *spec.Cell) (rows, mixed int, err error) {
	l, err := training.ParseLoss(c.Loss)
	if err != nil {
		return 0, 0, err
	}
	return c.Train.Texts(l, catalog.Shapes(c))
}

// rowTokens is the number of tokens that a trained cell embeds per row, with its share of the
// additional pairs of instruction and query.
func rowTokens(c *spec.Cell, epoch workload) (float64, error) {
	rows, mixed, err := batchTexts(c)
	return epoch.Length + epoch.Asked*float64(mixed)/float64(max(1, rows)), err
}

// padded is the factor of padding in training: a batch is laid out in groups of similar length
// (training's levels).
const padded = 1.3

// tokensAtOnce is the number of tokens whose activations a cell keeps at a time in training:
// those of a batch, or of a chunk. The texts of a chunk have similar lengths, so all may have
// the maximum length.
func (e *estimator) tokensAtOnce(c *spec.Cell, s shape) (float64, error) {
	if c.Model != spec.Trained || c.Train.Chunk > 0 {
		return atFullLength(c, s), nil
	}
	epoch, err := e.training(c, s)
	if err != nil {
		return 0, err
	}
	row, err := rowTokens(c, epoch)
	if err != nil {
		return 0, err
	}
	rows, _, err := batchTexts(c)
	tokens := padded * float64(rows) * row
	if s.tokens > 0 {
		tokens = min(tokens, atFullLength(c, s))
	}
	return tokens, err
}

// atFullLength is tokensAtOnce for texts that all have the maximum length of the network.
func atFullLength(c *spec.Cell, s shape) float64 {
	texts := c.Train.Chunk
	if texts == 0 && c.Model == spec.Trained {
		if rows, mixed, err := batchTexts(c); err == nil { // no error: the loss was parsed before
			texts = 2*rows + mixed
		}
	}
	return float64(texts * s.tokens)
}

// sizes finds the shape of a cell's network and the amount of text in its benchmarks.
func (e *estimator) sizes(t *spec.Trial) (s shape, work workload, err error) {
	c := &t.Cell
	if name := network(c); name != "" {
		known, ok := e.shapes[name]
		if !ok {
			if known, err = backboneShape(name); err != nil {
				return s, work, err
			}
			e.shapes[name] = known
		}
		s = known
		if c.Design.MaxDocument > 0 {
			s.tokens = max(c.Design.MaxDocument, c.Design.MaxQuery)
		}
	}
	tokens := 0.0
	for _, name := range t.Evaluate {
		key := fmt.Sprint(name, "@", c.World, " ", s.tokens, " ", s.name)
		w, ok := e.work[key]
		if !ok {
			b, err := e.benchmark(name, c.World)
			if err != nil {
				return s, work, err
			}
			if w, err = benchmarkWork(b, s); err != nil {
				return s, work, err
			}
			e.work[key] = w
		}
		work.Texts, work.Queries, tokens = work.Texts+w.Texts, work.Queries+w.Queries, tokens+w.tokens()
	}
	work.Length = tokens / float64(max(1, work.Texts))
	return s, work, nil
}

// benchmark loads a benchmark. It keeps generated ones: cells with other lengths need them
// again, and generating takes longer than counting.
func (e *estimator) benchmark(name string, world uint64) (*datasets.Benchmark, error) {
	key := fmt.Sprint(name, "@", world)
	if b, ok := e.made[key]; ok {
		return b, nil
	}
	benchmark, tasks := spec.TasksOf(name)
	b, err := catalog.LoadBenchmark(benchmark, world, tasks...)
	if err == nil && b.Synthetic {
		e.made[key] = b
	}
	return b, err
}

// training counts the text of a cell's training data per epoch.
func (e *estimator) training(c *spec.Cell, s shape) (w workload, err error) {
	key := fmt.Sprint(c.Data, "@", c.World, " ", s.tokens, " ", s.name, " ", c.Judge, " ", c.Share, " ", c.Drop)
	w, ok := e.work[key]
	if !ok {
		if w, err = trainingWork(c, s); err != nil {
			return w, err
		}
		e.work[key] = w
	}
	return w, nil
}

// Bytes that one query leaves on disk: a packed ranking of RetrieveDepth documents, and its
// values.
const (
	bytesPerRanked = 20
	bytesPerValues = 1000
)

// keptBytes is the disk space of a finished cell.
func keptBytes(c *spec.Cell, s shape, work workload) span {
	bytes := float64(work.Queries) * (bytesPerValues + bytesPerRanked*float64(min(catalog.RetrieveDepth, max(1, work.Texts))))
	kept := span{bytes / 4, bytes}
	if c.Model == spec.Trained {
		weights := 4 * float64(s.Parameters)
		if c.Train.LoRA.Keep == encoder.KeepAdapter {
			weights *= adapterShare
		}
		kept = kept.plus(span{weights, weights})
	}
	return kept
}

// adapterShare is the size of an adapter with its moments and gradients as a share of the
// weights.
const adapterShare = 0.1

// checkpointBytes is the disk space of the checkpoints of a cell: one of weights and two
// moments, and the next one, which is complete before the first is removed. If weights are
// evaluated, those of the best are kept in addition, for a while with the previous best.
func checkpointBytes(c *spec.Cell, s shape) span {
	weights := 4 * float64(s.Parameters)
	state := 3 * weights
	if c.Train.LoRA.Rank > 0 {
		state = (1 + adapterShare) * weights
	}
	room := span{2 * state, 2 * state}
	if c.Train.EvaluateEvery > 0 {
		room = room.plus(span{weights, 2 * weights})
	}
	return room
}

// trainedBytes is the memory of training per parameter without activations: weight, two moments
// and gradient, or sum of gradients, each in float32. New values replace the old in place.
const trainedBytes = 16

// deviceBytes is the device memory of a cell: weights in float32, and in training their
// gradients, two moments, and the activations of the tokens that are embedded at a time.
func deviceBytes(c *spec.Cell, s shape, tokens float64) span {
	weights := 4 * float64(s.Parameters)
	if c.Model != spec.Trained {
		return span{weights, 2 * weights}
	}
	states := trainedBytes * float64(s.Parameters)
	if c.Train.LoRA.Rank > 0 {
		states = (1 + adapterShare) * weights
	}
	kept := keptForGradient(c, s, tokens, 0) // attention weights are rarely stored there
	return span{states + kept/4, states + 2*kept}
}

// keptForGradient is the memory of activations for that many tokens in texts of a length.
func keptForGradient(c *spec.Cell, s shape, tokens, length float64) float64 {
	layers, width := float64(s.Layers), float64(s.Width)
	if s.Layers == 0 { // a card gives neither; a transformer has 12 layers·width² weights
		layers = 12 * math.Cbrt(float64(s.Parameters)/1e8)
		width = math.Sqrt(float64(s.Parameters) / (12 * layers))
	}
	return encoder.KeptBytes(layers, width, float64(s.heads), length, tokens, c.Train.Checkpointing)
}

// Other memory of a process on this machine, measured as the peak of its resident memory
// (VmHWM) in trainings and evaluations of BERT, ModernBERT and Llama of one to eight layers:
// the process with a small benchmark, and garbage that is not yet collected.
const (
	processBytes = 64 << 20
	uncollected  = 1.2
	hostFactor   = 2 // error factor of the measurements, in either direction
)

// hostBytes is the memory of a process that computes a cell on this machine.
func hostBytes(c *spec.Cell, s shape, work workload, tokens, length float64) span {
	weights := 4 * float64(s.Parameters)
	if c.Model != spec.Trained {
		return around(processBytes+uncollected*(weights+vectorBytes(s, work)+encoder.BatchBytes(s.Width, s.heads, s.head, length)), hostFactor)
	}
	states := trainedBytes * float64(s.Parameters)
	if c.Train.LoRA.Rank > 0 {
		states = (1 + adapterShare) * weights
	}
	return around(processBytes+uncollected*(states+keptForGradient(c, s, tokens, length)), hostFactor)
}

// vectorBytes is the memory of the vectors of a block of documents, and of the batches that
// become one.
func vectorBytes(s shape, work workload) float64 {
	const copies, float32Bytes = 2, 4
	each := 1.
	if s.late {
		each = work.Length
	}
	return copies * min(runners.BlockBytes, float32Bytes*float64(work.Texts)*each*float64(s.dim))
}

// longTexts is the approximate number of tokens in a longer text of a cell: twice the average,
// at most the network's maximum.
func (e *estimator) longTexts(c *spec.Cell, s shape, work workload) (float64, error) {
	length := 2 * work.Length
	if c.Model == spec.Trained {
		epoch, err := e.training(c, s)
		if err != nil {
			return 0, err
		}
		length = max(length, epoch.Length) // both sides of a row
	}
	if s.tokens > 0 {
		length = min(length, float64(s.tokens))
	}
	return length, nil
}

// UnfetchedNeeds reports the needs that are known before everything is fetched: the memory of
// the largest network.
func UnfetchedNeeds(plan *spec.Plan) []string {
	var largest needs
	shapes := map[string]shape{}
	for i := range plan.Trials {
		c := &plan.Trials[i].Cell
		name := network(c)
		s, known := shapes[name]
		if !known && name != "" {
			s, _ = backboneShape(name) // a network of unknown size counts as none
			shapes[name] = s
		}
		if s.tokens = cmp.Or(c.Design.MaxDocument, s.tokens); s.tokens > 0 {
			if m := deviceBytes(c, s, atFullLength(c, s)); m.high > largest.memory.high {
				largest = needs{memory: m, name: name}
			}
		}
	}
	if largest.name == "" {
		return nil
	}
	return []string{fmt.Sprintf("device: the largest cell (%s) takes %s of memory; time and disk are known when everything is fetched", largest.name, largest.memory.text(sizeText))}
}

// Options are the flags of plan.
type Options struct {
	Runs    string
	Diff    bool
	Workers int
	Device  string
}
