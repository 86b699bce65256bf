package encoder

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"

	"infbench/training/encoder/safetensors"
)

// OpenAdapted reads the model in dir as Open does and merges a LoRA adapter (Hu
// et al. 2021) into its weights: W + s B A with s = lora_alpha/r, or
// lora_alpha/sqrt(r) where the adapter is rank-stabilised. The adapter is a
// folder as PEFT writes it, adapter_config.json and adapter_model.safetensors.
// Every layer it targets must be a linear layer of the model and be there, and a
// setting of PEFT that is not implemented here must be off.
func OpenAdapted(dir, adapter string, backend compute.Backend) (*Encoder, error) {
	e, err := Open(dir, backend)
	if err != nil {
		return nil, err
	}
	if err := e.merge(adapter); err != nil {
		return nil, fmt.Errorf("merge adapter %s: %w", adapter, err)
	}
	return e, nil
}

// merge adds the adapter in dir to the weights.
func (e *Encoder) merge(dir string) error {
	config, err := readLora(dir)
	if err != nil {
		return err
	}
	file, err := safetensors.Open(filepath.Join(dir, "adapter_model.safetensors"))
	if err != nil {
		return err
	}
	defer file.Close()
	modules, err := adapterModules(file)
	if err != nil {
		return err
	}
	if err := e.checkTargets(config, modules); err != nil {
		return err
	}
	for _, module := range slices.Sorted(maps.Keys(modules)) {
		rank, s := config.scale(module)
		if err := e.addProduct(file, modules[module], e.arch.canonical(module+".weight"), rank, s); err != nil {
			return fmt.Errorf("layer %s: %w", module, err)
		}
	}
	return nil
}

// factors are the two tensors of an adapted layer.
type factors struct{ a, b *safetensors.Info }

// adapterModules groups the tensors of an adapter by layer.
func adapterModules(file *safetensors.File) (map[string]factors, error) {
	modules := map[string]factors{}
	var unknown []string
	for _, info := range file.Tensors() {
		name, ok := strings.CutPrefix(info.Name, "base_model.model.")
		module, isA := strings.CutSuffix(name, ".lora_A.weight")
		other, isB := strings.CutSuffix(name, ".lora_B.weight")
		switch {
		case ok && isA:
			modules[module] = factors{&info, modules[module].b}
		case ok && isB:
			modules[other] = factors{modules[other].a, &info}
		default:
			unknown = append(unknown, info.Name)
		}
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("unknown tensors: %s", list(unknown))
	}
	for _, module := range slices.Sorted(maps.Keys(modules)) {
		if f := modules[module]; f.a == nil || f.b == nil {
			return nil, fmt.Errorf("layer %s has lora_A or lora_B without the other", module)
		}
	}
	return modules, nil
}

// checkTargets holds the adapter's layers to the network's and to those that
// its configuration targets.
func (e *Encoder) checkTargets(c *lora, modules map[string]factors) error {
	linear, have := map[string]bool{}, map[string]bool{}
	for _, t := range e.tensors() {
		if name, ok := strings.CutSuffix(t.name, ".weight"); ok && (t.start == matrix || t.start == output) {
			linear[name] = true
		}
	}
	var errs []error
	for _, module := range slices.Sorted(maps.Keys(modules)) {
		name := strings.TrimSuffix(e.arch.canonical(module+".weight"), ".weight")
		have[name] = true
		if !linear[name] {
			errs = append(errs, fmt.Errorf("the model has no linear layer %s", module))
		} else if !c.targets(module) {
			errs = append(errs, fmt.Errorf("layer %s is adapted, but no target of target_modules", module))
		}
	}
	for _, target := range c.names {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(linear)), func(name string) bool { return inModule(name, target) }) {
			errs = append(errs, fmt.Errorf("target_modules: the model has no linear layer %s", target))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(linear)) {
		// An expression may mean the names of a task model, and a choice of
		// layers leaves some out.
		if !have[name] && c.pattern == nil && (c.Layers == nil || isOff(c.Layers)) && c.targets(name) {
			errs = append(errs, fmt.Errorf("missing adapter for layer %s", name))
		}
	}
	return errors.Join(errs...)
}

// addProduct is addLowRank with factors from a file.
func (e *Encoder) addProduct(file *safetensors.File, f factors, name string, rank int, s float64) error {
	shape := e.store.GetVariable("/" + name).Shape()
	out, in := shape.Dim(0), shape.Dim(1)
	if !slices.Equal(f.a.Shape, []int{rank, in}) || !slices.Equal(f.b.Shape, []int{out, rank}) {
		return fmt.Errorf("lora_A %v and lora_B %v do not fit rank %d and weight %v", f.a.Shape, f.b.Shape, rank, shape.Dimensions)
	}
	a, errA := file.Float32(*f.a)
	b, errB := file.Float32(*f.b)
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	return e.addLowRank(name, a, b, rank, s)
}

// addLowRank adds s B A to the weight [out,in], with A [rank,in], B [out,rank].
func (e *Encoder) addLowRank(name string, a, b []float32, rank int, s float64) error {
	variable := e.store.GetVariable("/" + name)
	value, err := variable.Value()
	if err != nil {
		return err
	}
	w, err := tensors.CopyFlatData[float32](value)
	if err != nil {
		return err
	}
	out, in := value.Shape().Dim(0), value.Shape().Dim(1)
	row := make([]float64, in)
	for o := range out {
		clear(row)
		for k := range rank {
			factor := s * float64(b[o*rank+k])
			for i, v := range a[k*in : (k+1)*in] {
				row[i] += factor * float64(v)
			}
		}
		for i, v := range row {
			w[o*in+i] = float32(float64(w[o*in+i]) + v)
		}
	}
	return variable.SetValue(tensors.FromFlatDataAndDimensions(w, out, in))
}
