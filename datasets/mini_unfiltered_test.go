package datasets

import (
	"slices"
	"testing"
)

// TestMiniUnfiltered: the approved records are all there unchanged, every other record is spoilt in
// one way, and the same world gives the same records.
func TestMiniUnfiltered(t *testing.T) {
	all, ok := MiniTriplets(MiniUnfiltered, 1)
	if !ok || len(all) != 3096 { // 1200 / 0.38759
		t.Fatalf("%d records, %t", len(all), ok)
	}
	byID := map[string]Triplet{}
	for _, r := range all {
		byID[r.ID] = r
	}
	if len(byID) != len(all) {
		t.Errorf("%d IDs of %d records", len(byID), len(all))
	}
	kinds := [3]int{}
	for i, whole := range MiniInfIRSized(1, len(all)) {
		got := byID[whole.ID]
		if i < MiniRecords {
			if got != whole {
				t.Fatalf("approved record %s was changed", whole.ID)
			}
			continue
		}
		same := whole
		switch {
		case got.Positive == whole.HardNegative1 && got.HardNegative1 == whole.Positive:
			kinds[0]++
			same.Positive, same.HardNegative1 = whole.HardNegative1, whole.Positive
		case got.HardNegative1 != whole.HardNegative1:
			kinds[1]++
			same.HardNegative1 = got.HardNegative1
		case got.HardNegative2 != whole.HardNegative2:
			kinds[2]++
			same.HardNegative2 = got.HardNegative2
		default:
			t.Errorf("record %s was not spoilt", whole.ID)
		}
		if got != same {
			t.Errorf("record %s was changed in more than one way", whole.ID)
		}
	}
	if slices.Min(kinds[:]) < 500 { // of 1896
		t.Errorf("spoilt %v records in each way", kinds)
	}
	if again, _ := MiniTriplets(MiniUnfiltered, 1); !slices.Equal(again, all) {
		t.Error("the same world gave other records")
	}
	if _, ok := MiniTriplets("mini-infr", 1); ok {
		t.Error("an unknown set was generated")
	}
}
