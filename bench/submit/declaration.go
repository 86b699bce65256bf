package submit

import (
	"cmp"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"infbench/internal/nearest"
	"infbench/internal/strict"
	"infbench/reports/published"
	"infbench/runners/results"
)

// declaration is submission.yaml.
type declaration struct {
	Format      string          `yaml:"format"`
	System      string          `yaml:"system"`
	Revision    string          `yaml:"revision"`
	Model       string          `yaml:"model"`
	By          string          `yaml:"by"`
	Contact     string          `yaml:"contact"`
	Licence     string          `yaml:"licence"`
	Date        string          `yaml:"date"`
	Command     string          `yaml:"command"`
	Benchmarks  []declaredBench `yaml:"benchmarks"`
	Training    training        `yaml:"training"`
	Conventions conventions     `yaml:"conventions"`
	Partial     string          `yaml:"partial"`
	Replaces    string          `yaml:"replaces"`
	Notes       string          `yaml:"notes"`
	Files       []declaredFile  `yaml:"files"`
}

// declaredBench is a benchmark with its revision.
type declaredBench struct {
	Name     string `yaml:"name"`
	Revision string `yaml:"revision"`
}

// declaredFile is a file of the submission with its hash at declaration.
type declaredFile struct {
	Name   string `yaml:"name"`
	SHA256 string `yaml:"sha256"`
}

// training names the training data of the system.
type training struct {
	Data       []string `yaml:"data"`
	Benchmarks []string `yaml:"benchmarks"`
}

// conventions are choices without which equally named numbers cannot be compared.
type conventions struct {
	Depth   int    `yaml:"depth"`
	Ties    string `yaml:"ties"`
	Prompts string `yaml:"prompts"`
}

// maxDepth is the largest accepted depth of a ranking.
const maxDepth = 10_000

// ties are the possible orders of documents with equal scores.
var ties = []string{published.TiesByID, published.TiesByInsertion}

// key is a key of submission.yaml with its explanation.
type key struct {
	path, what string
	optional   bool
}

// keys are all keys in the order in which they are written.
func keys() []key {
	return []key{
		{"format", declarationForm, false},
		{"system", "ORG/MODEL", false},
		{"revision", "revision of the model: a commit or a version", false},
		{"model", "where the model, or its interface, is: https://...", false},
		{"by", "who made the system", false},
		{"contact", "contact for questions about the numbers: a mail address or https://...", false},
		{"licence", "licence of the model: an SPDX name, or proprietary", false},
		{"date", "date of the run, YYYY-MM-DD", false},
		{"command", "command that computed the numbers", false},
		{"benchmarks", "benchmarks, a list of {name, revision}; see infbench list benchmarks", false},
		{"training", "", false},
		{"training.data", "training data, a list; [] for none", false},
		{"training.benchmarks", "benchmarks whose texts or judgments were in the training data, a list; [] for none", false},
		{"conventions", "", false},
		{"conventions.depth", "number of documents ranked per query", false},
		{"conventions.ties", "order of equal scores in p-MRR: " + strings.Join(ties, " or "), false},
		{"conventions.prompts", "text added to queries and documents, or none", false},
		{"partial", "reason why tasks or queries are missing, if any are", true},
		{"replaces", "the revision that this one replaces on the board", true},
		{"notes", "anything else", true},
		{"files", "all other files of the submission, each as {name, sha256}", true},
	}
}

// parseDeclaration reads submission.yaml. It reports all mistakes at once, each with
// file:line:column, and also returns the lines of the keys.
func parseDeclaration(file string, data []byte, known []string, now time.Time) (*declaration, map[string]int, error) {
	d, root, err := strict.Parse(file, data)
	if err != nil {
		return nil, nil, err
	}
	nodes, lines := map[string]*yaml.Node{}, map[string]int{}
	collect(root, "", nodes, lines)
	var out declaration
	d.Into(dropEmpty(d, root), reflect.ValueOf(&out).Elem(), "submission")
	for _, k := range keys() {
		n := nodes[k.path]
		switch parent, _, nested := strings.Cut(k.path, "."); {
		case nested && (nodes[parent] == nil || nodes[parent].Kind != yaml.MappingNode):
		case n == nil && !k.optional:
			d.Fail(cmp.Or(nodes[parentOf(k.path)], root), "%s is missing: %s", k.path, cmp.Or(k.what, "a mapping"))
		case n != nil && isEmpty(n):
			d.Fail(n, "%s is empty: %s", k.path, cmp.Or(k.what, "a mapping"))
		}
	}
	for path, err := range out.mistakes(nodes, known, now) {
		d.Fail(cmp.Or(nodes[path], root), "%w", err)
	}
	return &out, lines, d.Err()
}

// parentOf is the path of the mapping that a key is in; "" at the top.
func parentOf(path string) string {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[:i]
	}
	return ""
}

// isEmpty reports whether a value is empty.
func isEmpty(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && (n.Tag == "!!null" || strings.TrimSpace(n.Value) == "")
}

// dropEmpty returns a mapping without its empty keys, so that their error is the missing value
// rather than the wrong type. It returns other nodes unchanged.
func dropEmpty(d *strict.Decoder, n *yaml.Node) *yaml.Node {
	n, ok := d.Resolve(n)
	if !ok || n.Kind != yaml.MappingNode {
		return n
	}
	out := *n
	out.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k, v := n.Content[i], n.Content[i+1]; !isEmpty(v) || !isKey(k.Value) {
			if k.Value == "training" || k.Value == "conventions" {
				v = dropEmpty(d, v)
			}
			out.Content = append(out.Content, k, v)
		}
	}
	return &out
}

// isKey reports whether a name is a key, at any depth.
func isKey(name string) bool {
	return slices.ContainsFunc(keys(), func(k key) bool { return k.path == name || strings.HasSuffix(k.path, "."+name) })
}

// collect stores the values of a mapping, and of nested mappings, by path, with the lines of
// their keys.
func collect(n *yaml.Node, path string, into map[string]*yaml.Node, lines map[string]int) {
	if n.Kind != yaml.MappingNode || strings.Count(path, ".") > 1 {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		at := strict.Join(path, n.Content[i].Value)
		into[at], lines[at] = n.Content[i+1], n.Content[i].Line
		collect(n.Content[i+1], at, into, lines)
	}
}

// plainName matches names that can be part of a folder name on every system.
var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,95}$`)

// checkName returns an error for a name that cannot name a folder or could be read as two
// names.
func checkName(name string) error {
	if !plainName.MatchString(name) || strings.Contains(name, "__") || strings.HasSuffix(name, ".") {
		return fmt.Errorf("%q: want letters, digits and single . _ - in it, at most 96", name)
	}
	return nil
}

// checkSystem returns an error unless system is ORG/MODEL.
func checkSystem(system string) error {
	org, model, ok := strings.Cut(system, "/")
	if !ok {
		return fmt.Errorf("%q: want ORG/MODEL", system)
	}
	return errors.Join(checkName(org), checkName(model))
}

// folderOf is the folder of a system: ORG__MODEL.
func folderOf(system string) string { return strings.Replace(system, "/", "__", 1) }

// mistakes yields the errors of the given values, with the path of their key.
func (s *declaration) mistakes(nodes map[string]*yaml.Node, known []string, now time.Time) func(func(string, error) bool) {
	return func(yield func(string, error) bool) {
		for _, c := range []struct {
			path  string
			check func() error
		}{
			{"format", func() error { return nearest.OneOf("format", s.Format, declarationForm) }},
			{"system", func() error { return checkSystem(s.System) }},
			{"revision", func() error { return checkName(s.Revision) }},
			{"model", func() error { return checkAddress(s.Model) }},
			{"contact", func() error { return checkContact(s.Contact) }},
			{"date", func() error { return checkDate(s.Date, now) }},
			{"benchmarks", func() error { return s.checkBenchmarks(known) }},
			{"training.benchmarks", func() error { return checkKnown(s.Training.Benchmarks, known) }},
			{"conventions.depth", func() error { return checkDepth(s.Conventions.Depth) }},
			{"conventions.ties", func() error { return nearest.OneOf("order of ties", s.Conventions.Ties, ties...) }},
			{"replaces", func() error { return s.checkReplaces() }},
		} {
			if n := nodes[c.path]; n == nil || isEmpty(n) {
				continue
			}
			if err := c.check(); err != nil && !yield(c.path, fmt.Errorf("%s: %w", c.path, err)) {
				return
			}
		}
	}
}

// checkAddress returns an error unless text is an https address.
func checkAddress(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.Opaque != "" {
		return fmt.Errorf("%q: want an https address", text)
	}
	return nil
}

// checkContact returns an error unless text is a mail or https address.
func checkContact(text string) error {
	if _, err := mail.ParseAddress(text); err != nil && checkAddress(text) != nil {
		return fmt.Errorf("%q: want a mail address or an https address", text)
	}
	return nil
}

// checkDate returns an error for an invalid date, or one that is in the future everywhere.
func checkDate(text string, now time.Time) error {
	day, err := time.Parse(time.DateOnly, text)
	switch {
	case err != nil:
		return fmt.Errorf("%q: want YYYY-MM-DD", text)
	case day.After(now.Add(24 * time.Hour)):
		return fmt.Errorf("%s is in the future", text)
	}
	return nil
}

// checkDepth returns an error for an impossible depth.
func checkDepth(depth int) error {
	if depth < 1 || depth > maxDepth {
		return fmt.Errorf("%d: want 1 to %d", depth, maxDepth)
	}
	return nil
}

// checkKnown returns an error for a name that is not a benchmark.
func checkKnown(names, known []string) error {
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nearest.Unknown("benchmark", name, known)
		}
	}
	return nil
}

// checkBenchmarks returns an error for an unknown or repeated benchmark, or one without a
// revision.
func (s *declaration) checkBenchmarks(known []string) error {
	if len(s.Benchmarks) == 0 {
		return errors.New("the list is empty")
	}
	seen := map[string]bool{}
	for _, b := range s.Benchmarks {
		switch {
		case b.Name == "":
			return errors.New("a benchmark has no name")
		case seen[b.Name]:
			return fmt.Errorf("%s is given twice", b.Name)
		case b.Revision == "":
			return fmt.Errorf("%s has no revision: name the revision of the data", b.Name)
		}
		seen[b.Name] = true
		if err := checkKnown([]string{b.Name}, known); err != nil {
			return err
		}
	}
	return nil
}

// checkReplaces returns an error for a revision that replaces itself.
func (s *declaration) checkReplaces() error {
	if s.Replaces == s.Revision {
		return errors.New("a revision cannot replace itself")
	}
	return checkName(s.Replaces)
}

// submission is the part of the declaration that a trial keeps.
func (s *declaration) submission(sum string) *results.Submission {
	return &results.Submission{
		Model: s.Model, By: s.By, Contact: s.Contact, Licence: s.Licence, Date: s.Date, Command: s.Command,
		TrainedOn: s.Training.Data, Benchmarks: s.Training.Benchmarks,
		Depth: s.Conventions.Depth, Ties: s.Conventions.Ties, Prompts: s.Conventions.Prompts,
		Partial: s.Partial, Replaces: s.Replaces, Declaration: sum,
	}
}
