package training

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/datasets/atomicfile"
	"infbench/training/encoder"
	"infbench/training/encoder/safetensors"
)

// checkpointFormat changes whenever older checkpoints can no longer be continued.
const checkpointFormat = 3

// checkpoint keeps the resumable state of a run in a folder: state.json, and
// the files of tensors that it names: weights with moments, and the best weights
// where there was an evaluation. state.json is replaced last, so the folder holds a
// whole checkpoint at any moment. Data position and randomness are functions of
// seed and step and need no state of their own.
type checkpoint struct {
	dir        string
	files      atomicfile.FS
	store      *model.Store
	identity   fingerprint
	validation *validation
}

// fingerprint tells runs apart that must not continue each other, by SHA-256.
type fingerprint struct {
	Config  string `json:"config"`  // Config and Loss
	Encoder string `json:"encoder"` // architecture, pooling, text templates
	Weights string `json:"weights"` // before the first step
	Data    string `json:"data"`    // records and their tokens
}

// state is the content of state.json.
type state struct {
	Format      int          `json:"format"`
	Identity    fingerprint  `json:"identity"`
	Step        int          `json:"step"` // steps done
	Tensors     tensorFile   `json:"tensors"`
	Best        tensorFile   `json:"best,omitzero"`
	Curve       []Step       `json:"curve"`
	Evaluations []Evaluation `json:"evaluations,omitempty"`
	Sum         string       `json:"sum"` // SHA-256 of the state without it
}

// ErrDamaged says that a checkpoint does not hold what was saved. Training that
// begins anew without it is right.
var ErrDamaged = errors.New("checkpoint is damaged")

// sum is what Sum must be.
func (s state) sum() (string, error) {
	s.Sum = ""
	data, err := json.Marshal(s)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), err
}

// tensorFile names a file in the folder.
type tensorFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

func (c checkpoint) statePath() string { return filepath.Join(c.dir, "state.json") }

// save writes the state after len(curve) steps and removes older tensors. Without
// a folder it does nothing.
func (c checkpoint) save(curve []Step) error {
	if c.dir == "" {
		return nil
	}
	list, err := stored(c.store)
	if err != nil {
		return fmt.Errorf("save checkpoint: %w", err)
	}
	s := state{
		Format: checkpointFormat, Identity: c.identity, Step: len(curve), Curve: curve, Evaluations: c.validation.done,
	}
	if s.Tensors, err = c.write(fmt.Sprintf("step-%d.safetensors", len(curve)), list); err != nil {
		return fmt.Errorf("save checkpoint: %w", err)
	}
	if v := c.validation; v.weights != nil && v.file.Name == "" {
		if v.file, err = c.write(v.bestFile(), v.weights); err != nil {
			return fmt.Errorf("save checkpoint: %w", err)
		}
	}
	s.Best = c.validation.file
	if s.Sum, err = s.sum(); err != nil {
		return fmt.Errorf("save checkpoint: %w", err)
	}
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("save checkpoint: %w", err)
	}
	if err := atomicfile.WriteBytesTo(c.files, c.statePath(), append(data, '\n')); err != nil {
		return fmt.Errorf("save checkpoint: %w", err)
	}
	old, err := filepath.Glob(filepath.Join(c.dir, "*-*.safetensors"))
	for _, path := range old {
		if name := filepath.Base(path); name != s.Tensors.Name && name != s.Best.Name {
			err = errors.Join(err, c.files.Remove(path))
		}
	}
	return err
}

// write writes tensors to a file of the folder.
func (c checkpoint) write(name string, list []safetensors.Tensor) (tensorFile, error) {
	hash := sha256.New()
	err := atomicfile.WriteTo(c.files, filepath.Join(c.dir, name), func(w io.Writer) error {
		return safetensors.Write(io.MultiWriter(w, hash), list)
	})
	return tensorFile{name, hex.EncodeToString(hash.Sum(nil))}, err
}

// load restores weights, moments and evaluations and returns the curve so far; it
// is empty where the folder holds no checkpoint, or there is no folder.
func (c checkpoint) load() ([]Step, error) {
	if c.dir == "" {
		return nil, nil
	}
	data, err := atomicfile.ReadFile(c.statePath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("resume training: %w", err)
	}
	var s state
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("resume training: %s: %w: %w", c.statePath(), ErrDamaged, err)
	}
	if err := c.check(s); err != nil {
		return nil, fmt.Errorf("resume training: %s: %w", c.statePath(), err)
	}
	list, err := c.read(s.Tensors)
	if err == nil {
		err = setTensors(c.store, list)
	}
	if err == nil {
		err = c.loadBest(s)
	}
	if err != nil {
		return nil, fmt.Errorf("resume training: %w", err)
	}
	return s.Curve, nil
}

// loadBest restores the evaluations with the weights of the best. Those of another
// evaluation are what programs kept that took the highest value for the best.
func (c checkpoint) loadBest(s state) (err error) {
	v := c.validation
	v.done, v.file = s.Evaluations, s.Best
	if s.Best.Name == "" {
		return nil
	}
	if len(v.done) == 0 || v.bestFile() != s.Best.Name {
		return fmt.Errorf("%s: %w: %s is not of the best evaluation", c.statePath(), ErrDamaged, s.Best.Name)
	}
	v.weights, err = c.read(s.Best)
	return err
}

// check refuses states of other runs and damaged ones.
func (c checkpoint) check(s state) error {
	var differ []string
	for _, part := range []struct{ name, theirs, ours string }{
		{"training configuration or loss", s.Identity.Config, c.identity.Config},
		{"encoder", s.Identity.Encoder, c.identity.Encoder},
		{"initial weights", s.Identity.Weights, c.identity.Weights},
		{"training data", s.Identity.Data, c.identity.Data},
	} {
		if part.theirs != part.ours {
			differ = append(differ, part.name)
		}
	}
	sum, err := s.sum()
	switch {
	case err != nil:
		return err
	case s.Sum == "" && s.Format < checkpointFormat: // from before there were sums
		return fmt.Errorf("checkpoint format %d, this program continues format %d", s.Format, checkpointFormat)
	case s.Sum != sum:
		return fmt.Errorf("%w: its SHA-256 is %s, want %s", ErrDamaged, sum, s.Sum)
	case s.Format != checkpointFormat:
		return fmt.Errorf("checkpoint format %d, this program continues format %d", s.Format, checkpointFormat)
	case len(differ) > 0:
		return fmt.Errorf("the checkpoint belongs to another run, with a different %s", strings.Join(differ, ", "))
	case strings.ContainsAny(s.Tensors.Name+s.Best.Name, `/\`):
		return fmt.Errorf("tensors in %q, %q: outside of the folder", s.Tensors.Name, s.Best.Name)
	}
	return nil
}

// read reads a file of tensors.
func (c checkpoint) read(f tensorFile) ([]safetensors.Tensor, error) {
	path := filepath.Join(c.dir, f.Name)
	if err := verify(path, f.SHA256); err != nil {
		return nil, err
	}
	file, err := safetensors.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var list []safetensors.Tensor
	for _, info := range file.Tensors() {
		values, err := file.Float32(info)
		if err != nil {
			return nil, err
		}
		list = append(list, safetensors.Tensor{Name: info.Name, Shape: info.Shape, Values: values})
	}
	return list, nil
}

// setTensors gives variables of a store their values.
func setTensors(store *model.Store, list []safetensors.Tensor) error {
	for _, t := range list {
		value := tensors.FromFlatDataAndDimensions(t.Values, t.Shape...)
		var err error
		if variable := store.GetVariable("/" + t.Name); variable != nil {
			err = variable.SetValue(value)
		} else { // a moment: the step graph finds it by its path
			_, err = store.CreateVariable("/"+t.Name, value)
		}
		if err != nil {
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		}
	}
	return nil
}

// verify compares a file with its SHA-256.
func verify(path, want string) error {
	f, err := atomicfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		return fmt.Errorf("%s: %w: SHA-256 %s, want %s", path, ErrDamaged, got, want)
	}
	return nil
}

// stored copies all variables of a store, by path.
func stored(store *model.Store) ([]safetensors.Tensor, error) {
	var list []safetensors.Tensor
	for v := range store.IterVariables() {
		if v.DType() != dtypes.Float32 {
			return nil, fmt.Errorf("variable %s is %s, only float32 can be resumed", v.Path(), v.DType())
		}
		value, err := v.Value()
		if err != nil {
			return nil, err
		}
		values, err := tensors.CopyFlatData[float32](value)
		if err != nil {
			return nil, err
		}
		list = append(list, safetensors.Tensor{
			Name: strings.TrimPrefix(v.Path(), "/"), Shape: v.Shape().Dimensions, Values: values,
		})
	}
	slices.SortFunc(list, func(a, b safetensors.Tensor) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// identify hashes everything that the outcome of a run depends on, before its
// first step.
func identify(c Config, l Loss, enc *encoder.Encoder, t *tokens) (fingerprint, error) {
	weights, err := stored(enc.Store())
	if err != nil {
		return fingerprint{}, fmt.Errorf("identify training run: %w", err)
	}
	hash := sha256.New()
	if err := safetensors.Write(hash, weights); err != nil {
		return fingerprint{}, fmt.Errorf("identify training run: %w", err)
	}
	id := fingerprint{Weights: hex.EncodeToString(hash.Sum(nil))}
	for _, part := range []struct {
		into   *string
		values []any
	}{
		{&id.Config, []any{c, c.Seed, l}},
		{&id.Encoder, []any{enc.Config(), enc.Config().Text}},
		{&id.Data, append([]any{t.rows, t.anchors, t.passages, t.instructions, t.queries}, t.beside.identity()...)},
	} {
		hash := sha256.New()
		if err := json.NewEncoder(hash).Encode(part.values); err != nil {
			return fingerprint{}, fmt.Errorf("identify training run: %w", err)
		}
		*part.into = hex.EncodeToString(hash.Sum(nil))
	}
	return id, nil
}
