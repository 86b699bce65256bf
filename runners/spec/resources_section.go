package spec

import (
	"reflect"
	"slices"

	"gopkg.in/yaml.v3"
)

// ResourceRule gives the cells that fit When different resources:
//
//	resources:
//	  gpus: 1
//	  memory: 16GiB
//	  overrides:
//	    - {when: {model: bm25}, gpus: 0}
//	    - {when: {backbone: tiny-bert, seed: 1}, time: 30m}
type ResourceRule struct {
	When      Overrides
	Resources Resources // those of the section, overridden by the rule's own
}

// resourcesFor returns a cell's cluster requests: those of the first rule that fits.
func (e *Experiment) resourcesFor(c *Cell) Resources {
	for _, rule := range e.ResourceRules {
		if matchesAny(c, []Overrides{rule.When}) {
			return rule.Resources
		}
	}
	return e.Resources
}

// resources reads the section resources.
func (p *parser) resources(n *yaml.Node) (r Resources, rules []ResourceRule) {
	own, overrides := p.without(n, "resources", "overrides")
	p.request(own, &r, "resources")
	if overrides == nil {
		return r, nil
	}
	if !p.isList(overrides, "resources.overrides") {
		return r, nil
	}
	for _, item := range overrides.Content {
		item, ok := p.Resolve(item)
		if !ok {
			return r, rules
		}
		own, when := p.without(item, "resources.overrides", "when")
		rule := ResourceRule{Resources: r}
		if when == nil {
			p.Fail(item, "resources.overrides: missing key %q: which cells?", "when")
			continue
		}
		rule.When = p.when(when)
		p.request(own, &rule.Resources, "resources.overrides")
		rules = append(rules, rule)
	}
	return r, rules
}

// request decodes resources into r, which keeps its other values.
func (p *parser) request(n *yaml.Node, r *Resources, path string) {
	if !p.Into(n, reflect.ValueOf(r).Elem(), path) {
		return
	}
	if err := r.Validate(); err != nil {
		p.Fail(n, "%s: %w", path, err)
	}
}

// when reads the settings that a cell must have for a rule. Unlike elsewhere the model may be
// named: a baseline, or "trained".
func (p *parser) when(n *yaml.Node) Overrides {
	o := Overrides{Cell: DefaultCell()}
	for _, f := range p.Fields(n, "when") {
		v, err := fieldAt(reflect.ValueOf(&o.Cell).Elem(), f.Name)
		if err != nil {
			p.Fail(f.Key, "%w", err)
			continue
		}
		o.Keys = append(o.Keys, f.Name)
		if f.Name != "model" {
			p.setting(f.Value, &o.Cell, f.Name)
			continue
		}
		p.Into(f.Value, v, f.Name)
		if o.Cell.Model == Trained || slices.Contains(BaselineNames(), o.Cell.Model) || o.Cell.Model == RemoteModel || o.Cell.Model == ChatModel {
			continue
		}
		p.lookModel(f.Value, o.Cell.Model)
	}
	if len(o.Keys) == 0 {
		p.Fail(n, "when: no setting is named, so it fits no cell")
	}
	return o
}

// without splits a mapping into the entry of one key, nil if there is none, and a mapping of
// the others.
func (p *parser) without(n *yaml.Node, what, key string) (others, value *yaml.Node) {
	others = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column}
	for _, f := range p.Fields(n, what) {
		if f.Name == key {
			value, _ = p.Resolve(f.Value)
			continue
		}
		others.Content = append(others.Content, f.Key, f.Value)
	}
	return others, value
}
