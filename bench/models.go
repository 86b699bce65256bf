package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"

	"github.com/gomlx/compute"

	"infbench/bench/engine"
	"infbench/bench/results"
	"infbench/bench/spec"
	"infbench/datasets"
	"infbench/runners"
	"infbench/training"
	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// backbones lists the networks that infbench can make itself.
func backbones() []string { return slices.Sorted(maps.Keys(encoder.Tiny())) }

// tinyVocabulary is the vocabulary size of tiny backbones: all words of the
// generated world and single characters for everything else.
const tinyVocabulary = 2000

// openTrialModel makes what a cell evaluates: a baseline, or an encoder that it
// trains first and saves below dir.
func openTrialModel(ctx context.Context, dir string, t *spec.Trial, in surroundings, caches *vectorCaches) (runners.Retriever, error) {
	c := &t.Cell
	if err := checkWeights(t); err != nil {
		return nil, err
	}
	switch c.Model {
	case "untrained":
		enc, _, err := newBackbone(c, in.machine)
		if err != nil {
			return nil, err
		}
		return trialRetriever(c.Model, enc, in.machine, in.machine.cacheFolder(), caches)
	case spec.Trained:
		enc, err := trainEncoder(ctx, t, dir, in)
		if err != nil {
			return nil, err
		}
		folder := in.machine.cacheFolder()
		if folder != "" {
			folder = filepath.Join(dir, vectorsDir)
		}
		return trialRetriever(c.Backbone+"/"+c.Loss, enc, in.machine, folder, caches)
	}
	return openBaseline(c.Model, c.Seed)
}

// vectorsDir is where a trial keeps the vectors of the model it trained until it
// is done: its tasks may share documents, and an evaluation that was stopped goes
// on. No other cell has these weights.
const vectorsDir = "vectors"

// trialRetriever ranks with an encoder whose vectors are kept in a folder.
func trialRetriever(name string, enc *encoder.Encoder, m machineOptions, folder string, caches *vectorCaches) (runners.Retriever, error) {
	var of string
	if folder != "" {
		source, err := weightsSource(enc)
		if err != nil {
			return nil, err
		}
		if of, err = fingerprint(source, enc, m.device); err != nil {
			return nil, err
		}
	}
	cached, err := caches.put(enc, folder, of)
	if err != nil {
		return nil, err
	}
	return runners.NewDense(name, cached, m.dense(runners.Cosine)), nil
}

// newBackbone makes the encoder that a cell starts from and loads its training
// data, of whose words a tiny backbone's vocabulary consists.
func newBackbone(c *spec.Cell, m machineOptions) (*encoder.Encoder, []datasets.Triplet, error) {
	backend, err := m.open()
	if err != nil {
		return nil, nil, err
	}
	triplets, err := loadTriplets(c.Data, c.World)
	if err != nil {
		return nil, nil, fmt.Errorf("load training data %s: %w", c.Data, err)
	}
	enc, err := openBackbone(c, triplets, backend)
	if err != nil {
		return nil, nil, err
	}
	if err := enc.SetInteraction(encoder.Interaction(c.Interaction)); err != nil {
		return nil, nil, fmt.Errorf("backbone %s: %w", c.Backbone, err)
	}
	if err := enc.Apply(c.Design); err != nil {
		return nil, nil, fmt.Errorf("backbone %s: design: %w", c.Backbone, err)
	}
	enc.SetBatching(m.batching())
	return enc, triplets, nil
}

// openBackbone opens a backbone's folder, or makes a tiny one with random
// weights and the words of its training data.
func openBackbone(c *spec.Cell, triplets []datasets.Triplet, backend compute.Backend) (*encoder.Encoder, error) {
	folder, err := backboneFolder(c.Backbone)
	if err != nil {
		return nil, err
	}
	if folder != "" {
		return encoder.Open(folder, backend)
	}
	tok, err := tokenizer.BuildWordPiece(texts(triplets), tinyVocabulary)
	if err != nil {
		return nil, fmt.Errorf("build vocabulary: %w", err)
	}
	return encoder.New(encoder.Tiny()[c.Backbone], tok, c.Seed, backend)
}

// checkpointEvery is how many steps a killed run can lose.
const checkpointEvery = 100

// texts lists every text of a training set.
func texts(triplets []datasets.Triplet) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, t := range triplets {
			for s := range tripletTexts(t) {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// tripletTexts lists the texts of one training record.
func tripletTexts(t datasets.Triplet) iter.Seq[string] {
	return slices.Values([]string{
		t.QueryPositive, t.QueryNegative, t.InstructionPositive, t.InstructionNegative,
		t.Positive, t.HardNegative1, t.HardNegative2,
	})
}

// trainEncoder trains a cell's encoder, going on from a checkpoint that an
// interrupted run left, and saves it as a HuggingFace folder. Beside it stand the
// curve, the adapter that was trained, and what held-out queries said.
func trainEncoder(ctx context.Context, t *spec.Trial, dir string, in surroundings) (*encoder.Encoder, error) {
	c := &t.Cell
	loss, err := training.ParseLoss(c.Loss)
	if err != nil {
		return nil, err
	}
	first, others, err := openDevices(in.machine.device, in.devices)
	if err != nil {
		return nil, err
	}
	in.machine.device = first
	enc, triplets, err := newBackbone(c, in.machine)
	if err != nil {
		return nil, err
	}
	held, triplets, err := newValidation(t, triplets)
	if err != nil {
		return nil, err
	}
	validate := &validator{held, runners.NewDense("validation", enc, in.machine.dense(runners.Cosine))}
	config := c.Train
	config.Seed, config.Chunk = c.Seed, in.chunk
	steps := config.Steps(len(triplets))
	options := training.Options{
		Checkpoint: filepath.Join(dir, results.CheckpointDir),
		Every:      in.every,
		Files:      in.files,
		Devices:    others,
	}
	watch := newStopwatch(in.files, dir)
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
		options.OnEvaluate = func(step int) (float64, error) {
			scores, value, err := validate.judge(ctx)
			return value, errors.Join(err, in.hopeless.look(step, steps, scores, value))
		}
	}
	summary, err := training.Train(ctx, config, loss, enc, triplets, options)
	err = errors.Join(err, lost, watch.save())
	if len(summary.Curve) > 0 { // of a training that failed too: it shows how that came
		err = errors.Join(err, results.WriteCurve(in.files, dir, curve(summary.Curve)))
	}
	if err != nil {
		return nil, fmt.Errorf("train %s: %w", c.Loss, err)
	}
	if held != nil {
		if err := writeValidation(ctx, in, dir, validate, &summary); err != nil {
			return nil, err
		}
	}
	if err := enc.SaveTo(in.files, filepath.Join(dir, results.ModelDir)); err != nil {
		return nil, fmt.Errorf("save model: %w", err)
	}
	return enc, nil
}

// writeValidation keeps what held-out queries say of the trained weights, and
// said of those on the way.
func writeValidation(ctx context.Context, in surroundings, dir string, v *validator, summary *training.Summary) error {
	scores, err := v.scores(ctx)
	if err != nil {
		return err
	}
	if err := results.WriteValidation(in.files, dir, scores); err != nil {
		return err
	}
	if len(summary.Evaluations) == 0 {
		return nil
	}
	var list []results.Evaluation
	for _, e := range summary.Evaluations {
		list = append(list, results.Evaluation{Step: e.Step, Value: e.Value, Best: e.Step == summary.Best})
	}
	return results.WriteEvaluations(in.files, dir, list)
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
