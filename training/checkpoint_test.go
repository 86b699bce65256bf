package training

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/gomlx/compute"

	"infbench/datasets"
	"infbench/training/encoder"
	"infbench/training/weights"
)

// allocated is the total number of bytes that do asks the allocator for. It bounds the bytes that
// exist at any one time.
func allocated(do func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// apart is the Go backend as a device with its own memory: its data can only be read by copying.
type apart struct{ compute.Backend }

func (apart) HasSharedBuffers() bool { return false }

// wide is an encoder of 12 MB whose largest weight, the table of positions, has 8 MB; largest is
// the size of that weight.
func wide(t testing.TB, data []datasets.Triplet, backend compute.Backend) (enc *encoder.Encoder, largest int64) {
	t.Helper()
	small := newEncoder(t, data)
	c := small.Config()
	c.HiddenSize, c.IntermediateSize, c.NumAttentionHeads, c.MaxPositionEmbeddings = 256, 1024, 4, 8192
	enc, err := encoder.New(c, small.Tokenizer(), 1, backend)
	if err != nil {
		t.Fatal(err)
	}
	for v := range enc.Store().IterVariables() {
		largest = max(largest, int64(v.Shape().ByteSize()))
	}
	return enc, largest
}

// Saving and fingerprinting hold at most one tensor in addition to the variables, whether these
// are in memory or must come from a device, and write the same bytes. Copies of all weights and
// moments took 3.8 times the state.
func TestSavingTakesOneTensor(t *testing.T) {
	data, files := colours(8), map[string][]string{}
	for name, backend := range map[string]compute.Backend{"memory": openBackend(t), "device": apart{openBackend(t)}} {
		enc, largest := wide(t, data, backend)
		if name == "device" {
			for v := range enc.Store().IterVariables() {
				value, err := v.Value()
				if err == nil {
					err = value.ToDevice(backend, 0)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		c := toyConfig()
		c.RowsPerGroup = 6
		dir := t.TempDir()
		r, err := newRun(c, parsed(t, "uni(P)"), enc, of(data), Options{Checkpoint: filepath.Join(dir, "checkpoint")})
		if err != nil {
			t.Fatal(err)
		}
		for what, do := range map[string]func() error{
			"checkpoint":  func() error { return r.checkpoint.save([]Step{{Step: 1}}) },
			"best":        func() error { return r.validation.kept.keep("best-1.safetensors") },
			"fingerprint": func() error { _, err := identify(c, parsed(t, "uni(P)"), enc, &tokens{}); return err },
			"model":       func() error { return enc.Save(filepath.Join(dir, "model")) },
		} {
			got := allocated(func() { err = do() })
			if most := largest + largest/10; err != nil || got > most {
				t.Errorf("%s, %s: %d bytes allocated, want at most %d, 1.1 times the largest tensor; %v", name, what, got, most, err)
			}
		}
		for v := range enc.Store().IterVariables() {
			if value, err := v.Value(); err != nil || name == "device" && value.HasLocal() {
				t.Errorf("%s: the device's %s has a copy in memory, %v", name, v.Path(), err)
			}
		}
		for _, path := range []string{"checkpoint/step-1.safetensors", "checkpoint/best-1.safetensors", "model/model.safetensors"} {
			content, err := os.ReadFile(filepath.Join(dir, path))
			if err != nil {
				t.Fatal(err)
			}
			files[path] = append(files[path], string(content))
		}
	}
	for path, contents := range files {
		if contents[0] != contents[1] {
			t.Errorf("%s: a device saves other bytes", path)
		}
	}
}

// Resuming holds the tensors themselves and at most one copy of a tensor at a time.
func TestRestoringTakesOneTensor(t *testing.T) {
	data := colours(8)
	enc, largest := wide(t, data, openBackend(t))
	list, err := variableSources(nil, enc.Store())
	if err != nil {
		t.Fatal(err)
	}
	before, err := copySources(list)
	if err != nil {
		t.Fatal(err)
	}
	whole := int64(0)
	for _, tensor := range before {
		whole += 4 * int64(len(tensor.Values))
	}
	r, err := newRun(toyConfig(), parsed(t, "uni(P)"), enc, of(colours(24)), Options{Checkpoint: t.TempDir()})
	if err == nil {
		err = r.checkpoint.save([]Step{{Step: 1}})
	}
	if err != nil {
		t.Fatal(err)
	}
	got := allocated(func() { _, err = r.checkpoint.load() })
	if most := whole + largest + largest/10; err != nil || got > most {
		t.Errorf("%d bytes allocated for a state of %d, want at most %d; %v", got, whole, most, err)
	}
	after, err := copySources(list)
	if err != nil || !slices.EqualFunc(before, after, func(a, b weights.Tensor) bool { return a.Name == b.Name && slices.Equal(a.Values, b.Values) }) {
		t.Errorf("other weights come back, %v", err)
	}
}

// Better weights than before are on disk before the next checkpoint. No weights are kept that
// neither the state on disk nor the next state names.
func TestBestWeightsOnDisk(t *testing.T) {
	data, dir := colours(24), t.TempDir()
	c := toyConfig()
	c.Epochs, c.EvaluateEvery = 1, 1
	seen := map[int][]string{}
	enc := newEncoder(t, data)
	_, err := Train(t.Context(), c, parsed(t, "uni(P)"), enc, of(data), Options{Checkpoint: dir, Every: 2, OnStep: func(s Step) {
		list, err := filepath.Glob(filepath.Join(dir, "best-*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range list {
			seen[s.Step] = append(seen[s.Step], filepath.Base(path))
		}
	}, OnEvaluate: func(step int) (float64, error) { return float64(step), nil }})
	if err != nil {
		t.Fatal(err)
	}
	// The files before the evaluation of the step: after step 2 there is a checkpoint.
	for step, want := range map[int][]string{1: nil, 2: {"best-1.safetensors"}, 3: {"best-2.safetensors"}, 4: {"best-2.safetensors", "best-3.safetensors"}, 5: {"best-4.safetensors"}} {
		if !slices.Equal(seen[step], want) {
			t.Errorf("at step %d: %v, want %v", step, seen[step], want)
		}
	}
}
