package scores

import (
	"cmp"
	"slices"

	"infbench/internal/words"
	"infbench/runners/results"
)

// sizeClasses are by the number of parameters in use, so that a model is held
// against those that cost about as much to run.
var sizeClasses = []struct {
	below int64
	name  string
}{
	{10e6, "< 10M"}, {50e6, "10M–50M"}, {200e6, "50M–200M"}, {1e9, "200M–1B"}, {4e9, "1B–4B"}, {15e9, "4B–15B"},
}

// sizeClass names the class of a number of parameters, "" where it is unknown.
func sizeClass(parameters int64) string {
	if parameters <= 0 {
		return ""
	}
	for _, c := range sizeClasses {
		if parameters < c.below {
			return c.name
		}
	}
	return "≥ 15B"
}

// Sizes lists the class of each system: that of its trials or, where they do not
// say, of any other system with the same backbone, the untrained one among them.
// It is nil where there are not two classes to tell apart.
func (v *Set) Sizes() map[*System]string {
	ofBackbone, own := map[string]string{}, map[*System]string{}
	for _, s := range v.Systems {
		for _, t := range s.Trials {
			if class := sizeClass(t.Parameters); class != "" {
				own[s] = class
				ofBackbone[s.Config()[results.Backbone]] = class
				break
			}
		}
	}
	delete(ofBackbone, "")
	out := map[*System]string{}
	var classes []string
	for _, s := range v.Systems {
		out[s] = cmp.Or(own[s], ofBackbone[s.Config()[results.Backbone]])
		if out[s] != "" {
			classes = words.AddNew(classes, out[s])
		}
	}
	if len(classes) < 2 {
		return nil
	}
	return out
}

// SizeOrder sorts classes from small to large.
func SizeOrder(class string) float64 {
	i := slices.IndexFunc(sizeClasses, func(c struct {
		below int64
		name  string
	}) bool {
		return c.name == class
	})
	if i < 0 {
		i = len(sizeClasses)
	}
	return float64(i)
}
