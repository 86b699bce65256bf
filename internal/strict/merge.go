package strict

import "gopkg.in/yaml.v3"

// merges replaces merge keys (<<) by their fields, in all mappings of a tree.
type merges struct {
	*Decoder
	open, done map[*yaml.Node]bool // mappings
}

// within merges in a node and its descendants.
func (m *merges) within(n *yaml.Node) {
	if m.done[n] || m.open[n] {
		return
	}
	m.open[n] = true
	for _, c := range n.Content {
		m.within(c)
	}
	if n.Kind == yaml.MappingNode {
		m.into(n)
	}
	delete(m.open, n)
	m.done[n] = true
}

// into replaces the merge key of a mapping (yaml.org/type/merge.html). The mapping's own fields
// have precedence, then those of the mapping named first.
func (m *merges) into(n *yaml.Node) {
	has, at := map[string]bool{}, -1
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		switch {
		case k.Tag != "!!merge":
			has[k.Value] = k.Kind == yaml.ScalarNode
		case at >= 0:
			m.Fail(k, "<< given twice: write <<: [*one, *other]")
		default:
			at = i
		}
	}
	if at < 0 {
		return
	}
	var fields []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag != "!!merge" {
			fields = append(fields, n.Content[i], n.Content[i+1])
		} else if i == at {
			fields = append(fields, m.fields(n.Content[i+1], has)...)
		}
	}
	n.Content = fields
}

// fields returns the fields of a merge key, except those already in has.
func (m *merges) fields(named *yaml.Node, has map[string]bool) (fields []*yaml.Node) {
	from := []*yaml.Node{named}
	if named.Kind == yaml.SequenceNode {
		from = named.Content
	}
	for _, f := range from {
		at := f
		if f.Kind == yaml.AliasNode {
			f = f.Alias
		}
		switch {
		case f.Kind != yaml.MappingNode:
			m.Fail(at, "<<: want a mapping or a list of mappings, found %s", Describe(f))
			continue
		case m.open[f]:
			m.Fail(at, "<<: the mapping is merged into itself")
			continue
		}
		m.within(f)
		for i := 0; i+1 < len(f.Content); i += 2 {
			k, v := f.Content[i], f.Content[i+1]
			if k.Kind != yaml.ScalarNode || has[k.Value] {
				continue
			}
			if _, ok := m.Resolve(k); !ok {
				return fields
			}
			has[k.Value] = true
			if v.Kind == yaml.MappingNode || v.Kind == yaml.SequenceNode { // as if it were written again, so that the nodes stay a tree
				v = &yaml.Node{Kind: yaml.AliasNode, Alias: v, Value: "<<", Line: v.Line, Column: v.Column}
			}
			fields = append(fields, k, v)
		}
	}
	return fields
}
