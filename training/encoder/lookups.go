package encoder

import (
	"slices"

	"github.com/gomlx/gomlx/core/graph"
)

// Lookups reads embedding tables once for several groups of texts that run through one network in
// one graph. The gradient of a lookup is as large as its table, however few rows are read.
type Lookups struct {
	ids  []*graph.Node            // of groups, [n,S]
	rows map[string][]*graph.Node // by table, one for each group
}

// NewLookups returns lookups for groups of ids, int32 [n,S] each.
func NewLookups(ids []*graph.Node) *Lookups {
	return &Lookups{ids: ids, rows: map[string][]*graph.Node{}}
}

// of returns the rows [n,S,D] of a table that a group's ids name. ok is false if the ids do not
// belong to a group, or belong to the only one.
func (l *Lookups) of(name string, table, ids *graph.Node) (_ *graph.Node, ok bool) {
	if l == nil || len(l.ids) < 2 {
		return nil, false
	}
	at := slices.Index(l.ids, ids)
	if at < 0 {
		return nil, false
	}
	if l.rows[name] == nil {
		l.rows[name] = l.read(table)
	}
	return l.rows[name][at], true
}

// read reads the rows of all groups.
func (l *Lookups) read(table *graph.Node) []*graph.Node {
	lists := make([]*graph.Node, len(l.ids))
	for i, ids := range l.ids {
		lists[i] = graph.Reshape(ids, -1, 1)
	}
	all := graph.Gather(table, graph.Concatenate(lists, 0))
	rows, from := make([]*graph.Node, len(l.ids)), 0
	for i, ids := range l.ids {
		d := ids.Shape().Dimensions
		rows[i] = graph.Reshape(graph.Slice(all, graph.AxisRange(from, from+d[0]*d[1])), d[0], d[1], -1)
		from += d[0] * d[1]
	}
	return rows
}
