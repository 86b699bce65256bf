package spec

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"infbench/datasets"
	"infbench/internal/strict"
)

// TasksOf splits an entry of Trial.Evaluate or Validation.Data into a benchmark and some of its
// tasks, "mair(DD_2015,FairRanking_2021)"; no tasks mean all.
func TasksOf(entry string) (benchmark string, tasks []string) {
	name, list, some := strings.Cut(entry, "(")
	list, closed := strings.CutSuffix(list, ")")
	if !some || !closed {
		return entry, nil
	}
	return name, strings.Split(list, ",")
}

// entryOf returns the canonical spelling of some tasks of a benchmark, in any order.
func entryOf(benchmark string, tasks []string) string {
	if len(tasks) == 0 {
		return benchmark
	}
	return benchmark + "(" + strings.Join(slices.Compact(slices.Sorted(slices.Values(tasks))), ",") + ")"
}

// NameOf returns the name in results of an entry's benchmark: datasets.FolderName of a folder,
// a dataset of the hub without its revision.
func NameOf(entry string) string {
	name, _ := TasksOf(entry)
	if isFolder(name) {
		return datasets.FolderName(name)
	}
	name, _, _ = strings.Cut(name, "@")
	return name
}

// isFolder reports whether a benchmark is the user's own folder, by the spelling of package
// catalog.
func isFolder(name string) bool {
	return strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") || filepath.IsAbs(name)
}

// tests reads the benchmarks of a section on which cells are tested, each listed once:
//
//	evaluate: [followir, {mair: [DD_2015, FairRanking_2021]}, ./scifact/beir, ORG/NAME]
//
// out receives them once their names are known.
func (p *parser) tests(n *yaml.Node, section string, out *[]string) {
	if !p.isList(n, section) {
		return
	}
	if len(n.Content) == 0 {
		p.Fail(n, "%s: the list is empty", section)
	}
	var all []tested
	for i, item := range n.Content {
		for _, t := range p.benchmarks(item, fmt.Sprintf("%s[%d]", section, i)) {
			t.item = item
			all = append(all, t)
		}
	}
	p.e.checks = append(p.e.checks, func() { *out = p.distinct(all, section) })
}

// tested is a benchmark in a file, with some of its tasks.
type tested struct {
	name  *Name
	tasks []string
	item  *yaml.Node // its item of the list
}

// distinct lists the found benchmarks, and refuses those with the same name in results.
func (p *parser) distinct(all []tested, section string) []string {
	var out []string
	seen := map[string]string{} // name in results -> entry
	for _, t := range all {
		if t.name.failed {
			continue
		}
		name := p.e.found[named{NameOfCollection, t.name.Text}].Name
		if strings.ContainsAny(name, "(),") {
			p.Fail(t.name.node, "%s contains a parenthesis or a comma: register it under a name with infbench data import", name)
			continue
		}
		entry := entryOf(name, t.tasks)
		before, again := seen[NameOf(entry)]
		switch of, _ := TasksOf(before); {
		case again && of == name:
			p.Fail(t.item, "%s: %q given twice", section, name)
		case again:
			p.Fail(t.item, "%s: %w", section, sameName(before, entry))
		}
		seen[NameOf(entry)] = entry
		out = append(out, entry)
	}
	return out
}

// benchmarks reads a benchmark's name, or a mapping of benchmarks to some of their tasks.
func (p *parser) benchmarks(n *yaml.Node, section string) []tested {
	item, ok := p.Resolve(n)
	if !ok {
		return nil
	}
	if item.Kind != yaml.MappingNode {
		var name string
		if !p.Into(item, reflect.ValueOf(&name).Elem(), section) {
			return nil
		}
		return []tested{{name: p.look(item, NameOfCollection, name, nil)}}
	}
	if len(item.Content) == 0 {
		p.Fail(item, "%s: the mapping names no benchmark", section)
	}
	var out []tested
	for _, f := range p.Fields(item, section) {
		name := p.look(f.Key, NameOfCollection, f.Name, nil)
		if tasks := p.tasks(f.Value, section, name); len(tasks) > 0 {
			out = append(out, tested{name: name, tasks: tasks})
		}
	}
	return out
}

// tasks reads a list of tasks of a benchmark.
func (p *parser) tasks(n *yaml.Node, section string, benchmark *Name) []string {
	list, ok := p.Resolve(n)
	if !ok {
		return nil
	}
	if list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
		p.Fail(list, "%s: %s: want a list of at least one task, found %s", section, benchmark.Text, describeList(list))
		return nil
	}
	var tasks []string
	if !p.Into(list, reflect.ValueOf(&tasks).Elem(), section+"."+benchmark.Text) {
		return nil
	}
	for i, task := range tasks {
		switch {
		case strings.ContainsAny(task, "(),"):
			p.Fail(list.Content[i], "%s: %q is not a name of a task", benchmark.Text, task)
		case slices.Contains(tasks[:i], task):
			p.Fail(list.Content[i], "%s: task %q given twice", benchmark.Text, task)
		case task != "":
			name := p.look(list.Content[i], NameOfTask, task, prefixed("%s", benchmark.Text))
			name.Of, name.after = benchmark.Text, benchmark
		}
	}
	return tasks
}

// describeList describes, in errors, a value in the place of a list of at least one item.
func describeList(n *yaml.Node) string {
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		return "an empty list"
	}
	return strict.Describe(n)
}

// validationNode returns the node of validate with the tasks of data in one string.
func (p *parser) validationNode(n *yaml.Node, key string) *yaml.Node {
	item, ok := p.Resolve(n)
	if !ok || item.Kind != yaml.MappingNode {
		return n
	}
	if key == "validate.data" {
		entries := p.benchmarks(item, key)
		if len(entries) > 1 {
			p.Fail(item, "validate: data names %d benchmarks, want one", len(entries))
		}
		if len(entries) == 0 {
			return n
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: entryOf(entries[0].name.Text, entries[0].tasks), Line: item.Line, Column: item.Column}
	}
	made := *item
	made.Content = slices.Clone(item.Content)
	for i := 0; i+1 < len(made.Content); i += 2 {
		if made.Content[i].Value == "data" {
			made.Content[i+1] = p.validationNode(made.Content[i+1], "validate.data")
		}
	}
	return &made
}

// sharesTasks reports whether two entries have a task in common: they are of one benchmark, and
// do not name different tasks. The name of a group is not that of a task.
func sharesTasks(a, b string) bool {
	one, some := TasksOf(a)
	other, others := TasksOf(b)
	if one != other {
		return false
	}
	if some == nil || others == nil {
		return true
	}
	return slices.ContainsFunc(some, func(task string) bool {
		return slices.ContainsFunc(others, func(t string) bool {
			return t == task || strings.HasPrefix(t, task+"/") || strings.HasPrefix(task, t+"/")
		})
	})
}

// entry returns the validation data of a cell.
func (v Validation) entry() string {
	if v.Task == "" {
		return v.Data
	}
	return entryOf(v.Data, []string{v.Task})
}
