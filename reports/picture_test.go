package reports

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/chart"
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

// TestPictureFormats checks that every picture has the same size in PNG and PDF, with ink on it, and
// the same bytes each time.
func TestPictureFormats(t *testing.T) {
	e := reportstest.Fixture(1)
	addProbe(e)
	r := build(t, Options{}, e)
	for _, name := range Pictures() {
		p, err := r.Picture(name)
		if err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{}
		for _, format := range chart.PictureFormats() {
			first, err := p.Encode(format)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := p.Encode(format); err != nil || !bytes.Equal(first, again) {
				t.Errorf("%s as %s: other bytes the second time, %v", name, format, err)
			}
			files[format] = first
		}
		img, err := png.Decode(bytes.NewReader(files["png"]))
		if err != nil {
			t.Fatal(err)
		}
		if size := img.Bounds().Size(); size.X != 2*p.Width || size.Y != 2*p.Height {
			t.Errorf("%s: %v pixels, want twice %d x %d", name, size, p.Width, p.Height)
		}
		dark := 0
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				if g := color.GrayModel.Convert(img.At(x, y)).(color.Gray); g.Y < 128 {
					dark++
				}
			}
		}
		if dark < 500 {
			t.Errorf("%s: %d dark pixels", name, dark)
		}
		if box := fmt.Sprintf("/MediaBox [0 0 %d.00 %d.00]", p.Width, p.Height); !bytes.HasPrefix(files["pdf"], []byte("%PDF-")) || !bytes.Contains(files["pdf"], []byte(box)) {
			t.Errorf("%s: no PDF of that size, want %s", name, box)
		}
		if dir := os.Getenv("INFBENCH_PICTURES"); dir != "" {
			for format, data := range files {
				if err := os.WriteFile(filepath.Join(dir, name+"."+format), data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	p, err := r.Picture("tasks")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Encode("gif"); err == nil {
		t.Error("a GIF was written")
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
