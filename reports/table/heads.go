package table

// Head is one heading cell of a table.
type Head struct {
	Text, Help     string
	Number         bool
	Columns, Rows  int // columns and rows that the cell spans
	Group, Divider bool
	Index          int // index of its column
}

// Heads arranges the headings in one row, or in two if columns share a heading.
func (t *Table) Heads() [][]Head {
	grouped := false
	for _, c := range t.Columns {
		grouped = grouped || c.Group != ""
	}
	var top, bottom []Head
	for j := 0; j < len(t.Columns); j++ {
		c := t.Columns[j]
		own := Head{Text: c.Name, Help: c.Help, Number: c.Number, Columns: 1, Rows: 1, Index: j}
		if !grouped || c.Group == "" {
			if grouped {
				own.Rows = 2
			}
			top = append(top, own)
			continue
		}
		if j == 0 || t.Columns[j-1].Group != c.Group {
			top = append(top, Head{Text: c.Group, Columns: 1, Rows: 1, Group: true})
			own.Divider = true
		} else {
			top[len(top)-1].Columns++
		}
		bottom = append(bottom, own)
	}
	if !grouped {
		return [][]Head{top}
	}
	return [][]Head{top, bottom}
}

// Starts reports whether column j opens a group of columns.
func (t *Table) Starts(j int) bool {
	return j > 0 && t.Columns[j].Group != "" && t.Columns[j-1].Group != t.Columns[j].Group
}
