package gate

import (
	"cmp"
	"fmt"
	"strconv"

	"infbench/internal/strict"
	"infbench/internal/words"
	"infbench/metrics"
)

// scale is what the numbers of a rule file are times of: 100, or 1; 0 where the file
// does not say, and 100 is meant.
type scale float64

// scaleOf reads the scale of a rule file.
func scaleOf(d *strict.Decoder, fields []strict.Field) scale {
	for _, f := range fields {
		if f.Name != "scale" {
			continue
		}
		switch n, _ := d.Resolve(f.Value); n.Value {
		case "1":
			return 1
		case "100":
			return 100
		}
		d.Fail(f.Value, "scale: want 100, as tables have it, or 1, found %s", strict.Describe(f.Value))
		return 100
	}
	return 0
}

// maximumDrop is the key of the largest drop that a rule allows.
const maximumDrop = "maximum_drop"

// rescale turns what a rule demands into the native range of its measure.
func (r *Rule) rescale(by scale) error {
	if IsCount(r.Measure) {
		return nil
	}
	for _, demand := range []struct {
		key   string
		value **float64
	}{{"minimum", &r.Minimum}, {"maximum", &r.Maximum}, {maximumDrop, &r.MaximumDrop}} {
		if *demand.value == nil {
			continue
		}
		native, err := by.native(demand.key, **demand.value, unbounded(r.Measure))
		if err != nil {
			return fmt.Errorf("%s %w", demand.key, err)
		}
		*demand.value = &native
	}
	return nil
}

// native is a number in its own range. Without a scale one that may be meant from 0 to 1,
// as rules were once, is refused, but a drop of 1, which was no demand then; so is one
// that a bounded measure does not reach.
func (s scale) native(key string, v float64, unbounded bool) (float64, error) {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	switch {
	case s == 0 && v != 0 && v >= -1 && v <= 1 && (v < 1 || key != maximumDrop):
		whole := strconv.FormatFloat(100*v, 'g', 10, 64)
		return 0, fmt.Errorf("%s: rules are on the scale of tables, times 100: write %s, not %s; where %s of 100 is meant, say scale: 100 at the top of the file (and scale: 1 of one that is all from 0 to 1)", text, whole, text, text)
	case v > float64(cmp.Or(s, 100)) && !unbounded:
		return 0, fmt.Errorf("%s is above %v, which no value is", text, cmp.Or(s, 100))
	}
	return v / float64(cmp.Or(s, 100)), nil
}

// IsCount reports whether a measure counts, so that nobody prints it times 100.
func IsCount(measure string) bool {
	m, err := metrics.Parse(measure)
	_, counts := m.(metrics.Count)
	return err == nil && counts
}

// unbounded reports whether values of a measure may lie above 1.
func unbounded(measure string) bool {
	m, err := metrics.Parse(measure)
	_, utility := m.(metrics.Utility)
	return err != nil || utility
}

// shown prints a value of a measure as rules have it.
func shown(measure string, v float64) string {
	if IsCount(measure) {
		return words.Fixed(v, 2)
	}
	return words.PercentExact(v)
}
