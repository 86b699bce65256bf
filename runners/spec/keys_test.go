package spec

import (
	"reflect"
	"slices"
	"testing"

	"infbench/internal/strict"
	"infbench/training/setting"
)

// Every field of an experiment file or a cell has a description, and nothing else has one.
func TestEveryFieldIsDescribed(t *testing.T) {
	var check func(of reflect.Type)
	check = func(of reflect.Type) {
		fields := strict.FieldNames(of)
		var described []string
		for _, s := range setting.Of(of) {
			described = append(described, s.Name)
			if s.Meaning == "" || s.Source == "" {
				t.Errorf("%s: %s has no meaning or no source", of, s.Name)
			}
		}
		for _, name := range fields {
			if !slices.Contains(described, name) {
				t.Errorf("%s: field %s is not described", of, name)
			}
		}
		for i, name := range described {
			if !slices.Contains(fields, name) || slices.Contains(described[:i], name) {
				t.Errorf("%s: %s is described twice, or is not a field", of, name)
			}
		}
		for _, f := range strict.FieldsOf(of) {
			if in := of.Field(f.Index).Type; isSection(in) {
				check(in)
			}
		}
	}
	for _, of := range []reflect.Type{reflect.TypeFor[layout](), reflect.TypeFor[ranked](), reflect.TypeFor[Resources](), reflect.TypeFor[clusterRule]()} {
		check(of)
	}
}

// A setting has the group of its section.
func TestSettings(t *testing.T) {
	all := Settings()
	for name, want := range map[string]setting.Setting{
		"train.distill.share": {Label: "share of distillation", Group: setting.OfTraining, Objective: true},
		"train.epochs":        {Label: "epochs", Group: setting.OfTraining},
		"design.pooling":      {Label: "pooling", Group: setting.OfDesign},
		"seed":                {Label: "seed", Group: setting.OfTraining},
		"remote_model":        {Label: "remote model", Group: setting.OfEvaluation},
		"chat.window":         {Label: "documents of a window", Group: setting.OfEvaluation},
		"chat.prompts":        {Label: "hash of the prompts", Group: setting.OfContent},
	} {
		if got := setting.Find(all, name); got.Label != want.Label || got.Group != want.Group || got.Objective != want.Objective {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
