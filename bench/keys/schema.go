package keys

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"infbench/datasets"
	"infbench/internal/nearest"
	"infbench/metrics"
	"infbench/runners/spec"
	"infbench/training"
)

// object is a part of a JSON Schema.
type object = map[string]any

// SchemaURL identifies the JSON Schema dialect.
const SchemaURL = "https://json-schema.org/draft/2020-12/schema"

// WriteSchema writes a JSON Schema of experiment files. It accepts every file that the parser
// accepts, apart from rare spellings of numbers and durations. It rejects errors that show in
// one place: unknown keys; values of a wrong type, out of range or with an unknown name; and
// keys that need or exclude other keys of their section. For names that only this machine can
// look up (data, models and folders) it suggests values but accepts any.
func WriteSchema(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(Schema())
}

// Schema is the schema as a value.
func Schema() map[string]any {
	b := builder{keys: All(), defs: object{}}
	b.define()
	props := object{}
	top := tops()
	for _, k := range b.keys {
		if slices.Contains(top, k.Name) {
			props[k.Name] = b.top(k)
		}
	}
	return object{
		"$schema":              SchemaURL,
		"title":                "infbench experiment",
		"description":          "Systems to train, their baselines and the benchmarks to evaluate on. infbench list keys lists all keys; infbench plan FILE prints the trials of a file.",
		"type":                 "object",
		"required":             []string{"name", "evaluate"},
		"properties":           props,
		"additionalProperties": false,
		"$defs":                b.defs,
	}
}

// tops are the top-level keys of a file.
func tops() []string {
	var paths []string
	for _, k := range spec.FileKeys() {
		if !k.Cell && !strings.ContainsRune(k.Name, '.') {
			paths = append(paths, k.Name)
		}
	}
	return paths
}

// builder makes the parts of a schema.
type builder struct {
	keys []Key
	defs object
}

// define makes a definition for each setting of a cell, one for all settings as a mapping, and
// one for a mapping that may have dotted keys.
func (b *builder) define() {
	settings := object{}
	for _, k := range slices.Backward(b.keys) { // the parts of a section come before the section
		if k.Cell {
			b.defs[k.Name] = b.value(k)
			settings[k.Name] = reference(k.Name)
		}
	}
	cell := object{}
	for path := range settings {
		if !strings.ContainsRune(path, '.') {
			cell[path] = reference(path)
		}
	}
	b.defs["cell"] = mapping(cell)
	b.defs["settings"] = with(mapping(settings), "minProperties", 1)
	when := maps.Clone(settings)
	when["model"] = object{"type": "string", "description": "the model of a cell: trained, or a baseline"}
	b.defs["when"] = with(mapping(when), "minProperties", 1)
}

// top is the schema of a top-level key.
func (b *builder) top(k Key) object {
	var s object
	switch k.Name {
	case "base":
		s = reference("cell")
	case "bases":
		s = object{"type": "object", "minProperties": 1, "additionalProperties": reference("cell")}
	case "matrix":
		axes := object{}
		for _, key := range b.keys {
			if key.Cell {
				axes[key.Name] = object{"type": "array", "minItems": 1, "uniqueItems": true, "items": reference(key.Name), "description": key.Meaning}
			}
		}
		s = mapping(axes)
	case "labels":
		axes := object{}
		for _, key := range spec.LabelledKeys() {
			axes[key] = object{"type": "object", "additionalProperties": matching("baselines.label")}
		}
		s = mapping(axes)
	case "include", "exclude":
		s = object{"type": "array", "items": reference("settings")}
	case "baselines":
		s = object{"type": "array", "minItems": 1, "uniqueItems": true, "items": object{"anyOf": []any{b.name(k), b.ranked(k)}}}
	default:
		return b.value(k)
	}
	return with(s, "description", k.describe())
}

// ranked is the schema of an entry of baselines that is more than a name.
func (b *builder) ranked(k Key) object {
	s := b.section(k)
	s["oneOf"] = []any{object{"required": []string{"model"}}, object{"required": []string{"rerank"}}, object{"required": []string{"remote"}}}
	s["dependentRequired"] = object{"depth": []string{"first"}}
	s["not"] = object{"required": []string{"remote", "first"}}
	return s
}

// needs are the required keys of a section.
var needs = map[string][]string{
	"baselines.remote":    {"model", "dim"},
	"baselines.rerank":    {"chat", "url"},
	"stop_hopeless":       {"alpha"},
	"forgetting":          {"collections", "margin"},
	"select":              {"on"},
	"validate":            {"measure"},
	"resources.overrides": {"when"},
}

// section is the schema of a mapping with the keys below of.
func (b *builder) section(of Key) object {
	props := object{}
	for _, k := range b.keys {
		name, below := strings.CutPrefix(k.Name, of.Name+".")
		switch {
		case !below || strings.ContainsRune(name, '.'):
		case k.Cell:
			props[name] = reference(k.Name)
		default:
			props[name] = b.value(k)
		}
	}
	s := mapping(props)
	if required := needs[of.Name]; required != nil {
		s["required"] = required
	}
	return s
}

// value is the schema of the value of a key.
func (b *builder) value(k Key) object {
	return with(b.bare(k), "description", k.describe())
}

func (b *builder) bare(k Key) object {
	switch {
	case k.Name == "validate":
		s := b.section(k)
		s["if"], s["then"] = object{"maxProperties": 0}, true // an empty mapping counts as absent
		s["dependentRequired"] = object{"world": []string{"data"}, "task": []string{"data"}}
		s["else"] = object{"required": needs[k.Name]}
		delete(s, "required")
		return s
	case k.Name == "train":
		positive := object{"minimum": 1}
		return with(b.section(k), "not", object{"required": []string{"epochs", "steps"}, "properties": object{"epochs": positive, "steps": positive}})
	case k.Name == "select":
		test := object{"required": []string{"on"}, "properties": object{"on": object{"const": spec.OnTest}}}
		return with(with(b.section(k), "if", test), "then", object{"required": []string{"measure"}})
	case k.Name == "baselines.rerank":
		return object{"anyOf": []any{object{"type": "string", "minLength": 1}, b.section(k)}}
	case k.Name == "resources.overrides":
		return object{"type": "array", "items": b.rule()}
	case k.Name == "resources.overrides.when":
		return reference("when")
	case k.IsSection():
		return b.section(k)
	case k.Name == "evaluate", k.Name == "forgetting.collections":
		return object{"type": "array", "minItems": 1, "uniqueItems": true, "items": object{"anyOf": []any{b.name(k), tasks()}}}
	case k.Name == "validate.data":
		return object{"anyOf": []any{b.name(k), with(with(tasks(), "maxProperties", 1), "minProperties", 1)}}
	case k.Name == "baselines.query_prompt", k.Name == "baselines.document_prompt":
		one := b.scalar(k)
		return object{"anyOf": []any{one, object{"type": "array", "minItems": 1, "uniqueItems": true, "items": one}}}
	case k.Name == "select.per", k.Name == "baselines.fuse":
		one := b.name(k)
		return object{"anyOf": []any{one, object{"type": "array", "uniqueItems": k.Name == "select.per", "items": one}}}
	case k.Type.Kind() == reflect.Slice:
		k.Type = k.Type.Elem()
		return object{"type": "array", "items": b.scalar(k)}
	}
	return b.scalar(k)
}

// rule is the schema of an entry of resources.overrides: resources and a when.
func (b *builder) rule() object {
	props := object{}
	for _, k := range b.keys {
		name, below := strings.CutPrefix(k.Name, "resources.")
		if below && !strings.Contains(name, "overrides") {
			props[name] = b.value(k)
		}
	}
	props["when"] = reference("when")
	return with(mapping(props), "required", needs["resources.overrides"])
}

// scalar is the schema of a single value.
func (b *builder) scalar(k Key) object {
	var s object
	switch kind := k.Type.Kind(); {
	case k.Name == "resources.memory":
		s = object{"anyOf": []any{object{"type": "integer", "minimum": 1}, matching(k.Name)}}
	case k.Name == "resources.time":
		s = matching(k.Name)
	case k.Name == "share":
		s = object{"anyOf": []any{object{"type": "number", "minimum": 0, "maximum": 1}, object{"type": "integer", "minimum": 1}}}
	case kind == reflect.Bool:
		s = object{"type": "boolean"}
	case isWhole(kind):
		s = object{"type": "integer"}
		if kind == reflect.Uint64 {
			s["minimum"] = 0
		}
	case kind == reflect.Float64:
		s = object{"type": "number"}
	default:
		s = b.name(k)
	}
	maps.Copy(s, bounds(k.Range))
	if k.Unsaid == "" && k.Default != "" {
		s["default"] = jsonValue(k)
	}
	return s
}

// jsonValue is the default of a key.
func jsonValue(k Key) any {
	var v any
	if k.Type.Kind() == reflect.String || json.Unmarshal([]byte(k.Default), &v) != nil {
		return k.Default
	}
	return v
}

// name is the schema of a name: one from a list, one of a form, or any. YAML reads some names
// as numbers or truth values.
func (b *builder) name(k Key) object {
	switch pattern := forms()[k.Name]; {
	case k.Name == "loss":
		return object{"anyOf": []any{object{"enum": k.Values}, matching(k.Name), object{"enum": otherLosses()}}}
	case pattern.is != "" && len(k.Values) > 0:
		return object{"anyOf": []any{object{"enum": k.Values}, matching(k.Name)}}
	case k.Name == "name", k.Name == "resources.partition", k.Name == "resources.account": // numbers are valid names
		return object{"anyOf": []any{matching(k.Name), object{"type": []string{"number", "boolean"}, "minimum": 0}}}
	case pattern.is != "":
		return matching(k.Name)
	case len(k.Values) > 0 && k.Open:
		return object{"anyOf": []any{object{"enum": k.Values}, object{"type": "string"}}}
	case len(k.Values) > 0 && takes(k.Name, `""`):
		return object{"enum": append(slices.Clone(k.Values), "")} // "" leaves it open
	case len(k.Values) > 0:
		return object{"enum": k.Values}
	}
	return object{"type": []string{"string", "number", "boolean"}}
}

// form describes the names of a key that are not listed.
type form struct {
	is, not string // patterns that must and must not match
	most    int    // largest number of characters; 0: no limit but that of the pattern
}

// forms are regular expressions of both ECMA-262 and RE2. They are made on first use, since
// those of measures try every measure.
var forms = sync.OnceValue(func() map[string]form {
	return map[string]form{
		"name":                            {is: `^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`},
		"question":                        {is: `^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$`},
		"loss":                            {is: lossForm, not: lossFault},
		"data":                            {is: "^" + mixtureForm + "$"},
		"train.steps_of":                  {is: "^$|^" + mixtureForm + "$"},
		"baselines.model":                 {is: `.`},
		"baselines.label":                 {is: `^[^\s,:="'\x00-\x1f\x7f-\x9f]([^\s,:="'\x00-\x1f\x7f-\x9f]| [^\s,:="'\x00-\x1f\x7f-\x9f])*$`, most: spec.LabelAtMost},
		"baselines.remote.model":          {is: `.`},
		"baselines.remote.url":            {is: `^$|` + address},
		"baselines.remote.query_template": {is: template},
		"resources.partition":             {is: `^$|^[^\s-]\S*$`},
		"resources.account":               {is: `^$|^[^\s-]\S*$`},
		"baselines.rerank.chat":           {is: `.`},
		"baselines.rerank.url":            {is: address},
		"baselines.rerank.prompts":        {is: `^$|^[0-9a-f]{12}$`},
		"drop":                            {is: `^$|^ *[IQP]- *(, *[IQP]- *)?$`, not: `I-.*I-|Q-.*Q-|P-.*P-`},
		"design.join":                     {is: template},
		"train.candidates":                {is: `^$|^own\+[1-9][0-9]{0,8}$`},
		"validate.data":                   {is: `^$|^(` + strings.Join(datasets.Names(), "|") + `)\(.+\)$`},
		"validate.measure":                {is: measureForm()},
		"select.measure":                  {is: measureForm()},
		"forgetting.measure":              {is: measureForm()},
		"resources.memory":                {is: `^0*[1-9][0-9]*\s*([KMGT]iB)?$`},
		"resources.time":                  {is: `^([1-9][0-9]*h([0-9]+m)?|([5-9]|[1-9][0-9]+)m)$`},
		"resources.extra":                 {is: `^--[^\s=]+(=\S*)?$`},
	}
})

// mixtureForm matches names of training data joined by " + ". Paths may have spaces.
const (
	mixtureWord = `([^\s+]\S*|\+\S+)`
	mixturePath = `[^\s/\\]*[/\\]\S*(\s+` + mixtureWord + `)*`
	mixtureName = `(` + mixturePath + `|` + mixtureWord + `)`
	mixtureForm = `\s*` + mixtureName + `(\s+\+\s+` + mixtureName + `)*\s*`
)

// address matches addresses of endpoints, which have no password and no parameters.
const address = `^https?://[^\s/?#@]+(/[^\s?#]*)?$`

// template matches templates that join query and instruction.
const template = `^$|\{query\}[\s\S]*\{instruction\}|\{instruction\}[\s\S]*\{query\}`

// lossForm matches uni(P,I) and multi:P+I. lossFault matches those that are invalid: with a
// term twice, IP in another form than multi, or ST without a term that has a positive.
const (
	lossForm  = `^\s*(uni|multi|sig|pair)(\(\s*(P|IQ|IP|I|ST)\s*(,\s*(P|IQ|IP|I|ST)\s*)*\)|:\s*(P|IQ|IP|I|ST)\s*(\+\s*(P|IQ|IP|I|ST)\s*)*)\s*$`
	lossFault = `\bP\b.*\bP\b|\bI\b.*\bI\b|\bIQ\b.*\bIQ\b|\bST\b.*\bST\b|\bIP\b.*\bIP\b|(uni|sig|pair).*\bIP\b|[(:]\s*(ST|ST\s*[,+]\s*IP|IP\s*[,+]\s*ST)\s*\)?\s*$`
)

// otherLosses are the names of losses in the reference code, and of this program's losses
// without their versions.
func otherLosses() (names []string) {
	_, err := training.ParseLoss("/")
	if unknown, ok := errors.AsType[*nearest.UnknownError](err); ok {
		names = unknown.Known
	}
	for _, l := range training.KnownLosses() {
		if l.Version() != "" {
			names = append(names, l.Name())
		}
	}
	return names
}

// measureForm matches the names of measures that can select, in any case, with options and a
// cutoff.
func measureForm() string {
	var names []string
	for _, f := range metrics.Families() {
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			_, _, whole := metrics.ParseSelector(name)
			_, _, cut := metrics.ParseSelector(name + "@10")
			if whole == nil || cut == nil {
				names = append(names, anyCase(name))
			}
		}
	}
	return `^\s*(` + strings.Join(names, "|") + `)(\(.*\))?(@[0-9]+)?\s*$`
}

// anyCase is a regular expression that matches a text in any case.
func anyCase(text string) string {
	var s strings.Builder
	for _, r := range text {
		if up, low := unicode.ToUpper(r), unicode.ToLower(r); up != low {
			fmt.Fprintf(&s, "[%c%c]", up, low)
			continue
		}
		s.WriteString(regexp.QuoteMeta(string(r)))
	}
	return s.String()
}

// matching is the schema of texts that match a key's form.
func matching(path string) object {
	f := forms()[path]
	s := object{"type": "string", "pattern": f.is}
	if f.most > 0 {
		s["maxLength"] = f.most
	}
	if f.not != "" {
		s["not"] = object{"pattern": f.not}
	}
	return s
}

// tasks is the schema of benchmarks with some of their tasks.
func tasks() object {
	list := object{"type": "array", "minItems": 1, "uniqueItems": true, "items": object{"type": "string"}}
	return object{"type": "object", "minProperties": 1, "additionalProperties": list}
}

// bounds are the keywords for an interval such as "[0,1)".
func bounds(interval string) object {
	s := object{}
	if interval == "" {
		return s
	}
	low, high, _ := strings.Cut(strings.Trim(interval, "[]()"), ",")
	for _, end := range []struct{ text, open, closed, keyword, strictly string }{
		{low, "(", "[", "minimum", "exclusiveMinimum"}, {high, ")", "]", "maximum", "exclusiveMaximum"},
	} {
		x, err := strconv.ParseFloat(end.text, 64)
		switch {
		case err != nil: // unbounded
		case strings.Contains(interval, end.open) && !strings.Contains(interval, end.closed):
			s[end.strictly] = x
		default:
			s[end.keyword] = x
		}
	}
	return s
}

// describe is the text that an editor shows for a key.
func (k Key) describe() string {
	text := k.Meaning + "."
	if k.Unit != "" {
		text += " Unit: " + k.Unit + "."
	}
	if o := k.Otherwise(); o != "" {
		text += " If it is left out: " + o + "."
	}
	return text + " Since: " + k.Source + "."
}

func reference(name string) object { return object{"$ref": "#/$defs/" + name} }

func mapping(props object) object {
	return object{"type": "object", "properties": props, "additionalProperties": false}
}

// with adds a keyword to a schema.
func with(s object, keyword string, value any) object {
	s[keyword] = value
	return s
}
