package trial

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"infbench/bench/catalog"
	"infbench/bench/device"
	"infbench/bench/engine"
	"infbench/bench/results"
	"infbench/bench/spec"
	"infbench/metrics"
	"infbench/runners"
	"infbench/training"
	"infbench/training/encoder"
)

// openTrialModel makes what a cell evaluates: a baseline, or an encoder that it
// trains first and saves below dir.
func openTrialModel(ctx context.Context, dir string, t *spec.Trial, in Surroundings, caches *catalog.VectorCaches) (runners.Retriever, error) {
	c := &t.Cell
	if err := catalog.CheckWeights(t); err != nil {
		return nil, err
	}
	switch c.Model {
	case "untrained":
		enc, _, err := catalog.NewBackbone(c, in.Machine)
		if err != nil {
			return nil, err
		}
		return trialRetriever(c.Model, enc, in.Machine, in.Machine.CacheFolder(), caches)
	case spec.Trained:
		enc, err := Train(ctx, t, dir, in)
		if err != nil {
			return nil, err
		}
		folder := in.Machine.CacheFolder()
		if folder != "" {
			folder = filepath.Join(dir, VectorsDir)
		}
		return trialRetriever(c.Backbone+"/"+c.Loss, enc, in.Machine, folder, caches)
	}
	return catalog.OpenBaseline(c.Model, c.Seed)
}

// VectorsDir is where a trial keeps the vectors of the model it trained until it
// is done: its tasks may share documents, and an evaluation that was stopped goes
// on. No other cell has these weights.
const VectorsDir = "vectors"

// trialRetriever ranks with an encoder whose vectors are kept in a folder.
func trialRetriever(name string, enc *encoder.Encoder, m device.Options, folder string, caches *catalog.VectorCaches) (runners.Retriever, error) {
	var of string
	if folder != "" {
		source, err := catalog.WeightsSource(enc)
		if err != nil {
			return nil, err
		}
		if of, err = catalog.Fingerprint(source, enc, m.Device); err != nil {
			return nil, err
		}
	}
	cached, err := caches.Put(enc, folder, of)
	if err != nil {
		return nil, err
	}
	return runners.NewDense(name, cached, m.Dense(runners.Cosine)), nil
}

// CheckpointEvery is how many steps a killed run can lose.
const CheckpointEvery = 100

// Train trains a cell's encoder, going on from a checkpoint that an
// interrupted run left, and saves it as a HuggingFace folder. Beside it stand the
// curve, the adapter that was trained, and what held-out queries said.
func Train(ctx context.Context, t *spec.Trial, dir string, in Surroundings) (*encoder.Encoder, error) {
	c := &t.Cell
	loss, err := training.ParseLoss(c.Loss)
	if err != nil {
		return nil, err
	}
	first, others, err := device.OpenDevices(in.Machine.Device, in.Devices)
	if err != nil {
		return nil, err
	}
	in.Machine.Device = first
	enc, triplets, err := catalog.NewBackbone(c, in.Machine)
	if err != nil {
		return nil, err
	}
	held, triplets, err := newValidation(t, triplets)
	if err != nil {
		return nil, err
	}
	validate := &validator{held, runners.NewDense("validation", enc, in.Machine.Dense(runners.Cosine))}
	config := c.Train
	config.Seed, config.Chunk = c.Seed, in.Chunk
	steps := config.Steps(len(triplets))
	options := training.Options{
		Checkpoint: filepath.Join(dir, results.CheckpointDir),
		Every:      in.Every,
		Files:      in.Files,
		Devices:    others,
	}
	watch := newStopwatch(in.Files, dir)
	var lost error // figures that could not be saved
	options.OnStep = func(s training.Step) {
		rate, err := watch.lap(s)
		lost = errors.Join(lost, err)
		in.report(engine.Progress{Phase: "train", Done: s.Step, Total: steps, Loss: s.Loss, Rate: rate})
	}
	if config.LoRA.Rank > 0 {
		options.Adapter = filepath.Join(dir, results.AdapterDir)
	}
	if config.EvaluateEvery > 0 {
		_, better, err := metrics.ParseSelector(c.Validate.Measure)
		if err != nil {
			return nil, err
		}
		options.Better = better.Better
		options.OnEvaluate = func(step int) (float64, error) {
			scores, value, err := validate.judge(ctx)
			return value, errors.Join(err, in.Hopeless.look(better, step, steps, scores, value))
		}
	}
	summary, err := training.Train(ctx, config, loss, enc, triplets, options)
	err = errors.Join(err, lost, watch.save())
	if len(summary.Curve) > 0 { // of a training that failed too: it shows how that came
		err = errors.Join(err, results.WriteCurve(in.Files, dir, curve(summary.Curve)))
	}
	if err != nil {
		return nil, fmt.Errorf("train %s: %w", c.Loss, err)
	}
	if held != nil {
		if err := writeValidation(ctx, in, dir, validate, &summary); err != nil {
			return nil, err
		}
	}
	if err := enc.SaveTo(in.Files, filepath.Join(dir, results.ModelDir)); err != nil {
		return nil, fmt.Errorf("save model: %w", err)
	}
	return enc, nil
}

// writeValidation keeps what held-out queries say of the trained weights, and
// said of those on the way.
func writeValidation(ctx context.Context, in Surroundings, dir string, v *validator, summary *training.Summary) error {
	scores, err := v.scores(ctx)
	if err != nil {
		return err
	}
	if err := results.WriteValidation(in.Files, dir, scores); err != nil {
		return err
	}
	if len(summary.Evaluations) == 0 {
		return nil
	}
	var list []results.Evaluation
	for _, e := range summary.Evaluations {
		list = append(list, results.Evaluation{Step: e.Step, Value: e.Value, Best: e.Step == summary.Best})
	}
	return results.WriteEvaluations(in.Files, dir, list)
}

// curve copies training steps into the form that trial folders hold.
func curve(steps []training.Step) []results.Step {
	out := make([]results.Step, len(steps))
	for i, s := range steps {
		out[i] = results.Step{
			Step: s.Step, Epoch: s.Epoch, Loss: s.Loss, Terms: s.Terms, GradNorm: s.GradNorm,
			LearningRate: s.LearningRate, Accuracy: s.Accuracy, MRR: s.MRR, Tokens: s.Tokens,
		}
	}
	return out
}
