package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/gomlx/compute"

	"infbench/bench/engine"
	"infbench/bench/results"
	"infbench/bench/spec"
	"infbench/datasets"
	"infbench/metrics/nearest"
	"infbench/runners"
	"infbench/training"
	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// backbones are the networks that infbench can make itself; every other
// backbone is a HuggingFace folder.
var backbones = []string{"tiny-bert"}

// tinyVocabulary is the vocabulary size of tiny backbones: all words of the
// generated world and single characters for everything else.
const tinyVocabulary = 2000

// checkBackbone says whether a backbone can be opened.
func checkBackbone(name string) error {
	if name == backbones[0] || isModelFolder(name) {
		return nil
	}
	return nearest.Unknown("backbone", name, append(backbones, "a HuggingFace folder"))
}

// isModelFolder says whether path looks like a HuggingFace model folder.
func isModelFolder(path string) bool {
	_, err := os.Stat(filepath.Join(path, "config.json"))
	return err == nil
}

// openTrialModel makes what a cell evaluates: a baseline, or an encoder that it
// trains first and saves below dir.
func openTrialModel(ctx context.Context, dir string, t *spec.Trial, report func(engine.Progress)) (runners.Retriever, error) {
	c := &t.Cell
	switch c.Model {
	case "untrained":
		enc, _, err := newBackbone(c)
		if err != nil {
			return nil, err
		}
		return runners.NewDense(c.Model, enc, runners.DenseOptions{}), nil
	case spec.Trained:
		enc, err := trainEncoder(ctx, c, dir, report)
		if err != nil {
			return nil, err
		}
		return runners.NewDense(c.Backbone+"/"+c.Loss, enc, runners.DenseOptions{}), nil
	}
	return openBaseline(c.Model, c.Seed)
}

// newBackbone makes the encoder that a cell starts from and loads its training
// data, of whose words a tiny backbone's vocabulary consists.
func newBackbone(c *spec.Cell) (*encoder.Encoder, []datasets.Triplet, error) {
	backend, err := openBackend(goDevice)
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
	return enc, triplets, nil
}

// openBackbone opens a backbone's folder, or makes a tiny one with random
// weights and the words of its training data.
func openBackbone(c *spec.Cell, triplets []datasets.Triplet, backend compute.Backend) (*encoder.Encoder, error) {
	if isModelFolder(c.Backbone) {
		return encoder.Open(c.Backbone, backend)
	}
	tok, err := tokenizer.BuildWordPiece(texts(triplets), tinyVocabulary)
	if err != nil {
		return nil, fmt.Errorf("build vocabulary: %w", err)
	}
	return encoder.New(encoder.TinyBERT(), tok, c.Seed, backend)
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
// interrupted run left, and saves it as a HuggingFace folder with its curve
// beside it.
func trainEncoder(ctx context.Context, c *spec.Cell, dir string, report func(engine.Progress)) (*encoder.Encoder, error) {
	loss, err := training.ParseLoss(c.Loss)
	if err != nil {
		return nil, err
	}
	enc, triplets, err := newBackbone(c)
	if err != nil {
		return nil, err
	}
	config := c.Train
	config.Seed = c.Seed
	steps := config.Steps(len(triplets))
	summary, err := training.Train(ctx, config, loss, enc, triplets, training.Options{
		Checkpoint: filepath.Join(dir, results.CheckpointDir),
		Every:      checkpointEvery,
		OnStep: func(s training.Step) {
			report(engine.Progress{Phase: "train", Done: s.Step, Total: steps, Loss: s.Loss})
		},
	})
	if err != nil {
		return nil, fmt.Errorf("train %s: %w", c.Loss, err)
	}
	if err := results.WriteCurve(dir, curve(summary.Curve)); err != nil {
		return nil, err
	}
	if err := enc.Save(filepath.Join(dir, results.ModelDir)); err != nil {
		return nil, fmt.Errorf("save model: %w", err)
	}
	// The finished model stands; the state to resume from has served.
	if err := os.RemoveAll(filepath.Join(dir, results.CheckpointDir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove checkpoint: %w", err)
	}
	return enc, nil
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
