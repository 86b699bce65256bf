package encoder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"infbench/internal/disk"
	"infbench/training/setting"
	"infbench/training/weights"
)

// LoRA configures training of a low-rank adapter instead of the weights (Hu et al. 2021): a
// target layer W [out,in] becomes W + Alpha/Rank B A.
type LoRA struct {
	Rank    int      `yaml:"r"`
	Alpha   float64  `yaml:"alpha"`   // 0: equal to Rank
	Targets []string `yaml:"targets"` // ends of layers' names, such as query; empty: all linear layers

	// Dropout is the share of an adapted layer's input that training hides from the adapter, like
	// PEFT's lora_dropout.
	Dropout float64 `yaml:"dropout,omitempty"`

	// Keep selects the form of the trained model's folder: KeepMerged ("") or KeepAdapter.
	Keep string `yaml:"keep,omitempty"`
}

// The forms of a model that was trained with an adapter: all weights, or the adapter alone, which
// needs its base model.
const (
	KeepMerged  = "merged"
	KeepAdapter = "adapter"
)

// Describe describes the fields of a LoRA.
func (LoRA) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "r", Label: "LoRA rank", Paper: []string{"", "0"}, Range: "[0,∞)", Unit: "rank", Unsaid: "0: no adapter", Meaning: "rank of the adapter", Source: setting.LoRA},
		{Name: "alpha", Label: "LoRA alpha", Range: "[0,∞)", Unsaid: "0: as much as r", Meaning: "the adapter is scaled by alpha / r", Source: setting.LoRA},
		{Name: "targets", Label: "LoRA layers", Unsaid: "all linear layers", Meaning: "ends of the names of adapted layers, such as query", Source: setting.LoRA},
		{Name: "dropout", Label: "LoRA dropout", Range: "[0,1)", Unit: "share of values", Meaning: "share of an adapted layer's input that training hides from the adapter", Source: setting.LoRA},
		{Name: "keep", Label: "LoRA folder", Unsaid: "merged", Meaning: "what the model's folder holds: merged, all weights; adapter, the adapter and the name of its backbone", Source: setting.LoRA},
	}
}

// lowRank is an adapter in training: two factors for each adapted layer.
type lowRank struct {
	LoRA
	of *parameters // the weights that it adapts
}

// adapterScope is the scope of an adapter's factors: those of the layer m are at
// adapterScope/m.{A,B}.
const adapterScope = "/lora"

// Adapt puts a new adapter on the target layers, of both sides if encoders are separate, and
// freezes all other weights, except the projections of a cross-attention, until Merge or Unadapt.
// It starts as PEFT's does, B at zero and A uniform in +-1/sqrt(in), drawn with seed in the order
// of the architecture.
func (e *Encoder) Adapt(l LoRA, seed int64) error {
	if e.params.adapter != nil {
		return errors.New("the model has an adapter already")
	}
	a := &lowRank{LoRA: l, of: e.params}
	setDefault(&a.Alpha, float64(a.Rank))
	if a.Rank < 1 || !(a.Alpha > 0) || math.IsInf(a.Alpha, 0) || !(a.Dropout >= 0 && a.Dropout < 1) {
		return fmt.Errorf("lora: r is %d, alpha %g, dropout %g; want at least 1, above 0, and a share below 1", a.Rank, a.Alpha, a.Dropout)
	}
	if err := a.begin(seed); err != nil {
		return err
	}
	e.params.adapter = a
	e.passes.reset()
	return nil
}

// begin makes the factors and freezes the other weights.
func (a *lowRank) begin(seed int64) error {
	layers, err := a.layers()
	if err != nil {
		return err
	}
	for v := range a.of.store.IterVariables() {
		v.SetTrainable(strings.HasPrefix(v.Path(), "/"+projectionScope))
	}
	source := rand.New(rand.NewPCG(uint64(seed), 0x6c6f7261))
	for _, s := range a.of.sides() {
		for _, layer := range layers {
			name, out, in := string(s)+layer.name, layer.shape[0], layer.shape[1]
			values := make([]float32, a.Rank*in)
			for i := range values {
				values[i] = float32((2*source.Float64() - 1) / math.Sqrt(float64(in)))
			}
			_, errA := a.of.store.CreateVariable(factorPath(name, "A"), tensors.FromFlatDataAndDimensions(values, a.Rank, in))
			_, errB := a.of.store.CreateVariable(factorPath(name, "B"), tensors.FromFlatDataAndDimensions(make([]float32, out*a.Rank), out, a.Rank))
			if err := errors.Join(errA, errB); err != nil {
				return err
			}
		}
	}
	return nil
}

// layers lists the weights of the linear layers that the targets name.
func (a *lowRank) layers() ([]tensor, error) {
	names := a.Targets
	var layers []tensor
	used := map[string]bool{}
	for _, t := range a.of.tensors() {
		module, ok := strings.CutSuffix(t.name, ".weight")
		if !ok || t.start != matrix && t.start != output {
			continue
		}
		hit := len(names) == 0
		for _, name := range names {
			if inModule(module, name) {
				hit, used[name] = true, true
			}
		}
		if hit {
			layers = append(layers, t)
		}
	}
	var errs []error
	for _, name := range names {
		if !used[name] {
			errs = append(errs, fmt.Errorf("lora: the model has no linear layer %s", name))
		}
	}
	if len(layers) == 0 {
		errs = append(errs, errors.New("lora: the model has no linear layers"))
	}
	return layers, errors.Join(errs...)
}

// factorPath is the path of the factor A or B of a weight.
func factorPath(weight, factor string) string {
	return adapterScope + "/" + strings.TrimSuffix(weight, ".weight") + "." + factor
}

// adapted is the term that the adapter adds to a layer's output, or nil if the layer has none. x
// A^T B^T costs less than the sum W + B A, whose gradient is as large as W.
func (n *network) adapted(layer string, x *graph.Node) *graph.Node {
	if n.adapter == nil || n.store.GetVariable(factorPath(layer, "A")) == nil {
		return nil
	}
	factor := func(name string) *graph.Node { return n.store.GetVariable(factorPath(layer, name)).NodeValue(n.g) }
	x = n.mode.Dropout.at(n.adapter.Dropout, x)
	y := n.product(n.product(x, factor("A")), factor("B"))
	return graph.MulScalar(y, n.adapter.Alpha/float64(n.adapter.Rank))
}

// Merge adds the adapter to the weights and removes it. Without an adapter it does nothing.
func (e *Encoder) Merge() error {
	if e.params.adapter == nil {
		return nil
	}
	if err := e.params.adapter.merge(); err != nil {
		return err
	}
	return e.Unadapt()
}

// merge adds the products of the factors to the weights.
func (a *lowRank) merge() error {
	for _, s := range a.of.sides() {
		list, err := a.factors(s)
		if err != nil {
			return err
		}
		for i := 0; i < len(list); i += 2 {
			module := string(s) + factorModule(list[i].Name)
			if err := a.of.addLowRank(module+".weight", list[i].Values, list[i+1].Values, a.Rank, a.Alpha/float64(a.Rank)); err != nil {
				return fmt.Errorf("merge adapter: layer %s: %w", module, err)
			}
		}
	}
	return nil
}

// Unadapt removes the adapter and makes all weights trainable again.
func (e *Encoder) Unadapt() error {
	if e.params.adapter == nil {
		return nil
	}
	e.params.adapter = nil
	e.passes.reset()
	for v := range e.params.store.IterVariables() {
		v.SetTrainable(true)
	}
	return e.params.store.DeleteVariablesInScope(adapterScope)
}

// factors copies the adapter of a side under PEFT's names, A and B of each layer in turn.
func (a *lowRank) factors(s Side) ([]weights.Tensor, error) {
	layers, err := a.layers()
	if err != nil {
		return nil, err
	}
	var list []weights.Tensor
	for _, layer := range layers {
		for _, factor := range []string{"A", "B"} {
			value, err := a.of.store.GetVariable(factorPath(string(s)+layer.name, factor)).Value()
			if err != nil {
				return nil, err
			}
			values, err := tensors.CopyFlatData[float32](value)
			if err != nil {
				return nil, err
			}
			name := fmt.Sprintf("base_model.model.%s.lora_%s.weight", strings.TrimSuffix(layer.name, ".weight"), factor)
			list = append(list, weights.Tensor{Name: name, Shape: value.Shape().Dimensions, Values: values})
		}
	}
	return list, nil
}

// factorModule is the layer of a factor A by PEFT's name.
func factorModule(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(name, "base_model.model."), ".lora_A.weight")
}

// SaveAdapter writes the adapter as a folder for PEFT and OpenAdapted: adapter_model.safetensors,
// and adapter_config.json last. Separate encoders get one such folder each, named as in Save.
// Projections of a cross-attention are in the merged model only.
func (e *Encoder) SaveAdapter(dir string) error {
	if e.params.adapter == nil {
		return errors.New("save adapter: the model has none")
	}
	for _, s := range e.params.sides() {
		folder := dir
		if e.params.separate {
			folder = filepath.Join(dir, sideFolder(s))
		}
		if err := e.params.adapter.save(folder, s); err != nil {
			return fmt.Errorf("save adapter: %w", err)
		}
	}
	return nil
}

// SaveAdapted writes a model, whose adapter is in the folder adapter (Encoder.SaveAdapter), as a
// folder that names its base model, for PEFT and OpenAdapted: the adapter's files, and an
// infbench.json with the handling of texts, which may differ from the base's. base is the path of a
// folder, relative to dir, or ORG/NAME with a revision ("": none). It replaces a model in dir like
// Encoder.SaveTo. Weights outside the adapted layers must be the base's.
func SaveAdapted(e *Encoder, fsys disk.FS, dir, adapter, base, revision string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("save adapter %s: %w", dir, err)
		}
	}()
	if err := CheckKeep(e.params.separate, e.config.Text.Interaction); err != nil {
		return err
	}
	var config map[string]any
	if found, err := readJSON(adapter, adapterFile, &config); err != nil || !found {
		return errors.Join(err, fmt.Errorf("%s has no %s", adapter, adapterFile))
	}
	config["base_model_name_or_path"] = base
	if revision != "" {
		config["revision"] = revision
	}
	factors, err := os.ReadFile(filepath.Join(adapter, adapterWeights))
	if err != nil {
		return err
	}
	dir = filepath.Clean(dir)
	temporary := disk.Temporary(dir)
	if err := disk.MkdirAll(fsys, temporary); err != nil {
		return err
	}
	defer fsys.RemoveAll(temporary)
	t := &e.config.Text
	err = errors.Join(
		disk.WriteBytesTo(fsys, filepath.Join(temporary, adapterWeights), factors),
		disk.WriteJSONTo(fsys, filepath.Join(temporary, ownFile), ownSettings{ownPooling: ownPooling{t.Pooling, &t.Normalize}, ownText: t.own()}),
		disk.WriteJSONTo(fsys, filepath.Join(temporary, adapterFile), config))
	if err == nil {
		err = replaceFolder(fsys, temporary, dir)
	}
	if err != nil {
		return err
	}
	return fsys.SyncDir(filepath.Dir(dir))
}

// CheckKeep returns an error if an adapter alone cannot hold what training changes in a model, of
// separate encoders or with an interaction.
func CheckKeep(separate bool, by Interaction) error {
	switch {
	case separate:
		return errors.New("lora: keep adapter: separate encoders cannot be kept as an adapter of one backbone: keep merged")
	case by.projected():
		return fmt.Errorf("lora: keep adapter: the projections of interaction %s are not in the adapter: keep merged", by)
	}
	return nil
}

// save writes the factors of one side.
func (a *lowRank) save(dir string, s Side) error {
	list, err := a.factors(s)
	if err != nil {
		return err
	}
	var targets []string // full names: PEFT would find BERT's pooler under "dense" or "all-linear"
	for i := 0; i < len(list); i += 2 {
		targets = append(targets, factorModule(list[i].Name))
	}
	slices.Sort(targets)
	config, err := json.MarshalIndent(map[string]any{
		"peft_type": "LORA", "task_type": "FEATURE_EXTRACTION", "inference_mode": true,
		"base_model_name_or_path": nil, "r": a.Rank, "lora_alpha": a.Alpha,
		"target_modules": targets, "bias": "none", "lora_dropout": a.Dropout, "fan_in_fan_out": false,
		"init_lora_weights": true, "use_rslora": false, "use_dora": false, "modules_to_save": nil,
	}, "", "  ")
	if err != nil {
		return err
	}
	if err := disk.MkdirAll(disk.OS{}, dir); err != nil {
		return err
	}
	err = disk.Write(filepath.Join(dir, adapterWeights), func(w io.Writer) error {
		return weights.Write(w, list)
	})
	if err != nil {
		return err
	}
	return disk.WriteBytes(filepath.Join(dir, adapterFile), config)
}
