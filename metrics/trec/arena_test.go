package trec

import (
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
)

// The blocks of a long run are read into the same memory again and again; values kept from
// them must not change.
func TestReadRunOfManyBlocks(t *testing.T) {
	const queries, documents = 150, 1000
	var text strings.Builder
	for q := range queries {
		for d := range documents {
			fmt.Fprintf(&text, "q%03d Q0 %s%d %d %d tag%d\n", q, strings.Repeat("d", d%40), q*documents+d, d+1, documents-d, q)
		}
	}
	if text.Len() < 4*blockSize {
		t.Fatalf("%d bytes are too few blocks", text.Len())
	}
	run, tag, err := Options{}.ReadRun(iotest.HalfReader(strings.NewReader(text.String())), "run")
	if err != nil || len(run) != queries || tag != fmt.Sprint("tag", queries-1) {
		t.Fatalf("%d queries, tag %q, %v", len(run), tag, err)
	}
	for q := range queries {
		ranking := run[fmt.Sprintf("q%03d", q)]
		if len(ranking) != documents {
			t.Fatalf("query %d has %d documents", q, len(ranking))
		}
		for d, found := range ranking {
			want := Scored{fmt.Sprint(strings.Repeat("d", d%40), q*documents+d), float64(documents - d)}
			if found != want {
				t.Fatalf("query %d, rank %d: %v, want %v", q, d+1, found, want)
			}
		}
	}
}
