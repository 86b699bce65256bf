package training

import (
	"infbench/datasets/mixture"
	"infbench/training/encoder"
)

// Lengths lists for each step of training how many tokens the sequences have that it
// embeds, padding left out: of each batch the passages of the anchors, their mined
// negatives, the anchors, and then the other pairs of instruction and query; where those
// are read apart the instructions and then the queries.
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
	t.beside = t.newBeside(c, o, listings(c, o, data), Options{})
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
