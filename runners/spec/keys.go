package spec

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"infbench/internal/strict"
	"infbench/training/setting"
)

// layout is the structure of an experiment file: the type of the value at each key. The parser
// reads a file by these types, section by section.
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
	Labels       map[string]string `yaml:"labels"` // of values, by key
	Resources    clusterSection    `yaml:"resources"`
}

// Describe describes the fields of a layout.
func (layout) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "name", Unsaid: "required", Meaning: "name of the experiment and of its run folder, runs/NAME: up to 64 letters, digits, '.', '_' and '-'", Source: setting.Own},
		{Name: "question", Unsaid: "derived from the settings that vary", Meaning: "question of the experiment, the heading of its report: up to 300 characters in a line; not part of a trial's ID", Source: setting.Own},
		{Name: "base", Unsaid: "all defaults", Meaning: "settings that every trained cell starts from", Source: setting.Own},
		{Name: "bases", Unsaid: "none", Meaning: "named variants of base, such as a backbone with its own settings; the matrix is applied to each", Source: setting.Own},
		{Name: "matrix", Unsaid: "one cell", Meaning: "axes: a dotted key and a list of its values; every combination is a cell", Source: setting.Own},
		{Name: "include", Unsaid: "none", Meaning: "further cells: settings that are combined with the axes that they do not name", Source: setting.Own},
		{Name: "exclude", Unsaid: "none", Meaning: "cells to leave out: those that have all settings of an entry", Source: setting.Own},
		{Name: "baselines", Unsaid: "none", Meaning: "systems that train nothing: names (infbench list baselines), folders, ORG/NAME of the hub, run files, or mappings", Source: setting.Own},
		{Name: "evaluate", Unsaid: "required", Meaning: "tests of the cells: benchmarks (infbench list benchmarks), {mair: [DD_2015]} for tasks, folders in BEIR's layout, names of data import, ORG/NAME of the hub", Source: setting.Own},
		{Name: "select", Unsaid: "nothing is selected", Meaning: "select the best configuration; seeds are averaged", Source: "InF-IR paper, table 2"},
		{Name: "stop_hopeless", Unsaid: "no cell is stopped", Meaning: "end cells early that cannot become the best, by held-out queries", Source: setting.Own},
		{Name: "forgetting", Unsaid: "no check", Meaning: "check whether training cost abilities that the backbone had before", Source: setting.Own},
		{Name: "labels", Unsaid: "the values, paths of models by their last part", Meaning: "short names for values, by key and value (model for a baseline), on every page and screen; no ID depends on them", Source: setting.Own},
		{Name: "resources", Unsaid: "the cluster's defaults", Meaning: "requests of a cell to Slurm or Kubernetes; no ID depends on them", Source: setting.Own},
	}
}

// clusterSection is the section resources.
type clusterSection struct {
	Resources
	Overrides []clusterRule `yaml:"overrides"`
}

// Describe describes the fields of a clusterSection, except those of Resources.
func (clusterSection) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "overrides", Unsaid: "none", Meaning: "other resources for some cells: entries with when and resources", Source: setting.Own},
	}
}

// clusterRule is an entry of resources.overrides, without the resources that it gives.
type clusterRule struct {
	When map[string]Cell `yaml:"when"`
}

// Describe describes the fields of a clusterRule.
func (clusterRule) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "when", Unsaid: "required", Meaning: "settings that a cell must have, including its model (trained, or a baseline)", Source: setting.Own},
	}
}

// sections are the top-level keys in the order of the documentation.
var sections = strict.FieldNames(reflect.TypeFor[layout]())

// FileKey is a key that an experiment file may contain. Its Name is the dotted path. The name
// of a cell's setting has no section, as inside base, matrix and include: "train.lr".
type FileKey struct {
	setting.Setting
	Type    reflect.Type // of a value
	Default string       // value if the file has none, as written in a file; "" without a default
	Cell    bool         // a setting of trained cells
}

// IsSection reports whether the key contains further keys.
func (k FileKey) IsSection() bool { return isSection(k.Type) }

// FileKeys lists every key of an experiment file, sections before their keys, in the order of
// the parser's types. Settings of cells come after base.
func FileKeys() []FileKey { return slices.Clone(everyKey()) }

// Settings lists all settings of a Cell without sections, as Cell.Settings prints them.
func Settings() []setting.Setting {
	var list []setting.Setting
	for _, k := range keysOf(reflect.ValueOf(DefaultCell()), setting.Setting{}) {
		if !k.IsSection() {
			list = append(list, k.Setting)
		}
	}
	return list
}

// everyKey walks the types once: help asks for them whenever infbench starts.
var everyKey = sync.OnceValue(func() []FileKey {
	var keys []FileKey
	t := reflect.TypeFor[layout]()
	for _, f := range strict.FieldsOf(t) {
		section := setting.Find(setting.Of(t), f.Name)
		keys = append(keys, FileKey{Setting: section, Type: t.Field(f.Index).Type})
		below := func(values ...any) {
			for _, v := range values {
				keys = append(keys, keysOf(reflect.ValueOf(v), section)...)
			}
		}
		switch f.Name {
		case "base":
			keys = append(keys, trainedKeys()...)
		case "baselines":
			keys = append(keys, chatBelowRerank(keysOf(reflect.ValueOf(ranked{}), section))...)
		case "select":
			below(Select{})
		case "stop_hopeless":
			below(StopHopeless{})
		case "forgetting":
			below(Forgetting{Measure: forgettingMeasure})
		case "resources":
			below(Resources{}, clusterSection{})
			section.Name = "resources.overrides"
			below(clusterRule{})
		}
	}
	return keys
})

// trainedKeys lists the settings of trained cells. Baselines have the others in their own
// section.
func trainedKeys() []FileKey {
	var keys []FileKey
	for _, k := range keysOf(reflect.ValueOf(DefaultCell()), setting.Setting{}) {
		if section, _, _ := strings.Cut(k.Name, "."); slices.Contains(topKeys(), section) {
			k.Cell = true
			keys = append(keys, k)
		}
	}
	return keys
}

// chatBelowRerank gives the keys of a language model their names in a file; see chatOfRerank.
func chatBelowRerank(keys []FileKey) []FileKey {
	keys = slices.DeleteFunc(keys, func(k FileKey) bool { return k.Name == "baselines.chat" })
	for i := range keys {
		if name, ok := strings.CutPrefix(keys[i].Name, "baselines.chat."); ok {
			if name == "model" {
				name = "chat"
			}
			keys[i].Name = "baselines.rerank." + name
		}
	}
	return keys
}

// keysOf lists the keys of a section whose values are the defaults.
func keysOf(v reflect.Value, section setting.Setting) []FileKey {
	var keys []FileKey
	table := setting.Of(v.Type())
	for _, f := range strict.FieldsOf(v.Type()) {
		s := setting.Find(table, f.Name).Within(section)
		s.Name = strict.Join(section.Name, f.Name)
		value := v.Field(f.Index)
		if isSection(value.Type()) {
			keys = append(append(keys, FileKey{Setting: s, Type: value.Type()}), keysOf(value, s)...)
			continue
		}
		keys = append(keys, FileKey{Setting: s, Type: indirect(value.Type()), Default: defaultOf(value)})
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

// defaultOf prints a value as written in a file; "" for an empty text, a list, a mapping or an
// optional value.
func defaultOf(v reflect.Value) string {
	if k := v.Kind(); k == reflect.Slice || k == reflect.Pointer || k == reflect.Map {
		return ""
	}
	return fmt.Sprint(plain(v))
}
