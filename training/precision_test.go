package training

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"infbench/training/encoder"
	"infbench/training/weights"
)

// TestBFloat16FollowsFloat32 trains 24 steps in both precisions. Each loss in bf16 is within 2 %
// of the float32 loss: scores are cosines over a temperature of 0.5 and carry bf16's relative
// error of 2^-9. Both runs learn.
func TestBFloat16FollowsFloat32(t *testing.T) {
	for _, kind := range []string{"bert", "llama"} {
		data := colours(24)
		c := toyConfig()
		c.Epochs, c.Temperature = 4, new(0.5)
		run := func(p encoder.Precision) []Step {
			c.Precision = p
			sum, err := Train(t.Context(), c, parsed(t, "multi(P,I)"), newLike(t, kind, data), of(data), Options{})
			if err != nil {
				t.Fatal(err)
			}
			return sum.Curve
		}
		full, half := run(encoder.Float32), run(encoder.BFloat16)
		for i, s := range half {
			near(t, fmt.Sprintf("%s: loss of step %d", kind, i+1), s.Loss, full[i].Loss, 0.02, 0)
			if i == 0 && s.Loss == full[0].Loss {
				t.Errorf("%s: bf16 changes nothing", kind)
			}
		}
		if last := len(half) - 1; !(half[last].Loss < half[0].Loss*0.9) {
			t.Errorf("%s: the loss went from %v to %v", kind, half[0].Loss, half[last].Loss)
		}
	}
}

// TestBFloat16KeepsMasterWeights: weights and moments stay float32, with digits beyond bf16, in
// memory and in checkpoints.
func TestBFloat16KeepsMasterWeights(t *testing.T) {
	c := toyConfig()
	c.Epochs, c.Precision = 1, encoder.BFloat16
	dir := t.TempDir()
	trained(t, c, parsed(t, "uni(P)"), Options{Checkpoint: dir}) // digest fails unless all are float32
	files, err := filepath.Glob(filepath.Join(dir, "step-*.safetensors"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	f, err := weights.OpenSafetensors(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, info := range f.Tensors() {
		values, err := f.Float32(info)
		if err != nil {
			t.Fatal(err)
		}
		fine := slices.ContainsFunc(values, func(v float32) bool { return math.Float32bits(v)&0xffff != 0 })
		if info.DType != "F32" || !fine {
			t.Errorf("%s is %s; more than bf16's digits: %v", info.Name, info.DType, fine)
		}
	}
}

// TestCheckpointingTrainsTheSame compares weights and curve bit for bit, with
// dropout, in one piece, in chunks and over several batches.
func TestCheckpointingTrainsTheSame(t *testing.T) {
	for _, edit := range []func(*Config){
		func(*Config) {},
		func(c *Config) { c.Dropout = 0 },
		func(c *Config) { c.Chunk = 7 },
		func(c *Config) { c.Accumulate = 2 },
		func(c *Config) { c.LoRA = encoder.LoRA{Rank: 2, Dropout: 0.1} },
	} {
		c := toyConfig()
		c.Epochs, c.Dropout = 1, 0.1
		edit(&c)
		want, plain := trained(t, c, parsed(t, "uni(P,I)"), Options{})
		c.Checkpointing = true
		got, sum := trained(t, c, parsed(t, "uni(P,I)"), Options{})
		if got != want || fmt.Sprint(sum.Curve) != fmt.Sprint(plain.Curve) {
			t.Errorf("%+v: other weights", c)
		}
	}
}
