package training

import (
	"slices"
	"testing"

	"infbench/training/encoder"
)

// A rehearsal of the largest batch, which compiles its graphs before all others, changes no bit
// of weights, moments or curve, for every way to compute a step. No batch is larger.
func TestRehearsalMovesNothing(t *testing.T) {
	data := paperRecords(16)
	for name, change := range map[string]func(*Config){
		"whole":      func(*Config) {},
		"accumulate": func(c *Config) { c.Accumulate = 2 },
		"chunks":     func(c *Config) { c.Chunk = 8 },
		"dropout":    func(c *Config) { c.Dropout, c.WeightDecay, c.DecayAll = 0.1, 0.01, true },
	} {
		for _, interaction := range []encoder.Interaction{encoder.Concat, encoder.CrossAttentionProjected} {
			c := toyConfig()
			c.RowsPerGroup, c.Epochs = 6, 2
			change(&c)
			run := func(rehearsed bool) (digests []string) {
				enc := newLong(t, data)
				if err := enc.SetInteraction(interaction); err != nil {
					t.Fatal(err)
				}
				r, err := newRun(c, parsed(t, "multi(P,I)"), enc, of(data), Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer r.close()
				if rehearsed {
					if err := r.rehearse(); err != nil {
						t.Fatal(err)
					}
				}
				for step := range 2 {
					if _, err := r.step(step); err != nil {
						t.Fatal(err)
					}
					digests = append(digests, digest(t, enc)) // including moments
				}
				size := func(number int) int {
					e := r.tokens.encode(r.sampler.batch(number), r.sampler.mixed())
					return r.stepper.program.most(r.stepper.lengths(e.sequences), r.tokens)
				}
				for number := range r.steps * c.batches() {
					if size(number) > size(r.stepper.largest) || size(number) <= 0 {
						t.Errorf("%s: batch %d takes %d tokens at a time, the largest, %d, %d", name, number, size(number), r.stepper.largest, size(r.stepper.largest))
					}
				}
				return digests
			}
			if got, want := run(true), run(false); !slices.Equal(got, want) {
				t.Errorf("%s, %s: other weights after a rehearsal", name, interaction)
			}
		}
	}
}
