package strict

import (
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Rejoin reports each value of a list or mapping in brackets that YAML splits at a comma within
// parentheses, [uni(P), multi(P,I)]. It also repairs the value, so that its pieces cause no further
// errors. plain, which may be nil, returns another spelling of a text without commas, or "".
func (d *Decoder) Rejoin(root *yaml.Node, plain func(text string) string) {
	if root.Style&yaml.FlowStyle != 0 {
		step := 1
		if root.Kind == yaml.MappingNode {
			step = 2
		}
		for i := step - 1; i < len(root.Content); i += step {
			d.rejoin(root, i, step, plain)
		}
	}
	for _, n := range root.Content {
		d.Rejoin(n, plain)
	}
}

// opened matches the beginning of a name with arguments.
var opened = regexp.MustCompile(`^[A-Za-z_][\w.-]*\([^)]*$`)

// rejoin repairs the value at an index, if it was split. The pieces that follow are items of a
// list, or keys without a value of a mapping.
func (d *Decoder) rejoin(in *yaml.Node, at, step int, plain func(string) string) {
	first := in.Content[at]
	if !isPlain(first) || !opened.MatchString(first.Value) {
		return
	}
	pieces := []string{first.Value}
	for i := at + 1; i+step-1 < len(in.Content); i += step {
		n := in.Content[i]
		if !isPlain(n) || step == 2 && in.Content[i+1].Tag != "!!null" {
			return
		}
		pieces = append(pieces, n.Value)
		if !strings.Contains(n.Value, ")") {
			continue
		}
		first.Value = strings.Join(pieces, ",")
		in.Content = slices.Delete(in.Content, at+1, i+step)
		d.failCut(first, plain)
		return
	}
}

// failCut reports a split value and the correct spelling.
func (d *Decoder) failCut(n *yaml.Node, plain func(string) string) {
	other := ""
	if plain != nil {
		if text := plain(n.Value); text != "" {
			other = ", or write " + text
		}
	}
	d.Fail(n, "YAML ends a value at the comma of %s: quote it, %q%s", n.Value, n.Value, other)
}

// isPlain reports whether a node is a value without quotes.
func isPlain(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0
}
