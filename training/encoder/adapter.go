package encoder

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute"

	"infbench/internal/disk"
	"infbench/training/weights"
)

// OpenAdapted reads the model in dir as Open does and merges a LoRA adapter (Hu
// et al. 2021) into its weights: W + s B A with s = lora_alpha/r, or
// lora_alpha/sqrt(r) where the adapter is rank-stabilised. The adapter is a
// folder as PEFT writes it, adapter_config.json and
// adapter_model.safetensors, or adapter_model.bin as older versions write it.
// Every layer it targets must be a linear layer of the model and be there; the
// modules it saves whole (modules_to_save) replace the model's; and a setting of
// PEFT that is not implemented here must be off. Separate encoders have an adapter
// each, in folders named as SaveAdapter names them.
func OpenAdapted(dir, adapter string, backend compute.Backend) (*Encoder, error) {
	return (*Card)(nil).OpenAdapted(dir, adapter, backend)
}

// OpenAdapted is OpenAdapted of an adapter and a base that make the card's model; nil is
// no card.
func (c *Card) OpenAdapted(dir, adapter string, backend compute.Backend) (*Encoder, error) {
	if query, document, separate, err := readSides(dir); err != nil || separate {
		if err != nil {
			return nil, fmt.Errorf("open model %s: %w", dir, err)
		}
		return openBoth(query, document, func(folder string) (*Encoder, error) {
			s := Queries
			if folder == document {
				s = Documents
			}
			return c.OpenAdapted(folder, filepath.Join(adapter, sideFolder(s)), backend)
		})
	}
	a, err := openAdapter(adapter)
	if err != nil {
		return nil, err
	}
	defer a.file.Close()
	e, err := openAs(dir, c, backend, a, encoderHead)
	if err != nil {
		return nil, fmt.Errorf("open model %s: %w", dir, err)
	}
	return e, nil
}

// IsAdapter says whether a folder holds an adapter and no network; some have a copy of the
// network's config.json.
func IsAdapter(dir string) bool {
	_, err := disk.Stat(filepath.Join(dir, adapterFile))
	return err == nil && !weights.AreIn(dir)
}

// AdapterBase is what an adapter's folder says it was trained on: a repository or a path,
// and a revision, "" where it names none.
func AdapterBase(dir string) (name, revision string, err error) {
	var says struct {
		Base     *string `json:"base_model_name_or_path"`
		Revision *string `json:"revision"`
	}
	if _, err := readJSON(dir, adapterFile, &says); err != nil {
		return "", "", err
	}
	if says.Base == nil || *says.Base == "" {
		return "", "", fmt.Errorf("%s: %s names no base_model_name_or_path, which it is merged into", dir, adapterFile)
	}
	if says.Revision != nil {
		revision = *says.Revision
	}
	return *says.Base, revision, nil
}

// adapter is an open PEFT folder.
type adapter struct {
	dir     string
	config  *peftConfig
	file    weights.File
	modules map[string]factors      // by layer
	saved   map[string]weights.Info // whole tensors by their names in the task's model
}

// openAdapter reads an adapter's configuration and header.
func openAdapter(dir string) (a *adapter, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("adapter %s: %w", dir, err)
		}
	}()
	config, configErr := readLora(dir)
	file, err := weights.OpenOneOf(dir, "adapter_model.safetensors", "adapter_model.bin")
	if err := errors.Join(configErr, err); err != nil {
		if file != nil {
			file.Close()
		}
		return nil, err
	}
	a = &adapter{dir: dir, config: config, file: file}
	if err := a.sort(); err != nil {
		file.Close()
		return nil, err
	}
	return a, nil
}

// merge adds the adapter to the weights.
func (a *adapter) merge(p *parameters) error {
	if err := a.checkTargets(p); err != nil {
		return err
	}
	for _, module := range slices.Sorted(maps.Keys(a.modules)) {
		rank, s := a.config.scale(module)
		if err := a.addProduct(p, a.modules[module], p.arch.canonical(module+".weight"), rank, s); err != nil {
			return fmt.Errorf("layer %s: %w", module, err)
		}
	}
	return nil
}

// replaced lists by canonical name the weights that the adapter brings whole. It
// holds them to the modules that its configuration saves.
func (a *adapter) replaced(p *parameters) (map[string]weights.Info, error) {
	if a == nil {
		return nil, nil
	}
	whole, wanted := map[string]weights.Info{}, map[string]bool{}
	for _, t := range p.tensors() {
		wanted[t.name] = true
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(a.saved)) {
		canonical := p.arch.canonical(name)
		switch {
		case wanted[canonical]:
			whole[canonical] = a.saved[name]
		case !p.arch.ignored(canonical) || p.head != nil && p.head.owns(canonical):
			errs = append(errs, fmt.Errorf("saves %s, which the model has not", name))
		}
	}
	for _, module := range a.config.Saves {
		found := false
		for _, t := range p.tensors() {
			if p.inModule(t, module) {
				found = true
				if _, ok := whole[t.name]; !ok {
					errs = append(errs, fmt.Errorf("modules_to_save %s, but %s is not saved", module, t.name))
				}
			}
		}
		// PEFT lists both names for every classifier.
		if !found && module != "classifier" && module != "score" && !p.arch.ignored(module+".weight") {
			errs = append(errs, fmt.Errorf("modules_to_save: the model has no module %s", module))
		}
	}
	return whole, errors.Join(errs...)
}

// inModule reports whether a weight belongs to a module by the name it has in the
// task's model.
func (p *parameters) inModule(t tensor, module string) bool {
	return within(t.name, strings.TrimSuffix(p.arch.canonical(module+"."), "."))
}

// within says whether a tensor belongs to a module of that name.
func within(tensor, module string) bool { return strings.Contains("."+tensor, "."+module+".") }

// factors are the two tensors of an adapted layer.
type factors struct{ a, b *weights.Info }

// sort groups the tensors by layer, and those of saved modules by name.
func (a *adapter) sort() error {
	a.modules, a.saved = map[string]factors{}, map[string]weights.Info{}
	var unknown []string
	for _, info := range a.file.Tensors() {
		name, ok := strings.CutPrefix(info.Name, "base_model.model.")
		module, isA := strings.CutSuffix(name, ".lora_A.weight")
		other, isB := strings.CutSuffix(name, ".lora_B.weight")
		isSaved := slices.ContainsFunc(a.config.Saves, func(module string) bool { return within(name, module) })
		switch {
		case ok && isA:
			a.modules[module] = factors{&info, a.modules[module].b}
		case ok && isB:
			a.modules[other] = factors{a.modules[other].a, &info}
		case ok && isSaved:
			a.saved[name] = info
		default:
			unknown = append(unknown, info.Name)
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("unknown tensors: %s", list(unknown))
	}
	for _, module := range slices.Sorted(maps.Keys(a.modules)) {
		if f := a.modules[module]; f.a == nil || f.b == nil {
			return fmt.Errorf("layer %s has lora_A or lora_B without the other", module)
		}
	}
	return nil
}

// checkTargets holds the adapter's layers to the network's and to those that
// its configuration targets. A layer that is saved whole has no factors.
func (a *adapter) checkTargets(p *parameters) error {
	c := a.config
	linear, have := map[string]bool{}, map[string]bool{}
	for _, t := range p.tensors() {
		name, ok := strings.CutSuffix(t.name, ".weight")
		isSaved := slices.ContainsFunc(c.Saves, func(module string) bool { return p.inModule(t, module) })
		if ok && !isSaved && (t.start == matrix || t.start == output) {
			linear[name] = true
		}
	}
	var errs []error
	for _, module := range slices.Sorted(maps.Keys(a.modules)) {
		name := strings.TrimSuffix(p.arch.canonical(module+".weight"), ".weight")
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

// addProduct is addLowRank with factors from the folder.
func (a *adapter) addProduct(p *parameters, f factors, name string, rank int, s float64) error {
	shape := p.store.GetVariable("/" + name).Shape()
	out, in := shape.Dim(0), shape.Dim(1)
	if !slices.Equal(f.a.Shape, []int{rank, in}) || !slices.Equal(f.b.Shape, []int{out, rank}) {
		return fmt.Errorf("lora_A %v and lora_B %v do not fit rank %d and weight %v", f.a.Shape, f.b.Shape, rank, shape.Dimensions)
	}
	fa, errA := a.file.Float32(*f.a)
	fb, errB := a.file.Float32(*f.b)
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	return p.addLowRank(name, fa, fb, rank, s)
}
