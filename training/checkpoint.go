package training

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"infbench/internal/disk"
	"infbench/training/encoder"
	"infbench/training/weights"
)

// checkpointFormat changes whenever checkpoints of other builds cannot be continued.
const checkpointFormat = 3

// checkpoint keeps the resumable state of a run in a folder: state.json, and the tensor files
// that it names: weights with moments, and the best weights if there was an evaluation.
// state.json is replaced last, so the folder holds a complete checkpoint at any moment. Data
// position and randomness are functions of seed and step and are not stored.
type checkpoint struct {
	variablesFolder
	identity   fingerprint
	validation *validation
}

// fingerprint holds the SHA-256 hashes that identify a run; a checkpoint continues only its own
// run.
type fingerprint struct {
	Config  string `json:"config"`  // Config and Loss
	Encoder string `json:"encoder"` // architecture, pooling, text templates
	Weights string `json:"weights"` // before the first step
	Data    string `json:"data"`    // records and their tokens
}

// state is the content of state.json.
type state struct {
	Format      int           `json:"format"`
	Identity    fingerprint   `json:"identity"`
	Step        int           `json:"step"` // steps done
	Tensors     variablesFile `json:"tensors"`
	Best        variablesFile `json:"best,omitzero"`
	Curve       []Step        `json:"curve"`
	Evaluations []Evaluation  `json:"evaluations,omitempty"`
	Sum         string        `json:"sum"` // SHA-256 of the state without it
}

// ErrDamaged reports that a checkpoint does not hold the saved state. The caller may delete it
// and start training again.
var ErrDamaged = errDamagedVariables

// sum computes the value that Sum must have.
func (s state) sum() (string, error) {
	s.Sum = ""
	data, err := json.Marshal(s)
	return disk.Sum(data), err
}

func (c checkpoint) statePath() string { return filepath.Join(c.Dir, "state.json") }

// save writes the state after len(curve) steps and removes older tensors. Without a folder it
// does nothing.
func (c checkpoint) save(curve []Step) error {
	if c.Dir == "" {
		return nil
	}
	list, err := variableSources(c.Encoder.Backend(), c.Encoder.Store())
	if err != nil {
		return fmt.Errorf("save checkpoint: %w", err)
	}
	s := state{
		Format: checkpointFormat, Identity: c.identity, Step: len(curve), Curve: curve, Evaluations: c.validation.done,
	}
	if s.Tensors, err = c.Write(fmt.Sprintf("step-%d.safetensors", len(curve)), list); err != nil {
		return fmt.Errorf("save checkpoint: %w", err)
	}
	s.Best = c.validation.kept.file
	if s.Sum, err = s.sum(); err != nil {
		return fmt.Errorf("save checkpoint: %w", err)
	}
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("save checkpoint: %w", err)
	}
	if err := disk.WriteBytesTo(c.Files, c.statePath(), append(data, '\n')); err != nil {
		return fmt.Errorf("save checkpoint: %w", err)
	}
	c.validation.kept.named = s.Best.Name
	old, err := filepath.Glob(filepath.Join(c.Dir, "*-*.safetensors"))
	for _, path := range old {
		if name := filepath.Base(path); name != s.Tensors.Name && name != s.Best.Name {
			err = errors.Join(err, c.Files.Remove(path))
		}
	}
	return err
}

// load restores weights, moments and evaluations and returns the curve so far. The curve is empty
// if there is no folder or no checkpoint in it.
func (c checkpoint) load() ([]Step, error) {
	if c.Dir == "" {
		return nil, nil
	}
	data, err := disk.ReadFile(c.statePath())
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
	if err := errors.Join(c.Restore(s.Tensors), c.loadBest(s)); err != nil {
		return nil, fmt.Errorf("resume training: %w", err)
	}
	return s.Curve, nil
}

// loadBest restores the evaluations and finds the weights of the best one.
func (c checkpoint) loadBest(s state) error {
	v := c.validation
	v.done, v.kept.file, v.kept.named = s.Evaluations, s.Best, s.Best.Name
	if s.Best.Name == "" {
		return nil
	}
	if len(v.done) == 0 || v.bestFile() != s.Best.Name {
		return fmt.Errorf("%s: %w: %s does not hold the weights of the best evaluation", c.statePath(), ErrDamaged, s.Best.Name)
	}
	return c.Verify(s.Best)
}

// check returns an error for a state of another run and for a damaged state.
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
	case s.Sum != sum:
		return fmt.Errorf("%w: its SHA-256 is %s, want %s", ErrDamaged, sum, s.Sum)
	case s.Format != checkpointFormat:
		return disk.CheckFormat("", s.Format, checkpointFormat)
	case len(differ) > 0:
		return fmt.Errorf("the checkpoint belongs to another run, with a different %s", strings.Join(differ, ", "))
	case strings.ContainsAny(s.Tensors.Name+s.Best.Name, `/\`):
		return fmt.Errorf("tensor files %q, %q lie outside the folder", s.Tensors.Name, s.Best.Name)
	}
	return nil
}

// identify hashes everything that the outcome of a run depends on, before its first step.
func identify(c Config, l Loss, enc *encoder.Encoder, t *tokens) (fingerprint, error) {
	list, err := variableSources(enc.Backend(), enc.Store())
	if err != nil {
		return fingerprint{}, fmt.Errorf("identify training run: %w", err)
	}
	hash := sha256.New()
	if err := weights.WriteFrom(hash, list); err != nil {
		return fingerprint{}, fmt.Errorf("identify training run: %w", err)
	}
	id := fingerprint{Weights: hex.EncodeToString(hash.Sum(nil))}
	for _, part := range []struct {
		into   *string
		values []any
	}{
		{&id.Config, []any{c, c.Seed, NameOf(l)}},
		{&id.Encoder, []any{enc.Config(), enc.Config().Text}},
		{&id.Data, append([]any{t.rows, t.anchors, t.passages, t.instructions, t.queries}, t.modifierInputs.identity()...)},
	} {
		hash := sha256.New()
		if err := json.NewEncoder(hash).Encode(part.values); err != nil {
			return fingerprint{}, fmt.Errorf("identify training run: %w", err)
		}
		*part.into = hex.EncodeToString(hash.Sum(nil))
	}
	return id, nil
}
