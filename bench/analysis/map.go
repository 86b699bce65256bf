package analysis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/bench/output"
	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/metrics/projection"
	"infbench/reports"
	"infbench/reports/export"
	"infbench/reports/paperview"
	"infbench/runners/catalog"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// mapOptions are the flags of data map.
type mapOptions struct {
	textOptions
	catalog.ModelOptions
	fields     []string
	sample     int
	seed       uint64
	method     string
	tsne       projection.TSNE
	neighbours int
	format     string
	out, keep  string
}

// Methods of a map.
const (
	byPCA  = "pca"
	byTSNE = "tsne"
)

var methods = []string{byPCA, byTSNE}

// MapCommand is the verb data map.
func MapCommand() *cobra.Command {
	o := mapOptions{tsne: projection.DefaultTSNE()}
	cmd := &cobra.Command{
		Use:   "map FILE|CORPUS|BENCHMARK|VECTORS.npy...",
		Short: "Draw the texts of corpora as a two-dimensional map",
		Long: `Draw a two-dimensional map of texts, like the paper's Figure 3a: instructions, queries
and passages of one or several corpora, by vectors from --model or from infbench encode
(VECTORS.npy, of one model; their texts are read again and checked against the recorded
hash). Vectors are scaled to length 1.

--method pca takes the two directions in which the vectors vary most; tsne is t-SNE
with Barnes-Hut (theta .5), started from these. It keeps neighbours together, but
distances between clusters mean nothing. The same seed gives the same map.

A map can mislead. Two measures of up to 1,000 points show how far to trust it: the
trustworthiness (Venna and Kaski 2001; 1 if all neighbours on the map are neighbours in
truth) and the share of the nearest neighbours that remain nearest. Both are also given
for a random plane; a map should do better.

--out makes a folder of map.html (one page: zoom, legend, the text under the pointer),
map.svg, map.csv and map.json; --keep saves the map for report --view map.`,
		Example: `  infbench data map mini-infir --model path/to/model --out map
  infbench data map inf-ir followir promptriever --sample 3334 --method tsne --model intfloat/e5-mistral-7b-instruct --keep figure-3a
  infbench data map infir.npy followir.npy --out map`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	flags.Group(f, flags.DataFlags, func() {
		f.StringArrayVar(&o.fields, "field", nil, "field of the texts; may be repeated (default: instruction, query and passage of corpora; instruction, query and document of benchmarks; text of files)")
		f.StringArrayVar(&o.Tasks, "task", nil, "only this task, or group of tasks, of benchmarks; may be repeated")
		f.Uint64Var(&o.World, "world", 1, "seed of the generated world of mini data")
		f.IntVar(&o.sample, "sample", 1000, "at most this many texts of each field of each source, drawn at random; 0 for all")
		f.Uint64Var(&o.seed, "seed", 1, "seed of the sample, of t-SNE and of the points whose neighbours are measured")
	})
	flags.Group(f, flags.MapFlags, func() {
		f.StringVar(&o.method, "method", byPCA, strings.Join(methods, " or "))
		f.Float64Var(&o.tsne.Perplexity, "perplexity", o.tsne.Perplexity, "perplexity of t-SNE: roughly the number of neighbours that count for a text")
		f.IntVar(&o.tsne.Iterations, "iterations", o.tsne.Iterations, "of t-SNE")
		f.IntVar(&o.neighbours, "neighbours", 10, "number of neighbours in trustworthiness and overlap")
	})
	flags.Group(f, flags.OutputFlags, func() {
		f.StringVar(&o.format, "format", "table", strings.Join(output.Formats, ", "))
		f.StringVar(&o.out, "out", "", "FOLDER for the page, the drawing and the coordinates")
		f.StringVar(&o.keep, "keep", "", "save the map as NAME in runs/map, for report --view map")
	})
	flags.Encoder(cmd, &o.ModelOptions)
	return cmd
}

// check returns the errors of flags.
func (o *mapOptions) check() error {
	if err := errors.Join(output.CheckFormat(o.format), runs.CheckName(o.keep)); err != nil {
		return err
	}
	switch {
	case !slices.Contains(methods, o.method):
		return usage.Error{Err: nearest.Unknown("method", o.method, methods)}
	case o.sample < 0:
		return usage.Errorf("--sample %d: want at least 0", o.sample)
	case o.out == "" && o.keep == "":
		return usage.Errorf("data map needs --out FOLDER or --keep NAME; see infbench data map --help")
	}
	return nil
}

// run makes the map and writes the requested outputs.
func (o mapOptions) run(ctx context.Context, sources []string, out io.Writer) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	by := runs.Made{Verb: "map", Inputs: sources}
	var at *runs.Output
	if o.out != "" {
		if ctx, at, err = runs.ClaimOutput(ctx, o.out); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, at.Release()) }()
		if err := at.Refuse(by); err != nil {
			return err
		}
	}
	groups, vectors, err := o.read(ctx, sources)
	if err != nil {
		return err
	}
	m, err := o.project(ctx, groups, vectors)
	if err != nil {
		return err
	}
	study, err := m.study()
	if err != nil {
		return err
	}
	if o.keep != "" {
		if err := runs.KeepStudy(study, strings.Join(m.sources(), ", ")); err != nil {
			return err
		}
	}
	if at != nil {
		if err := at.Fill(by, func(dir string) error { return m.writeAll(dir, o.out, *study) }); err != nil {
			return err
		}
	}
	return output.Print(out, o.format, m.jsonOf(study, false), qualityCSV(study), m.sheet(study))
}

// textMap is a map with its sources and quality.
type textMap struct {
	of     mapOptions
	model  string
	method string // for readers
	x, y   string // titles of the axes
	groups []group
	left   int                // number of texts that are not on the map
	points []projection.Point // all groups, one after the other
	values []results.StudyValue
}

// project computes the map and its quality.
func (o *mapOptions) project(ctx context.Context, groups []group, v projection.Vectors) (*textMap, error) {
	m := &textMap{of: *o, groups: groups, model: groups[0].model}
	v = m.leaveOut(v)
	if 2*o.neighbours >= v.N() || o.neighbours < 1 {
		return nil, usage.Errorf("--neighbours %d of %d texts: want 1 or more and less than half", o.neighbours, v.N())
	}
	if err := v.Unit(); err != nil {
		return nil, fmt.Errorf("vectors of %s: %w", m.model, err)
	}
	make := m.byPCA
	if o.method == byTSNE {
		make = m.byTSNE
	}
	if err := make(ctx, v); err != nil {
		return nil, err
	}
	if err := m.trust(v); err != nil {
		return nil, err
	}
	return m, nil
}

// leaveOut removes texts whose vectors are zero from the map, since they have no direction. A
// static model gives such vectors to texts without a known word.
func (m *textMap) leaveOut(v projection.Vectors) projection.Vectors {
	kept, at := projection.Vectors{Values: v.Values[:0], Dim: v.Dim}, 0 // in place
	for i := range m.groups {
		var chosen []int
		for _, text := range m.groups[i].chosen {
			if row := v.Row(at); slices.ContainsFunc(row, func(x float32) bool { return x != 0 }) {
				chosen, kept.Values = append(chosen, text), append(kept.Values, row...)
			}
			at++
		}
		m.groups[i].chosen = chosen
	}
	m.left = v.N() - kept.N()
	return kept
}

func (m *textMap) byPCA(_ context.Context, v projection.Vectors) error {
	c, err := projection.PCA(v, 2)
	if err != nil {
		return err
	}
	m.points = c.Map(v)
	kept := 0.0
	titles := []string{"", ""}
	for i, share := range c.Shares {
		kept += share
		titles[i] = fmt.Sprintf("component %d, %s %% of the variance", i+1, words.Fixed(100*share, 1))
	}
	m.x, m.y, m.method = titles[0], titles[1], "Principal components"
	m.add("variance kept", "two of "+strconv.Itoa(v.Dim)+" dimensions", "higher = less is left out", v.N(), kept)
	return nil
}

func (m *textMap) byTSNE(ctx context.Context, v projection.Vectors) error {
	m.of.tsne.Seed = m.of.seed
	if err := m.of.tsne.Check(v.N()); err != nil {
		return usage.Errorf("--method tsne: %w", err)
	}
	e, err := m.of.tsne.Map(ctx, v, func(int) {})
	if err != nil {
		return err
	}
	m.points = e.Points
	m.method = fmt.Sprintf("t-SNE, perplexity %g, %d iterations, seed %d, from the principal components", m.of.tsne.Perplexity, m.of.tsne.Iterations, m.of.seed)
	if e.Kept < 1 {
		m.method += fmt.Sprintf(", neighbours by the first 50 of them (%s %% of the variance)", words.Fixed(100*e.Kept, 1))
	}
	m.x, m.y = "t-SNE, without unit", "t-SNE, without unit"
	m.add("divergence", "nats", "lower = nearer to the vectors; compare at equal perplexity", v.N(), e.KL)
	return nil
}

// mostAsked is the maximum number of points whose neighbours are measured.
const mostAsked = 1000

// trust measures the quality of the map and, for comparison, of a random plane.
func (m *textMap) trust(v projection.Vectors) error {
	for _, what := range []struct {
		name   string
		points []projection.Point
	}{{"", m.points}, {" of a random plane", projection.RandomPlane(v, m.of.seed)}} {
		f, err := projection.Trust(v, what.points, m.of.neighbours, mostAsked, m.of.seed)
		if err != nil {
			return err
		}
		of := fmt.Sprintf("%s of %s points, %d neighbours", words.Group(f.Points), words.Group(v.N()), f.K)
		m.add("trustworthiness"+what.name, of, "higher = who is near on the map is near in truth", f.Points, f.Trust)
		m.add("neighbours kept"+what.name, of, "higher = more of the nearest stay the nearest", f.Points, f.Overlap)
	}
	return nil
}

func (m *textMap) add(measure, of, direction string, n int, value float64) {
	m.values = append(m.values, results.StudyValue{Measure: measure, Of: of, Direction: direction, N: n, Value: &value})
}

// sources are the names of the sources on the map.
func (m *textMap) sources() (names []string) {
	for _, g := range m.groups {
		names = words.AddNew(names, filepath.Base(g.set.Source))
	}
	return names
}

// leftOut describes the texts that are not on the map.
func (m *textMap) leftOut() string {
	return words.Plural(m.left, "text", "texts") + " without a word that the model knows left out"
}

// textRoom is the maximum number of letters of all texts on a page together: enough to
// recognise them, few enough for a page to open.
const (
	textRoom          = 3_000_000
	longest, shortest = 300, 60
)

// study converts the map for views.
func (m *textMap) study() (*results.Study, error) {
	s := &results.Study{Kind: "map", Name: m.of.keep, Values: m.values, Map: &results.StudyMap{Method: m.method, X: m.x, Y: m.y},
		Facts: []string{"vectors of " + m.model + ", scaled to length 1", m.method, fmt.Sprintf("drawn with seed %d", m.of.seed)}}
	if m.left > 0 {
		s.Facts = append(s.Facts, m.leftOut())
	}
	room := min(max(textRoom/len(m.points), shortest), longest)
	var all []string
	at := 0
	for _, g := range m.groups {
		var points []results.MapPoint
		for _, text := range g.picked() {
			p := m.points[at]
			points = append(points, results.MapPoint{X: rounded(p.X), Y: rounded(p.Y), Text: shortened(text, room)})
			all = append(all, text)
			at++
		}
		packed, err := results.PackPoints(points)
		if err != nil {
			return nil, err
		}
		s.Map.Groups = append(s.Map.Groups, results.MapGroup{Source: filepath.Base(g.set.Source), Field: g.set.Field, N: len(points), Of: len(g.set.Texts), Points: packed})
	}
	s.SHA256 = sumOfTexts(all)
	return s, nil
}

// rounded rounds to five digits, as many as a drawing shows.
func rounded(x float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 5, 64), 64)
	if err != nil {
		return x
	}
	return short
}

// shortened cuts a text to that many letters and collapses white space.
func shortened(text string, room int) string {
	letters := []rune(strings.Join(strings.Fields(words.Clean(text)), " "))
	if len(letters) <= room {
		return string(letters)
	}
	return string(letters[:room-1]) + "…"
}

// writeAll writes the page, the drawing and the coordinates into a folder. A map without a name
// takes the name of its final folder.
func (m *textMap) writeAll(folder, out string, named results.Study) error {
	if named.Name == "" {
		named.Name = filepath.Base(out)
	}
	named.Format, named.File = results.StudyFormat, strings.Join(m.sources(), ", ")
	report, err := reports.Build(nil, reports.Options{View: "map", Studies: []*results.Study{&named}})
	if err != nil {
		return err
	}
	figure, err := paperview.MapFigure(named.Map, "map", named.Name)
	if err != nil {
		return err
	}
	for name, to := range map[string]func(io.Writer) error{
		"map.html": func(w io.Writer) error { return export.Write(w, report, "html") },
		"map.svg": func(w io.Writer) error {
			_, err := w.Write(figure.Drawing.Titled(named.Name + ": " + m.method).SVG)
			return err
		},
		"map.csv":  func(w io.Writer) error { return m.csv().WriteCSV(w) },
		"map.json": func(w io.Writer) error { return output.WriteJSON(w, m.jsonOf(&named, true)) },
	} {
		if err := disk.Write(filepath.Join(folder, name), to); err != nil {
			return err
		}
	}
	return nil
}
