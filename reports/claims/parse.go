package claims

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"infbench/internal/nearest"
	"infbench/internal/strict"
	"infbench/internal/words"
	"infbench/metrics"
)

// Form explains claim files to who writes one.
const Form = `A claim file is YAML:

  paper: {title: "...", url: "..."}            # a url where the claims are those of a paper
  sweep: bench/experiments/paper-losses.yaml   # runs that decide claims that name none
  claims:
    - id: multi-over-uni
      says: "multi-variable losses do better than uni-variable ones"
      where: section 6.3
      test: better                 # of what it says:
                                   #   better, worse    than another side, or a number; the measure knows which way
                                   #   higher, lower    the same where the claim says which way
                                   #   best             of all others, each; highest, lowest say which way
                                   #   equal            to another side, or a number, within a margin
                                   #   no worse         than another side, but for a margin
      measure: p-MRR               # or a list, on each of which it must hold; with side: original where there are sides
      on: followir                 # benchmark: its mean on leaderboards; or benchmark/TASK, benchmark/MEAN
                                   #   with @REVISION, or its first words, where results are on several
      among: {interaction: concat} # what all systems of the claim have
      system: {form: multi}        # the side that the claim speaks of
      against: {form: uni}         # the other; of best: the others, all where it is left out
      than: 0                      # a number instead of another side
      margin: 1                    # of equal and no worse: the smallest difference of interest
      printed: "9.0"               # the difference as printed: it must lie where one further run is expected
      pair: [backbone]             # both sides agree in these; left out: in every setting that neither names
      pairs: [{system: {backbone: B-3b}, against: {backbone: B-1b}}, ...]   # explicitly, averaged
      every: backbone              # it must hold for each value of this by itself, as "consistently" says; or
                                   #   pairs, each of which must hold by itself: [{system: {...}, against: {...}}, ...]
      each: backbone               # judge each value of this by itself, too
      only: {loss: ["multi(P,I)", uni(P)]}   # the part of the sweep that decides it
      sweep: FILE                  # or command: TEXT where no sweep decides it

A side is a mapping of settings to a value or a list of values; '' is a setting left
out. Settings are those of experiment files (loss, backbone, design.pooling, ...) and
kind (trained, baseline, null), form and terms (of the loss), selected (what the
configuration was picked on: validation, test or any) and system (as reports call it). Several systems on a side
are averaged within a pair, and pairs alike. Every value of a list must have been run.
Numbers of systems are times 100, as papers print them.

It holds, or is reversed, where the test says so after Holm; best where each of the
others is behind, reversed where one is ahead. With every, or several measures, it holds
where each comparison does, and is reversed where one is (an intersection-union test).
Equal by two one-sided tests within the margin, reversed where it lies beyond that; no
worse where a margin below is excluded. Else it is not shown, or not run.

A claim on data has study: agreement, diversity, data or overlap instead of on; its
sides name what infbench kept: name, of, file. Numbers are as measured.`

// Parse reads a claim file. All mistakes are found at once, each with
// file:line:column.
func Parse(file string, data []byte) (*File, error) {
	d, root, err := strict.Parse(file, data)
	if err != nil {
		return nil, err
	}
	d.Rejoin(root, nil)
	p := &parser{Decoder: d, file: &File{Name: words.Clean(filepath.Base(file)), Text: string(data)}, seen: map[string]bool{}}
	p.root(root)
	return p.file, d.Err()
}

// parser reads one file.
type parser struct {
	*strict.Decoder
	file  *File
	sweep string
	seen  map[string]bool // IDs
}

// fields calls read for each key of a mapping that is known.
func (p *parser) fields(n *yaml.Node, what string, read map[string]func(*yaml.Node)) {
	for _, f := range p.Fields(n, what) {
		if read[f.Name] == nil {
			p.Fail(f.Key, "%s: %w", what, nearest.Unknown("key", f.Name, words.SortedKeys(read)))
			continue
		}
		if v, ok := p.Resolve(f.Value); ok {
			read[f.Name](v)
		}
	}
}

func (p *parser) root(n *yaml.Node) {
	var claims *yaml.Node
	p.fields(n, "claim file", map[string]func(*yaml.Node){
		"paper": func(n *yaml.Node) {
			p.fields(n, "paper", map[string]func(*yaml.Node){"title": p.text("title", &p.file.Title), "url": p.text("url", &p.file.URL)})
		},
		"sweep":  p.text("sweep", &p.sweep),
		"claims": func(n *yaml.Node) { claims = n },
	})
	switch {
	case claims == nil:
		p.Fail(n, "there are no claims")
	case claims.Kind != yaml.SequenceNode:
		p.Fail(claims, "claims: want a list, found %s", strict.Describe(claims))
	case len(claims.Content) == 0:
		p.Fail(claims, "there are no claims")
	default:
		for _, item := range claims.Content {
			if item, ok := p.Resolve(item); ok {
				p.claim(item)
			}
		}
	}
}

// text reads one line of text.
func (p *parser) text(name string, into *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || words.Clean(n.Value) == "" {
			p.Fail(n, "%s: want text, found %s", name, strict.Describe(n))
			return
		}
		*into = words.Clean(n.Value)
	}
}

// texts reads one line of text or several.
func (p *parser) texts(name string, into *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		items := []*yaml.Node{n}
		if n.Kind == yaml.SequenceNode && len(n.Content) > 0 {
			items = n.Content
		}
		for _, item := range items {
			var one string
			if item, ok := p.Resolve(item); ok {
				p.text(name, &one)(item)
			}
			if slices.Contains(*into, one) {
				p.Fail(item, "%s: %s is there twice", name, one)
			}
			*into = append(*into, one)
		}
	}
}

// number reads a finite number.
func (p *parser) number(name string, into **float64) func(*yaml.Node) {
	return func(n *yaml.Node) { p.Into(n, reflect.ValueOf(into).Elem(), name) }
}

// claim reads one claim and holds it to its form.
func (p *parser) claim(n *yaml.Node) {
	c := &Claim{line: n.Line}
	var one Sides
	var among, only Query
	var test, printed, sweep string
	var margin *float64
	var every []Sides
	before := p.Faults()
	keys := p.queryKeys(n)
	query := func(name string, into *Query) func(*yaml.Node) {
		return func(n *yaml.Node) { *into = p.query(n, name, keys) }
	}
	p.fields(n, "claim", map[string]func(*yaml.Node){
		"id": p.text("id", &c.ID), "says": p.text("says", &c.Says), "where": p.text("where", &c.Where),
		"test": p.text("test", &test), "measure": p.texts("measure", &c.Measures), "side": p.text("side", &c.Side),
		"on": p.text("on", &c.On), "study": p.text("study", &c.Study),
		"among": query("among", &among), "system": query("system", &one.System), "against": query("against", &one.Against),
		"pairs": func(n *yaml.Node) { c.Pairs = p.pairs(n, keys, "pairs") },
		"every": func(n *yaml.Node) {
			if n.Kind != yaml.ScalarNode {
				every = p.pairs(n, keys, "every")
				return
			}
			p.text("every", &c.EveryOf)(n)
			p.known(n, c.EveryOf, keys)
		},
		"pair": func(n *yaml.Node) { c.Pair = p.names(n, "pair", keys) },
		"each": func(n *yaml.Node) {
			p.text("each", &c.Each)(n)
			p.known(n, c.Each, keys)
		},
		"than": p.number("than", &c.Than), "margin": p.number("margin", &margin), "printed": p.text("printed", &printed),
		"sweep": p.text("sweep", &sweep), "only": query("only", &only), "command": p.text("command", &c.Command),
	})
	if p.Faults() > before {
		return
	}
	c.Test = Test(test)
	if len(c.Measures) > 0 {
		c.Measure = c.Measures[0]
	}
	if one.System != nil || one.Against != nil {
		c.Pairs = append(c.Pairs, one)
	}
	if every != nil {
		c.Every = true
		if c.Pairs != nil {
			p.Fail(n, "every: it has the sides of the claim; no system, against or pairs beside it")
			return
		}
		c.Pairs = every
	}
	for _, err := range []error{p.settle(c, margin, printed), p.setCommand(c, sweep, only), p.unique(c), c.check(margin != nil)} {
		if err != nil {
			p.Refuse(n, err)
		}
	}
	for i := range c.Pairs {
		c.Pairs[i].System = c.Pairs[i].System.with(among)
		if c.Pairs[i].Against != nil || c.Than == nil {
			c.Pairs[i].Against = c.Pairs[i].Against.with(among)
		}
	}
	p.file.Claims = append(p.file.Claims, c)
}

// queryKeys lists the keys that queries of a claim may name: those of systems, or of
// studies where the claim is on one.
func (p *parser) queryKeys(n *yaml.Node) []string {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		if n.Content[i].Value == "study" {
			return []string{nameKey, ofKey, fileKey}
		}
	}
	return systemKeys()
}

// settle takes over the numbers of a claim.
func (p *parser) settle(c *Claim, margin *float64, printed string) (err error) {
	if margin != nil {
		c.Margin = *margin / c.scale()
	}
	if c.Than != nil {
		than := *c.Than / c.scale()
		c.Than = &than
	}
	if printed != "" {
		c.Printed, err = parsePrinted(printed, c.scale())
	}
	return err
}

// parsePrinted reads a number with its digits.
func parsePrinted(text string, scale float64) (*Printed, error) {
	var value float64
	if _, err := fmt.Sscanf(text+"\n", "%g\n", &value); err != nil || math.IsNaN(value) || math.IsInf(value, 0) || strings.ContainsAny(text, "eExX") {
		return nil, fmt.Errorf("printed: want a number as it is printed, such as +9.0, found %q", text)
	}
	_, decimals, _ := strings.Cut(text, ".")
	return &Printed{Value: value / scale, Half: math.Pow10(-len(decimals)) / 2 / scale, Text: text}, nil
}

// setCommand says how what decides a claim is run.
func (p *parser) setCommand(c *Claim, sweep string, only Query) error {
	switch {
	case c.Command != "" && (sweep != "" || only != nil):
		return errors.New("command, sweep and only: give a command, or an experiment file")
	case c.Command != "":
		return nil
	case sweep == "" && (p.sweep == "" || c.Study != ""):
		return errors.New("a claim needs the command that decides it: sweep: FILE, or command: TEXT")
	case sweep == "":
		sweep = p.sweep
	}
	c.Sweep, c.Only, c.Command = sweep, only, command(sweep, only)
	return nil
}

// unique refuses an ID that another claim has.
func (p *parser) unique(c *Claim) error {
	if p.seen[c.ID] {
		return fmt.Errorf("id: another claim is called %s", c.ID)
	}
	p.seen[c.ID] = true
	return nil
}

// check finds what a claim lacks, or has in excess.
func (c *Claim) check(margin bool) error {
	if !slices.Contains(tests, string(c.Test)) {
		if c.Test == "" {
			return fmt.Errorf("a claim needs a test: %s", strings.Join(tests, ", "))
		}
		return fmt.Errorf("test: %w", nearest.Unknown("test", string(c.Test), tests))
	}
	compared := slices.ContainsFunc(c.Pairs, func(s Sides) bool { return s.Against != nil })
	switch {
	case c.ID == "" || c.Says == "" || c.Measure == "":
		return errors.New("a claim needs an id, what it says, and a measure")
	case (c.On == "") == (c.Study == ""):
		return errors.New("a claim is on a benchmark (on) or of a study (study), one of the two")
	case len(c.Pairs) == 0 || slices.ContainsFunc(c.Pairs, func(s Sides) bool { return s.System == nil }):
		return errors.New("a claim needs the system that it speaks of: system, or pairs")
	case c.Every && c.Test.extreme():
		return errors.New("every: pairs that must each hold; of best, highest and lowest name the setting whose values must: every: backbone")
	case (c.Every || c.EveryOf != "" || len(c.Measures) > 1) && (c.Test == Equal || c.Printed != nil):
		return errors.New("every, or several measures: comparisons that must each hold; no equal or printed")
	case c.Study != "" && (c.EveryOf != "" || len(c.Measures) > 1):
		return errors.New("every: SETTING and several measures are of systems")
	case c.Test.extreme() && (c.Than != nil || len(c.Pairs) > 1 || c.Printed != nil):
		return fmt.Errorf("%s: one system against others; no than, pairs or printed", c.Test)
	case !c.Test.extreme() && compared == (c.Than != nil):
		return fmt.Errorf("%s: give another side (against) or a number (than), one of the two", c.Test)
	case c.Test.margined() != margin:
		return errors.New("margin: the smallest difference of interest belongs to equal and no worse, which need one")
	case c.Margin < 0 || c.Test.margined() && c.Margin == 0 && c.Study == "":
		return errors.New("margin: want more than 0: no test shows that nothing differs at all")
	case c.Test == NoWorse && c.Than != nil:
		return errors.New("no worse: than another side (against), within a margin")
	case c.Printed != nil && (c.Test.margined() || c.Than != nil):
		return errors.New("printed: it is the size of a difference between two sides")
	case c.Study != "" && (c.Side != "" || c.Pair != nil || c.Each != "" || c.Test.directed() || c.Printed != nil):
		return errors.New("a claim of a study has no side, pair, each or printed, and says higher or lower, not better")
	}
	return c.checkNames()
}

// checkNames holds the names of a claim to those that there are.
func (c *Claim) checkNames() error {
	if c.Study != "" {
		if !slices.Contains(StudyKinds, c.Study) {
			return fmt.Errorf("study: %w", nearest.Unknown("study", c.Study, StudyKinds))
		}
		return nil
	}
	for i, measure := range c.Measures {
		c.Measures[i] = metrics.Canonical(measure)
	}
	c.Measure = c.Measures[0]
	for _, one := range c.measures() {
		d, err := metrics.DirectionOf(one.Measure)
		switch {
		case one.mean() != nil:
		case err != nil:
			return err
		case c.Test.directed() && d == metrics.Neither:
			return fmt.Errorf("test: of %s neither direction is better: say higher or lower", one.Measure)
		}
	}
	return nil
}

// pairs reads explicit pairs; what names them in errors.
func (p *parser) pairs(n *yaml.Node, keys []string, what string) []Sides {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		p.Fail(n, "%s: want a list of {system, against}, found %s", what, strict.Describe(n))
		return nil
	}
	var out []Sides
	for _, item := range n.Content {
		item, ok := p.Resolve(item)
		if !ok {
			return nil
		}
		var s Sides
		p.fields(item, "pair", map[string]func(*yaml.Node){
			"system":  func(n *yaml.Node) { s.System = p.query(n, "system", keys) },
			"against": func(n *yaml.Node) { s.Against = p.query(n, "against", keys) },
		})
		if s.System == nil || s.Against == nil {
			p.Fail(item, "%s: each needs system and against", what)
		}
		out = append(out, s)
	}
	return out
}

// names reads a list of keys.
func (p *parser) names(n *yaml.Node, what string, known []string) []string {
	out := []string{} // an empty list pairs everything with everything
	if n.Kind != yaml.SequenceNode {
		p.Fail(n, "%s: want a list of settings, found %s", what, strict.Describe(n))
		return out
	}
	for _, item := range n.Content {
		var name string
		p.text(what, &name)(item)
		p.known(item, name, known)
		out = append(out, name)
	}
	return out
}

// known refuses a key that there is none of.
func (p *parser) known(n *yaml.Node, name string, known []string) {
	if name != "" && !slices.Contains(known, name) {
		p.Fail(n, "%w", nearest.Unknown("setting", name, known))
	}
}

// query reads a mapping of settings to values.
func (p *parser) query(n *yaml.Node, what string, known []string) Query {
	out := Query{}
	for _, f := range p.Fields(n, what) {
		p.known(f.Key, f.Name, known)
		v, ok := p.Resolve(f.Value)
		if !ok {
			return out
		}
		k := Key{Key: f.Name}
		items := []*yaml.Node{v}
		if v.Kind == yaml.SequenceNode {
			items = v.Content
		}
		for _, item := range items {
			if item, ok = p.Resolve(item); !ok || item.Kind != yaml.ScalarNode || item.Tag == "!!null" {
				p.Fail(item, "%s: want a value or a list of values, found %s; '' is a setting left out", f.Name, strict.Describe(item))
				continue
			}
			k.Values = append(k.Values, words.Clean(item.Value))
		}
		if len(items) == 0 {
			p.Fail(v, "%s: an empty list", f.Name)
		}
		out = append(out, k)
	}
	return out
}
