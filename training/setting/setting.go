// Package setting describes what an experiment can set: what each field of a struct that
// is read from YAML means, what values it takes, what reports call it and where it comes
// from. The struct has a method Describe with one entry for each of its fields, written
// beside it. Whatever lists, explains, labels or compares settings reads these entries.
//
// It reads no file and checks no value.
package setting

import (
	"reflect"
	"slices"
)

// Setting is what is known of a field.
type Setting struct {
	Name      string // its key in YAML; where settings of several structs are listed, the dotted path to it
	Label     string // what reports call it; "" of a section and of what is no part of a trial's configuration
	Group     Group  // "": that of the section it stands in
	Objective bool   // it changes what training minimises, or it is a section of which every setting does

	Range   string // interval that numbers lie in: "[0,1)"; "" of everything else
	Unit    string
	Unsaid  string // what holds where a file does not have it, in words; "" where the default says so
	Meaning string
	Source  string // paper or code that it comes from

	// Paper lists the values that the InF-IR paper or its code trained all networks
	// with, as configurations print them, the usual one first; "" is a setting that is
	// left out. A training with another value is not compared with the paper's numbers.
	// nil where neither states a value, where the value changes no number, and of what
	// pairs a system with a number: backbone, loss and interaction. The seed is not
	// compared: another seed is a further run.
	Paper []string
}

// Group says what a setting is about.
type Group string

// The groups.
const (
	OfModel      Group = "model"
	OfData       Group = "data"
	OfDesign     Group = "design"
	OfTraining   Group = "training"
	OfValidation Group = "validation"
	OfEvaluation Group = "evaluation" // of a model that was evaluated by itself
	OfContent    Group = "content"    // what was read, as far as no name tells it
	OfImport     Group = "import"
)

// Groups lists the groups in the order in which reports show them.
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
	// Describe has an entry for each field, under its name in YAML.
	Describe() []Setting
}

// Of returns the entries of a struct; nil where it describes nothing.
func Of(t reflect.Type) []Setting {
	if d, ok := reflect.Zero(t).Interface().(Described); ok {
		return d.Describe()
	}
	return nil
}

// Named returns the entries of some names, in their order; those that are there.
func Named(list []Setting, names ...string) []Setting {
	var out []Setting
	for _, name := range names {
		if i := slices.IndexFunc(list, func(s Setting) bool { return s.Name == name }); i >= 0 {
			out = append(out, list[i])
		}
	}
	return out
}

// Find returns the entry of a name; the zero value where there is none.
func Find(list []Setting, name string) Setting {
	for _, s := range Named(list, name) {
		return s
	}
	return Setting{}
}

// Within fills what an entry leaves to the section that it stands in.
func (s Setting) Within(section Setting) Setting {
	if s.Group == "" {
		s.Group = section.Group
	}
	s.Objective = s.Objective || section.Objective
	return s
}
