package catalog

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/gomlx/compute"

	"infbench/bench/device"
	"infbench/bench/spec"
	"infbench/datasets"
	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// Backbones lists the networks that infbench can make itself.
func Backbones() []string { return slices.Sorted(maps.Keys(encoder.Tiny())) }

// TinyVocabulary is the vocabulary size of tiny backbones: all words of the
// generated world and single characters for everything else.
const TinyVocabulary = 2000

// NewBackbone makes the encoder that a cell starts from and loads its training
// data, of whose words a tiny backbone's vocabulary consists.
func NewBackbone(c *spec.Cell, m device.Options) (*encoder.Encoder, []datasets.Triplet, error) {
	backend, err := m.Open()
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
	enc.SetBatching(m.Batching())
	return enc, triplets, nil
}

// openBackbone opens a backbone's folder, or makes a tiny one with random
// weights and the words of its training data.
func openBackbone(c *spec.Cell, triplets []datasets.Triplet, backend compute.Backend) (*encoder.Encoder, error) {
	folder, err := BackboneFolder(c.Backbone)
	if err != nil {
		return nil, err
	}
	if folder != "" {
		return encoder.Open(folder, backend)
	}
	tok, err := tokenizer.BuildWordPiece(Texts(triplets), TinyVocabulary)
	if err != nil {
		return nil, fmt.Errorf("build vocabulary: %w", err)
	}
	return encoder.New(encoder.Tiny()[c.Backbone], tok, c.Seed, backend)
}

// Texts lists every text of a training set.
func Texts(triplets []datasets.Triplet) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, t := range triplets {
			for s := range TripletTexts(t) {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// TripletTexts lists the texts of one training record.
func TripletTexts(t datasets.Triplet) iter.Seq[string] {
	return slices.Values([]string{
		t.QueryPositive, t.QueryNegative, t.InstructionPositive, t.InstructionNegative,
		t.Positive, t.HardNegative1, t.HardNegative2,
	})
}
