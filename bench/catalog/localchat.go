package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/gomlx/compute"

	"infbench/bench/device"
	"infbench/bench/spec"
	"infbench/bench/usage"
	"infbench/datasets/atomicfile"
	"infbench/datasets/chat"
	"infbench/datasets/room"
	"infbench/training/encoder"
	"infbench/training/generate"
)

// LocalChat is a language model of local files that answers questions.
type LocalChat struct {
	*generate.Chat
	Revision string // the commit of what was fetched, else the hash of the files
}

// OpenChat opens a *ForCausalLM folder, or ORG/NAME of one that was fetched, as a model
// that answers questions. One whose weights or shortest texts do not fit into memory is
// refused with what they take.
func OpenChat(name string, o device.Options, p encoder.Precision) (*LocalChat, error) {
	w, err := findChat(name)
	if err != nil {
		return nil, err
	}
	if err := w.fitsMemory(o.Device, room.Bound()); err != nil {
		return nil, err
	}
	backend, err := o.Open()
	if err != nil {
		return nil, err
	}
	return w.openChat(backend, o, p)
}

// findChat finds the folder of a language model. The error is an absent where it would
// have to be fetched.
func findChat(name string) (w weights, err error) {
	if isWeightless(name) {
		return w, usage.Errorf("model %s writes no texts: want a folder with a language model, or ORG/NAME of one that was fetched", name)
	}
	if w, err = findWeights(name); err != nil {
		return w, err
	}
	if info, err := atomicfile.Stat(w.path); err != nil || !info.IsDir() {
		return w, usage.Errorf("model %s writes no texts: it is no folder with a language model", name)
	}
	return w, nil
}

// openChat reads the weights.
func (w *weights) openChat(backend compute.Backend, o device.Options, p encoder.Precision) (*LocalChat, error) {
	c, err := generate.OpenChat(w.name, w.path, backend, generate.Options{Memory: o.Batching().Memory, Precision: p})
	if err != nil {
		return nil, err
	}
	revision, err := w.revision()
	return &LocalChat{c, revision}, err
}

// checkLocalChat finds what is wrong with asking a language model of local files, which
// need not have been fetched yet.
func checkLocalChat(c *spec.Chat) error {
	if c.Structure != "" || c.Reasoning {
		return fmt.Errorf("structure and reasoning say how an endpoint is asked; %s is read from files: leave them out, or name the url of what knows it", c.Model)
	}
	w, err := findChat(c.Model)
	if gap := (absent{}); errors.As(err, &gap) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w; name the url of an endpoint that knows %s", err, c.Model)
	}
	return w.writesTexts()
}

// writesTexts refuses a folder whose network ends in no words.
func (w *weights) writesTexts() error {
	var config struct {
		Architectures []string `json:"architectures"`
	}
	if err := readModelFile(w.path, "config.json", &config); err != nil {
		return err
	}
	if class := strings.Join(config.Architectures, ", "); !strings.HasSuffix(class, "ForCausalLM") {
		return fmt.Errorf("model %s writes no texts: its class is %s, want *ForCausalLM", w.name, cmp.Or(class, "not told"))
	}
	return nil
}

// openLocal opens the language model of local files for an evaluation, which shares its
// backend; one that is only counted or replayed is not read.
func (m *Opener) openLocal(c *spec.Chat, setup *chat.Setup) error {
	w, err := findChat(c.Model)
	if err != nil {
		return err
	}
	if err := cmp.Or(w.writesTexts(), m.readFolder(&w)); err != nil {
		return err
	}
	revision, err := w.revision()
	if err != nil || setup.Replay != "" {
		return err
	}
	local := &LocalChat{Revision: revision}
	if !m.Forecast {
		if err := cmp.Or(w.fitsMemory(m.Device, room.Bound()), m.openBackend()); err != nil {
			return err
		}
		if local, err = w.openChat(m.backend, m.Options, encoder.Float32); err != nil {
			return err
		}
		for _, remark := range local.Remarks() {
			m.Remarks = append(m.Remarks, "model "+w.name+": "+remark)
		}
	}
	setup.Model, setup.Origin, setup.Endpoint = local, "local\n"+local.Revision, chat.Options{}
	return nil
}

// fitsMemory refuses weights for which the machine has too little memory, where it is the
// machine's: how much a card has is known when it computes.
func (w *weights) fitsMemory(on string, have int64) error {
	found, err := encoder.Inspect(w.path)
	if err != nil {
		return err
	}
	const float32Bytes = 4
	takes := found.Parameters * float32Bytes
	if takes > have && device.OnHost(on) {
		return fmt.Errorf("model %s: its %d weights take %s in float32, this machine has %s: it needs an accelerator with more",
			w.name, found.Parameters, spec.Bytes(takes), spec.Bytes(have))
	}
	return nil
}
