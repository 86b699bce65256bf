package command

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"infbench/bench/keys"
	"infbench/reports/terminal"
)

// fileDraft is an experiment file under construction: each entry follows a comment with its
// meaning.
type fileDraft struct {
	text strings.Builder
}

// newDraft begins a file.
func newDraft(about string) *fileDraft {
	f := &fileDraft{}
	f.text.WriteString(about + helpPointers)
	return f
}

// helpPointers names the commands that explain more.
const helpPointers = "# Every key: infbench list keys; how they fit together: infbench help experiment.\n"

// topLine matches a line that begins a section.
var topLine = regexp.MustCompile(`(?m)^([a-z_]+):`)

// withMeanings adds the meaning of each section above it.
func withMeanings(text string) string {
	return helpPointers + topLine.ReplaceAllStringFunc(text, func(line string) string {
		f := &fileDraft{}
		f.comment("", keys.Meaning(strings.TrimSuffix(line, ":")))
		return "\n" + f.String() + line
	})
}

// entry adds a key with its value and meaning; value is YAML.
func (f *fileDraft) entry(path, value string) {
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

// comment adds a text on lines of its own.
func (f *fileDraft) comment(indent, text string) {
	for _, line := range terminal.Wrap(text, 92-len(indent)) {
		f.text.WriteString(indent + "# " + line + "\n")
	}
}

// axis adds an axis of the matrix.
func (f *fileDraft) axis(key string, values ...string) {
	f.text.WriteString("  " + key + ": [" + strings.Join(values, ", ") + "]\n")
}

func (f *fileDraft) String() string { return f.text.String() }

// miniDraft trains two losses on the generated world.
func miniDraft(name string) *fileDraft {
	f := newDraft("# Two losses of the paper on the generated world. Its numbers say nothing about real text.\n")
	f.entry("name", quoteYAML(name))
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

// ownDraft trains on one file and tests on folders; left is the reason why other losses are
// left out.
func ownDraft(name string, o initOptions, losses []string, rows int, left error) *fileDraft {
	f := newDraft("# Your own training data and tests.\n")
	rate := "5e-5"
	if strings.HasPrefix(o.backbone, "tiny-") {
		f.text.WriteString("# tiny-* backbones start from fresh weights: they show that everything runs, not how good it can be.\n")
		rate = "5e-3"
	}
	var tests []string
	for _, e := range o.evaluate {
		tests = append(tests, quoteYAML(localPath(e)))
	}
	f.entry("name", quoteYAML(name))
	f.entry("base", "")
	f.entry("data", quoteYAML(localPath(o.data)))
	f.entry("backbone", quoteYAML(o.backbone))
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
func (f *fileDraft) training(rows, groups int, rate string) {
	f.entry("train", "")
	f.entry("train.epochs", "2")
	f.entry("train.rows_per_group", strconv.Itoa(rows))
	f.entry("train.groups", strconv.Itoa(groups))
	f.entry("train.lr", rate)
	f.entry("train.warmup", "0.05")
}

// quoteYAML quotes a name if a YAML list requires it.
func quoteYAML(text string) string {
	if strings.ContainsAny(text, " ,:#{}[]&*!|>'\"%@`") || text == "" {
		return fmt.Sprintf("%q", text)
	}
	return text
}

// localPath returns a path as given, with ./ before a file in the current folder so that it
// is not taken for a name.
func localPath(name string) string {
	if isHere(name) {
		return "./" + name
	}
	return name
}
