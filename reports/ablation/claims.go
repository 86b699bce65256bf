package ablation

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"infbench/bench/results"
	"infbench/metrics"
	"infbench/reports/contrast"
	"infbench/reports/scores"
)

// claim is a finding of the InF-IR paper as a choice between two sides that are
// otherwise alike. rest is the configuration without what is chosen, in which the
// two sides agree.
type claim struct {
	words string
	side  func(config map[string]string) (side side, rest map[string]string)
}

// side is where a system stands in a claim.
type side int

const (
	neither side = iota
	betterSide
	worseSide
)

// bestLoss is the loss that the paper calls the best (section 6.3, Table 3).
const bestLoss = "multi(P,I)"

// paperClaims lists the findings that compare two sides, with where the paper has
// them.
func paperClaims() []claim {
	return []claim{
		{"multi over uni (Table 3)", func(config map[string]string) (side, map[string]string) {
			form, terms, ok := scores.SplitLoss(config[results.Loss])
			if !ok || config[results.Interaction] != "concat" {
				return neither, nil
			}
			return either(form == "multi", form == "uni"), with(config, results.Loss, terms)
		}},
		{"concatenation over cross-attention (Table 3)", func(config map[string]string) (side, map[string]string) {
			how := config[results.Interaction]
			return either(how == "concat", strings.HasPrefix(how, "cross_attention")), with(config, results.Interaction, "")
		}},
		{"one encoder over two (Table 4)", func(config map[string]string) (side, map[string]string) {
			shared := cmp.Or(config[results.ShareEncoder], "true")
			return either(shared == "true", shared == "false"), with(config, results.ShareEncoder, "")
		}},
		// A cell that sets no pooling has its backbone's own, which is mean in networks
		// that say nothing of it.
		{"last over mean pooling (Table 4)", func(config map[string]string) (side, map[string]string) {
			pooling := cmp.Or(config[results.Pooling], "mean")
			return either(pooling == "last", pooling == "mean"), with(config, results.Pooling, "")
		}},
	}
}

func either(better, worse bool) side {
	switch {
	case better:
		return betterSide
	case worse:
		return worseSide
	}
	return neither
}

// with is a configuration with one key set, and without the seed.
func with(config map[string]string, key, value string) map[string]string {
	out := maps.Clone(config)
	out[key] = value
	delete(out, results.Seed)
	return out
}

// pairings finds the systems that a claim compares.
func (c claim) pairings(among []*scores.System) []contrast.Pairing {
	var out []contrast.Pairing
	for _, a := range among {
		at, rest := c.side(a.Config())
		if at != betterSide {
			continue
		}
		for _, b := range among {
			if other, its := c.side(b.Config()); other == worseSide && maps.Equal(rest, its) {
				out = append(out, contrast.Pairing{Better: a, Worse: b})
			}
		}
	}
	return out
}

// claimed is a claim as one backbone, or all of them, bear it out on a column.
type claimed struct {
	claim    string
	backbone string
	rival    string // what the better side was compared with, where that was chosen
	*contrast.Contrast
}

// everyBackbone heads what is said of the mean over backbones.
const everyBackbone = "all"

// claimsOn tests every claim on a column, for each backbone and for all; none where
// neither direction of the measure is better.
func claimsOn(v *scores.Set, c scores.Number) []*claimed {
	if c.Direction() == metrics.Neither {
		return nil
	}
	var out []*claimed
	groups := byBackbone(v)
	for _, claim := range paperClaims() {
		for _, g := range groups {
			if pairs := claim.pairings(g.systems); len(pairs) > 0 {
				out = append(out, &claimed{claim: claim.words, backbone: g.name, Contrast: contrast.Across(pairs, c)})
			}
		}
	}
	familyOf(out).Test(v)
	for _, g := range groups {
		if best := bestOf(v, g, c); best != nil {
			out = append(out, best)
		}
	}
	return slices.DeleteFunc(out, func(c *claimed) bool { return c.Why != "" })
}

// familyOf is the family of some claims.
func familyOf(claims []*claimed) *contrast.Family {
	f := &contrast.Family{}
	for _, c := range claims {
		f.Contrasts = append(f.Contrasts, c.Contrast)
	}
	return f
}

// backboneGroup is the trained systems of one backbone.
type backboneGroup struct {
	name    string
	systems []*scores.System
}

// byBackbone groups the trained systems, last all of them where there are several
// backbones.
func byBackbone(v *scores.Set) []backboneGroup {
	var out []backboneGroup
	for _, s := range v.Trained() {
		name := s.Config()[results.Backbone]
		i := slices.IndexFunc(out, func(g backboneGroup) bool { return g.name == name })
		if i < 0 {
			i = len(out)
			out = append(out, backboneGroup{name: name})
		}
		out[i].systems = append(out[i].systems, s)
	}
	if len(out) > 1 {
		out = append(out, backboneGroup{everyBackbone, v.Trained()})
	}
	return out
}

// bestOf tests whether the paper's best loss is the best. It is, if it is ahead of
// every other (an intersection-union test: the largest of the p-values, Berger
// 1982), and is not, if another is ahead of it (the smallest p-value of those,
// times their number). The rival is the loss that decides. It is nil where fewer
// than three losses can be compared.
func bestOf(v *scores.Set, g backboneGroup, c scores.Number) *claimed {
	var rivals []string
	var f contrast.Family
	for _, s := range g.systems {
		if s.Loss == bestLoss || slices.Contains(rivals, s.Loss) {
			continue
		}
		pairs := claim{side: func(config map[string]string) (side, map[string]string) {
			loss := config[results.Loss]
			if config[results.Interaction] != "concat" {
				return neither, nil
			}
			return either(loss == bestLoss, loss == s.Loss), with(config, results.Loss, "")
		}}.pairings(g.systems)
		if len(pairs) > 0 {
			rivals, f.Contrasts = append(rivals, s.Loss), append(f.Contrasts, contrast.Across(pairs, c))
		}
	}
	f.Test(v)
	if f.Tested() < 2 {
		return nil
	}
	i := contrast.Best(f.Contrasts)
	return &claimed{claim: bestLoss + " best of all losses (Table 3)", backbone: g.name, rival: rivals[i], Contrast: f.Contrasts[i]}
}
