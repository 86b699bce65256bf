package format

import "github.com/parquet-go/parquet-go/format"

// MayHaveNulls reports whether column col of a parquet file may be null in a row, without
// reading rows: false where the schema or the statistics of every row group rule it out. A
// file without such statistics may have nulls.
func MayHaveNulls(file string, col Column) (bool, error) {
	pf, f, err := openParquet(file, jumpBuffer)
	if err != nil {
		return false, err
	}
	defer f.Close()
	at, err := resolve(file, pf, []Column{col})
	if err != nil {
		return false, err
	}
	if at[0].column.MaxDefinitionLevel() == 0 {
		return false, nil
	}
	c := at[0].column.Index()
	for _, group := range pf.Metadata().RowGroups {
		if c >= len(group.Columns) || !rulesOutNulls(&group.Columns[c].MetaData.Statistics) {
			return true, nil
		}
	}
	return false, nil
}

// rulesOutNulls reports whether statistics count no nulls. The library reads an absent count
// as 0: statistics without bounds of the values are taken as absent.
func rulesOutNulls(s *format.Statistics) bool {
	return s.NullCount == 0 && (len(s.MinValue) > 0 || len(s.MaxValue) > 0 || len(s.Min) > 0 || len(s.Max) > 0)
}
