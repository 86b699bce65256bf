package table

import "testing"

// TestRoom checks that rows beyond the limit are counted, both those never made and those
// cut.
func TestRoom(t *testing.T) {
	for _, c := range []struct{ rows, room, kept, left int }{{5, 0, 5, 0}, {5, 5, 5, 0}, {5, 3, 3, 2}, {0, 3, 0, 0}} {
		var added, cut Table
		made := 0
		for range c.rows {
			added.Add(c.room, func() Row { made++; return Row{} })
			cut.Rows = append(cut.Rows, Row{})
		}
		cut.Cut(c.room)
		if len(added.Rows) != c.kept || added.Left != c.left || made != c.kept {
			t.Errorf("%+v: %d added, %d left, %d made", c, len(added.Rows), added.Left, made)
		}
		if len(cut.Rows) != c.kept || cut.Left != c.left {
			t.Errorf("%+v: %d after cutting, %d left", c, len(cut.Rows), cut.Left)
		}
	}
}
