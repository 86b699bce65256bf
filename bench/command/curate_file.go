package command

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"infbench/datasets"
	"infbench/datasets/curate"
	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/strict"
	"infbench/internal/usage"
)

// corpusSpec is the file of curate: it defines the corpus. Flags set the place and the speed;
// package datasets/curate makes it.
type corpusSpec struct {
	Name        string          `yaml:"name"`
	World       uint64          `yaml:"world"` // of generated data
	Seed        uint64          `yaml:"seed"`
	Seeds       []seedSpec      `yaml:"seeds"`
	Decontam    []string        `yaml:"decontaminate,omitempty"` // collections that must not be learnt
	Poisons     []curate.Poison `yaml:"poisons"`                 // empty: untyped, as in the paper
	Author      voiceSpec       `yaml:"author"`
	Judges      []voiceSpec     `yaml:"judges"`
	Active      bool            `yaml:"active"`
	Keep        string          `yaml:"keep"`
	Distractors int             `yaml:"distractors"`
	Filters     filterSpec      `yaml:"filters"`
	Budget      budgetSpec      `yaml:"budget,omitempty"`

	// Resolved are the revisions of the data; files written by people have none.
	Resolved []revisionSpec `yaml:"resolved,omitempty"`
}

// seedSpec is one source of pairs.
type seedSpec struct {
	From    string      `yaml:"from"`
	Kind    curate.Kind `yaml:"kind"`
	Records int         `yaml:"records,omitempty"` // number of records to read; 0: all
	ID      string      `yaml:"id,omitempty"`      // columns of a file with other than the usual names
	Query   string      `yaml:"query,omitempty"`
	Passage string      `yaml:"passage,omitempty"`
}

// filterSpec has the rules for texts; lengths are [least, most] words.
type filterSpec struct {
	Language    string  `yaml:"language"`
	Instruction []int   `yaml:"instruction,flow"`
	Query       []int   `yaml:"query,flow"`
	Passage     []int   `yaml:"passage,flow"`
	Alike       float64 `yaml:"alike"`
}

// budgetSpec limits the cost of asking models; 0 means no limit.
type budgetSpec struct {
	Tokens int64   `yaml:"tokens,omitempty"`
	Money  float64 `yaml:"money,omitempty"`
}

type revisionSpec struct {
	Name     string `yaml:"name"`
	Revision string `yaml:"revision"`
}

// defaultCorpus has the defaults of a file. The limits are wide: they exclude only texts that
// nobody would call an instruction, a query or a passage.
func defaultCorpus() corpusSpec {
	return corpusSpec{
		World: 1, Seed: 1, Poisons: curate.Poisons(), Keep: curate.Unanimous,
		Distractors: 3, // half of the candidates, with the record's own passages, are other records' passages
		Filters: filterSpec{Language: "en", Instruction: []int{3, 200}, Query: []int{2, 300}, Passage: []int{5, 2000},
			Alike: 0.8}, // of shingles of three words
	}
}

// readCorpusSpec reads a curate file and reports every error in it.
func readCorpusSpec(path string) (*corpusSpec, error) {
	text, err := disk.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d, root, err := strict.Parse(path, text)
	if err != nil {
		return nil, err
	}
	d.Rejoin(root, nil)
	f := defaultCorpus()
	p := specParser{d, &f}
	p.file(root)
	if err := d.Err(); err != nil {
		return nil, err
	}
	if f.Name == "" {
		f.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	return &f, nil
}

// specParser fills a file.
type specParser struct {
	*strict.Decoder
	f *corpusSpec
}

// file decodes every key; keys whose value can have several types have methods.
func (p *specParser) file(root *yaml.Node) {
	at := map[string]*yaml.Node{}
	value := reflect.ValueOf(p.f).Elem()
	for _, field := range p.Fields(root, "the file") {
		i := strict.FieldNamed(value.Type(), field.Name)
		if i < 0 || field.Name == "resolved" {
			p.Fail(field.Key, "%w", nearest.Unknown("key", field.Name, specKeys()))
			continue
		}
		at[field.Name] = field.Value
		switch field.Name {
		case "author":
			p.f.Author = p.voice(field.Value, "author")
		case "judges":
			p.judges(field.Value)
		case "seeds":
			p.seeds(field.Value)
		default:
			p.Into(field.Value, value.Field(i), field.Name)
		}
	}
	for _, name := range []string{"seeds", "author", "judges"} {
		if at[name] == nil {
			p.Fail(root, "the file has no %s", name)
		}
	}
	p.check(func(key string) *yaml.Node {
		if n := at[key]; n != nil {
			return n
		}
		return root
	})
}

// specKeys lists the keys that people write.
func specKeys() []string {
	names := strict.FieldNames(reflect.TypeFor[corpusSpec]())
	return names[:len(names)-1] // all except resolved
}

func (p *specParser) judges(n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		p.f.Judges = []voiceSpec{p.voice(n, "judge")}
		return
	}
	for i, item := range n.Content {
		v := p.voice(item, fmt.Sprintf("judges[%d]", i))
		if slices.ContainsFunc(p.f.Judges, func(o voiceSpec) bool { return o.Name == v.Name }) {
			p.Fail(item, "two judges are named %q: set name for one of them", v.Name)
		}
		p.f.Judges = append(p.f.Judges, v)
	}
}

func (p *specParser) seeds(n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		n = &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{n}}
	}
	for i, item := range n.Content {
		s := seedSpec{Kind: curate.Text}
		if item.Kind == yaml.ScalarNode {
			s.From = item.Value
		} else {
			p.Into(item, reflect.ValueOf(&s).Elem(), fmt.Sprintf("seeds[%d]", i))
		}
		if err := s.check(); err != nil {
			p.Refuse(item, err)
		}
		p.f.Seeds = append(p.f.Seeds, s)
	}
}

// check refuses values that parse but make no sense.
func (p *specParser) check(at func(key string) *yaml.Node) {
	f := p.f
	refuse := func(key string, wrong bool, format string, args ...any) {
		if wrong {
			p.Fail(at(key), "%s: "+format, append([]any{key}, args...)...)
		}
	}
	refuse("seeds", len(f.Seeds) == 0, "want one or more")
	refuse("judges", len(f.Judges) == 0, "want one or more")
	refuse("distractors", f.Distractors < 0 || f.Distractors > 100, "%d is not between 0 and 100", f.Distractors)
	refuse("budget", f.Budget.Tokens < 0 || f.Budget.Money < 0, "a bound is negative")
	if err := curate.CheckLanguage(f.Filters.Language); err != nil {
		p.Refuse(at("filters"), err)
	}
	for _, bounds := range [][]int{f.Filters.Instruction, f.Filters.Query, f.Filters.Passage} {
		refuse("filters", len(bounds) != 2 || bounds[0] < 0 || bounds[0] > bounds[1], "%v: want [least, most] words", bounds)
	}
	refuse("filters", !(f.Filters.Alike > 0 && f.Filters.Alike <= 1), "alike: %v is not above 0 and at most 1", f.Filters.Alike)
	p.checkKeep(at)
	for i, name := range f.Decontam {
		if !usage.IsPath(name) && !slices.Contains(datasets.Names(), name) && !isImported(name) {
			p.Fail(at("decontaminate").Content[i], "%w", nearest.Unknown("collection", name, datasets.Names()))
		}
	}
}

// checkKeep checks keep against the judges; with active, it must be the last judge asked.
func (p *specParser) checkKeep(at func(string) *yaml.Node) {
	f, known := p.f, []string{curate.Majority, curate.Unanimous, curate.Last}
	judges := 0
	for _, j := range f.Judges {
		if !j.Person {
			known, judges = append(known, j.Name), judges+1
		}
	}
	if judges == 0 {
		p.Fail(at("judges"), "judges: all stand for people, who approve no record: add another judge")
	}
	if !slices.Contains(known, f.Keep) {
		p.Fail(at("keep"), "%w", nearest.Unknown("judge", f.Keep, known))
	}
	if !f.Active {
		return
	}
	if f.Keep == curate.Unanimous {
		f.Keep = curate.Last
	}
	if judges < len(f.Judges) || judges < 2 || f.Keep != curate.Last {
		p.Fail(at("active"), "active asks a further judge only if the earlier ones are unsure: want two judges or more, none that stands for a person, and keep: %s", curate.Last)
	}
}

// corpusFormat names the format of a corpus folder and its version. It is the first line of
// the folder's settings.
const corpusFormat = "infbench-corpus/1"

// encode writes the resolved file, without the settings that do not affect the corpus.
func (f corpusSpec) encode() ([]byte, error) {
	f.Author = f.Author.bare()
	f.Judges = slices.Clone(f.Judges)
	for i := range f.Judges {
		f.Judges[i] = f.Judges[i].bare()
	}
	f.Budget = budgetSpec{}
	var out bytes.Buffer
	fmt.Fprintln(&out, "# "+corpusFormat)
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(f); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
