package published

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"infbench/metrics"
	"maps"
	"slices"
	"strings"
)

// SourceMTEB is the Source of cells read from MTEB's result files.
const SourceMTEB = "MTEB"

// ReadMTEB reads result files as MTEB writes them, and as its public repository
// keeps them: <org>__<model>/<revision>/<Task>.json at any depth of a folder or
// of a .tar.gz; a folder of one model or one revision will do. All layouts are
// known: scores by split (mteb 1.11 and later), with the sides of an instruction
// below "individual" (1.x) or as "og" and "changed" (2.x), and splits at the top
// level (before 1.11). A single .json file is read too; where it lies elsewhere, it
// names no model.
//
// A file without the score of its task, or that cannot be read, is Missing with
// the reason, and the others count; it is an error where not one can be read.
// Confidence statistics ("nauc_...") are left out.
func ReadMTEB(dir string) (*Collection, error) {
	c := &Collection{Source: SourceMTEB}
	above, err := foldersAbove(dir)
	if err != nil {
		return nil, err
	}
	var broken error
	unreadable := 0
	err = eachFile(dir, func(name string) bool { return isResult(name, above) }, func(name string, content []byte) error {
		c.Files++
		p := placeOf(name, above)
		if err := c.addMTEB(p, content); err != nil {
			c.Missing = append(c.Missing, Missing{p.model, p.revision, p.task, p.file, "cannot be read: " + err.Error()})
			unreadable++
			if broken == nil {
				broken = fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case c.Files == 0:
		return nil, fmt.Errorf("%s holds no file named like <org>__<model>/<revision>/<Task>.json", dir)
	case unreadable == c.Files:
		return nil, broken
	}
	c.settleMain()
	c.nameScoreless()
	c.sort()
	c.dropRepeated()
	return c, nil
}

// mtebFile is what all layouts have in common. What is a text in most files is
// null or a number in some.
type mtebFile struct {
	Task     any                        `json:"task_name"`
	OldTask  any                        `json:"mteb_dataset_name"`
	Version  any                        `json:"mteb_version"`
	Data     any                        `json:"dataset_revision"`
	Scores   map[string]json.RawMessage `json:"scores"`
	OldTest  json.RawMessage            `json:"test"` // before 1.11, as the next three
	OldDev   json.RawMessage            `json:"dev"`
	OldTrain json.RawMessage            `json:"train"`
	OldValid json.RawMessage            `json:"validation"`
}

// addMTEB reads one file.
func (c *Collection) addMTEB(p place, content []byte) error {
	var f mtebFile
	content = nullForNaN(bytes.TrimPrefix(content, []byte("\ufeff")))
	if err := json.Unmarshal(content, &f); err != nil {
		return inLine(content, err)
	}
	for _, said := range []string{text(f.Task), text(f.OldTask)} {
		if said != "" && said != p.task {
			return fmt.Errorf("the file is named for task %s but says %s", p.task, said)
		}
	}
	base := Cell{
		Source: SourceMTEB, Model: p.model, Revision: p.revision, Data: text(f.Data),
		Task: p.task, File: p.file, Conventions: Conventions{Version: "mteb " + text(f.Version)},
	}
	if text(f.Version) == "" {
		base.Conventions.Version = ""
	}
	base.Conventions.Ties = mtebTies(text(f.Version))
	base.Conventions.Excluded = mtebExcluded(p.task)
	splits := f.splits()
	if splits == nil {
		return errors.New("neither scores nor a split: no result file of MTEB's")
	}
	before := len(c.Cells)
	for _, split := range slices.Sorted(maps.Keys(splits)) {
		objects, err := subsets(splits[split])
		if err != nil {
			c.Cells = c.Cells[:before]
			return fmt.Errorf("split %s: %w", split, err)
		}
		for _, object := range objects {
			base.Split = split
			base.Subset, _ = object["hf_subset"].(string)
			c.addScores(base, object)
		}
	}
	if len(c.Cells) == before {
		c.Missing = append(c.Missing, Missing{p.model, p.revision, p.task, p.file, "the file holds no number"})
	}
	return nil
}

// inLine says in which line of a file its JSON breaks.
func inLine(content []byte, err error) error {
	at := int64(-1)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = syntax.Offset
	} else if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		at = kind.Offset
	}
	if at < 0 {
		return err
	}
	return fmt.Errorf("line %d: %w", 1+bytes.Count(content[:min(at, int64(len(content)))], []byte{'\n'}), err)
}

// text is a value that is a text, without white space around it; "" where it is
// none.
func text(v any) string {
	s, _ := v.(string)
	return strings.TrimSpace(s)
}

// splits returns the scores by split; nil where the file has no place for them.
func (f *mtebFile) splits() map[string]json.RawMessage {
	if len(f.Scores) > 0 {
		return f.Scores
	}
	old := map[string]json.RawMessage{}
	for split, object := range map[string]json.RawMessage{"test": f.OldTest, "dev": f.OldDev, "train": f.OldTrain, "validation": f.OldValid} {
		if object != nil {
			old[split] = object
		}
	}
	if len(old) == 0 {
		return f.Scores
	}
	return old
}

// subsets reads the scores of a split: a list of objects, or one as before 1.11,
// which for tasks of several subsets holds an object for each.
func subsets(raw json.RawMessage) ([]map[string]any, error) {
	var list []map[string]any
	if err := json.Unmarshal(raw, &list); err == nil {
		return list, nil
	}
	var object map[string]any
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, errors.New("neither a list of scores nor one of them")
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		scores, ok := object[name].(map[string]any)
		if !ok || slices.Contains([]string{"individual", "og", "changed"}, name) {
			continue
		}
		if _, named := scores["hf_subset"]; !named {
			scores["hf_subset"] = name
		}
		list = append(list, scores)
	}
	return append(list, object), nil
}

// addScores reads the object of one split and subset.
func (c *Collection) addScores(base Cell, object map[string]any) {
	sides := map[string]map[string]any{}
	swapped := false
	if individual, ok := object["individual"].(map[string]any); ok {
		sides["original"], _ = individual["original"].(map[string]any)
		sides["changed"], _ = individual["changed"].(map[string]any)
		swapped = true
	} else if og, ok := object["og"].(map[string]any); ok {
		sides["original"] = og
		sides["changed"], _ = object["changed"].(map[string]any)
	}
	for _, side := range []string{"original", "changed"} {
		if sides[side] == nil {
			continue
		}
		cell := base
		cell.Side = side
		cell.Conventions.Qrels, cell.Conventions.Why = sideQrels(side, swapped, cell.Conventions.Version)
		if doubt := checkQrels(cell, sides[side]); doubt != "" {
			c.Doubts = append(c.Doubts, doubt)
		}
		c.addMeasures(cell, sides[side], nil)
	}
	c.addMeasures(base, object, sides)
}

// addMeasures reads the numbers of an object. Where sides are given the object
// is about both together, and only measures of the pair mean anything: its
// other numbers mix two rankings.
func (c *Collection) addMeasures(base Cell, object map[string]any, sides map[string]map[string]any) {
	score, scored := object[mainScore].(float64)
	scored = scored && mainMeasures[base.Task] == ""
	found := false
	for _, key := range slices.Sorted(maps.Keys(object)) {
		value, ok := object[key].(float64)
		if !ok {
			continue
		}
		measure, ok := mtebMeasure(key)
		if !ok || len(sides) > 0 && !metrics.IsOfPairs(measure) {
			continue
		}
		cell := base
		cell.Measure, cell.Value, cell.Tolerance = measure, value, rounding
		cell.Main = mainMeasures[base.Task] == measure && (base.Side == "original" || base.Side == "")
		cell.score = scored && value == score && key != "accuracy"
		found = found || cell.score
		c.Cells = append(c.Cells, cell)
	}
	if scored && !found {
		cell := base
		cell.Measure, cell.Value, cell.Tolerance, cell.score = mainName(object, score), score, rounding, true
		c.Cells = append(c.Cells, cell)
	}
}

// nullForNaN replaces the numbers that Python's json writes and JSON forbids
// (NaN, Infinity, -Infinity) by null, outside of strings.
func nullForNaN(content []byte) []byte {
	out := make([]byte, 0, len(content))
	quoted := false
	for i := 0; i < len(content); i++ {
		b := content[i]
		switch {
		case quoted && b == '\\' && i+1 < len(content):
			out = append(out, b)
			i++
			b = content[i]
		case b == '"':
			quoted = !quoted
		case !quoted && (b == 'N' || b == 'I' || b == '-'):
			if n := constant(content[i:]); n > 0 {
				out = append(out, "null"...)
				i += n - 1
				continue
			}
		}
		out = append(out, b)
	}
	return out
}

// constant returns the length of the non-number that text begins with, or 0.
func constant(text []byte) int {
	for _, name := range []string{"NaN", "Infinity", "-Infinity"} {
		if len(text) >= len(name) && string(text[:len(name)]) == name {
			return len(name)
		}
	}
	return 0
}
