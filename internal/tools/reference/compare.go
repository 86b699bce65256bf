package main

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// tolerance is the largest difference that rounding explains, in a component of a unit
// vector, or in a score divided by its size.
const tolerance = 1e-5

// nan stands for a number that a side could not give.
var nan = math.NaN()

// value is a number; for NaN and infinities, which JSON lacks, Python writes the name.
type value float64

// UnmarshalJSON reads the name of a value that is not finite as NaN, which equals nothing.
func (v *value) UnmarshalJSON(data []byte) error {
	switch {
	case string(data) == "null" || data[0] == '"':
		*v = value(nan)
		return nil
	}
	return json.Unmarshal(data, (*float64)(v))
}

// rows are the vectors of a text: one, or one for each token.
type rows [][]value

// UnmarshalJSON reads one vector as one row.
func (r *rows) UnmarshalJSON(data []byte) error {
	var one []value
	if json.Unmarshal(data, &one) == nil {
		*r = nil
		if one != nil {
			*r = rows{one}
		}
		return nil
	}
	return json.Unmarshal(data, (*[][]value)(r))
}

// variant is a folder and the library's results for it.
type variant struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Folder string `json:"folder"`
	Error  string `json:"error"` // the library does not open it
	answer
}

// verdict is the outcome of comparing both sides.
type verdict int

const (
	equal verdict = iota
	different
	refusedByBoth
	refusedByUs
	refusedByLibrary
)

// outcome is a verdict with its reason.
type outcome struct {
	variant *variant
	verdict verdict
	why     string // the error of the side that refuses, else the largest differences
}

// trained is the prefix of the names of folders that infbench wrote.
const trained = "trained: "

// judge compares our results, or our error, with those of the library.
func (v *variant) judge(ours answer, err error) outcome {
	o := outcome{variant: v}
	library := v.refusal()
	switch {
	case strings.HasPrefix(v.Name, trained) && (err != nil || library != ""):
		o.verdict, o.why = different, fmt.Sprintf("a trained folder must open: our error is %v, the library's %q", err, library)
	case err != nil && library != "":
		o.verdict, o.why = refusedByBoth, library
	case err != nil:
		o.verdict, o.why = refusedByUs, v.plain(err.Error())
	case library != "":
		o.verdict, o.why = refusedByLibrary, library
	default:
		if o.why = strings.Join(v.differences(ours), "; "); o.why != "" {
			o.verdict = different
		}
	}
	return o
}

// release frees the compared results.
func (v *variant) release() { v.answer = answer{} }

// refusal returns why the library gives nothing at all.
func (v *variant) refusal() string {
	if v.Error != "" {
		return v.Error
	}
	isNaN := func(s value) bool { return math.IsNaN(float64(s)) }
	for _, row := range v.Scores {
		if slices.ContainsFunc(row, func(s value) bool { return !isNaN(s) }) {
			return ""
		}
	}
	for _, r := range slices.Concat(v.Queries, v.Documents) {
		if r != nil && !isNaN(r[0][0]) {
			return ""
		}
	}
	if len(v.Errors) > 0 {
		return v.Errors[0]
	}
	return "gives no numbers"
}

// numbers of folders and the like, which are not part of a reason.
var ofThisFolder = regexp.MustCompile(`\S*/variants/\w+`)

// plain returns an error without the folder's path.
func (v *variant) plain(text string) string {
	text = strings.ReplaceAll(text, v.Folder, "FOLDER")
	text = ofThisFolder.ReplaceAllString(text, "FOLDER")
	return strings.Join(strings.Fields(text), " ")
}

// differences lists the unequal results, with the text and the size of the difference.
func (v *variant) differences(ours answer) (all []string) {
	all = append(all, idDifferences("query", v.QueryIDs, ours.QueryIDs)...)
	all = append(all, idDifferences("document", v.DocumentIDs, ours.DocumentIDs)...)
	all = append(all, v.vectorDifferences("query", v.Queries, ours.Queries)...)
	all = append(all, v.vectorDifferences("document", v.Documents, ours.Documents)...)
	worst, at := 0.0, ""
	for i, row := range v.Scores {
		for j, want := range row {
			if math.IsNaN(float64(want)) {
				continue // the library could not read one of the two
			}
			got := ours.Scores[i][j]
			if off := math.Abs(float64(got-want)) / max(1, math.Abs(float64(want))); !(off <= worst) {
				worst, at = off, fmt.Sprintf("score of query %d and document %d is %.6g, not %.6g", i, j, got, want)
			}
		}
	}
	if !(worst <= tolerance) {
		all = append(all, at)
	}
	return all
}

// idDifferences lists the first text whose IDs differ.
func idDifferences(side string, want, got [][]int32) []string {
	if len(got) == 0 {
		return nil // this kind of model does not report its IDs
	}
	for i, ids := range want {
		if ids == nil || slices.Equal(ids, got[i]) {
			continue
		}
		at := 0
		for at < min(len(ids), len(got[i])) && ids[at] == got[i][at] {
			at++
		}
		return []string{fmt.Sprintf("%s %d: %d IDs, not %d; from place %d %v, not %v", side, i, len(got[i]), len(ids), at, head(got[i][at:]), head(ids[at:]))}
	}
	return nil
}

func head(ids []int32) []int32 { return ids[:min(8, len(ids))] }

// vectorDifferences lists the text whose vectors differ most. Vectors of complete texts are
// compared at length 1, as encode writes them; scores show their lengths.
func (v *variant) vectorDifferences(side string, want, got []rows) []string {
	worst, at := 0.0, ""
	for i, w := range want {
		if w == nil {
			continue
		}
		g := got[i]
		if len(w) != len(g) || len(w) > 0 && len(w[0]) != len(g[0]) {
			return []string{fmt.Sprintf("%s %d: %s, not %s", side, i, shape(g), shape(w))}
		}
		for k := range w {
			a, b := w[k], g[k]
			if v.Kind == "dense" {
				a, b = unit(a), unit(b)
			}
			scale := 1.0
			for _, x := range a {
				scale = max(scale, math.Abs(float64(x)))
			}
			for c := range a {
				if off := math.Abs(float64(a[c]-b[c])) / scale; !(off <= worst) {
					worst, at = off, fmt.Sprintf("%s %d: a vector is off by %.2g", side, i, off)
				}
			}
		}
	}
	if worst <= tolerance {
		return nil
	}
	return []string{at}
}

func shape(r rows) string {
	if len(r) == 0 {
		return "no vectors"
	}
	return fmt.Sprintf("%d vectors of %d values", len(r), len(r[0]))
}

// unit scales a vector to length 1; a zero vector stays.
func unit(v []value) []value {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return v
	}
	scaled := make([]value, len(v))
	for i, x := range v {
		scaled[i] = x / value(math.Sqrt(sum))
	}
	return scaled
}
