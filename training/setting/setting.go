// Package setting describes the settings of an experiment: for each field of a struct that is read
// from YAML its meaning, its values, its name in reports and its source. The struct has a method
// Describe with one entry for each of its fields, written next to it. All code that lists,
// explains, labels or compares settings reads these entries.
//
// It reads no files and checks no values.
package setting

import (
	"reflect"
	"slices"
)

// Setting describes a field.
type Setting struct {
	Name      string // its key in YAML; in lists over several structs, the dotted path to it
	Label     string // name in reports; "" for a section and for settings outside of a trial's configuration
	Group     Group  // "": that of its section
	Objective bool   // it changes the objective of training, or it is a section whose settings all do

	Range   string // interval of its numbers: "[0,1)"; "" for everything else
	Unit    string
	Unsaid  string // description of the effect if a file lacks it; "" if the default explains it
	Meaning string
	Source  string // paper or code that introduced it

	// Paper lists the values with which the InF-IR paper or its code trained all networks, in the
	// form of configurations, the usual one first; "" is a setting that is left out. A training
	// with another value is not compared with the paper's numbers. It is nil if neither states a
	// value, if the value changes no number, and for the settings that match a system with a
	// number: backbone, loss and interaction. The seed is not compared: another seed is a further
	// run.
	Paper []string
}

// Group is the topic of a setting.
type Group string

// The groups.
const (
	OfModel      Group = "model"
	OfData       Group = "data"
	OfDesign     Group = "design"
	OfTraining   Group = "training"
	OfValidation Group = "validation"
	OfEvaluation Group = "evaluation" // of a model that was only evaluated
	OfContent    Group = "content"    // the content that was read, beyond the names of its sources
	OfImport     Group = "import"
)

// Groups lists the groups in the order of reports.
func Groups() []Group {
	return []Group{OfModel, OfData, OfDesign, OfTraining, OfValidation, OfEvaluation, OfContent, OfImport}
}

// Sources of many settings.
const (
	Paper       = "InF-IR paper (arXiv 2505.21439)"
	Code        = "InF-Embed reference code"
	PaperOrCode = "InF-IR paper, or its code: see train.fidelity"
	Trainer     = "Hugging Face Trainer, which the reference code runs"
	LoRA        = "LoRA (arXiv 2106.09685), as PEFT has it"
	Own         = "infbench"
)

// Described is a struct that describes its fields.
type Described interface {
	// Describe returns an entry for each field, under its name in YAML.
	Describe() []Setting
}

// Of returns the entries of a struct; nil if it describes nothing. //plain:ok its name
func Of(t reflect.Type) []Setting {
	if d, ok := reflect.Zero(t).Interface().(Described); ok {
		return d.Describe()
	}
	return nil
}

// Named returns the entries with some names, in the order of the names, without missing ones.
func Named(list []Setting, names ...string) []Setting {
	var out []Setting
	for _, name := range names {
		if i := slices.IndexFunc(list, func(s Setting) bool { return s.Name == name }); i >= 0 {
			out = append(out, list[i])
		}
	}
	return out
}

// Find returns the entry of a name; the zero value if there is none.
func Find(list []Setting, name string) Setting {
	for _, s := range Named(list, name) {
		return s
	}
	return Setting{}
}

// Within fills in the values that an entry takes from its section.
func (s Setting) Within(section Setting) Setting {
	if s.Group == "" {
		s.Group = section.Group
	}
	s.Objective = s.Objective || section.Objective
	return s
}
