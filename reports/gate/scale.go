package gate

import (
	"cmp"
	"fmt"
	"strconv"

	"infbench/internal/strict"
	"infbench/internal/words"
	"infbench/metrics"
)

// scale is the factor on the numbers of a rule file: 100 or 1; 0 if the file does not state it,
// which means 100.
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

// rescale converts the demands of a rule to the native range of its measure.
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

// native converts a number to its native range. Without a scale, a number that could be meant from
// 0 to 1, as in earlier rule files, is an error; a maximum_drop of 1 is not, since earlier it would
// have demanded nothing. A number beyond the range of a bounded measure is also an error.
func (s scale) native(key string, v float64, unbounded bool) (float64, error) {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	switch {
	case s == 0 && v != 0 && v >= -1 && v <= 1 && (v < 1 || key != maximumDrop):
		percent := strconv.FormatFloat(100*v, 'g', 10, 64)
		return 0, fmt.Errorf("%s: rules are on the scale of tables, times 100: write %s, not %s; if %s of 100 is meant, add scale: 100 at the top of the file (or scale: 1 if all of its numbers are from 0 to 1)", text, percent, text, text)
	case v > float64(cmp.Or(s, 100)) && !unbounded:
		return 0, fmt.Errorf("%s is above %v, the highest possible value", text, cmp.Or(s, 100))
	}
	return v / float64(cmp.Or(s, 100)), nil
}

// IsCount reports whether a measure is a count, which is never printed times 100.
func IsCount(measure string) bool {
	m, err := metrics.Parse(measure)
	_, counts := m.(metrics.Count)
	return err == nil && counts
}

// unbounded reports whether values of a measure may exceed 1.
func unbounded(measure string) bool {
	m, err := metrics.Parse(measure)
	_, utility := m.(metrics.Utility)
	return err != nil || utility
}

// shown prints a value of a measure on the scale of rules.
func shown(measure string, v float64) string {
	if IsCount(measure) {
		return words.Fixed(v, 2)
	}
	return words.PercentExact(v)
}
