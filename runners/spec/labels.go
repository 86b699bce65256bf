package spec

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"infbench/internal/nearest"
	"infbench/internal/strict"
	"infbench/internal/words"
)

// ValueLabel is a short name that an experiment file gives to the value of a setting, or, with the
// key SystemKey, to an entry of baselines. It is shown instead of the value. No trial ID depends
// on it.
type ValueLabel struct {
	Key   string `yaml:"key" json:"key"`
	Label string `yaml:"label" json:"label"`
}

// SystemKey is the key of a label for a complete entry of baselines.
const SystemKey = "system"

// modelKey is the key of labels for baselines. They also apply where a model is a part of another
// system.
const modelKey = "model"

// LabelAtMost is the largest number of characters of a label.
const LabelAtMost = 40

// label is a label of an experiment file, with its place.
type label struct {
	key    string // of a setting, or SystemKey
	text   string
	cell   Cell // has the value at key; for SystemKey it is the entry
	node   *yaml.Node
	parser *parser
}

// value returns the labelled value as Cell.Settings prints it.
func (l *label) value() string { return l.cell.Settings()[l.key] }

// labels reads the labels of values:
//
//	labels:
//	  model: {./models/2026-07/e5-large-run3: e5}
//	  train.lr: {5e-3: high}
func (p *parser) labels(n *yaml.Node) {
	for _, axis := range p.Fields(n, "labels") {
		known := LabelledKeys()
		if !slices.Contains(known, axis.Name) {
			p.Fail(axis.Key, "labels: %w", nearest.Unknown("key", axis.Name, known))
			continue
		}
		list, ok := p.Resolve(axis.Value)
		if !ok {
			return
		}
		for _, f := range p.Fields(list, "labels "+axis.Name) {
			if p.Full() {
				return
			}
			p.labelValue(axis.Name, f)
		}
	}
}

// labelValue reads the label of one value.
func (p *parser) labelValue(key string, f strict.Field) {
	l := &label{key: key, cell: DefaultCell(), node: f.Key, parser: p}
	if !p.labelText(f.Value, "labels "+key, &l.text) {
		return
	}
	since := p.mark()
	if key == modelKey {
		l.cell.Model = f.Name
		p.lookModel(f.Key, f.Name)
	} else if p.Into(f.Key, at(&l.cell, key), "labels "+key) {
		l.cell.replaceLength(key)
		if section, _, nested := strings.Cut(key, "."); !nested || section != "validate" {
			if err := p.checkKey(f.Key, key, &l.cell); err != nil {
				p.Refuse(f.Key, err)
			}
		}
	}
	p.e.labels = append(p.e.labels, l)
	p.unlessFaulty(since, l.check)
}

// labelText reads a label. It reports whether it is valid.
func (p *parser) labelText(n *yaml.Node, what string, into *string) bool {
	n, ok := p.Resolve(n)
	if !ok || !p.Into(n, reflect.ValueOf(into).Elem(), what) {
		return false
	}
	if err := checkLabelText(*into); err != nil {
		p.Fail(n, "%s: label %q: %w", what, *into, err)
		return false
	}
	return true
}

// checkLabelText returns an error for a text that is not a label. Commands separate systems by
// commas and run and system by a colon, and a label's words by single spaces.
func checkLabelText(text string) error {
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return errors.New("want a short name")
	case n > LabelAtMost:
		return fmt.Errorf("want at most %d characters", LabelAtMost)
	case strings.Join(strings.Fields(text), " ") != text:
		return errors.New("want words with one space between them")
	case strings.ContainsAny(text, `,:="'`) || strings.ContainsFunc(text, words.Invisible):
		return errors.New(`want a name without , : = " and '`)
	}
	return nil
}

// isHead reports whether a label names a system or the first part of its name.
func (l *label) isHead() bool { return l.key == SystemKey || l.key == modelKey || l.key == "loss" }

// check refuses a label that another value of the key has, or that is the name of something
// else.
func (l *label) check() {
	p := l.parser
	for _, other := range p.e.labels {
		if other == l {
			break
		}
		same := other.key == l.key || l.isHead() && other.isHead()
		if !same || other.node == l.node {
			continue
		}
		if other.key == l.key && l.key != SystemKey && other.value() == l.value() {
			p.Fail(l.node, "labels %s: %s has the label %q already", l.key, l.value(), other.text)
			return
		}
		if other.text == l.text && (l.key != SystemKey || other.key != SystemKey || other.node.Line != l.node.Line || other.node.Column != l.node.Column) {
			p.Fail(l.node, "label %q is that of another value already, on line %d", l.text, other.node.Line)
			return
		}
	}
	if _, made := FindBaseline(l.text); l.isHead() && (made || l.text == Trained || plainLoss(l.text) != "") && l.text != l.value() {
		p.Fail(l.node, "label %q is the name of something else", l.text)
	}
}

// LabelledKeys lists the settings of cells whose values may have labels, and "model" for
// baselines.
func LabelledKeys() []string {
	var keys []string
	for _, k := range trainedKeys() {
		if !k.IsSection() && k.Type.Kind() != reflect.Slice {
			keys = append(keys, k.Name)
		}
	}
	return append(keys, modelKey)
}

// labelsOf lists the labels that apply to a cell. entry is the label of its entry of baselines, or
// "".
func (e *Experiment) labelsOf(c *Cell, entry string) (all []ValueLabel) {
	if entry != "" {
		all = append(all, ValueLabel{SystemKey, entry})
	}
	if len(e.labels) == 0 {
		return all
	}
	settings, models := c.Settings(), map[string]string{}
	for _, l := range e.labels {
		switch {
		case l.key == modelKey:
			models[l.cell.Model] = l.text
		case l.key != SystemKey && c.dependsOn(l.key) && equalAt(c, &l.cell, l.key):
			all = append(all, ValueLabel{l.key, l.text})
		}
	}
	for _, key := range modelKeys {
		parts := strings.Split(settings[key], "+")
		labelled := false
		for i, part := range parts {
			if text, ok := models[part]; ok {
				parts[i], labelled = text, true
			}
		}
		if labelled {
			all = append(all, ValueLabel{key, strings.Join(parts, "+")})
		}
	}
	return all
}

// modelKeys are the settings whose values are models; fuse may join several by "+".
var modelKeys = []string{modelKey, "first", "fuse", "train.false_negatives.guide", "train.distill.teacher"}

// checkLabels returns an error for a label of a value that no cell has, and for one that is
// another value of its setting. Labels of values that --set replaced may be left over.
func (e *Experiment) checkLabels(p *Plan) error {
	if len(e.labels) == 0 {
		return nil
	}
	values := map[string][]string{}
	for i := range p.Trials {
		c := &p.Trials[i].Cell
		for key, value := range c.Settings() {
			switch {
			case slices.Contains(modelKeys, key) && value != Trained:
				values[modelKey] = append(values[modelKey], strings.Split(value, "+")...)
			case c.dependsOn(key):
				values[key] = append(values[key], value)
			}
		}
	}
	for key := range values {
		slices.Sort(values[key])
		values[key] = slices.Compact(values[key])
	}
	for _, l := range e.labels {
		if l.key == SystemKey {
			continue
		}
		value := l.value()
		if !slices.Contains(values[l.key], value) && !e.narrowed {
			return l.fault(fmt.Errorf("labels %s: no cell has it: %w", l.key, nearest.Unknown("value", value, values[l.key])))
		}
	}
	for _, l := range e.labels {
		for key, known := range values {
			if key != l.key && !(l.isHead() && (key == modelKey || key == "loss")) {
				continue
			}
			if slices.Contains(known, l.text) && (l.key == SystemKey || l.text != l.value()) {
				return l.fault(fmt.Errorf("label %q is also a value of %s", l.text, key))
			}
		}
	}
	return nil
}

// fault returns an error at the place of a label.
func (l *label) fault(err error) error {
	at := l.parser.At(l.node)
	at.Err = err
	return strict.Errors{at}
}

// LastParts shortens those of some names that are paths of files or folders to their last parts:
// to as many as distinguish each from all other names. If these are many letters, parts between
// that distinguish nothing are left out: "run-7/.../model". It returns the short name of every
// path.
//
// A path begins with / or a dot, or has two slashes or more: a name with one slash may be that of
// a repository.
func LastParts(names []string) map[string]string {
	parts := map[string][]string{} // of each path
	taken := map[string]bool{Trained: true}
	for _, b := range BaselineNames() {
		taken[b] = true
	}
	for _, name := range names {
		if isPath(name) {
			parts[name] = strings.Split(strings.TrimRight(name, "/"), "/")
		} else {
			taken[name] = true
		}
	}
	out := map[string]string{}
	for n := 1; len(out) < len(parts); n++ {
		ends := map[string][]string{}
		for name, all := range parts {
			end := name
			if n < len(all) {
				end = strings.Join(all[len(all)-n:], "/")
			}
			ends[end] = append(ends[end], name)
		}
		for end, of := range ends {
			if name := of[0]; out[name] == "" && (end == name || len(of) == 1 && end != "" && !taken[end]) {
				out[name] = withoutMiddle(end, name, parts)
			}
		}
	}
	return out
}

// shortPath is a number of letters that is short enough for the last parts of a path.
const shortPath = 30

// withoutMiddle leaves out parts from the middle of the end of a path that do not distinguish it
// from other paths.
func withoutMiddle(end, name string, paths map[string][]string) string {
	if len(end) <= shortPath {
		return end
	}
	all := strings.Split(end, "/")
	kept := make([]bool, len(all))
	var left []string
	for i := range all {
		kept[i] = true
	}
	for i := 1; i < len(all)-1; i++ {
		kept[i] = false
		left = left[:0]
		for j, part := range all {
			if kept[j] {
				left = append(left, part)
			}
		}
		for other, parts := range paths {
			if other != name && ends(parts, left) {
				kept[i] = true
				break
			}
		}
	}
	var b strings.Builder
	for i, part := range all {
		switch {
		case kept[i] && i > 0:
			b.WriteString("/" + part)
		case kept[i]:
			b.WriteString(part)
		case kept[i-1]:
			b.WriteString("/...")
		}
	}
	if b.Len() >= len(end) {
		return end
	}
	return b.String()
}

// ends reports whether a path ends with the last of some parts and has the others before it, in
// their order.
func ends(path, parts []string) bool {
	last := len(parts) - 1
	if path[len(path)-1] != parts[last] {
		return false
	}
	rest := parts[:last]
	for _, part := range path[:len(path)-1] {
		if len(rest) > 0 && part == rest[0] {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}

// isPath reports whether a name is that of a file or folder, by its form.
func isPath(name string) bool {
	return strings.HasPrefix(name, "/") || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") || strings.HasPrefix(name, "~/") ||
		strings.Count(name, "/") > 1 && !strings.Contains(name, "://")
}

// pathKeys are the settings whose values may be paths of models.
var pathKeys = append([]string{"backbone"}, modelKeys...)

// ShortModels returns the short names of the models in some settings: by value, that with its
// paths shortened by LastParts.
func ShortModels(settings []map[string]string) map[string]string {
	var names, values []string
	for _, s := range settings {
		for _, key := range pathKeys {
			if value := s[key]; value != "" {
				values = append(values, value)
			}
		}
	}
	slices.Sort(values)
	values = slices.Compact(values)
	for _, value := range values {
		names = append(names, strings.Split(value, "+")...)
	}
	slices.Sort(names)
	short, out := LastParts(slices.Compact(names)), map[string]string{}
	for _, value := range values {
		parts := strings.Split(value, "+")
		for i, name := range parts {
			if s, ok := short[name]; ok {
				parts[i] = s
			}
		}
		out[value] = strings.Join(parts, "+")
	}
	return out
}

// Said returns the settings as they are shown: with labels and with the short names of models.
func Said(settings, short map[string]string, labels []ValueLabel) map[string]string {
	out := make(map[string]string, len(settings))
	for key, value := range settings {
		if s, ok := short[value]; ok && slices.Contains(pathKeys, key) {
			value = s
		}
		out[key] = value
	}
	for _, l := range labels {
		if _, ok := settings[l.Key]; ok || l.Key == SystemKey {
			out[l.Key] = l.Label
		}
	}
	return out
}

// valueOf returns the value of a key of a mapping, or nil.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}
