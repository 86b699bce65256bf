package engine

import (
	"slices"
	"testing"
)

// The forms are those that squeue 22.05 and the Kubernetes Job status print.
func TestParseIndexes(t *testing.T) {
	tests := []struct {
		text      string
		want      []int
		truncated bool
	}{
		{"7", []int{7}, false},
		{"0-3%2", []int{0, 1, 2, 3}, false},
		{"[1-3,7,9-10%4]", []int{1, 2, 3, 7, 9, 10}, false},
		{"0-8:4", []int{0, 4, 8}, false},
		{"1,3,5-6", []int{1, 3, 5, 6}, false},
		{"1,3,5,...", []int{1, 3, 5}, true},
		{"1,3,5...", []int{1, 3}, true}, // 5 may be the beginning of 57
		{"", nil, false},
	}
	for _, test := range tests {
		got, truncated, err := parseIndexes(test.text)
		if err != nil || truncated != test.truncated || !slices.Equal(got, test.want) {
			t.Errorf("parseIndexes(%q) = %v, %v, %v; want %v, %v", test.text, got, truncated, err, test.want, test.truncated)
		}
	}
	for _, bad := range []string{"N/A", "3-1", "-1", "0-9:0", "1,,2", "x", "0-99999999", "0-4000000,0-4000000"} {
		if got, _, err := parseIndexes(bad); err == nil {
			t.Errorf("parseIndexes(%q) = %d indexes, want an error", bad, len(got))
		}
	}
}
