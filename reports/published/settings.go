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

// PaperRecords is the number of records on which the paper trained its networks (its section 1).
const PaperRecords = 38_759

// Differences describes how a training differs from the one behind a number of the paper.
type Differences struct {
	Data     []string // in the training data
	Settings []string // in everything else
}

// Any reports whether there is a difference.
func (d Differences) Any() bool { return len(d.Data)+len(d.Settings) > 0 }

// IsPaper reports whether a number is from the paper's tables.
func (c *Cell) IsPaper() bool { return strings.HasPrefix(c.Source, SourcePaper+", table") }

// OtherSettings compares a training with the one behind a number of the paper: the number of
// records, and every setting whose value the paper or its code states (Setting.Paper, and those
// that backbone, row or benchmark decide). records has the number of training records of each run,
// 0 if not recorded. Values that are not recorded count as different.
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

// otherRecords compares the numbers of training records of runs with the paper's.
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

// first returns the first value that is not a setting left out.
func first(values []string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// stated lists by setting the possible values behind the number of a cell, as far as the paper and
// its code state them.
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
	for key := range designOf(c.Config) { // already compared
		delete(want, key)
	}
	return want
}

// drawsInstructions reports whether a loss has the term I. The reference code trains such a loss on
// joined tokens.
func drawsInstructions(loss string) bool {
	_, terms, _ := strings.Cut(strings.TrimSuffix(loss, ")"), "(")
	return slices.Contains(strings.Split(terms, ","), "I")
}

// wholeModel has the settings of an evaluation that turn a model into another system.
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

// family returns the family of a backbone of the paper; "" for all others.
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

// trainedFrom lists the settings that the paper's code decides by backbone: padding on the left for
// decoders, the pooling in its evaluation notes, and the dropout of the backbone's own
// configuration. The side of the padding changes only numbers of networks with absolute positions.
// The code does not state how e5 is pooled.
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

// untrainedFrom lists the settings with which the paper's code evaluates an untrained backbone. The
// rows of e5 equal those of mteb, which pools by the mean and reads the prompts of e5.
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
		want[k] = append(slices.Clone(results.KeyOf(k).Paper), "") // like a backbone without templates
	}
	return want
}

// similarity returns how the paper's code compares vectors: on MAIR by the inner product of the
// pooled vectors, else by the cosine. The row of untrained e5 equals MAIR's own results, which use
// normalised vectors.
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

// LeftOpen lists the choices behind the paper's numbers that neither the paper nor its code states,
// and that no comparison can check.
func LeftOpen() []string {
	return []string{
		"the revisions of training data and backbones",
		"which of the code's two forms, one softmax or a sum, made the rows that the paper calls multi",
		"how e5 is pooled in training, and with which loss it was trained",
		"the precision of evaluation",
		"how models of 7 billion weights were trained",
	}
}
