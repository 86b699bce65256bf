package main

// figures are the measurements of one side of a row.
type figures struct {
	Program string    `json:"program"`           // with its version
	Variant string    `json:"variant,omitempty"` // how it works, the fastest of several ways
	Seconds []float64 `json:"seconds"`           // of each turn
	MiB     []float64 `json:"mib"`               // peak memory of each turn's process
}

// name returns the name of the program as tables have it.
func (f *figures) name() string {
	if f.Variant == "" {
		return f.Program
	}
	return f.Program + ", " + f.Variant
}

// line is a row of the first table.
type line struct {
	Row    string   `json:"row"`
	Work   string   `json:"work"`
	Ours   *figures `json:"ours,omitempty"`
	Theirs *figures `json:"theirs,omitempty"`
	Ratio  *spread  `json:"ratio,omitempty"`  // of seconds, ours to theirs
	Goal   float64  `json:"goal,omitempty"`   // the largest ratio that we want; 0: none is set
	Memory float64  `json:"memory,omitempty"` // ratio of the medians of memory
	Why    string   `json:"why,omitempty"`    // why there is no ratio
	Note   string   `json:"note,omitempty"`
}

// own is a row of the second table: work that no peer does, at full size and at a tenth of
// it.
type own struct {
	Row  string   `json:"row"`
	Work string   `json:"work"`
	Less *figures `json:"less,omitempty"` // a tenth of the work
	All  *figures `json:"all,omitempty"`
	Why  string   `json:"why,omitempty"` // why there is no figure
}

// growth is the ratio of the times of the full work and of a tenth of it; 0 if there is no
// tenth.
func (o own) growth() float64 {
	if o.Less == nil || o.All == nil {
		return 0
	}
	return median(o.All.Seconds) / median(o.Less.Seconds)
}

// complete computes the ratios of a line that has both sides.
func (l *line) complete() {
	if l.Ours == nil || l.Theirs == nil {
		return
	}
	ratio := ratioOf(l.Ours.Seconds, l.Theirs.Seconds)
	l.Ratio, l.Memory = &ratio, median(l.Ours.MiB)/median(l.Theirs.MiB)
}
