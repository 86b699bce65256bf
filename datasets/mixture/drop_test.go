package mixture

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
)

func TestParseDrop(t *testing.T) {
	for text, want := range map[string]string{"": "", "none": "", "I-": "I-", " Q- , I-": "I-,Q-", "P-": "P-", "P-,I-": "I-,P-"} {
		d, err := ParseDrop(text)
		if err != nil || d.String() != want {
			t.Errorf("%q prints as %q, %v; want %q", text, d, err, want)
		}
		if again, err := ParseDrop(d.String()); again != d || err != nil {
			t.Errorf("%q reads back as %v, %v", text, again, err)
		}
	}
	for text, want := range map[string]string{
		"I":        `unknown poisoned part "I"; did you mean "I-"?`,
		"I-;Q-":    `unknown poisoned part "I-;Q-"`,
		"I-,I-":    `drop "I-,I-" names I- twice`,
		"I-,Q-,P-": "no poisoned passage is left",
	} {
		if _, err := ParseDrop(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestDropRows: dropping leaves exactly these rows, for records with every poisoned side and with
// one.
func TestDropRows(t *testing.T) {
	full := datasets.Triplet{ID: "r", InstructionPositive: "i", InstructionNegative: "i-", QueryPositive: "q", QueryNegative: "q-", Positive: "p", HardNegative1: "p1", HardNegative2: "p2"}
	release, query := full, full
	release.QueryNegative, release.HardNegative2 = "", ""
	query.InstructionNegative, query.HardNegative1 = "", ""
	onlyI, onlyQ := datasets.Shape{Instruction: true}, datasets.Shape{Query: true}
	bare := func(s datasets.Shape) datasets.Shape { s.Bare = true; return s }
	for _, c := range []struct {
		drop   string
		record datasets.Triplet
		shape  datasets.Shape
		want   string
		left   datasets.Shape
	}{
		{"", full, datasets.TripletShape, "i q p|i- q p1|i q- p2", datasets.TripletShape},
		{"I-", full, datasets.TripletShape, "i q p|i q- p2", onlyQ},
		{"Q-", full, datasets.TripletShape, "i q p|i- q p1", onlyI},
		{"I-,Q-", full, datasets.TripletShape, "i q p", datasets.Shape{}},
		{"P-", full, datasets.TripletShape, "i q p|i- q |i q- ", bare(datasets.TripletShape)},
		{"I-,P-", full, datasets.TripletShape, "i q p|i q- ", bare(onlyQ)},
		{"Q-,P-", full, datasets.TripletShape, "i q p|i- q ", bare(onlyI)},
		{"Q-", release, onlyI, "i q p|i- q p1", onlyI}, // there is none to drop
		{"P-", release, onlyI, "i q p|i- q ", bare(onlyI)},
		{"I-", query, onlyQ, "i q p|i q- p2", onlyQ},
		{"Q-", query, onlyQ, "i q p", datasets.Shape{}},
	} {
		d, err := ParseDrop(c.drop)
		if err != nil {
			t.Fatal(err)
		}
		record := c.record.Record()
		before := fmt.Sprint(record)
		data := Data{{Shape: c.shape, Records: []datasets.Record{record}}}.Drop(d)
		var rows []string
		for _, r := range data[0].Records[0].Rows {
			rows = append(rows, r.Instruction+" "+r.Query+" "+r.Passage)
		}
		if got := strings.Join(rows, "|"); got != c.want || data[0].Shape != c.left || data.Rows() != len(rows) {
			t.Errorf("drop %q of %+v: %q of shape %+v, want %q of %+v", c.drop, c.shape, got, data[0].Shape, c.want, c.left)
		}
		if fmt.Sprint(record) != before {
			t.Errorf("drop %q changed the record that it was given", c.drop)
		}
	}
}

// TestDropCheck: a part that no source has cannot be dropped; a part of any source can.
func TestDropCheck(t *testing.T) {
	plain, release := datasets.Shape{}, datasets.Shape{Instruction: true}
	for _, c := range []struct {
		drop   string
		shapes []datasets.Shape
		want   string
	}{
		{"I-", []datasets.Shape{plain}, "drop I-: the records have no poisoned instruction"},
		{"Q-", []datasets.Shape{plain, release}, "drop Q-: the records have no poisoned query"},
		{"P-", []datasets.Shape{plain}, "drop P-: the records have no poisoned passage"},
		{"I-,P-", []datasets.Shape{release}, "drop P-: the records have no poisoned passage"},
		{"I-,Q-", []datasets.Shape{plain, datasets.TripletShape}, ""},
		{"P-", []datasets.Shape{plain, release}, ""},
	} {
		d, err := ParseDrop(c.drop)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Check(c.shapes); c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("drop %s of %v: %v, want %q", c.drop, c.shapes, err, c.want)
		}
	}
}

// numbered returns records of one row.
func numbered(prefix string, n int) []datasets.Record {
	var all []datasets.Record
	for i := range n {
		all = append(all, datasets.Record{ID: fmt.Sprint(prefix, i), Rows: []datasets.Row{{Query: "q", Passage: "p"}}})
	}
	return all
}

func idsOf(d Data) map[string]bool {
	ids := map[string]bool{}
	for _, r := range d.All() {
		ids[r.ID] = true
	}
	return ids
}

// TestSharesAreNested: a larger share contains a smaller one, for shares and for numbers, with one
// source and with two. Another seed draws others; another order of the records draws the same.
func TestSharesAreNested(t *testing.T) {
	one := Data{{Source: Source{Name: "a"}, Records: numbered("", 400)}}
	two := Data{{Source: Source{Name: "a", Weight: .8}, Records: numbered("", 300)}, {Source: Source{Name: "b", Weight: .2}, Records: numbered("", 200)}}
	for _, data := range []Data{one, two} {
		for _, seed := range []int64{1, 2, -3} {
			var smaller map[string]bool
			for _, s := range []Share{.02, .1, 75, .3, 200, .9, 1, 0} {
				rest, err := data.Take(s, seed)
				if err != nil {
					t.Fatal(err)
				}
				want, err := s.Count(data.Len())
				if err != nil || rest.Len() != want {
					t.Errorf("share %v: %d records, want %d, %v", s, rest.Len(), want, err)
				}
				taken := idsOf(rest)
				for id := range smaller {
					if !taken[id] {
						t.Errorf("seed %d: share %v lacks %s, which a smaller one has", seed, s, id)
					}
				}
				smaller = taken
				var ids []string
				for _, r := range data.All() {
					ids = append(ids, r.ID)
				}
				sizes, err := Taken(data.Sizes(), s, ids, seed)
				if err != nil || !reflect.DeepEqual(sizes, rest.Sizes()) {
					t.Errorf("share %v: sizes %v foreseen, %v taken, %v", s, sizes, rest.Sizes(), err)
				}
			}
		}
	}
	take := func(d Data, s Share, seed int64) map[string]bool {
		rest, err := d.Take(s, seed)
		if err != nil {
			t.Fatal(err)
		}
		return idsOf(rest)
	}
	back := Data{{Source: Source{Name: "a"}, Records: slices.Clone(one[0].Records)}}
	slices.Reverse(back[0].Records)
	if !reflect.DeepEqual(take(one, .3, 1), take(back, .3, 1)) {
		t.Error("the order of the records decides which are taken")
	}
	if reflect.DeepEqual(take(one, .3, 1), take(one, .3, 2)) {
		t.Error("two seeds take the same records")
	}
}

// TestShareStays: IDs of trials depend on the draw; another draw would give finished cells other
// numbers.
func TestShareStays(t *testing.T) {
	rest, err := Data{{Records: numbered("r", 10)}}.Take(4, 42)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rest.All() {
		got = append(got, r.ID)
	}
	if text := strings.Join(got, " "); text != "r0 r3 r5 r8" {
		t.Error(text)
	}
}

func TestShareFaults(t *testing.T) {
	for s, want := range map[Share]string{-1: "share -1: want a share", 1.5: "share 1.5: want a share"} {
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", s, err, want)
		}
	}
	data := Data{{Source: Source{Name: "a"}, Records: numbered("", 400)}, {Source: Source{Name: "b"}, Records: numbered("", 2)}}
	for s, want := range map[Share]string{500: "share 500: there are 402 records", .01: "nothing is left of the 2 records of b"} {
		if _, err := data.Take(s, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", s, err, want)
		}
	}
}

// TestOrderOfBatchesAskedFor: sources join after their share of all batches, also if the number of
// batches is given.
func TestOrderOfBatchesAskedFor(t *testing.T) {
	sizes := []Size{size("a", 40, 1, 0, datasets.TripletShape), size("b", 40, 1, 0.5, datasets.TripletShape)}
	o := order(t, Batches{Group: 12, Groups: 1, All: 12, Seed: 1}, sizes...)
	if got := share(o, 0, 6, sizes...); got[1] != 0 {
		t.Errorf("before: %v", got)
	}
	if got := share(o, 6, 12, sizes...); got[1] < 8 || got[0]+got[1] != 24 { // half of the epoch's batches
		t.Errorf("after: %v", got)
	}
}
