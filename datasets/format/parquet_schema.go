package format

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// leaf is one column of values of a parquet file, named as users see it, without the groups that
// wrap lists.
type leaf struct {
	name   string // "labels.id"
	column *parquet.Column
	list   bool // below exactly one list
	deeper bool // below more than one
	// present is the definition level at which a list has an element, empty the level of an empty
	// list.
	present, empty int
}

// leaves lists the value columns of a file.
func leaves(f *parquet.File) []leaf {
	var all []leaf
	for _, c := range f.Root().Columns() {
		all = appendLeaves(all, leaf{column: c}, c.Name())
	}
	return all
}

// appendLeaves walks the schema below l.column, whose name is name.
func appendLeaves(all []leaf, l leaf, name string) []leaf {
	c := l.column
	l.name = name
	if c.Repeated() { // a list without a wrapper
		l = l.inList(c)
	}
	children := c.Columns()
	if len(children) == 1 && children[0].Repeated() {
		// A list: group{repeated group{element}}, or group{repeated element}.
		inner := children[0]
		l = l.inList(inner)
		l.column = inner
		if under := inner.Columns(); len(under) == 1 {
			l.column = under[0]
		}
		c = l.column
		children = c.Columns()
	}
	if c.Leaf() {
		return append(all, l)
	}
	for _, child := range children {
		below := l
		below.column = child
		all = appendLeaves(all, below, name+"."+child.Name())
	}
	return all
}

// inList returns l below the list whose repeated node is c.
func (l leaf) inList(c *parquet.Column) leaf {
	l.deeper = l.list
	l.list = true
	l.present = c.MaxDefinitionLevel()
	l.empty = l.present - 1
	return l
}

// kindOf returns the kind as which values of a column can be read; ok is false for unsupported
// types.
func kindOf(t parquet.Type) (kind Kind, ok bool) {
	logical := ""
	if lt := t.LogicalType(); lt != nil && lt.Value != nil {
		logical, _, _ = strings.Cut(lt.Value.String(), "(")
	}
	switch t.Kind() {
	case parquet.ByteArray:
		return String, logical == "STRING" || logical == "JSON" || logical == "ENUM"
	case parquet.Int32, parquet.Int64:
		return Int, logical == "" || logical == "INT"
	case parquet.Float, parquet.Double:
		return Int, true // where each value is an integer
	}
	return 0, false
}

// found names the type of a column for errors.
func (l leaf) found() string {
	s := strings.ToLower(l.column.Type().String())
	if l.deeper {
		return "list of lists of " + s
	}
	if l.list {
		return "list of " + s
	}
	return s
}

// resolve finds the file's column for each of cols, nil for an absent optional one. The error lists
// all columns that are missing or of another type. At least one column must exist, since only
// values show the number of rows.
func resolve(path string, f *parquet.File, cols []Column) ([]*leaf, error) {
	all := leaves(f)
	at := make([]*leaf, len(cols))
	var faults []error
	for i, col := range cols {
		for _, name := range col.names() {
			j := slices.IndexFunc(all, func(l leaf) bool { return l.name == name })
			if j >= 0 && at[i] == nil {
				at[i] = &all[j]
			}
		}
		switch {
		case at[i] != nil:
			if !at[i].fits(col) {
				faults = append(faults, fmt.Errorf("%s: column %q: found %s, want %s", path, at[i].name, at[i].found(), col.want()))
			}
		case !col.Optional:
			faults = append(faults, fmt.Errorf("%s: no column %q (%s); the file has %q", path, col.Name, col.want(), namesOf(all)))
		}
	}
	if len(faults) == 0 && !slices.ContainsFunc(at, func(l *leaf) bool { return l != nil }) {
		faults = append(faults, fmt.Errorf("%s: none of the columns asked for; the file has %q", path, namesOf(all)))
	}
	return at, errors.Join(faults...)
}

// fits reports whether the column can be read as col asks.
func (l leaf) fits(col Column) bool {
	kind, ok := kindOf(l.column.Type())
	switch {
	case !ok || l.deeper || l.list != col.List:
		return false
	case col.Kind == ID:
		return true
	case col.Kind == Number:
		return kind == Int
	}
	return kind == col.Kind
}

func namesOf(all []leaf) []string {
	var names []string
	for _, l := range all {
		names = append(names, l.name)
	}
	return names
}
