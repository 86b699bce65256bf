package spec

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"infbench/internal/strict"
)

// layout is what an experiment file may hold: the type of what stands at each of its
// keys. The parser reads a file by these types, section by section.
type layout struct {
	Name         string            `yaml:"name"`
	Question     string            `yaml:"question"`
	Base         Cell              `yaml:"base"`
	Bases        map[string]Cell   `yaml:"bases"`
	Matrix       map[string][]Cell `yaml:"matrix"`
	Include      []map[string]Cell `yaml:"include"`
	Exclude      []map[string]Cell `yaml:"exclude"`
	Baselines    []ranked          `yaml:"baselines"`
	Evaluate     []string          `yaml:"evaluate"`
	Select       Select            `yaml:"select"`
	StopHopeless StopHopeless      `yaml:"stop_hopeless"`
	Forgetting   Forgetting        `yaml:"forgetting"`
	Resources    clusterSection    `yaml:"resources"`
}

// clusterSection is the section resources.
type clusterSection struct {
	Resources
	Overrides []clusterRule `yaml:"overrides"`
}

// clusterRule is an entry of resources.overrides, beside the resources that it gives.
type clusterRule struct {
	When map[string]Cell `yaml:"when"`
}

// sections are the top-level keys in the order in which they are documented.
var sections = strict.FieldNames(reflect.TypeFor[layout]())

// FileKey is a key that an experiment file may hold.
type FileKey struct {
	Path    string       // dotted; the settings of a cell without a section, as base, matrix and include hold them: "train.lr"
	Type    reflect.Type // of a value
	Default string       // that holds where the file says nothing, as a file has it; "" where there is none
	Cell    bool         // a setting of cells that are trained
}

// IsSection says whether the key holds further keys.
func (k FileKey) IsSection() bool { return isSection(k.Type) }

// FileKeys lists every key of an experiment file, sections before what they hold, in the
// order of the types that the parser fills. Settings of cells come after base.
func FileKeys() []FileKey { return slices.Clone(everyKey()) }

// everyKey walks the types once: help asks for them whenever infbench starts.
var everyKey = sync.OnceValue(func() []FileKey {
	var keys []FileKey
	given := Forgetting{Measure: forgettingMeasure}
	for _, f := range strict.FieldsOf(reflect.TypeFor[layout]()) {
		t := reflect.TypeFor[layout]().Field(f.Index).Type
		keys = append(keys, FileKey{Path: f.Name, Type: t})
		switch f.Name {
		case "base":
			keys = append(keys, keysOf(reflect.ValueOf(DefaultCell()), "", true)...)
		case "baselines":
			keys = append(keys, chatBelowRerank(keysOf(reflect.ValueOf(ranked{}), f.Name, false))...)
		case "forgetting":
			keys = append(keys, keysOf(reflect.ValueOf(given), f.Name, false)...)
		case "resources":
			keys = append(keys, keysOf(reflect.ValueOf(Resources{}), f.Name, false)...)
			keys = append(keys, FileKey{Path: "resources.overrides", Type: reflect.TypeFor[[]clusterRule]()}, FileKey{Path: "resources.overrides.when", Type: reflect.TypeFor[map[string]Cell]()})
		case "select", "stop_hopeless":
			keys = append(keys, keysOf(reflect.Zero(t), f.Name, false)...)
		}
	}
	return keys
})

// chatBelowRerank names the keys of a language model as a file does; see chatOfRerank.
func chatBelowRerank(keys []FileKey) []FileKey {
	keys = slices.DeleteFunc(keys, func(k FileKey) bool { return k.Path == "baselines.chat" })
	for i := range keys {
		if name, ok := strings.CutPrefix(keys[i].Path, "baselines.chat."); ok {
			if name == "model" {
				name = "chat"
			}
			keys[i].Path = "baselines.rerank." + name
		}
	}
	return keys
}

// keysOf lists the keys below a path, whose values hold the defaults.
func keysOf(v reflect.Value, path string, cell bool) []FileKey {
	var keys []FileKey
	for _, f := range strict.FieldsOf(v.Type()) {
		at := strict.Join(path, f.Name)
		if cell && path == "" && !slices.Contains(topKeys(), f.Name) {
			continue // of baselines, which have them in a section of their own
		}
		value := v.Field(f.Index)
		if isSection(value.Type()) {
			keys = append(keys, FileKey{Path: at, Type: value.Type(), Cell: cell})
			keys = append(keys, keysOf(value, at, cell)...)
			continue
		}
		keys = append(keys, FileKey{Path: at, Type: indirect(value.Type()), Default: defaultOf(value), Cell: cell})
	}
	return keys
}

func isSection(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// defaultOf prints a value as a file has it; "" of an empty text, of a list and of what
// is there or not.
func defaultOf(v reflect.Value) string {
	if k := v.Kind(); k == reflect.Slice || k == reflect.Pointer {
		return ""
	}
	return fmt.Sprint(plain(v))
}
