//go:build xla

package gpucheck_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gomlx/go-xla/stablehlo"

	"infbench/runners/spec"
	"infbench/training"
)

// TestTrainingWritesInPlace: new weights and moments replace the old ones in place, and so do
// sums of gradients. A step needs on the card, besides activations, 12 bytes per parameter, and
// the sums of gradients if they are accumulated over chunks or batches. Without this it was
// 24.0 and 28.1 bytes.
func TestTrainingWritesInPlace(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*training.Config)
		most   float64 // bytes per parameter
	}{
		"whole":      {func(*training.Config) {}, 12},
		"accumulate": {func(c *training.Config) { c.Accumulate = 2 }, 16},
		"chunks":     {func(c *training.Config) { c.Chunk = 6 }, 16},
	} {
		card := newCard(t, func(cell *spec.Cell) {
			c.change(&cell.Train)
			cell.Train = cell.Train.ForSteps(3)
		})
		plugin, enc, parameters := card.plugin, card.enc, card.parameters
		card.train(t, training.Options{})
		updates := 0
		calls := plugin.Log(t, "execute")
		for _, call := range calls {
			if call.AliasedBytes >= int64(12*parameters) {
				updates++
			}
		}
		per := float64(calls[len(calls)-1].Peak) / float64(parameters)
		t.Logf("%s: %.1f bytes a parameter", name, per)
		if per > c.most+.5 || updates < 3 {
			t.Errorf("%s: %.1f bytes a parameter, want %.1f; weights and moments stay in place in %d executions, want 3", name, per, c.most, updates)
		}
		var paths []string
		for v := range enc.Store().IterVariables() {
			paths = append(paths, stablehlo.ConvertToValidName(v.Path()))
		}
		for _, call := range plugin.Log(t, "compile") {
			checkAliases(t, name, plugin.Program(t, call.Program), paths)
		}
		enc.Backend().Finalize()
	}
}

// argument and result match those of a program's main function; go-xla names an argument after
// its variable.
var (
	argument = regexp.MustCompile(`%(\w+): (tensor<[^>]*>)(?: \{ tf\.aliasing_output = (\d+) : i32 \})?`)
	result   = regexp.MustCompile(`tensor<[^>]*>`)
)

// checkAliases checks that arguments alias results of the same shape, at most one argument per
// result. A variable must alias its own new value. These values are the first results: weights
// in the order of the store, then the two moments of each.
func checkAliases(t *testing.T, name, program string, paths []string) {
	t.Helper()
	head := program[strings.Index(program, "@main("):]
	head = head[:strings.Index(head, "{\n")]
	arrow := strings.LastIndex(head, "->")
	results := result.FindAllString(head[arrow:], -1)
	taken := make([]string, len(results))
	for _, a := range argument.FindAllStringSubmatch(head[:arrow], -1) {
		if a[3] == "" {
			continue
		}
		k, err := strconv.Atoi(a[3])
		if err != nil || k >= len(results) || results[k] != a[2] || taken[k] != "" {
			t.Fatalf("%s: argument %s %s is to be result %s of %d, as is %q", name, a[1], a[2], a[3], len(results), taken)
		}
		taken[k] = a[1]
	}
	var weights, moments []string
	for _, argument := range taken {
		if slices.Contains(paths, argument) {
			weights = append(weights, argument)
		} else if strings.HasPrefix(argument, "_optimizer_") {
			moments = append(moments, argument)
		}
	}
	if len(weights) == 0 {
		return
	}
	order := slices.Clone(paths)
	order = slices.DeleteFunc(order, func(path string) bool { return !slices.Contains(weights, path) })
	if !slices.Equal(weights, order) || len(moments) != 2*len(weights) || !slices.Equal(taken[:len(weights)], weights) {
		t.Errorf("%s: results take the places of %v", name, taken)
	}
	for i := 0; i < len(moments); i += 2 {
		if m, v := moments[i], moments[i+1]; strings.TrimPrefix(m, "_optimizer_m") != strings.TrimPrefix(v, "_optimizer_v") {
			t.Errorf("%s: moments %s and %s are neighbours", name, m, v)
		}
	}
}
