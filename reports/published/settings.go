package published

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/runners/results"
)

// PaperRecords is how many records the paper trained its networks on (its section 1).
const PaperRecords = 38_759

// Differences are those between a training and the one behind a number of the paper, in
// words.
type Differences struct {
	Data     []string // in what it was trained on
	Settings []string // in everything else
}

// Any reports whether there is a difference.
func (d Differences) Any() bool { return len(d.Data)+len(d.Settings) > 0 }

// IsPaper reports whether a number is of the paper's tables.
func (c *Cell) IsPaper() bool { return strings.HasPrefix(c.Source, SourcePaper+", table") }

// OtherSettings compares a training with the one behind a number of the paper: the
// number of records, and every setting of which the paper or its code states the value
// (Setting.Paper, and what backbone, row or benchmark decide). Records are those that each
// run was trained on, 0 where a run does not record it. What is not recorded is not taken
// to be the same.
func (c *Cell) OtherSettings(t Training, records []int) (d Differences) {
	if !c.IsPaper() {
		return d
	}
	if t.Loss != "" {
		d.Data = otherRecords(records)
	}
	want := c.stated(t)
	for _, k := range results.Keys() {
		got, values := t.Config[k.Name], want[k.Name]
		if len(values) == 0 || slices.Contains(values, got) {
			continue
		}
		unset, _, _ := strings.Cut(k.Unsaid, ":")
		text := fmt.Sprintf("%s: %s, not %s", k.Name, cmp.Or(got, "not recorded"), cmp.Or(first(values), unset, "set"))
		if k.Name == results.Data {
			d.Data = append(d.Data, text)
		} else {
			d.Settings = append(d.Settings, text)
		}
	}
	return d
}

// otherRecords compares the numbers of records that runs were trained on with the paper's.
func otherRecords(runs []int) (out []string) {
	for _, n := range runs {
		switch {
		case n == 0:
			out = words.AddNew(out, fmt.Sprintf("number of records: not recorded, the paper %s", words.Group(PaperRecords)))
		case n != PaperRecords:
			out = words.AddNew(out, fmt.Sprintf("%s, the paper %s", words.Plural(n, "record", "records"), words.Group(PaperRecords)))
		}
	}
	return out
}

// first is the first value that is not a setting left out.
func first(values []string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// stated lists the values that the number of a cell can have been made with, by setting,
// as far as the paper and its code state them.
func (c *Cell) stated(t Training) map[string][]string {
	want := maps.Clone(wholeModel)
	switch {
	case t.Loss != "":
		for _, k := range results.Keys() {
			if k.Paper != nil {
				want[k.Name] = k.Paper
			}
		}
		maps.Copy(want, trainedFrom(c.Model))
		if drawsInstructions(t.Loss) {
			want[results.TrainedConcat] = []string{"token"}
		}
	case t.Config[results.Backbone] != "":
		maps.Copy(want, untrainedFrom(c.Model))
	}
	if t.Loss != "" || c.Config == "base" {
		want[results.Similarity] = c.similarity(t)
	}
	if c.isFollowIR() {
		want[results.First] = []string{""} // every candidate is ranked
	}
	for key := range designOf(c.Config) { // which was compared
		delete(want, key)
	}
	return want
}

// drawsInstructions reports whether a loss has the term I, with which the reference code
// trains on joined tokens.
func drawsInstructions(loss string) bool {
	_, terms, _ := strings.Cut(strings.TrimSuffix(loss, ")"), "(")
	return slices.Contains(strings.Split(terms, ","), "I")
}

// wholeModel are the settings of an evaluation that make another system of a model.
var wholeModel = map[string][]string{
	results.Probe: {""}, results.Fuse: {""}, results.Index: {""}, results.CutTo: {"", "0"}, results.Storage: {"", "float32"},
	results.QueryPrompt: {""}, results.DocumentPrompt: {""},
}

// The families of the paper's backbones.
const (
	ofDecoders   = "decoders"
	ofModernBERT = "ModernBERT"
	ofE5         = "e5"
)

// family is that of a backbone of the paper; "" of all others.
func family(model string) string {
	switch {
	case strings.HasPrefix(model, "Llama-"), strings.HasPrefix(model, "Qwen"):
		return ofDecoders
	case strings.HasPrefix(model, ofModernBERT):
		return ofModernBERT
	case strings.HasPrefix(model, "e5-base"), strings.HasPrefix(model, "e5-large"):
		return ofE5
	}
	return ""
}

// trainedFrom lists what the paper's code sets by backbone: padding on the left for
// decoders, pooling as its evaluation notes, dropout of the backbone's own configuration.
// Where short rows are filled up moves numbers of networks with absolute positions only.
// How e5 is pooled it does not say.
func trainedFrom(model string) map[string][]string {
	none := []string{"", "0"}
	switch family(model) {
	case ofDecoders:
		return map[string][]string{results.Pooling: {"last"}, results.PaddingSide: {"left", ""}, results.Dropout: none}
	case ofModernBERT:
		return map[string][]string{results.Pooling: {"cls"}, results.PaddingSide: {"right", ""}, results.Dropout: none}
	case ofE5:
		return map[string][]string{results.PaddingSide: {"right", ""}, results.Dropout: {"0.1"}}
	}
	return nil
}

// untrainedFrom lists what the paper's code evaluates a backbone with before training. The
// rows of e5 equal mteb's own, which pools their mean and reads their prompts.
func untrainedFrom(model string) map[string][]string {
	if family(model) == ofE5 {
		return map[string][]string{results.Pooling: {"mean", ""}}
	}
	want := map[string][]string{}
	maps.Copy(want, trainedFrom(model))
	delete(want, results.Dropout)
	for _, k := range []string{results.MaxQuery, results.MaxDocument} {
		want[k] = results.KeyOf(k).Paper
	}
	for _, k := range []string{results.TruncationSide, results.Join, results.Concat} {
		want[k] = append(slices.Clone(results.KeyOf(k).Paper), "") // as a backbone without templates has it
	}
	return want
}

// similarity is how the paper's code compares vectors: on MAIR by the inner product as
// they are pooled, else by the cosine. The row of e5 before training equals MAIR's own
// results, which are of normalised vectors.
func (c *Cell) similarity(t Training) []string {
	cosine := []string{"", "cosine"}
	if t.Loss == "" && family(c.Model) == ofE5 {
		return cosine
	}
	if c.Task == "MAIR-5" || slices.Contains(slices.Collect(maps.Values(mairPrinted)), c.Task) {
		return []string{"dot"}
	}
	return cosine
}

// LeftOpen lists what neither the paper nor its code states of how its numbers were made,
// so that no comparison can tell it.
func LeftOpen() []string {
	return []string{
		"the revisions of training data and backbones",
		"which of the code's two forms, one softmax or a sum, made the rows that the paper calls multi",
		"how e5 is pooled in training, and with which loss it was trained",
		"the precision of evaluation",
		"how models of 7 billion weights were trained",
	}
}
