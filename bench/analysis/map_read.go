package analysis

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"infbench/internal/usage"
	"infbench/metrics/diversity"
	"infbench/metrics/projection"
	"infbench/runners/catalog"
)

// group is the texts of one field of one source on a map.
type group struct {
	set    *textSet
	chosen []int
	model  string // that computed the vectors
}

func (g group) picked() []string { return g.set.Pick(g.chosen) }

// read reads the texts of all sources with their vectors, group by group.
func (o *mapOptions) read(ctx context.Context, sources []string) (groups []group, v projection.Vectors, err error) {
	opener := catalog.Opener{ModelOptions: o.ModelOptions}
	defer func() { err = errors.Join(err, opener.Close()) }()
	for _, source := range sources {
		var found []group
		var part projection.Vectors
		if strings.HasSuffix(source, ".npy") {
			found, part, err = o.readVectors(source)
		} else {
			found, part, err = o.encode(ctx, &opener, source)
		}
		if err != nil {
			return nil, v, err
		}
		switch {
		case len(groups) > 0 && found[0].model != groups[0].model:
			return nil, v, usage.Errorf("%s has vectors of %s and %s of %s: a map needs vectors of one model", groups[0].set.Source, groups[0].model, source, found[0].model)
		case len(groups) > 0 && part.Dim != v.Dim:
			return nil, v, fmt.Errorf("%s has vectors of %d values and %s of %d", groups[0].set.Source, v.Dim, source, part.Dim)
		}
		groups, v.Values, v.Dim = append(groups, found...), append(v.Values, part.Values...), part.Dim
	}
	return groups, v, nil
}

// encode computes the vectors of the texts of a source.
func (o *mapOptions) encode(ctx context.Context, opener *catalog.Opener, source string) (groups []group, v projection.Vectors, err error) {
	if o.Model == "" {
		return nil, v, usage.Errorf("map %s: texts need --model for their vectors", source)
	}
	fields := o.fields
	if len(fields) == 0 {
		fields = usualFields(source)
	}
	for _, field := range fields {
		options := o.textOptions
		options.Field = field
		set, err := readTexts(source, options)
		if err != nil {
			return nil, v, usage.AsError(err)
		}
		groups = append(groups, group{set: set, chosen: o.choose(len(set.Texts)), model: o.Name()})
	}
	enc, err := opener.OpenEncoder()
	if err != nil {
		return nil, v, usage.AsError(err)
	}
	v.Dim = enc.Dim()
	for _, g := range groups {
		vectors, err := encodeTexts(ctx, enc, g.set.As, g.picked(), func(int) {})
		if err != nil {
			return nil, v, fmt.Errorf("encode %s: %w", source, err)
		}
		v.Values = append(v.Values, vectors...)
	}
	return groups, v, nil
}

// choose draws the sample of n texts.
func (o *mapOptions) choose(n int) []int {
	if o.sample == 0 {
		return diversity.Sample(n, n, o.seed)
	}
	return diversity.Sample(n, o.sample, o.seed)
}

// readVectors reads vectors that encode wrote, and their texts.
func (o *mapOptions) readVectors(file string) (groups []group, v projection.Vectors, err error) {
	about, err := readVectorsAbout(file)
	if err == nil && about == nil {
		err = fmt.Errorf("%s: no %s describes these vectors; infbench encode writes it", file, filepath.Base(aboutFile(file)))
	}
	if err != nil {
		return nil, v, err
	}
	options := o.textOptions
	options.Field = about.Field
	set, err := readTexts(about.Source, options)
	if err != nil {
		return nil, v, fmt.Errorf("%s: %w", file, err)
	}
	chosen := diversity.Sample(len(set.Texts), about.Texts, about.Seed)
	if sumOfTexts(set.Pick(chosen)) != about.Sum {
		return nil, v, fmt.Errorf("%s holds vectors of other texts than field %s of %s has now; made by %s", file, about.Field, about.Source, about.Command)
	}
	rows := o.choose(len(chosen))
	g := group{set: set, model: about.Model}
	for _, row := range rows {
		g.chosen = append(g.chosen, chosen[row])
	}
	err = eachVector(file, rows, len(chosen), file, func(row []float64) error {
		v.Dim = len(row)
		for _, x := range row {
			v.Values = append(v.Values, float32(x))
		}
		return nil
	})
	return []group{g}, v, err
}
