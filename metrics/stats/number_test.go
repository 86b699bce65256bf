package stats_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"infbench/metrics/stats"
)

func ExampleNumber() {
	var missing stats.Number
	fmt.Println(missing, stats.Defined(0.25), stats.Defined(math.Inf(-1)).Format(2))
	// Output: undefined 0.2500 -inf
}

func TestMarshalJSON(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{stats.Number{}, "null"},
		{stats.Defined(math.NaN()), "null"},
		{stats.Defined(0.1), "0.1"},
		{stats.Defined(math.Inf(1)), `"inf"`},
		{stats.Interval{}, "null"},
		{stats.Interval{Low: -1, High: 2, Level: 0.95}, `{"low":-1,"high":2,"level":0.95}`},
	} {
		got, err := json.Marshal(c.value)
		if err != nil || string(got) != c.want {
			t.Errorf("%v marshals to %s, %v; want %s", c.value, got, err, c.want)
		}
	}
}
