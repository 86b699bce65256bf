package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"infbench/datasets"
	"infbench/datasets/mixture"
	"infbench/training"
	"infbench/training/encoder"
)

// trainBout is a training step of a real network.
func trainBout() bout {
	return trainingBout("train", "training step, 16 pairs of 64 tokens, AdamW, MiniLM-L6's shape", (*job).miniLM)
}

// trainSmallBout is a training step of a network of the size of the demo's.
func trainSmallBout() bout {
	return trainingBout("train-small", "training step, 16 pairs of 64 tokens, AdamW, 4 layers of 128 with a vocabulary of 8,000", (*job).demoBERT)
}

func trainingBout(name, work string, config func(*job) encoder.Config) bout {
	return bout{
		name:    name,
		note:    "steps are InfoNCE at temperature 0.05 in float32 on the same pairs, from batch to new weights",
		rows:    []row{{name: name, work: work, against: []int{1, 2}, ours: "step", theirs: "step"}},
		sides:   append([]side{oursBy("train")}, torchBy("train_torch", "train_torch.py")...),
		prepare: prepareTraining(config),
		check:   sameLosses,
	}
}

// chunkedBout compares our step in chunks (GradCache) with our step at once.
func chunkedBout() bout {
	atOnce := oursBy("train")
	atOnce.title = "infbench, at once"
	return bout{
		name:    "chunked",
		rows:    []row{{name: "chunked", work: "training step in 4 chunks of 8 texts (GradCache), against ours at once", against: []int{1}, ours: "step", theirs: "step"}},
		sides:   []side{oursBy("chunked"), atOnce},
		prepare: prepareTraining((*job).miniLM),
		check:   sameLosses,
	}
}

// prepareTraining writes a network, and the texts of anchors and of their passages.
func prepareTraining(config func(*job) encoder.Config) func(context.Context, *job) error {
	return func(_ context.Context, j *job) error {
		j.Warm, j.Timed, j.Pairs = 2, j.size(3, 1), j.size(16, 4)
		c := config(j)
		tok, words, err := vocabulary(c.VocabSize)
		if err != nil {
			return err
		}
		e, err := j.writeModel(c, tok)
		if err != nil {
			return err
		}
		rng := rand.New(rand.NewPCG(3, 4))
		return j.writeTexts(e, randomTexts(rng, words, 2*j.Pairs, j.size(62, 6)))
	}
}

func trainSide(ctx context.Context, j *job) (map[string][]float64, error) {
	return j.train(ctx, "train", 0)
}

func chunkedSide(ctx context.Context, j *job) (map[string][]float64, error) {
	return j.train(ctx, "chunked", j.Pairs/2)
}

// learningRate is the learning rate of all steps.
const learningRate = 1e-4

// train takes the steps of a job on the same pairs and writes their losses.
func (j *job) train(ctx context.Context, name string, chunk int) (map[string][]float64, error) {
	var texts []string
	if err := readJSON(j.path(textsFile), &texts); err != nil {
		return nil, err
	}
	e, err := j.openModel()
	if err != nil {
		return nil, err
	}
	var seconds, losses []float64
	last := time.Now()
	_, err = training.Train(ctx, j.trainConfig(chunk), training.Contrastive{Form: training.Uni, Terms: training.P}, e, pairsOf(texts),
		training.Options{OnStep: func(s training.Step) {
			if losses = append(losses, s.Loss); len(losses) > j.Warm {
				seconds = append(seconds, time.Since(last).Seconds())
			}
			last = time.Now()
		}})
	if err == nil && j.Check {
		err = writeJSON(j.path(name+".json"), losses)
	}
	return map[string][]float64{"step": seconds}, err
}

// trainConfig matches PyTorch's side: one group of weights, no clipping.
func (j *job) trainConfig(chunk int) training.Config {
	c, temperature := training.DefaultConfig(), 0.05
	c.Epochs, c.Steps, c.Chunk = 0, j.Warm+j.Timed, chunk
	c.RowsPerGroup, c.Groups = j.Pairs, 1
	c.LearningRate, c.Schedule, c.Temperature = learningRate, training.Constant, &temperature
	c.WeightDecay, c.DecayAll, c.Clip = 0.01, true, 0
	return c
}

// pairsOf returns records of an anchor and a passage: the first half of the texts with the
// second.
func pairsOf(texts []string) mixture.Data {
	part := mixture.Part{Source: mixture.Source{Name: "pairs"}}
	n := len(texts) / 2
	for i := range n {
		part.Records = append(part.Records, datasets.Record{
			ID: fmt.Sprint(i), Rows: []datasets.Row{{Query: texts[i], Passage: texts[n+i]}},
		})
	}
	return mixture.Data{part}
}

// lossTolerance is the relative difference allowed between losses after a few steps.
const lossTolerance = 1e-3

// sameLosses compares the losses of all steps.
func sameLosses(j *job, ours, theirs string) error {
	var a, b []float64
	if err := readJSON(j.path(ours+".json"), &a); err != nil {
		return err
	}
	if err := readJSON(j.path(theirs+".json"), &b); err != nil {
		return err
	}
	if len(a) != len(b) || len(a) == 0 {
		return fmt.Errorf("%d losses and %d", len(a), len(b))
	}
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= lossTolerance*math.Abs(b[i])) {
			return fmt.Errorf("the loss of step %d is %g and %g", i+1, a[i], b[i])
		}
	}
	return nil
}
