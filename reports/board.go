package reports

import (
	"fmt"
	"sync"

	"infbench/internal/parallel"
	"infbench/reports/chart"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// Board is a leaderboard of benchmarks of one realm, with the data of its sections.
type Board struct {
	ID          string // fit for an HTML id
	Realm       scores.Realm
	Setting     string // settings that distinguish it from other boards of its realm
	Set         *scores.Set
	Numbers     []scores.Number     // columns of the leaderboard
	Rankings    []*contrast.Ranking // by number; nil if nothing can be ranked
	Benchmarks  []results.Benchmark
	Families    []*contrast.Family // tests on the numbers
	Slices      []*Slices
	Leaderboard *table.Table

	byIdentity   map[string]*scores.System
	effects      func() *factorEffects // effects of the trained systems, computed on first use
	ranks, seeds *table.Table          // nil if there is nothing to list
	controls     []*table.Table        // checks of numbers that must not change or be below chance
	tradeoff     []*chart.Figure
	warnings     []string
	why          string // why it is not one board with others of its realm
	reference    string // reference of the systems, as in contrast; "" if there is none
}

// boardSections are the sections below a leaderboard, in order. To add one, write a file
// with such a function and add a line here. They are made concurrently, so none may change
// the board.
var boardSections = []func(*Board, Options) ([]section.Section, error){
	rankSections, pairSections, seedSections, tuningSections, ablationSections, effectSections, probeSections, tradeoffSections, differenceSections,
	sliceSections, taskSections, controlSections, costSections, chatSections, curveSections, scoringSections,
}

// newBoard computes the data shared by the sections of one part of a report.
func newBoard(whole *scores.Set, p scores.Part, number int, o Options) (*Board, error) {
	b := &Board{ID: fmt.Sprintf("%s-%d", p.Realm, number), Realm: p.Realm, Setting: p.Setting, why: p.Why, Set: p.View}
	var err error
	if b.reference, err = o.referenceOn(whole, p.View); err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	b.byIdentity = map[string]*scores.System{}
	for _, s := range b.Set.Systems {
		b.byIdentity[scores.Identity(s.Trials[0])] = s
	}
	var all []scores.Number
	for _, name := range p.Benchmarks {
		b.Benchmarks = append(b.Benchmarks, b.Set.Benchmarks[name].Benchmark)
		all = append(all, b.Set.Columns(name).Main()...)
		b.Numbers = append(b.Numbers, o.shown(b.Set, name)...)
	}
	for _, c := range b.Numbers {
		b.Rankings = append(b.Rankings, contrast.Rank(b.Set, c))
	}
	for i, name := range p.Benchmarks {
		b.test(i, name, o)
	}
	b.effects = sync.OnceValue(func() *factorEffects {
		return effectsOf(b.Set, b.Numbers, b.pairs())
	})
	b.Leaderboard = leaderboard(b, o)
	b.ranks, b.seeds = rankTable(b.Set, b, b.Numbers), seedTable(b.Set, b.ID+"-seeds", b.Numbers, o.Room)
	b.controls, b.warnings = controls(b.Set, b.ID, all, b.pairs())
	b.tradeoff, err = tradeoff(b.Set, b.ID, b.Numbers)
	return b, err
}

// test compares the systems on the numbers of one benchmark and on its slices.
func (b *Board) test(i int, name string, o Options) {
	if f := contrast.Compare(b.Set, name, o.numbers(b.Set, name), b.reference); f != nil {
		b.Families = append(b.Families, f)
	}
	if main := b.Set.Columns(name).Main(); len(main) > 0 && !o.shows(main[0].Measure) {
		return
	}
	if s := sliceScores(b.Set, fmt.Sprintf("%s-%d", b.ID, i+1), name, b.reference); s != nil {
		b.Slices = append(b.Slices, s)
	}
}

// section returns the board with everything below it.
func (b *Board) section(o Options) (section.Section, error) {
	s := section.Section{ID: b.ID, Title: b.Name(), Nav: b.Name(), Intro: b.Intro(), Tables: []*table.Table{b.Leaderboard}, Legend: b.Legend()}
	if b.Realm == scores.Synthetic {
		s.Badge = string(b.Realm)
	}
	o.Reference = b.reference
	parts, errs := make([][]section.Section, len(boardSections)), make([]error, len(boardSections))
	parallel.Each(len(boardSections), func(i int) {
		parts[i], errs[i] = boardSections[i](b, o)
		cut(parts[i], o.Room)
	})
	for i, err := range errs {
		if err != nil {
			return s, err
		}
		s.Parts = append(s.Parts, parts[i]...)
	}
	return s, nil
}

// rankSections returns a folded section of ranks.
func rankSections(b *Board, _ Options) ([]section.Section, error) {
	return []section.Section{{ID: b.ID + "-ranking", Title: "Ranks, and how they were tested", Folded: true, Tables: section.Listed(b.ranks)}}, nil
}
