package spec

import (
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"infbench/runners"
	"infbench/training/setting"
)

// RemoteModel is the model of a cell whose vectors an endpoint computes.
const RemoteModel = "remote"

// Model is a name of a model in an experiment file: a baseline, a model on the hub, a folder or
// a run file.
type Model struct {
	Name       string // as in cells
	Finds      bool   // finds documents by itself
	Pairs      bool   // scores pairs of query and document
	Stages     bool   // finds documents but can also rank those of a first stage
	Weightless bool   // built into infbench, without files
}

// Remote is an endpoint for embeddings. The plan contains no reference to its key.
type Remote struct {
	API           string `yaml:"api" json:"api,omitempty"`
	URL           string `yaml:"url" json:"url,omitempty"`
	Model         string `yaml:"model" json:"model"`
	Dim           int    `yaml:"dim" json:"dim"`
	QueryTemplate string `yaml:"query_template" json:"query_template,omitempty"`
}

// Describe describes the fields of a Remote.
func (Remote) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "api", Label: "remote interface", Unsaid: "openai", Meaning: "interface of the endpoint", Source: "the providers' documentation"},
		{Name: "url", Label: "remote address", Unsaid: "the provider's; openai has none", Meaning: "address up to and with the version", Source: "the providers' documentation"},
		{Name: "model", Label: "remote model", Unsaid: "required", Meaning: "model to request", Source: "the providers' documentation"},
		{Name: "dim", Label: "values of a remote model's vectors", Range: "[1,∞)", Unit: "values", Unsaid: "required", Meaning: "values of its vectors", Source: "the model's card"},
		{Name: "query_template", Label: "query template", Unsaid: "its card's, else {query} {instruction}", Meaning: "how query and instruction are joined", Source: "the model's card"},
	}
}

// ChatModel is the model of a cell that asks a language model to order documents.
const ChatModel = "chat"

// Chat is a language model behind an endpoint and the way it is asked to order documents, at
// temperature 0. The plan contains no reference to its key. Package chatrank has the defaults.
type Chat struct {
	Model     string `yaml:"model,omitempty" json:"model"`       // the endpoint's name for it
	URL       string `yaml:"url,omitempty" json:"url,omitempty"` // of the endpoint
	How       string `yaml:"how,omitempty" json:"how,omitempty"`
	Window    int    `yaml:"window,omitempty" json:"window,omitempty"`
	Step      int    `yaml:"step,omitempty" json:"step,omitempty"`
	Orders    int    `yaml:"orders,omitempty" json:"orders,omitempty"`
	Passes    int    `yaml:"passes,omitempty" json:"passes,omitempty"`
	Bytes     int    `yaml:"bytes,omitempty" json:"bytes,omitempty"`
	Tokens    int    `yaml:"tokens,omitempty" json:"tokens,omitempty"`
	Structure string `yaml:"structure,omitempty" json:"structure,omitempty"`
	Reasoning bool   `yaml:"reasoning,omitempty" json:"reasoning,omitempty"`
	Recipe    string `yaml:"recipe,omitempty" json:"recipe,omitempty"` // a shipped recipe of package chatrank, or a YAML file
	// Prompts is the hash of the prompts. It is filled in; a hash in a file must be that of
	// this infbench.
	Prompts string `yaml:"prompts,omitempty" json:"prompts,omitempty"`
}

// Describe describes the fields of a Chat.
func (Chat) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "model", Label: "language model that orders", Unsaid: "required for a language model", Meaning: "the endpoint's name for the language model", Source: "OpenAI chat completions"},
		{Name: "url", Label: "its address", Unsaid: "required for a language model", Meaning: "address of the endpoint up to and with the version", Source: "OpenAI chat completions"},
		{Name: "how", Label: "how it is asked", Unsaid: "pointwise", Meaning: "how it is asked to order documents", Source: "RankGPT (arXiv 2304.09542), PRP (arXiv 2306.17563)"},
		{Name: "window", Label: "documents of a window", Range: "[2,∞)", Unit: "documents", Unsaid: "20", Meaning: "documents of a listwise window", Source: "RankGPT"},
		{Name: "step", Label: "documents that a window moves by", Range: "[0,∞)", Unit: "documents", Unsaid: "10", Meaning: "documents by which a listwise window moves", Source: "RankGPT"},
		{Name: "orders", Label: "orders in which a window is given", Range: "[0,∞)", Unit: "orders", Unsaid: "1", Meaning: "orders in which a listwise window is given; Kemeny's rule merges the answers", Source: "permutation self-consistency, which takes 20"},
		{Name: "passes", Label: "passes of pairwise comparison", Range: "[0,∞)", Unit: "passes", Unsaid: "10", Meaning: "passes of pairwise comparison", Source: "PRP-Sliding-10"},
		{Name: "bytes", Label: "bytes of a document that it sees", Range: "[0,∞)", Unit: "bytes", Unsaid: "4000", Meaning: "bytes of a document that it sees", Source: setting.Own},
		{Name: "tokens", Label: "tokens that an answer may have", Range: "[0,∞)", Unit: "tokens", Unsaid: "enough for the form of an answer", Meaning: "tokens that an answer may have; a model that thinks first needs thousands", Source: setting.Own},
		{Name: "structure", Label: "how the form of answers is asked for", Unsaid: "schema", Meaning: "how the form of answers is requested; words for servers without structured output", Source: "OpenAI chat completions"},
		{Name: "reasoning", Label: "it thinks before it answers", Meaning: "it thinks before it answers: it takes max_completion_tokens and no temperature", Source: "OpenAI chat completions"},
		{Name: "recipe", Label: "recipe of the questions", Unsaid: "infbench", Meaning: "texts of the questions and how answers are read: a shipped recipe, or a YAML file", Source: "the recipe's file names it"},
		{Name: "prompts", Label: "hash of the prompts", Group: setting.OfContent, Unsaid: "this infbench's", Meaning: "hash of the prompts: an error if this infbench has other prompts", Source: setting.Own},
	}
}

// Index is an approximate vector search by a server, and its graph (HNSW). The plan does not
// contain the server's address. The zero value is exact search. Package approximate has the
// defaults of the other fields.
type Index struct {
	Engine    string `yaml:"engine,omitempty" json:"engine,omitempty"`
	Neighbors int    `yaml:"neighbors,omitempty" json:"neighbors,omitempty"` // links of a vector, M
	Build     int    `yaml:"build,omitempty" json:"build,omitempty"`         // vectors looked at to link one, efConstruction
	Search    int    `yaml:"search,omitempty" json:"search,omitempty"`       // vectors looked at for a query, ef
}

// Describe describes the fields of an Index.
func (Index) Describe() []setting.Setting {
	return []setting.Setting{
		{Name: "engine", Label: "approximate search by", Unsaid: "required", Meaning: "kind of server", Source: "Chroma's HTTP interface"},
		{Name: "neighbors", Label: "links of a vector (M of HNSW)", Range: "[0,∞)", Unit: "links", Unsaid: "32", Meaning: "links of a vector in its graph, M", Source: "HNSW (arXiv 1603.09320)"},
		{Name: "build", Label: "vectors looked at to link one (efConstruction)", Range: "[0,∞)", Unit: "vectors", Unsaid: "200", Meaning: "vectors looked at to link one, efConstruction", Source: "HNSW"},
		{Name: "search", Label: "vectors looked at for a query (ef)", Range: "[0,∞)", Unit: "vectors", Unsaid: "200, and never fewer than requested", Meaning: "vectors looked at for a query, ef", Source: "HNSW"},
	}
}

// ranked is an entry of baselines with more than a name. Its keys are the flags of evaluate.
type ranked struct {
	Model      string   `yaml:"model"`
	Rerank     string   `yaml:"rerank"` // a model that scores pairs
	Chat       Chat     `yaml:"chat"`   // the mapping under rerank, if there is one
	Remote     Remote   `yaml:"remote"`
	First      string   `yaml:"first"`
	Depth      int      `yaml:"depth"`
	Fuse       []string `yaml:"fuse"`
	Similarity string   `yaml:"similarity"`
	Storage    string   `yaml:"storage"`
	Query      string   `yaml:"query_prompt"`
	Document   string   `yaml:"document_prompt"`
	Index      Index    `yaml:"index"`
	Label      string   `yaml:"label"`
}

// Describe describes the fields of an entry. Settings of cells are described as in Cell.
func (ranked) Describe() []setting.Setting {
	table := []setting.Setting{
		{Name: "model", Unsaid: "one of model, rerank and remote is required", Meaning: "a model by name, with further settings", Source: setting.Own},
		{Name: "rerank", Unsaid: "one of model, rerank and remote is required", Meaning: "a model that scores pairs of query and document, or a language model: {chat: NAME, url: ...}", Source: setting.Own},
		{Name: "remote", Unsaid: "one of model, rerank and remote is required", Meaning: "an endpoint for embeddings; its key is named by --key-env", Source: setting.Own},
		{Name: "label", Unsaid: "its model and settings", Meaning: "short name of the entry, on every page and screen; no ID depends on it", Source: setting.Own},
	}
	return append(table, setting.Named(Cell{}.Describe(), "chat", "first", "depth", "fuse", "similarity", "storage", "query_prompt", "document_prompt", "index")...)
}

// ofBaselines are the keys of a cell that only a baseline has.
var ofBaselines = []string{"first", "depth", "fuse", "storage", "query_prompt", "document_prompt", "index", "remote_api", "url", "remote_model", "dim", "query_template", "chat"}

// UsualDepth is the default number of documents of a first stage: the number that the paper's
// rerankers read.
const UsualDepth = 100

// Fused returns the models whose rankings are joined with the model's.
func (c *Cell) Fused() []string {
	if c.Fuse == "" {
		return nil
	}
	return strings.Split(c.Fuse, "+")
}

// Remote returns the endpoint of a cell, or the zero value.
func (c *Cell) Remote() Remote {
	return Remote{c.RemoteAPI, c.URL, c.RemoteModel, c.Dim, c.QueryTemplate}
}

// models returns all models that rank in a baseline.
func (c *Cell) models() []string {
	all := []string{c.Model}
	if c.First != "" {
		all = append(all, c.First)
	}
	return append(all, c.Fused()...)
}

// Weights returns the models of a baseline that are read from files.
func (c *Cell) Weights() []string {
	if c.Model == Trained {
		return nil
	}
	return slices.DeleteFunc(c.models(), func(name string) bool {
		_, known := FindBaseline(name)
		return known || name == RemoteModel || name == ChatModel
	})
}

// depends returns the settings that the numbers of a baseline depend on, in addition to its
// own.
func (c *Cell) depends() []string {
	depends := []string{"world"}
	if len(c.Weights()) > 0 {
		depends = append(depends, "precision", "dims")
	}
	for _, name := range c.models() {
		known, _ := FindBaseline(name)
		for _, key := range known.Depends {
			if !slices.Contains(depends, key) {
				depends = append(depends, key)
			}
		}
	}
	return depends
}

// baselines reads the models that train nothing: names, or mappings.
//
//	baselines: [bm25, intfloat/e5-base-v2, ./folder, run.trec, {rerank: castorini/monot5-base-msmarco-10k, first: bm25, depth: 100}]
func (p *parser) baselines(n *yaml.Node) {
	if !p.isList(n, "baselines") {
		return
	}
	if len(n.Content) == 0 {
		p.Fail(n, "baselines: the list is empty")
	}
	for i, listed := range n.Content {
		for _, item := range eachValue(eachValue([]*yaml.Node{listed}, "query_prompt"), "document_prompt") {
			if p.Full() {
				return
			}
			since := p.mark()
			if entry := p.baseline(item, fmt.Sprintf("baselines[%d]", i)); entry != nil {
				entry.names = slices.Clone(p.e.names[since.names:])
				p.unlessFaulty(since, func() { p.add(item, entry) })
				p.e.entries = append(p.e.entries, entry)
			}
		}
	}
}

// eachValue replaces an entry whose key has a list by an entry for each value of the list.
//
//	{model: intfloat/e5-base-v2, query_prompt: [query, sts]}
func eachValue(items []*yaml.Node, key string) (all []*yaml.Node) {
	for _, item := range items {
		n := item
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		at := 0
		for i := 1; i < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
			if v := n.Content[i]; n.Content[i-1].Value == key && v.Kind == yaml.SequenceNode && len(v.Content) > 0 {
				at = i
			}
		}
		if at == 0 {
			all = append(all, item)
			continue
		}
		for _, value := range n.Content[at].Content {
			one := *n
			one.Content = slices.Clone(n.Content)
			one.Content[at] = value
			all = append(all, &one)
		}
	}
	return all
}

// add adds a known entry to the baselines.
func (p *parser) add(n *yaml.Node, entry *Entry) {
	if entry.failed {
		return
	}
	if slices.ContainsFunc(p.e.Baselines, func(other Cell) bool { return reflect.DeepEqual(other, entry.Cell) }) {
		p.Fail(n, "baselines: %q given twice", entry.Cell.Model)
	}
	p.e.Baselines = append(p.e.Baselines, entry.Cell)
	if entry.ranked != nil && entry.ranked.Label != "" {
		l := &label{key: SystemKey, text: entry.ranked.Label, cell: entry.Cell, node: n, parser: p}
		p.e.labels = append(p.e.labels, l)
		l.check()
	}
}

// entryLabel returns the label of a baseline; "" if it has none.
func (e *Experiment) entryLabel(c *Cell) string {
	for _, l := range e.labels {
		if l.key == SystemKey && reflect.DeepEqual(l.cell, *c) {
			return l.text
		}
	}
	return ""
}

// Entry is an entry of baselines whose models are known.
type Entry struct {
	Cell Cell

	ranked *ranked // nil if the entry is only a name
	node   *yaml.Node
	parser *parser
	names  []*Name
	failed bool
}

// Refuse records an error in an entry's cell.
func (b *Entry) Refuse(err error) {
	if err != nil {
		b.fail("baselines: %w", err)
	}
}

func (b *Entry) fail(format string, args ...any) {
	b.failed = true
	b.parser.Fail(b.node, format, args...)
}

// Rankings iterates over the entries of baselines with settings of ranking, after all names
// were looked up.
func (e *Experiment) Rankings() iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for _, b := range e.entries {
			if slices.ContainsFunc(b.names, func(n *Name) bool { return n.failed }) {
				continue
			}
			if b.ranked == nil {
				b.Cell.Model = b.model(b.names[0].Text).Name
			} else if b.ranking(); !yield(b) {
				return
			}
		}
	}
}

// baseline reads one entry; nil if it names no model.
func (p *parser) baseline(n *yaml.Node, section string) *Entry {
	item, ok := p.Resolve(n)
	if !ok {
		return nil
	}
	b := &Entry{node: item, parser: p}
	if item.Kind != yaml.MappingNode {
		var name string
		if !p.Into(item, reflect.ValueOf(&name).Elem(), section) || !p.lookModel(item, name) {
			return nil
		}
		return b
	}
	p.refuseKeys(item)
	b.ranked = &ranked{}
	if !p.Into(chatOfRerank(oneAsList(item, "fuse")), reflect.ValueOf(b.ranked).Elem(), section) || !b.lookUp() {
		return nil
	}
	if at := valueOf(item, "label"); at != nil && !p.labelText(at, section, &b.ranked.Label) {
		return nil
	}
	return b
}

// lookUp records the models that an entry names, for lookup. It reports whether the entry names
// a system that ranks.
func (b *Entry) lookUp() bool {
	e, p, n := b.ranked, b.parser, b.node
	named := 0
	for _, given := range []bool{e.Model != "", e.Rerank != "" || e.Chat != Chat{}, e.Remote != Remote{}} {
		if given {
			named++
		}
	}
	switch {
	case named != 1:
		p.Fail(n, "baselines: want one of model, rerank and remote, found %d of them", named)
		return false
	case e.Remote != Remote{} && (e.Remote.Model == "" || e.Remote.Dim < 1):
		p.Fail(n, "baselines: remote needs model and dim, the values of its vectors")
		return false
	case e.Chat != Chat{} && e.Chat.Model == "":
		p.Fail(n, "baselines: rerank: chat names no model")
		return false
	}
	models := slices.DeleteFunc(append([]string{e.Model, e.Rerank, e.First}, e.Fuse...), func(name string) bool { return name == "" })
	if e.Depth < 0 || e.Depth > 0 && e.First == "" {
		p.Fail(n, "baselines: depth %d: want the number of documents that first finds, at least 1", e.Depth)
	}
	if (e.First != "" || len(e.Fuse) > 0) && slices.Contains(models, Untrained) {
		p.Fail(n, "baselines: %s is a backbone before training, so it cannot be fused or be a stage", Untrained)
	}
	known := true
	for _, name := range models {
		if slices.Contains(e.Fuse, name) && strings.Contains(name, "+") {
			p.Fail(n, "baselines: fuse: %q contains a +", name)
			known = false
			continue
		}
		known = p.lookModel(n, name) && known
	}
	return known
}

// refuseKeys refuses the key of an endpoint, which must not be in a file or a plan.
func (p *parser) refuseKeys(n *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if name := n.Content[i].Value; name == "key" || name == "api_key" || name == "key_env" {
			p.Fail(n.Content[i], "baselines: an endpoint's key must not be in a file: name its environment variable with --key-env")
		}
		if v := n.Content[i+1]; v.Kind == yaml.MappingNode {
			p.refuseKeys(v)
		}
	}
}

// ranking turns an entry into a cell, and records errors that depend on its models.
func (b *Entry) ranking() {
	e, c := b.ranked, &b.Cell
	*c = Cell{Depth: e.Depth, Similarity: e.Similarity, Storage: e.Storage, QueryPrompt: e.Query, DocumentPrompt: e.Document, Index: e.Index}
	switch {
	case e.Remote != Remote{}:
		r := e.Remote
		c.Model, c.RemoteAPI, c.URL, c.RemoteModel, c.Dim, c.QueryTemplate = RemoteModel, r.API, r.URL, r.Model, r.Dim, r.QueryTemplate
		if e.First != "" {
			b.fail("baselines: remote finds documents by itself; only models that score pairs have a first stage")
		}
	case e.Chat != Chat{}:
		c.Model, c.Chat = ChatModel, e.Chat
	case e.Rerank != "":
		m := b.model(e.Rerank)
		if c.Model = m.Name; m.Finds && !(m.Stages && e.First != "") {
			hint := ""
			if !m.Weightless {
				hint = "; a language model scores pairs if infbench.json in its folder has a judge section (prompt with {query} and {document}, yes, no)"
			}
			b.fail("baselines: rerank: %s finds documents by itself: list it without rerank%s", e.Rerank, hint)
		}
	default:
		m := b.model(e.Model)
		if c.Model = m.Name; m.Finds && !m.Stages && e.First != "" {
			b.fail("baselines: %s finds documents by itself; only models that score pairs have a first stage", e.Model)
		}
	}
	b.stages()
}

// chatOfRerank rewrites an entry with a mapping under rerank, a language model. The mapping
// moves to the key chat, and in it the name chat becomes model.
//
//	{rerank: {chat: llama3.1, url: http://localhost:11434/v1, how: listwise}, first: bm25, depth: 100}
func chatOfRerank(n *yaml.Node) *yaml.Node {
	made := renamed(n, "rerank", "chat")
	for i := 1; i < len(made.Content); i += 2 {
		if made.Content[i-1].Value == "chat" {
			made.Content[i] = renamed(made.Content[i], "chat", "model")
		}
	}
	return made
}

// renamed returns a mapping with another name for a key, if rerank has a mapping.
func renamed(n *yaml.Node, from, to string) *yaml.Node {
	made := *n
	made.Content = slices.Clone(n.Content)
	for i := 1; i < len(made.Content); i += 2 {
		if key := made.Content[i-1]; key.Value == from && (from != "rerank" || made.Content[i].Kind == yaml.MappingNode) {
			named := *key
			named.Value = to
			made.Content[i-1] = &named
		}
	}
	return &made
}

// stages fills in the first stage and the fused models.
func (b *Entry) stages() {
	e, c := b.ranked, &b.Cell
	if e.First != "" {
		m := b.model(e.First)
		if c.First = m.Name; m.Pairs {
			b.fail("baselines: first: %s scores pairs: name a model that finds documents, such as bm25", e.First)
		}
		if c.Depth == 0 {
			c.Depth = UsualDepth
		}
	}
	var fused []string
	for _, name := range e.Fuse {
		fused = append(fused, b.model(name).Name)
	}
	c.Fuse = strings.Join(fused, "+")
}

// model returns the model found for a name in the entry.
func (b *Entry) model(name string) Model { return b.parser.e.found[named{NameOfModel, name}] }

// lookModel records the name of a model for lookup, unless it is the trained model.
func (p *parser) lookModel(n *yaml.Node, name string) bool {
	if name == Trained {
		p.Fail(n, "trained means the trained cells, it is not a baseline")
		return false
	}
	p.look(n, NameOfModel, name, nil)
	return true
}

// modelInputs returns what a baseline reads in addition to data: the files of models and their
// cards' rules for texts, or the content of an endpoint.
func (c *Cell) modelInputs() []input {
	var list []input
	for _, name := range c.Weights() {
		list = append(list, input{ModelInput + name, ModelInput + name, 0}, input{CardInput + name, CardInput + name, 0})
		if c.Similarity == string(runners.Dot) {
			list = append(list, input{PooledInput + name, PooledInput + name, 0})
		}
	}
	if c.Model == RemoteModel {
		described, err := json.Marshal(c.Remote())
		if err != nil {
			panic(fmt.Sprintf("spec: remote model: %v", err)) // strings and a number
		}
		list = append(list, input{ModelInput + RemoteModel + "/" + c.RemoteModel, RemoteInput + string(described), 0})
	}
	if c.Model == ChatModel {
		described, err := json.Marshal(c.Chat)
		if err != nil {
			panic(fmt.Sprintf("spec: chat: %v", err)) // strings and numbers
		}
		list = append(list, input{ModelInput + ChatModel + "/" + c.Chat.Model, ChatInput + string(described), 0})
	}
	return list
}
