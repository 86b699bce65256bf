package format

import (
	"fmt"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

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
	footer, err := footerOf(f, pf.Size())
	if err != nil {
		return false, fmt.Errorf("%s: %w", file, err)
	}
	var counts nullCounts
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), footer, &counts); err != nil {
		return false, fmt.Errorf("%s: damaged footer: %w", file, err)
	}
	for _, group := range counts.RowGroups {
		c := at[0].column.Index()
		if c >= len(group.Columns) {
			return true, nil
		}
		if n := group.Columns[c].Metadata.Statistics.NullCount; !n.Valid || n.V > 0 {
			return true, nil
		}
	}
	return false, nil
}

// nullCounts is the part of a footer (parquet.thrift, FileMetaData) that counts nulls. The
// library's own type does not distinguish a count of 0 from a missing count. Files with long texts
// often have the count and no other statistics.
type nullCounts struct {
	RowGroups []struct {
		Columns []struct {
			Metadata struct {
				Statistics struct {
					NullCount thrift.Null[int64] `thrift:"3,optional"`
				} `thrift:"12,optional"`
			} `thrift:"3,optional"`
		} `thrift:"1"`
	} `thrift:"4"`
}
