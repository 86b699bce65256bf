// Package keys describes every key of an experiment file: type, default, range, unit, meaning
// and source, as a list, as a help page and as a JSON Schema. Types, defaults and meanings come
// from package spec, which reads the files. A test checks the schema against the parser's
// errors.
//
// It reads and checks no file.
package keys

import (
	"cmp"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/internal/nearest"
	"infbench/internal/strict"
	"infbench/internal/usage"
	"infbench/metrics"
	"infbench/reports/terminal"
	"infbench/runners/catalog"
	"infbench/runners/spec"
	"infbench/training"
)

// Key is a key of an experiment file with its description.
type Key struct {
	spec.FileKey
	Values []string // known names that it accepts
	Open   bool     // it accepts other values, too
}

// All lists every key, in the order of the file.
func All() []Key {
	var all []Key
	for _, f := range spec.FileKeys() {
		values, open := valuesOf(f)
		all = append(all, Key{f, values, open})
	}
	return all
}

// Names lists every key by its dotted path.
func Names() []string {
	var names []string
	for _, k := range spec.FileKeys() {
		names = append(names, k.Name)
	}
	return names
}

// Values lists the names that a key accepts, or some of them; none if the key accepts no names
// or is unknown.
func Values(path string) []string {
	for _, k := range spec.FileKeys() {
		if k.Name == path {
			values, _ := valuesOf(k)
			return values
		}
	}
	return nil
}

// OfCells lists the cell settings that are not sections: the keys for --set.
func OfCells() []string { return cellKeys(spec.FileKey.IsSection) }

// IsOfCells reports whether a key is a setting of cells or a section of them.
func IsOfCells(path string) bool {
	return slices.Contains(cellKeys(func(spec.FileKey) bool { return false }), path)
}

// Meaning explains a key; "" for an unknown key.
func Meaning(path string) string {
	for _, k := range spec.FileKeys() {
		if k.Name == path {
			return k.Meaning
		}
	}
	return ""
}

// Find returns a key and the keys below it, by its path or by the end of its path, such as lr.
func Find(path string) ([]Key, error) {
	var found, elsewhere []Key
	for _, k := range All() {
		switch {
		case k.Name == path, strings.HasPrefix(k.Name, path+"."), path == "base" && k.Cell:
			found = append(found, k)
		case strings.Contains("."+k.Name+".", "."+path+"."):
			elsewhere = append(elsewhere, k)
		}
	}
	if found == nil {
		found = elsewhere
	}
	if found == nil {
		return nil, usage.Error{Err: nearest.Unknown("key", path, siblings(path))}
	}
	return found, nil
}

// siblings lists the keys of the section that a path would belong to, or the top-level keys.
func siblings(path string) []string {
	section := ""
	for _, known := range Names() {
		if i := strings.LastIndex(path, "."); i >= 0 && known == path[:i] {
			section = known + "."
		}
	}
	return slices.DeleteFunc(Names(), func(known string) bool {
		name, ok := strings.CutPrefix(known, section)
		return !ok || strings.Contains(name, ".")
	})
}

// TypeName describes the values of the key.
func (k Key) TypeName() string {
	switch kind := k.Type.Kind(); {
	case k.IsSection(), kind == reflect.Map:
		return "mapping"
	case isEntries(k.Type):
		return "list of mappings"
	case kind == reflect.Slice && (k.Name == "baselines" || k.Name == "evaluate"):
		return "list of names or mappings"
	case kind == reflect.Slice && isWhole(k.Type.Elem().Kind()):
		return "list of whole numbers"
	case kind == reflect.Slice && k.Type.Elem().Kind() == reflect.Float64:
		return "list of numbers"
	case kind == reflect.Slice:
		return "list of names"
	case kind == reflect.Bool:
		return "true or false"
	case isWhole(kind):
		return "whole number"
	case kind == reflect.Float64:
		return "number"
	case k.Name == "baselines.rerank", k.Name == "validate.data":
		return "name or mapping"
	}
	return "name"
}

// Otherwise describes the value of the key if a file leaves it out.
func (k Key) Otherwise() string { return cmp.Or(k.Unsaid, k.Default) }

// isEntries reports whether a type is a list that allows only mappings.
func isEntries(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && (t.Elem().Kind() == reflect.Map || t.Elem().Kind() == reflect.Struct) && t.Elem().Name() != "ranked"
}

func isWhole(k reflect.Kind) bool {
	return k == reflect.Int || k == reflect.Int64 || k == reflect.Uint64
}

// unknowable is a name that does not exist.
const unknowable = "no-such-value"

// valuesOf lists the names that a key accepts: the names in the parser's error for an unknown
// one, or, if the key is open, the known names.
func valuesOf(k spec.FileKey) (values []string, open bool) {
	switch k.Name {
	case "data", "train.steps_of":
		return catalog.Corpora(), true
	case "backbone":
		return catalog.Backbones(), true
	case "loss":
		return lossNames(), true
	case "evaluate", "forgetting.collections":
		return datasets.Names(), true
	case "baselines", "baselines.model":
		return spec.BaselineNames(), true
	case "train.false_negatives.guide":
		return []string{training.Self}, true
	case "train.distill.teacher":
		return []string{training.Taught}, true
	case "baselines.first", "baselines.fuse":
		return slices.DeleteFunc(spec.BaselineNames(), func(name string) bool { return name == spec.Untrained }), true
	case "drop", "design.join", "train.candidates", "validate.data":
		return refusing(k.Name), true
	case "validate.measure", "select.measure", "forgetting.measure":
		return measureNames(), true
	case "select.per":
		return cellKeys(func(k spec.FileKey) bool { return k.Name == "seed" }), false
	}
	if k.Type.Kind() != reflect.String || strings.HasSuffix(k.Name, ".query_template") {
		return nil, false
	}
	return refusing(k.Name), false
}

// refusing lists the names in the parser's error for an unknown name; none if it accepts any.
func refusing(path string) []string {
	_, err := catalog.Parse("keys", []byte(Sample(path, unknowable)))
	faults, _ := errors.AsType[strict.Errors](err)
	for _, fault := range faults {
		if unknown, ok := errors.AsType[*nearest.UnknownError](fault); ok && unknown.Name == unknowable {
			return slices.DeleteFunc(slices.Clone(unknown.Known), func(name string) bool { return strings.ContainsRune(name, ' ') })
		}
	}
	return nil
}

// takes reports whether the parser accepts a value, as YAML, for a key.
func takes(path, value string) bool {
	_, err := catalog.Parse("keys", []byte(Sample(path, value)))
	return err == nil
}

// lossNames are the losses of the paper and of this program, in the spelling without quotes.
func lossNames() []string {
	var names []string
	for _, l := range training.KnownLosses() {
		names = append(names, training.PlainName(l))
	}
	return names
}

// measureNames are measures that can select, one from each family.
func measureNames() []string {
	var names []string
	for _, f := range metrics.Families() {
		for _, name := range []string{f.Name + "@10", f.Name} {
			if _, _, err := metrics.ParseSelector(name); err == nil {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

// cellKeys lists the keys of cells except those to leave out.
func cellKeys(leaveOut func(spec.FileKey) bool) []string {
	var paths []string
	for _, k := range spec.FileKeys() {
		if k.Cell && !leaveOut(k) {
			paths = append(paths, k.Name)
		}
	}
	return paths
}

// Print lists keys with their descriptions.
func Print(w io.Writer, list []Key) error {
	for _, k := range list {
		if err := k.print(w); err != nil {
			return err
		}
	}
	return nil
}

// print writes the line of the key and its meaning below.
func (k Key) print(w io.Writer) error {
	head := k.TypeName()
	if k.Range != "" {
		head += " in " + k.Range
	}
	if k.Unit != "" {
		head += " (" + k.Unit + ")"
	}
	screen := terminal.On(w)
	lines := screen.Lines(k.Name+"  ", head+"; "+defaultWords(k.Otherwise()))
	screen.Width = cmp.Or(screen.Width, width)
	below := []string{k.Meaning + "."}
	if len(k.Values) > 0 && !k.IsSection() {
		known := "Values: "
		if k.Open {
			known = "Among others: "
		}
		below = append(below, known+strings.Join(k.Values, ", "))
	}
	for _, text := range append(below, "Since: "+k.Source) {
		lines = append(lines, screen.Lines("    ", text)...)
	}
	return screen.Put(lines)
}

// defaultWords formats a default for a line.
func defaultWords(text string) string {
	if strings.HasPrefix(text, "required") || strings.HasSuffix(text, "is required") {
		return text
	}
	return "default " + text
}

// width is the width of the text below a key if there is no terminal.
const width = 80
