package metrics

import (
	"strconv"
	"testing"
)

// TestSieve checks that a sieve has every added text and lets few others through.
func TestSieve(t *testing.T) {
	var s sieve
	for i := range 100 {
		s.add("doc" + strconv.Itoa(i*i))
		s.add(strconv.Itoa(i))
	}
	s.add("")
	for i := range 100 {
		if !s.has("doc"+strconv.Itoa(i*i)) || !s.has(strconv.Itoa(i)) || !s.has("") {
			t.Fatalf("denies %d", i)
		}
	}
	others := 0
	for i := range 10_000 {
		if s.has("x" + strconv.Itoa(100_000+i)) {
			others++
		}
	}
	if others > 1000 {
		t.Errorf("lets %d of 10000 others through", others)
	}
}
