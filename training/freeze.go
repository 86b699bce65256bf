package training

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/ml/model"

	"infbench/training/encoder"
)

// freeze fixes the weights below the named modules ("embeddings", "encoder.layer.0") until thaw
// is called. With separate encoders a name means the module of both sides, and
// "documents/embeddings" the module of the document encoder only. A module without weights is an
// error, and so is a network with nothing left to train.
func freeze(store *model.Store, modules []string) (thaw func(), err error) {
	used := map[string]bool{}
	top := map[string]bool{}
	var frozen []*model.Variable
	left := false
	for v := range store.IterVariables() {
		name := strings.TrimPrefix(v.Path(), "/")
		shared := strings.TrimPrefix(name, string(encoder.Documents))
		first, _, _ := strings.Cut(shared, ".")
		if !strings.Contains(first, "/") { // skip adapters
			top[first] = true
		}
		hold := false
		for _, module := range modules {
			if below(name, module) || below(shared, module) {
				used[module], hold = true, true
			}
		}
		if hold && v.Trainable {
			frozen = append(frozen, v)
		}
		left = left || v.Trainable && !hold
	}
	var errs []error
	for _, module := range modules {
		if !used[module] {
			errs = append(errs, fmt.Errorf("freeze: no weights below %q (known: %s and the modules below them)",
				module, strings.Join(slices.Sorted(maps.Keys(top)), ", ")))
		}
	}
	if !left {
		errs = append(errs, errors.New("freeze: no weights are left to train"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	set := func(trainable bool) {
		for _, v := range frozen {
			v.SetTrainable(trainable)
		}
	}
	set(false)
	return func() { set(true) }, nil
}

// below reports whether a weight belongs to a module.
func below(name, module string) bool {
	return name == module || strings.HasPrefix(name, module+".")
}
