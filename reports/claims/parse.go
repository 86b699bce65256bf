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

// Form describes the form of claim files, for their authors.
const Form = `A claim file is YAML:

  paper: {title: "...", url: "..."}            # a url if the claims are those of a paper
  sweep: bench/experiments/paper-losses.yaml   # for claims that name no sweep or command
  claims:
    - id: multi-over-uni
      says: "multi-variable losses do better than uni-variable ones"
      where: section 6.3
      test: better                 # the relation that the claim states:
                                   #   better, worse    than another side, or a number, by the direction of the measure
                                   #   higher, lower    the same, in the direction of the word
                                   #   best             better than each other system; highest, lowest: in the direction of the word
                                   #   equal            to another side, or a number, within a margin
                                   #   no worse         than another side, by more than a margin
      measure: p-MRR               # or a list: it must hold on each; with side: original if the benchmark has sides
      on: followir                 # benchmark: its mean on leaderboards; or benchmark/TASK, benchmark/MEAN
                                   #   with @REVISION, or its first words, if results are on several
      among: {interaction: concat} # settings of all systems of the claim
      system: {form: multi}        # the side that the claim speaks of
      against: {form: uni}         # the other side; with best: the others (left out: all)
      than: 0                      # a number instead of another side
      margin: 1                    # with equal and no worse: the smallest difference of interest
      printed: "9.0"               # the difference as printed: it must be in the range expected of one further run
      pair: [backbone]             # both sides agree in these (left out: in every setting that neither names)
      pairs: [{system: {backbone: B-3b}, against: {backbone: B-1b}}, ...]   # explicitly, averaged
      every: backbone              # it must hold for each value of this by itself ("consistently"); or
                                   #   a list of pairs that must each hold: [{system: {...}, against: {...}}, ...]
      each: backbone               # also judge each value of this by itself
      only: {loss: ["multi(P,I)", uni(P)]}   # the part of the sweep that decides it
      sweep: FILE                  # or command: TEXT if no sweep decides it

A side is a mapping of settings to a value or a list of values; '' is a setting left
out. Settings are those of experiment files (loss, backbone, design.pooling, ...) and
kind (trained, baseline, null), form and terms (of the loss), selected (the data on
which the configuration was picked: validation, test or any) and system (its name in
reports). Several systems on a side are averaged within a pair, then the pairs are
averaged. Every value of a list must have been run. Numbers of systems are times 100,
as papers print them.

A claim holds, or is reversed, if the test is significant after Holm's correction. best
holds if each other system is behind, and is reversed if one is ahead. With every, or
several measures, a claim holds if each comparison holds, and is reversed if one is (an
intersection-union test). equal holds by two one-sided tests within the margin, and is
reversed beyond it. no worse holds if the test excludes a loss of more than the margin.
Otherwise the verdict is not shown, or not run.

A claim on data has study: agreement, diversity, data or overlap in place of on. Its
sides select recorded numbers by name, of and file. Numbers are as measured.`

// Parse reads a claim file. It reports all mistakes at once, each with file:line:column.
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

// fields calls the function in read for each known key of a mapping.
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

// claim reads one claim and checks its form.
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
			p.Fail(n, "every: it lists the sides of the claim: leave out system, against and pairs")
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

// queryKeys lists the keys that queries of a claim may name: those of systems, or those of studies
// if the claim is on one.
func (p *parser) queryKeys(n *yaml.Node) []string {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		if n.Content[i].Value == "study" {
			return []string{nameKey, ofKey, fileKey}
		}
	}
	return systemKeys()
}

// settle converts the numbers of a claim to native units.
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

// setCommand sets the command that makes the results of a claim.
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

// unique returns an error if another claim has the ID.
func (p *parser) unique(c *Claim) error {
	if p.seen[c.ID] {
		return fmt.Errorf("id: another claim is called %s", c.ID)
	}
	p.seen[c.ID] = true
	return nil
}

// check returns an error for a missing or unexpected part of a claim.
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
		return errors.New("a claim needs id, says and measure")
	case (c.On == "") == (c.Study == ""):
		return errors.New("a claim needs a benchmark (on) or a study (study), one of the two")
	case len(c.Pairs) == 0 || slices.ContainsFunc(c.Pairs, func(s Sides) bool { return s.System == nil }):
		return errors.New("a claim needs the system that it is about: system, or pairs")
	case c.Every && c.Test.extreme():
		return errors.New("every: a list of pairs does not go with best, highest and lowest: name a setting, such as every: backbone")
	case (c.Every || c.EveryOf != "" || len(c.Measures) > 1) && (c.Test == Equal || c.Printed != nil):
		return errors.New("every, or several measures: they do not go with equal or printed")
	case c.Study != "" && (c.EveryOf != "" || len(c.Measures) > 1):
		return errors.New("every: SETTING and several measures are for claims on systems, not on studies")
	case c.Test.extreme() && (c.Than != nil || len(c.Pairs) > 1 || c.Printed != nil):
		return fmt.Errorf("%s: it compares one system with others: leave out than, pairs and printed", c.Test)
	case !c.Test.extreme() && compared == (c.Than != nil):
		return fmt.Errorf("%s: give another side (against) or a number (than), one of the two", c.Test)
	case c.Test.margined() != margin:
		return errors.New("margin: equal and no worse need one, the smallest difference of interest; other tests take none")
	case c.Margin < 0 || c.Test.margined() && c.Margin == 0 && c.Study == "":
		return errors.New("margin: want more than 0: no test shows that nothing differs at all")
	case c.Test == NoWorse && c.Than != nil:
		return errors.New("no worse: it needs another side (against), not a number (than)")
	case c.Printed != nil && (c.Test.margined() || c.Than != nil):
		return errors.New("printed: it is the size of a difference, so it needs two sides and no margin")
	case c.Study != "" && (c.Side != "" || c.Pair != nil || c.Each != "" || c.Test.directed() || c.Printed != nil):
		return errors.New("a claim on a study takes no side, pair, each or printed, and states higher or lower, not better")
	}
	return c.checkNames()
}

// checkNames checks the names of a claim against the known ones.
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
			return fmt.Errorf("test: neither direction of %s is better: use higher or lower", one.Measure)
		}
	}
	return nil
}

// pairs reads explicit pairs. Errors name them by the given word.
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

// known reports an unknown key.
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
				p.Fail(item, "%s: want a value or a list of values, found %s; '' means a setting left out", f.Name, strict.Describe(item))
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
