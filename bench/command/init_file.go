package command

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"infbench/bench/keys"
	"infbench/reports/terminal"
)

// file is an experiment file in the making: each entry with its meaning above.
type startFile struct {
	text strings.Builder
}

// newFile begins a file.
func newFile(about string) *startFile {
	f := &startFile{}
	f.text.WriteString(about + pointers)
	return f
}

// pointers say where more is said.
const pointers = "# Every key: infbench list keys; how they fit together: infbench help experiment.\n"

// topLine is a line that begins a section.
var topLine = regexp.MustCompile(`(?m)^([a-z_]+):`)

// explained is a file with the meaning of each section above it.
func explained(text string) string {
	return pointers + topLine.ReplaceAllStringFunc(text, func(line string) string {
		f := &startFile{}
		f.comment("", keys.Meaning(strings.TrimSuffix(line, ":")))
		return "\n" + f.String() + line
	})
}

// entry adds a key with its value and what it means; value is YAML.
func (f *startFile) entry(path, value string) {
	indent, name := "", path
	if i := strings.LastIndex(path, "."); i >= 0 {
		name = path[i+1:]
		indent = strings.Repeat("  ", strings.Count(path, "."))
	}
	if keys.IsOfCells(path) {
		indent += "  "
	} else {
		f.text.WriteString("\n")
	}
	f.comment(indent, keys.Meaning(path))
	f.text.WriteString(strings.TrimRight(indent+name+": "+value, " ") + "\n")
}

// comment adds a text in lines of its own.
func (f *startFile) comment(indent, text string) {
	for _, line := range terminal.Wrap(text, 92-len(indent)) {
		f.text.WriteString(indent + "# " + line + "\n")
	}
}

// axis adds an axis of the matrix.
func (f *startFile) axis(key string, values ...string) {
	f.text.WriteString("  " + key + ": [" + strings.Join(values, ", ") + "]\n")
}

func (f *startFile) String() string { return f.text.String() }

// mini is two losses on the generated world.
func mini(name string) *startFile {
	f := newFile("# Two losses of the paper on the generated world, whose numbers are about no real text.\n")
	f.entry("name", startYaml(name))
	f.entry("base", "")
	f.entry("data", "mini-infir")
	f.entry("world", "1")
	f.entry("backbone", "tiny-bert")
	f.training(12, 2, "5e-3")
	f.entry("matrix", "")
	f.axis("loss", "uni:P", "multi:P+I")
	f.axis("seed", "1")
	f.entry("baselines", "[bm25, untrained]")
	f.entry("evaluate", "[mini-followir]")
	return f
}

// own trains on one file and tests on folders; left says why other losses are not tried.
func own(name string, o startOptions, losses []string, rows int, left error) *startFile {
	f := newFile("# Training data and tests of one's own.\n")
	rate := "5e-5"
	if strings.HasPrefix(o.backbone, "tiny-") {
		f.text.WriteString("# tiny-* backbones start from fresh weights: they show that all runs, not how good it can be.\n")
		rate = "5e-3"
	}
	var tests []string
	for _, e := range o.evaluate {
		tests = append(tests, startYaml(startPath(e)))
	}
	f.entry("name", startYaml(name))
	f.entry("base", "")
	f.entry("data", startYaml(startPath(o.data)))
	f.entry("backbone", startYaml(o.backbone))
	f.training(rows, 1, rate)
	f.entry("matrix", "")
	if left != nil {
		f.comment("  ", "multi:P+I is left out: "+strings.TrimPrefix(left.Error(), "init: "))
	}
	f.axis("loss", losses...)
	f.axis("seed", "1")
	f.entry("baselines", "[bm25, untrained]")
	f.entry("evaluate", "["+strings.Join(tests, ", ")+"]")
	return f
}

// training adds the section train.
func (f *startFile) training(rows, groups int, rate string) {
	f.entry("train", "")
	f.entry("train.epochs", "2")
	f.entry("train.rows_per_group", strconv.Itoa(rows))
	f.entry("train.groups", strconv.Itoa(groups))
	f.entry("train.lr", rate)
	f.entry("train.warmup", "0.05")
}

// yaml is a name as YAML has it in a list.
func startYaml(text string) string {
	if strings.ContainsAny(text, " ,:#{}[]&*!|>'\"%@`") || text == "" {
		return fmt.Sprintf("%q", text)
	}
	return text
}

// path is a name as it is given; a file of this folder begins with ./ so that nobody takes
// it for a name.
func startPath(name string) string {
	if isHere(name) {
		return "./" + name
	}
	return name
}
