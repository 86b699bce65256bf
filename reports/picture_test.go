package reports

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/runners/results"
)

// TestPictures checks that every drawing is well-formed XML that loads nothing, also with
// hostile labels.
func TestPictures(t *testing.T) {
	for _, e := range []*results.Experiment{reportstest.Fixture(1), reportstest.HostileExperiment()} {
		addProbe(e)
		r := build(t, Options{}, e)
		for _, name := range Pictures() {
			d, err := r.Picture(name)
			if err != nil {
				t.Fatal(err)
			}
			texts := 0
			decoder := xml.NewDecoder(bytes.NewReader(d.SVG))
			for {
				token, err := decoder.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				start, ok := token.(xml.StartElement)
				if !ok {
					continue
				}
				switch start.Name.Local {
				case "svg", "title", "style", "g", "path", "text", "defs", "clipPath", "polygon", "line", "rect", "circle":
				default:
					t.Errorf("%s has a <%s>", name, start.Name.Local)
				}
				if start.Name.Local == "text" {
					texts++
				}
				for _, a := range start.Attr {
					if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
						t.Errorf("%s: attribute %s=%q", name, a.Name.Local, a.Value)
					}
				}
			}
			if texts < 5 {
				t.Errorf("%s has %d texts", name, texts)
			}
		}
	}
}

// addProbe generates probe results for the finished trials, under their names.
func addProbe(e *results.Experiment) {
	for i := range e.Trials {
		t := &e.Trials[i]
		for n := range 12 * min(1, len(t.Results)) {
			r, own, none := t.Results[0], .5, .4+.01*float64(n)
			for kind, value := range map[string]*float64{results.AskedOwn: &own, results.AskedNone: &none} {
				t.Probe = append(t.Probe, results.Probed{Benchmark: r.Benchmark, Task: r.Task, Item: strconv.Itoa(n), Query: r.Query + strconv.Itoa(n), Kind: kind, Measure: r.Measure, Value: value, Types: []string{results.TypeOther}})
			}
		}
	}
}

func TestPictureErrors(t *testing.T) {
	bare := oneBaseline()
	if _, err := build(t, Options{}, bare).Picture("ablation"); !errors.Is(err, ErrNoPicture) {
		t.Errorf("ablation of a report without losses: %v", err)
	}
	if _, err := build(t, Options{}, bare).Picture("leader"); err == nil || errors.Is(err, ErrNoPicture) {
		t.Errorf("unknown picture: %v", err)
	}
}

// oneBaseline returns an experiment with one baseline on one query.
func oneBaseline() *results.Experiment {
	return &results.Experiment{Name: "bare", Trials: []results.Trial{
		reportstest.TrialOf("a", map[string]string{"model": "bm25"}, reportstest.At("B", "x", "", "AP", "1", .2)),
	}}
}
