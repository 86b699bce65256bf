package training

import (
	"fmt"
	"slices"
	"testing"
)

// TestEncodedPairs finds every candidate of a batch among the sequences that are embedded, under
// draws with little and much overlap.
func TestEncodedPairs(t *testing.T) {
	data := colours(24)
	enc := newEncoder(t, data)
	for _, mode := range []struct {
		fidelity string
		iq       IQTerm
		divisor  int
		mixed    int
	}{
		{"recommended", Pair, 4, 12*2 - 8}, // hard negatives of rows 0 and 1 are anchors
		{"reference", Pair, 4, 12 * 2},
		{"recommended", Pair, 1, 2 * (4*4 - 3*2)}, // in each group 4 instructions times 4 queries
		{"paper", Pair, 1, 8*8 - 3*4},
		{"paper", QueryOnly, 1, 8*8 - 3*4},
	} {
		c := toyConfig()
		c.Fidelity, c.IQTerm, c.Negatives.Divisor = mode.fidelity, mode.iq, mode.divisor
		if mode.divisor == 1 {
			c.RowsPerGroup, c.Groups = 6, 2
		}
		o, err := c.Objective()
		if err != nil {
			t.Fatal(err)
		}
		rows := Rows(of(data))
		s, err := newSampler(c, o, parsed(t, "multi(P,I,IQ)"), of(data))
		if err != nil {
			t.Fatal(err)
		}
		if s.mixed() != mode.mixed {
			t.Errorf("%v: %d mixed pairs, want %d", mode, s.mixed(), mode.mixed)
		}
		tk := newTokens(enc, "", rows, true)
		for step := range 6 {
			b := s.batch(step)
			e := tk.encode(b, s.mixed())
			if len(e.sequences) != 24+s.mixed() {
				t.Fatalf("%v: %d sequences, want 24 and %d mixed", mode, len(e.sequences), s.mixed())
			}
			same := func(what string, at int32, j, k int) {
				t.Helper()
				if want := enc.Tokens().Query(rows[k].Query, rows[j].Instruction); !slices.Equal(e.sequences[12+at], want) {
					t.Errorf("%v, step %d, %s: sequence %v, want %v", mode, step, what, e.sequences[12+at], want)
				}
			}
			for a, i := range b.Rows {
				same("anchor", int32(a), i, i)
				if want := enc.Tokens().Document("", rows[i].Passage); !slices.Equal(e.sequences[a], want) {
					t.Errorf("passage of anchor %d: %v, want %v", a, e.sequences[a], want)
				}
				for c, j := range b.Instructions[a] {
					same(fmt.Sprintf("instruction %d of anchor %d", c, a), e.instructions[a][c], j, i)
				}
				if (mode.iq == QueryOnly) != (len(b.Queries) == 12) {
					t.Fatalf("%v: queries for %d anchors", mode, len(b.Queries))
				}
				if mode.iq == QueryOnly {
					for c, k := range b.Queries[a] {
						same(fmt.Sprintf("query %d of anchor %d", c, a), e.queries[a][c], i, k)
					}
				}
			}
		}
	}
}

// TestLengthHoldsEveryPair pairs the longest query with the longest instruction.
func TestLengthHoldsEveryPair(t *testing.T) {
	data := colours(24)
	data[3].QueryNegative = "find a boat a boat a boat"
	data[9].InstructionNegative = "only red only red only red only red please"
	enc := newEncoder(t, data)
	// [CLS], 7 words, 9 words, [SEP]; without mixed pairs the instruction has a query of two
	// words.
	if got := newTokens(enc, "", Rows(of(data)), true).length; got != 18 {
		t.Errorf("length %d, want 18", got)
	}
	if got := newTokens(enc, "", Rows(of(data)), false).length; got != 13 {
		t.Errorf("length without mixed pairs %d, want 13", got)
	}
}
