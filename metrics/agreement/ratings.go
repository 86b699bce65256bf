package agreement

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/nearest"
)

// Missing is the label of an item that a rater did not rate.
const Missing = -1

// Ratings holds the labels that raters gave to items.
type Ratings struct {
	Raters []string
	Labels []string // all labels in order; weighted kappa and ordinal alpha depend on the order
	Items  [][]int  // item -> rater -> index into Labels, or Missing
}

// Select returns the ratings of some raters, by index, over the same items and
// labels.
func (r *Ratings) Select(raters []int) *Ratings {
	s := &Ratings{Labels: r.Labels, Items: make([][]int, len(r.Items))}
	for _, rater := range raters {
		s.Raters = append(s.Raters, r.Raters[rater])
	}
	for i, item := range r.Items {
		for _, rater := range raters {
			s.Items[i] = append(s.Items[i], item[rater])
		}
	}
	return s
}

// Index returns the index of each named rater; an unknown name is an error.
func (r *Ratings) Index(names []string) ([]int, error) {
	index := make([]int, len(names))
	for i, name := range names {
		if index[i] = slices.Index(r.Raters, name); index[i] < 0 {
			return nil, nearest.Unknown("rater", name, r.Raters)
		}
	}
	return index, nil
}

// ReadCSV reads comma-separated ratings: a header with the names of the columns, then one
// line per item, with an empty cell where a rater did not rate the item. Spaces around cells
// are dropped. The columns named by raters are used, in their order in the file; if raters is
// empty, all are used. If labels is given, it sets the order of the labels and other labels
// are errors; otherwise labels are ordered by value if all are numbers, else by bytes. Errors
// start with file:line, where file is the name of the input.
func ReadCSV(in io.Reader, file string, raters, labels []string) (*Ratings, error) {
	lines := csv.NewReader(in)
	lines.ReuseRecord = true
	lines.TrimLeadingSpace = true
	lines.FieldsPerRecord = -1 // checked below, to report the line
	header, err := lines.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:1: empty, want a header of rater names", file)
	} else if err != nil {
		return nil, csvError(file, err)
	}
	r := &Ratings{Labels: slices.Clone(labels)}
	columns, err := r.header(header, raters)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", file, err)
	}
	known := make(map[string]int)
	for i, label := range labels {
		known[label] = i
	}
	for {
		cells, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, csvError(file, err)
		}
		line, _ := lines.FieldPos(0)
		if len(cells) != len(header) {
			return nil, fmt.Errorf("%s:%d: %d cells under a header of %d", file, line, len(cells), len(header))
		}
		item, err := r.item(cells, columns, known, len(labels) == 0)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, line, err)
		}
		r.Items = append(r.Items, item)
	}
	if len(labels) == 0 {
		r.orderLabels()
	}
	return r, nil
}

// header reads the names of the columns and returns the columns of the raters.
func (r *Ratings) header(names, raters []string) (columns []int, err error) {
	var all []string
	for i, name := range names {
		name = strings.TrimSpace(name)
		if name == "" || slices.Contains(all, name) {
			return nil, fmt.Errorf("column %d: name %q is empty or used twice", i+1, name)
		}
		all = append(all, name)
		if len(raters) == 0 || slices.Contains(raters, name) {
			r.Raters = append(r.Raters, name)
			columns = append(columns, i)
		}
	}
	for _, name := range raters {
		if !slices.Contains(all, name) {
			return nil, nearest.Unknown("rater", name, all)
		}
	}
	return columns, nil
}

// item converts the cells of a line to the raters' labels. It adds new labels if learn is
// set.
func (r *Ratings) item(cells []string, columns []int, known map[string]int, learn bool) ([]int, error) {
	item := make([]int, len(columns))
	for i, column := range columns {
		cell := cells[column]
		cell = strings.TrimSpace(cell)
		label, ok := known[cell]
		switch {
		case cell == "":
			label = Missing
		case !ok && !learn:
			return nil, fmt.Errorf("rater %s: %w", r.Raters[i], nearest.Unknown("label", cell, r.Labels))
		case !ok:
			label = len(r.Labels)
			r.Labels = append(r.Labels, strings.Clone(cell))
			known[r.Labels[label]] = label
		}
		item[i] = label
	}
	return item, nil
}

// orderLabels sorts Labels and renumbers the items.
func (r *Ratings) orderLabels() {
	sorted := slices.Clone(r.Labels)
	if values, ok := r.Values(); ok {
		byLabel := make(map[string]float64)
		for i, label := range r.Labels {
			byLabel[label] = values[i]
		}
		slices.SortFunc(sorted, func(a, b string) int {
			return cmp.Or(cmp.Compare(byLabel[a], byLabel[b]), cmp.Compare(a, b))
		})
	} else {
		slices.Sort(sorted)
	}
	place := make([]int, len(sorted))
	for i, label := range r.Labels {
		place[i] = slices.Index(sorted, label)
	}
	for _, item := range r.Items {
		for i, label := range item {
			if label != Missing {
				item[i] = place[label]
			}
		}
	}
	r.Labels = sorted
}

// Values returns the labels as numbers; ok is false if any is not a finite number.
func (r *Ratings) Values() (values []float64, ok bool) {
	values = make([]float64, len(r.Labels))
	for i, label := range r.Labels {
		v, err := strconv.ParseFloat(label, 64)
		if err != nil || v-v != 0 {
			return nil, false
		}
		values[i] = v
	}
	return values, true
}

// csvError adds file and line to an error of encoding/csv.
func csvError(file string, err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("%s:%d: column %d: %w", file, parse.Line, parse.Column, parse.Err)
	}
	return fmt.Errorf("read %s: %w", file, err)
}
