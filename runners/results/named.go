package results

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/internal/words"
)

// Named is a trial or a system with the names by which it is found.
type Named struct {
	ID     string
	Labels []string
}

func (n Named) String() string {
	switch {
	case len(n.Labels) == 0:
		return n.ID
	case n.ID == "":
		return AsTyped(n.Labels[0])
	}
	return fmt.Sprintf("%s (%s)", n.ID, AsTyped(n.Labels[0]))
}

// Find returns the positions of the items that a name means. It takes the first of these rules
// with a result: an equal label; an equal ID; a label that has all words of the name, the first
// of them at its beginning, as uni(P) for "uni(P) seed=1"; an ID that begins with the name. A
// loss may be written as in commands, uni:P.
func Find(all []Named, name string) (found []int) {
	name = strings.TrimSpace(name)
	label := AsLabel(name)
	labelled := func(fits func(label string) bool) func(Named) bool {
		return func(n Named) bool { return slices.ContainsFunc(n.Labels, fits) }
	}
	for _, means := range []func(Named) bool{
		labelled(func(l string) bool { return AsLabel(l) == label }),
		func(n Named) bool { return n.ID == name },
		labelled(func(l string) bool { return hasWords(l, label) }),
		func(n Named) bool { return strings.HasPrefix(n.ID, name) },
	} {
		for i, n := range all {
			if means(n) {
				found = append(found, i)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// hasWords reports whether a label begins with the first word of a name and contains the
// others.
func hasWords(label, name string) bool {
	has, wanted := strings.Fields(strings.ReplaceAll(label, ", ", " ")), strings.Fields(name)
	if len(has) == 0 || len(wanted) == 0 || has[0] != wanted[0] {
		return false
	}
	return !slices.ContainsFunc(wanted, func(word string) bool { return !slices.Contains(has, word) })
}

// Ambiguous returns an error for a name with several meanings. The error lists them.
func Ambiguous(kind, name string, means []Named) error {
	return usage.Errorf("%s %q is ambiguous: %s", kind, name, listOf(means))
}

// Meant returns the label that a name means; see Find. others are further names of a label. It
// returns an error that lists the labels if there is none or more than one.
func Meant(kind, name string, labels []string, others map[string][]string) (string, error) {
	all, typed := make([]Named, len(labels)), make([]string, len(labels))
	for i, label := range labels {
		all[i].Labels, typed[i] = append([]string{label}, others[label]...), AsTyped(label)
	}
	found := Find(all, name)
	switch len(found) {
	case 0:
		return "", nearest.Unknown(kind, AsTyped(name), typed)
	case 1:
		return labels[found[0]], nil
	}
	var several []Named
	for _, i := range found {
		several = append(several, all[i])
	}
	return "", Ambiguous(kind, name, several)
}

// Unknown returns an error for a name without a meaning in the searched place.
func Unknown(kind, where, name string, all []Named) error {
	return usage.Errorf("%s has no %s %q%s (known: %s)", where, kind, name, Near(all, name), listOf(all))
}

// listOf names the first few items.
func listOf(all []Named) string {
	var texts []string
	for _, n := range all {
		texts = append(texts, n.String())
	}
	return words.Listed(texts)
}

// Near suggests the label, or first word of a label, that is closest to a name.
func Near(all []Named, name string) string {
	var labels []string
	for _, n := range all {
		for _, label := range n.Labels {
			labels = append(labels, label, strings.Join(strings.Fields(label)[:min(1, len(strings.Fields(label)))], ""))
		}
	}
	if label, ok := nearest.Of(AsLabel(strings.TrimSpace(name)), labels); ok {
		return fmt.Sprintf("; did you mean %q?", AsTyped(label))
	}
	return ""
}

// Typed returns the shortest text that identifies the item at a position: the first word of its
// label, else the label, else its ID.
func Typed(all []Named, at int) string {
	for _, label := range all[at].Labels {
		first, _, _ := strings.Cut(label, " ")
		for _, name := range []string{first, label} {
			if found := Find(all, name); len(found) == 1 && found[0] == at {
				return AsTyped(name)
			}
		}
	}
	return all[at].ID
}
