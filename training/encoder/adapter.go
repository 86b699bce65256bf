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

// OpenAdapted reads the model in dir as Open does and merges a LoRA adapter (Hu et al. 2021) into
// its weights: W + s B A with s = lora_alpha/r, or lora_alpha/sqrt(r) for a rank-stabilised
// adapter. The adapter is a folder in PEFT's format: adapter_config.json and
// adapter_model.safetensors, or adapter_model.bin in older versions. With use_dora the rows of
// the sum get the lengths stored in the adapter (Liu et al. 2024). Every target layer must exist
// in the model as a linear layer or an embedding. Tensors that the adapter saves completely
// (modules_to_save, the embeddings of an enlarged vocabulary) replace the model's. A PEFT setting
// that is not implemented here must be off. Names and expressions are interpreted as in PEFT
// 0.21. An infbench.json in the adapter's folder wins over card and base. Separate encoders have
// one adapter each, in the folders that SaveAdapter writes.
func OpenAdapted(dir, adapter string, backend compute.Backend) (*Encoder, error) {
	return (*Card)(nil).OpenAdapted(dir, adapter, backend)
}

// OpenAdapted is like the function OpenAdapted, for an adapter and a base that make the card's
// model; c may be nil.
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

// OpenAdaptedCrossEncoder is OpenAdapted for models that OpenCrossEncoder reads.
func (c *Card) OpenAdaptedCrossEncoder(dir, adapter string, backend compute.Backend) (*CrossEncoder, error) {
	a, err := openAdapter(adapter)
	if err != nil {
		return nil, err
	}
	defer a.file.Close()
	found, err := readCrossEncoder(dir, c, backend, a)
	if err != nil {
		return nil, fmt.Errorf("open cross-encoder %s: %w", dir, err)
	}
	return found, nil
}

// IsAdapter reports whether a folder holds an adapter and no network. Some adapter folders have a
// copy of the network's config.json.
func IsAdapter(dir string) bool {
	_, err := disk.Stat(filepath.Join(dir, adapterFile))
	return err == nil && !weights.AreIn(dir)
}

// AdapterBase returns the model that an adapter was trained on, as named in its folder: a
// repository or a path, and a revision, "" if there is none.
func AdapterBase(dir string) (name, revision string, err error) {
	var config struct {
		Base     *string `json:"base_model_name_or_path"`
		Revision *string `json:"revision"`
	}
	if _, err := readJSON(dir, adapterFile, &config); err != nil {
		return "", "", err
	}
	if config.Base == nil || *config.Base == "" {
		return "", "", fmt.Errorf("%s: %s has no base_model_name_or_path, the model to merge it into", dir, adapterFile)
	}
	if config.Revision != nil {
		revision = *config.Revision
	}
	return *config.Base, revision, nil
}

// adapter is an open PEFT folder.
type adapter struct {
	dir     string
	config  *peftConfig
	file    weights.File
	modules map[string]factors      // by layer
	saved   map[string]weights.Info // complete tensors by their names in the task's model
}

// openAdapter reads an adapter's configuration and header.
func openAdapter(dir string) (a *adapter, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("adapter %s: %w", dir, err)
		}
	}()
	config, configErr := readLora(dir)
	file, err := weights.OpenOneOf(dir, adapterWeights, "adapter_model.bin")
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
		if err := a.addProduct(p, module); err != nil {
			return fmt.Errorf("layer %s: %w", module, err)
		}
	}
	return nil
}

// replaced lists by canonical name the weights that the adapter stores completely. It checks them
// against the modules that its configuration saves.
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
		case !p.leavesOut(canonical):
			errs = append(errs, fmt.Errorf("saves %s, which the model does not have", name))
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

// inModule reports whether a weight belongs to a module, by the weight's name in the task's
// model.
func (p *parameters) inModule(t tensor, module string) bool {
	return strings.Contains("."+t.name, "."+strings.TrimSuffix(p.arch.canonical(module+"."), ".")+".")
}

// factors are the tensors of an adapted layer. For an embedding table their names are
// lora_embedding_A and lora_embedding_B, and they are transposed.
type factors struct {
	a, b      *weights.Info
	magnitude *weights.Info // for DoRA
	table     bool
}

// sort groups the factors by layer. Every other tensor with a name from the model is saved
// completely: modules_to_save, and the embeddings of an enlarged vocabulary.
func (a *adapter) sort() error {
	a.modules, a.saved = map[string]factors{}, map[string]weights.Info{}
	var unknown []string
	for _, info := range a.file.Tensors() {
		name, ok := strings.CutPrefix(info.Name, "base_model.model.")
		module, factor, isFactor := strings.Cut(name, ".lora_")
		f := a.modules[module]
		switch {
		case !ok:
		case !isFactor:
			a.saved[name] = info
			continue
		case factor == "A.weight":
			f.a = &info
		case factor == "B.weight":
			f.b = &info
		case factor == "embedding_A":
			f.a, f.table = &info, true
		case factor == "embedding_B":
			f.b, f.table = &info, true
		case factor == "magnitude_vector" || factor == "magnitude_vector.weight":
			f.magnitude = &info
		default:
			ok = false
		}
		if !ok {
			unknown = append(unknown, info.Name)
			continue
		}
		a.modules[module] = f
	}
	if len(unknown) > 0 {
		return fmt.Errorf("unknown tensors: %s", list(unknown))
	}
	var errs []error
	for _, module := range slices.Sorted(maps.Keys(a.modules)) {
		switch f := a.modules[module]; {
		case f.a == nil || f.b == nil:
			errs = append(errs, fmt.Errorf("layer %s has lora_A or lora_B without the other", module))
		case (f.magnitude != nil) != a.config.Decomposed:
			errs = append(errs, fmt.Errorf("layer %s: use_dora is %t, but lora_magnitude_vector is present: %t", module, a.config.Decomposed, f.magnitude != nil))
		case f.table && a.config.Decomposed:
			errs = append(errs, fmt.Errorf("layer %s: use_dora of an embedding is not supported: merge it with PEFT", module))
		}
		if _, ok := a.saved[module+".weight"]; ok {
			errs = append(errs, fmt.Errorf("layer %s is both adapted and saved completely", module))
		}
		// The base weight of an adapted embedding.
		if info, ok := a.saved[module+".base_layer.weight"]; ok {
			delete(a.saved, module+".base_layer.weight")
			a.saved[module+".weight"] = info
		}
	}
	return errors.Join(errs...)
}

// checkTargets compares the adapter's layers with the network's and with the targets of its
// configuration. A layer that is saved completely has no factors. Layers that are not part of the
// encoder, such as a pooler, are ignored.
func (a *adapter) checkTargets(p *parameters) error {
	c := a.config
	tables := map[string]bool{} // layers that can be adapted; true for embeddings
	for _, t := range p.tensors() {
		if name, ok := strings.CutSuffix(t.name, ".weight"); ok && len(t.shape) == 2 {
			tables[name] = t.start == embedding || t.start == stream
		}
	}
	var errs []error
	have, prefix, whole := map[string]bool{}, "", false
	for _, module := range slices.Sorted(maps.Keys(a.modules)) {
		name := strings.TrimSuffix(p.arch.canonical(module+".weight"), ".weight")
		have[name] = true
		if before, ok := strings.CutSuffix(module, name); ok {
			prefix, whole = before, true
		}
		switch isTable, ok := tables[name]; {
		case !ok && p.leavesOut(name+".weight"):
			delete(a.modules, module)
		case !ok || isTable != a.modules[module].table:
			errs = append(errs, fmt.Errorf("the model has no linear layer %s", module))
		case !c.targets(module):
			errs = append(errs, fmt.Errorf("layer %s has an adapter, but %s does not target it (target_modules, exclude_modules, modules_to_save, layers_to_transform)", module, adapterFile))
		}
	}
	for _, target := range c.Targets.names {
		found := p.leavesOut(p.arch.canonical(target + ".weight"))
		for name := range tables {
			found = found || inModule(prefix+name, target)
		}
		if !found {
			errs = append(errs, fmt.Errorf("target_modules: the model has no linear layer %s", target))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		if whole && !have[name] && !(c.Targets.all && tables[name]) && c.targets(prefix+name) {
			errs = append(errs, fmt.Errorf("missing adapter for layer %s", name))
		}
	}
	return errors.Join(errs...)
}

// leavesOut reports whether the tensor with that canonical name is known but not read.
func (p *parameters) leavesOut(canonical string) bool {
	return p.arch.ignored(canonical) && (p.head == nil || !p.head.owns(canonical))
}

// addProduct is addLowRank with a layer's factors from the folder. For an embedding [rows,D]
// lora_embedding_A is [rank,rows] and lora_embedding_B [D,rank].
func (a *adapter) addProduct(p *parameters, module string) error {
	f, name := a.modules[module], p.arch.canonical(module+".weight")
	rank, s := a.config.scale(module)
	shape := p.store.GetVariable("/" + name).Shape()
	out, in := shape.Dim(0), shape.Dim(1)
	if f.table {
		out, in = in, out
	}
	if !slices.Equal(f.a.Shape, []int{rank, in}) || !slices.Equal(f.b.Shape, []int{out, rank}) {
		return fmt.Errorf("lora_A %v and lora_B %v do not fit rank %d and weight %v", f.a.Shape, f.b.Shape, rank, shape.Dimensions)
	}
	fa, errA := a.file.Float32(*f.a)
	fb, errB := a.file.Float32(*f.b)
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	if f.table {
		fa, fb = transposed(fb, rank), transposed(fa, in)
	}
	if err := p.addLowRank(name, fa, fb, rank, s); err != nil || f.magnitude == nil {
		return err
	}
	lengths, err := a.file.Float32(*f.magnitude)
	if err != nil {
		return err
	}
	if len(lengths) != out {
		return fmt.Errorf("lora_magnitude_vector %v does not fit weight %v", f.magnitude.Shape, shape.Dimensions)
	}
	return p.setLengths(name, lengths)
}

// transposed turns rows with width values into columns.
func transposed(values []float32, width int) []float32 {
	height := len(values) / width
	out := make([]float32, len(values))
	for i, v := range values {
		out[i%width*height+i/width] = v
	}
	return out
}
