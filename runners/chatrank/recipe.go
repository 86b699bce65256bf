package chatrank

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"infbench/datasets/chat"
	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/strict"
)

// Recipe is how a model is asked to order documents: the texts of the questions and how answers are
// read. A YAML file holds one.
//
// Templates have names in braces, which are replaced once: {query}, {instruction}, {title}, {text},
// {document}, {documents}, {count} (the number of documents), {n} and {letter} (a document's label),
// and {id} (a hash that an answer in JSON must repeat).
type Recipe struct {
	Name    string `yaml:"-" json:"-"` // that of the file, without its ending
	Source  string `yaml:"source" json:"-"`
	Licence string `yaml:"licence" json:"-"`

	How      How    `yaml:"how" json:"how"`
	Endpoint string `yaml:"endpoint" json:"endpoint,omitempty"` // Conversation or Completions; "" means Conversation
	System   string `yaml:"system" json:"system,omitempty"`
	User     string `yaml:"user" json:"user"`
	Query    string `yaml:"query" json:"query,omitempty"`     // {query} of User, for a query with an instruction; "" means {query} {instruction}
	Bare     string `yaml:"bare" json:"bare,omitempty"`       // and for a query without one, or whose instruction repeats it; "" means {query}
	Passage  string `yaml:"passage" json:"passage,omitempty"` // a document with a title; "" means its title, a newline and its text
	Item     string `yaml:"item" json:"item,omitempty"`       // a document of several
	Between  string `yaml:"between" json:"between,omitempty"` // what separates them
	// Guard keeps texts from being taken for parts of the question: tags puts documents between
	// <passage> and </passage>, numbers writes [1] in texts as (1).
	Guard string `yaml:"guard" json:"guard,omitempty"`

	Think   Think      `yaml:"think" json:"think,omitzero"`
	Words   [][]string `yaml:"words" json:"words,omitempty"`     // of a judge: the spellings for yes and no as tokens; one list is yes alone
	Pattern string     `yaml:"pattern" json:"pattern,omitempty"` // of setwise and listwise: its group is the answer; order: an order and nothing else (Permutation)
	Answer  int        `yaml:"answer" json:"answer,omitempty"`   // most tokens of an answer, after the thoughts; 0 means enough for its form

	Window  int     `yaml:"window" json:"window,omitempty"`                 // documents of a question; 0 means 20
	Step    int     `yaml:"step" json:"step,omitempty"`                     // by which a listwise window moves; 0 means 10
	K       int     `yaml:"k" json:"k,omitempty"`                           // documents that heap sort finds; 0 means 10
	Length  int     `yaml:"passage_tokens" json:"passage_tokens,omitempty"` // tokens of a document that the model sees, each taken for four bytes; 0 means 1,000
	Warmth  float64 `yaml:"temperature" json:"temperature,omitempty"`
	Nucleus float64 `yaml:"top_p" json:"top_p,omitempty"`

	// An answer in JSON: a judge's without log-probabilities, and those of graded and pairwise.
	InWords string   `yaml:"in_words" json:"in_words,omitempty"` // takes the place of User; "" means that a judge needs log-probabilities
	Field   string   `yaml:"field" json:"field,omitempty"`
	Values  []string `yaml:"values" json:"values,omitempty"` // of the field: numbers are grades, of texts the first is the best

	former  bool           // one of infbench's own, whose hash was once taken over Go's formats
	pattern *regexp.Regexp // nil: Permutation's
}

// Think is where a model's thoughts begin and end, and how long they may be.
type Think struct {
	Open   string `yaml:"open" json:"open,omitempty"`
	Close  string `yaml:"close" json:"close,omitempty"`
	Budget int    `yaml:"budget" json:"budget,omitempty"` // most tokens; 0: a judge's thoughts are closed before they begin
}

// Endpoints of a recipe.
const (
	Conversation = "chat"        // messages, in the template of the model
	Completions  = "completions" // a text that goes on, exactly as written
)

// Guards of a recipe.
const (
	guardTags    = "tags"
	guardNumbers = "numbers"
)

// ofOrder is the pattern of an answer that is an order and nothing else.
const ofOrder = "order"

//go:embed recipes
var recipeFiles embed.FS

// Own is the name of infbench's own prompts, one recipe for each of Ways.
const Own = "infbench"

// Recipes lists the names of the shipped recipes.
func Recipes() []string {
	names := []string{Own}
	entries, err := recipeFiles.ReadDir("recipes")
	if err != nil {
		panic(err) // embedded
	}
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
		}
	}
	slices.Sort(names[1:]) // the folder's order is that of names with their ending
	return names
}

// ShippedRecipe returns the text of a shipped recipe, for readers who write their own. The text for Own
// has the recipes of all Ways, one after the other.
func ShippedRecipe(name string) (text []byte, err error) {
	files := []string{"recipes/" + name + ".yaml"}
	switch {
	case name == Own:
		files = nil
		for _, how := range Ways() {
			files = append(files, "recipes/"+Own+"/"+string(how)+".yaml")
		}
	case !slices.Contains(Recipes(), name):
		return nil, nearest.Unknown("recipe", name, Recipes())
	}
	for i, file := range files {
		one, err := recipeFiles.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text = append(text, '\n')
		}
		text = append(text, one...)
	}
	return text, nil
}

// OpenRecipe returns a shipped recipe by its name, or that of a YAML file. It returns nil for
// infbench's own, which Options.How chooses.
func OpenRecipe(name string) (*Recipe, error) {
	ending := filepath.Ext(name)
	switch {
	case name == Own:
		return nil, nil
	case ending == ".yaml" || ending == ".yml":
		text, err := disk.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("recipe: %w", err)
		}
		return ParseRecipe(name, text)
	case !slices.Contains(Recipes(), name):
		return nil, fmt.Errorf("%w; a file of your own ends in .yaml", nearest.Unknown("recipe", name, Recipes()))
	}
	text, err := ShippedRecipe(name)
	if err != nil {
		return nil, err
	}
	return ParseRecipe(name+".yaml", text)
}

// ownRecipes are infbench's own recipes by their way.
var ownRecipes = sync.OnceValue(func() map[How]*Recipe {
	all := map[How]*Recipe{}
	for _, how := range Ways() {
		name := "recipes/" + Own + "/" + string(how) + ".yaml"
		text, err := recipeFiles.ReadFile(name)
		if err == nil {
			all[how], err = ParseRecipe(name, text)
		}
		if err != nil {
			panic(err) // embedded
		}
		all[how].former = true
	}
	return all
})

// ParseRecipe reads a recipe from YAML; file is for errors, which have a line each.
func ParseRecipe(file string, text []byte) (*Recipe, error) {
	d, root, err := strict.Parse(file, text)
	if err != nil {
		return nil, err
	}
	if root.Kind != yaml.MappingNode {
		d.Fail(root, "recipe: want keys with values, found %s", strict.Describe(root))
		return nil, d.Err()
	}
	spellings(root)
	r := &Recipe{Name: strings.TrimSuffix(filepath.Base(filepath.FromSlash(file)), filepath.Ext(file))}
	if d.Into(root, reflect.ValueOf(r).Elem(), "") {
		if err := r.check(); err != nil {
			d.Refuse(root, err)
		}
	}
	return r, d.Err()
}

// spellings makes a list of each word that has one spelling.
func spellings(root *yaml.Node) {
	for i := 1; i < len(root.Content); i += 2 {
		words := root.Content[i]
		if root.Content[i-1].Value != "words" || words.Kind != yaml.SequenceNode {
			continue
		}
		for k, word := range words.Content {
			if word.Kind == yaml.ScalarNode {
				words.Content[k] = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{word}, Line: word.Line, Column: word.Column}
			}
		}
	}
}

// check completes a recipe and returns its errors. Each begins with a key.
func (r *Recipe) check() error {
	r.Endpoint = cmp.Or(r.Endpoint, Conversation)
	if r.Think.Budget > 0 {
		r.Think.Open, r.Think.Close = cmp.Or(r.Think.Open, chat.ThinkOpen), cmp.Or(r.Think.Close, chat.ThinkClose)
	}
	var errs []error
	refuse := func(when bool, format string, args ...any) {
		if when {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	one := func(key, value string, known ...string) {
		if err := nearest.OneOf(key, value, known...); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", key, err))
		}
	}
	refuse(r.How == "", "how: which way of asking? judge, setwise or listwise")
	one("how", string(r.How), string(Judge), string(Setwise), string(Listwise), string(Graded), string(Pairwise))
	one("endpoint", r.Endpoint, Conversation, Completions)
	one("guard", r.Guard, guardTags, guardNumbers)
	refuse(r.Endpoint == Completions && r.System != "", "system: completions have no system message; put its text into user")
	refuse(r.Think.Budget < 0, "think: budget %d is negative", r.Think.Budget)
	errs = append(errs, r.checkTemplates()...)
	errs = append(errs, r.checkAnswer()...)
	for _, n := range []struct {
		key   string
		value int
	}{{"answer", r.Answer}, {"window", r.Window}, {"step", r.Step}, {"k", r.K}, {"passage_tokens", r.Length}} {
		refuse(n.value < 0, "%s: %d is negative", n.key, n.value)
	}
	refuse(r.Step > 0 && r.How != Listwise, "step: only listwise windows move")
	refuse(r.K > 0 && r.How != Setwise, "k: only heap sort, how: setwise, finds the first k")
	refuse(r.Window > 0 && r.How != Setwise && r.How != Listwise, "window: %s asks about no window", r.How)
	refuse(!(r.Warmth >= 0 && r.Warmth <= 2), "temperature: %v is not in 0 to 2", r.Warmth)
	refuse(!(r.Nucleus >= 0 && r.Nucleus <= 1), "top_p: %v is not in 0 to 1", r.Nucleus)
	return errors.Join(errs...)
}

// placeholder matches a name in a template.
var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// checkTemplates returns an error for each template that lacks a name or has an unknown one.
func (r *Recipe) checkTemplates() (errs []error) {
	several := r.How == Setwise || r.How == Listwise || r.How == Pairwise
	document, item := "{document}", "{n}"
	if several {
		document = "{documents}"
	}
	if r.How == Pairwise {
		item = "{letter}"
	}
	check := func(key, text string, needed []string, more ...string) {
		if text == "" {
			return
		}
		for _, name := range needed {
			if !strings.Contains(text, name) {
				errs = append(errs, fmt.Errorf("%s: the text has no %s", key, name))
			}
		}
		for _, name := range placeholder.FindAllString(text, -1) {
			if known := append(needed, more...); !slices.Contains(known, name) {
				errs = append(errs, fmt.Errorf("%s: %w", key, nearest.Unknown("name in braces", name, known)))
			}
		}
	}
	if r.User == "" {
		errs = append(errs, errors.New("user: the text of the question is missing"))
	}
	if several && r.Item == "" {
		errs = append(errs, fmt.Errorf("item: how is a document of several given? such as \"[%s] {document}\"", item))
	}
	check("user", r.User, []string{"{query}", document}, "{count}", "{id}")
	check("in_words", r.InWords, []string{"{query}", document, "{id}"}, "{count}")
	check("query", r.Query, []string{"{query}", "{instruction}"})
	check("bare", r.Bare, []string{"{query}"})
	check("passage", r.Passage, []string{"{title}", "{text}"})
	check("item", r.Item, []string{item, "{document}"})
	return errs
}

// checkAnswer returns the errors of how answers are read.
func (r *Recipe) checkAnswer() (errs []error) {
	json := r.How == Graded || r.How == Pairwise || r.InWords != ""
	switch {
	case r.How == Judge && len(r.Words) == 0:
		errs = append(errs, errors.New(`words: a judge needs the tokens of its verdict, such as [" true", " false"]`))
	case r.How != Judge && len(r.Words) > 0:
		errs = append(errs, fmt.Errorf("words: only a judge's answer is a token, and how is %s", r.How))
	case len(r.Words) > 2:
		errs = append(errs, fmt.Errorf("words: %d words; want yes and no, or yes alone", len(r.Words)))
	}
	seen := map[string]bool{}
	for _, word := range slices.Concat(r.Words...) {
		if word == "" || seen[word] {
			errs = append(errs, fmt.Errorf("words: %q is empty or given twice", word))
		}
		seen[word] = true
	}
	listed := r.How == Setwise || r.How == Listwise
	switch {
	case listed && r.Pattern == "":
		errs = append(errs, fmt.Errorf("pattern: %s needs the pattern of an answer, such as '^\\s*<answer>(.*?)</answer>'", r.How))
	case !listed && r.Pattern != "":
		errs = append(errs, fmt.Errorf("pattern: only answers of setwise and listwise have one, and how is %s", r.How))
	case r.Pattern == ofOrder && r.How == Setwise:
		errs = append(errs, errors.New("pattern: order is for listwise"))
	case r.Pattern != "" && r.Pattern != ofOrder:
		var err error
		if r.pattern, err = regexp.Compile("(?is)" + r.Pattern); err != nil {
			errs = append(errs, fmt.Errorf("pattern: %w", err))
		} else if n := r.pattern.NumSubexp(); n != 1 {
			errs = append(errs, fmt.Errorf("pattern: want one group in parentheses, which is the answer, found %d", n))
		}
	}
	if json && (r.Field == "" || len(r.Values) < 2) {
		errs = append(errs, errors.New("field: an answer in JSON needs a field, and values with two or more"))
	}
	return errs
}

// Hash is a hash of everything that the recipe tells a model and reads in its answers.
func (r *Recipe) Hash() string {
	text, err := json.Marshal(r)
	if err != nil {
		panic(fmt.Sprintf("chatrank: %v", err)) // texts and numbers
	}
	return disk.Sum(string(text))[:12]
}

// formerHash is the hash of one of infbench's own recipes, over the texts before and after the query
// and the documents, in the formats of Go in which they were first written.
func (r *Recipe) formerHash(words bool) string {
	question := func(user string) string {
		_, last, _ := strings.Cut(user, "\n\n")
		_, last, _ = strings.Cut(last, "\n\n")
		return fill(last, "{id}", "%s", "{count}", "%d")
	}
	told := []string{r.System, question(cmp.Or(r.InWords, r.User)), string(r.schema())}
	if r.InWords != "" && !words {
		told = append(told, question(r.User))
	}
	return disk.Sum(strings.Join(told, "\x00"))[:12]
}

// schema is the form of an answer in JSON; nil if answers are not JSON.
func (r *Recipe) schema() json.RawMessage {
	if r.Field == "" {
		return nil
	}
	kind, values := "integer", r.Values
	for _, v := range r.Values {
		if _, err := strconv.Atoi(v); err != nil {
			kind = "string"
		}
	}
	if kind == "string" {
		values = nil
		for _, v := range r.Values {
			values = append(values, strconv.Quote(v))
		}
	}
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"id":{"type":"string"},%q:{"type":%q,"enum":[%s]}},"required":["id",%q],"additionalProperties":false}`,
		r.Field, kind, strings.Join(values, ","), r.Field))
}

// fill replaces names in a template once: the texts that it puts in are not read again.
func fill(template string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(template)
}
