package mixture

import (
	"fmt"
	"slices"

	"infbench/datasets"
)

// Data is a mixture with its records.
type Data []Part

// Part is a source with its records, all of one shape.
type Part struct {
	Source
	Shape   datasets.Shape
	Records []datasets.Record
}

// Size is the size of a source.
type Size struct {
	Source
	Shape   datasets.Shape
	Records int
}

// Sizes returns the sizes of the sources.
func (d Data) Sizes() []Size {
	var sizes []Size
	for _, p := range d {
		sizes = append(sizes, Size{p.Source, p.Shape, len(p.Records)})
	}
	return sizes
}

// Len returns the number of records.
func (d Data) Len() int {
	n := 0
	for _, p := range d {
		n += len(p.Records)
	}
	return n
}

// Rows returns the number of rows.
func (d Data) Rows() int {
	n := 0
	for _, p := range d {
		n += len(p.Records) * p.Shape.Rows()
	}
	return n
}

// Shapes lists the shapes of the sources.
func (d Data) Shapes() []datasets.Shape {
	var shapes []datasets.Shape
	for _, p := range d {
		shapes = append(shapes, p.Shape)
	}
	return shapes
}

// All lists the records, source after source. With several sources, an ID is prefixed by its
// source.
func (d Data) All() []datasets.Record {
	if len(d) == 1 {
		return d[0].Records
	}
	all := make([]datasets.Record, 0, d.Len())
	for _, p := range d {
		for _, r := range p.Records {
			r.ID = IDOf(p.Name, r.ID)
			all = append(all, r)
		}
	}
	return all
}

// IDOf returns the ID of a record of one of several sources.
func IDOf(source, id string) string { return source + "#" + id }

// Keep returns the data with only the records for which keep is true. keep is called in the order
// of All. A source without remaining records is an error.
func (d Data) Keep(keep func(i int) bool) (Data, error) {
	kept := slices.Clone(d)
	i := 0
	for k := range kept {
		var records []datasets.Record
		for _, r := range kept[k].Records {
			if keep(i) {
				records = append(records, r)
			}
			i++
		}
		if len(records) == 0 && len(kept[k].Records) > 0 {
			return nil, fmt.Errorf("nothing is left of the %d records of %s", len(kept[k].Records), kept[k].Name)
		}
		kept[k].Records = records
	}
	return kept, nil
}
