package training

import (
	"infbench/datasets/mixture"
	"infbench/training/encoder"
)

// Lengths lists for each step of training the number of tokens of each sequence that it embeds,
// without padding. The order in a batch is: passages of the anchors, their mined negatives,
// anchors, other pairs of instruction and query. If instruction and query are encoded separately,
// instructions and then queries take the place of anchors and pairs.
func Lengths(c Config, l Loss, enc *encoder.Encoder, data mixture.Data) ([][]int, error) {
	o, err := c.Objective()
	if err != nil {
		return nil, err
	}
	s, err := newSampler(c, o, l, data)
	if err != nil {
		return nil, err
	}
	t := newTokens(enc, c.Concat, s.rows, s.mixed() > 0)
	t.modifierInputs = t.newModifierInputs(c, o, listings(c, o, data), Options{})
	steps := make([][]int, c.StepsOn(data.Rows()))
	for i := range steps {
		for _, b := range s.step(i, c.batches()) {
			for _, sequence := range t.encode(b, s.mixed()).sequences {
				if n := t.present(sequence); n > 0 {
					steps[i] = append(steps[i], n)
				}
			}
		}
	}
	return steps, nil
}
