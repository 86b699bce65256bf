package scores

import (
	"cmp"
	"slices"

	"infbench/internal/words"
	"infbench/runners/results"
)

// sizeClasses group models by the number of parameters in use, so that a model is compared
// with those of similar cost.
var sizeClasses = []struct {
	below int64
	name  string
}{
	{10e6, "< 10M"}, {50e6, "10M–50M"}, {200e6, "50M–200M"}, {1e9, "200M–1B"}, {4e9, "1B–4B"}, {15e9, "4B–15B"},
}

// sizeClass returns the class of a number of parameters, "" if it is unknown.
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

// Sizes returns the class of each system by its Parameters. It is nil if there are fewer
// than two classes.
func (v *Set) Sizes() map[*System]string {
	out := map[*System]string{}
	var classes []string
	for s, n := range v.Parameters() {
		if out[s] = sizeClass(n); out[s] != "" {
			classes = words.AddNew(classes, out[s])
		}
	}
	if len(classes) < 2 {
		return nil
	}
	return out
}

// Parameters returns how many parameters each system has in use. It takes them from the
// system's trials or, if they do not record it, from any other system with the same
// backbone, such as the untrained one. 0 means unknown.
func (v *Set) Parameters() map[*System]int64 {
	ofBackbone, own := map[string]int64{}, map[*System]int64{}
	for _, s := range v.Systems {
		for _, t := range s.Trials {
			if t.Parameters > 0 {
				own[s] = t.Parameters
				ofBackbone[s.Config()[results.Backbone]] = t.Parameters
				break
			}
		}
	}
	delete(ofBackbone, "")
	out := map[*System]int64{}
	for _, s := range v.Systems {
		out[s] = cmp.Or(own[s], ofBackbone[s.Config()[results.Backbone]])
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
