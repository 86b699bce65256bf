package published

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/words"
	"infbench/metrics"
)

// SourceMTEB is the Source of cells read from MTEB's result files.
const SourceMTEB = "MTEB"

// ReadMTEB reads result files in the layouts of MTEB and its public repository:
// <org>__<model>/<revision>/<Task>.json at any depth of a folder or of a .tar.gz. The folder of one
// model or one revision is accepted too. All layouts are known: scores by split (mteb 1.11 and
// later), with the sides of an instruction below "individual" (1.x) or as "og" and "changed" (2.x),
// and splits at the top level (before 1.11). A single .json file is read too; outside such folders
// it names no model.
//
// A file that cannot be read, or that lacks the score of its task, becomes Missing with the reason,
// and the others count. It is an error if no file can be read. A file with a value outside the
// range of its measure, such as percent, counts as unreadable; a value that is not a number becomes
// Missing. Confidence statistics ("nauc_...") are left out.
func ReadMTEB(dir string) (*Collection, error) {
	c := &Collection{Source: SourceMTEB, Origin: originOf(dir)}
	above, err := foldersAbove(dir)
	if err != nil {
		return nil, err
	}
	var broken error
	unreadable := 0
	err = eachFile(dir, func(name string) bool { return isResult(name, above) }, func(name string, content []byte) error {
		c.Files++
		p := placeOf(name, above)
		cells, missing, doubts := len(c.Cells), len(c.Missing), len(c.Doubts)
		if err := c.addMTEB(p, content); err != nil {
			c.Cells, c.Missing, c.Doubts = c.Cells[:cells], c.Missing[:missing], c.Doubts[:doubts]
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

// mtebFile has the common parts of all layouts. Texts of most files are null or numbers in some.
type mtebFile struct {
	Task     any                        `json:"task_name"`
	OldTask  any                        `json:"mteb_dataset_name"`
	Version  any                        `json:"mteb_version"`
	Data     any                        `json:"dataset_revision"`
	Scores   map[string]json.RawMessage `json:"scores"`
	OldTest  json.RawMessage            `json:"test"` // before 1.11, like the next three
	OldDev   json.RawMessage            `json:"dev"`
	OldTrain json.RawMessage            `json:"train"`
	OldValid json.RawMessage            `json:"validation"`
}

// addMTEB reads one file.
func (c *Collection) addMTEB(p place, content []byte) error {
	var f mtebFile
	content, err := disk.Text(content)
	if err != nil {
		return err
	}
	content = QuoteNaN(content)
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
	before, known := len(c.Cells), len(c.Missing)
	for _, split := range slices.Sorted(maps.Keys(splits)) {
		path := []string{split}
		if len(f.Scores) > 0 {
			path = []string{"scores", split}
		}
		objects, err := subsets(splits[split], path)
		if err != nil {
			return fmt.Errorf("split %s: %w", split, err)
		}
		for _, object := range objects {
			base.Split = split
			base.Subset, _ = object.values["hf_subset"].(string)
			if err := c.addScores(base, object, content); err != nil {
				return err
			}
		}
	}
	if len(c.Cells) == before && len(c.Missing) == known {
		c.Missing = append(c.Missing, Missing{p.model, p.revision, p.task, p.file, "the file holds no number"})
	}
	return nil
}

// inLine adds the line of a JSON error.
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

// text returns a value that is a text, without white space around it; "" for other values.
func text(v any) string {
	s, _ := v.(string)
	if s = strings.TrimSpace(s); slices.Contains(constants, s) {
		return ""
	}
	return s
}

// scoreObject is an object with numbers, and its position in its file.
type scoreObject struct {
	path   []string // keys, and places in lists
	values map[string]any
}

// at returns the object of a key; its values are nil if there is none.
func (o scoreObject) at(key string) scoreObject {
	values, _ := o.values[key].(map[string]any)
	return scoreObject{append(slices.Clone(o.path), key), values}
}

// line returns the line of a JSON text that has a key of the object.
func (o scoreObject) line(content []byte, key string) int {
	dec := json.NewDecoder(bytes.NewReader(content))
	for _, key := range append(slices.Clone(o.path), key) {
		open, _ := dec.Token()
		for i := 0; dec.More(); i++ {
			name := strconv.Itoa(i)
			if open == json.Delim('{') {
				t, _ := dec.Token()
				name, _ = t.(string)
			}
			if name == key {
				break
			}
			var skipped json.RawMessage
			if dec.Decode(&skipped) != nil {
				break
			}
		}
	}
	return 1 + bytes.Count(content[:dec.InputOffset()], []byte{'\n'})
}

// splits returns the scores by split; nil if the file has no place for them.
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

// subsets reads the scores of a split at a path: a list of objects, or one object as before 1.11,
// which has an object for each subset if there are several.
func subsets(raw json.RawMessage, path []string) (all []scoreObject, err error) {
	var list []map[string]any
	if err := json.Unmarshal(raw, &list); err == nil {
		for i, values := range list {
			all = append(all, scoreObject{append(slices.Clone(path), strconv.Itoa(i)), values})
		}
		return all, nil
	}
	var object map[string]any
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, errors.New("neither a list of scores nor one of them")
	}
	whole := scoreObject{path, object}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		one := whole.at(name)
		if one.values == nil || slices.Contains([]string{"individual", "og", "changed"}, name) {
			continue
		}
		if _, named := one.values["hf_subset"]; !named {
			one.values["hf_subset"] = name
		}
		all = append(all, one)
	}
	return append(all, whole), nil
}

// addScores reads the object of one split and subset of a file with that content.
func (c *Collection) addScores(base Cell, object scoreObject, content []byte) error {
	sides := map[string]scoreObject{}
	swapped := false
	if individual := object.at("individual"); individual.values != nil {
		sides["original"], sides["changed"] = individual.at("original"), individual.at("changed")
		swapped = true
	} else if og := object.at("og"); og.values != nil {
		sides["original"], sides["changed"] = og, object.at("changed")
	}
	for _, side := range []string{"original", "changed"} {
		if sides[side].values == nil {
			continue
		}
		cell := base
		cell.Side = side
		cell.Conventions.Qrels, cell.Conventions.Why = sideQrels(side, swapped, cell.Conventions.Version)
		if doubt := checkQrels(cell, sides[side].values); doubt != "" {
			c.Doubts = append(c.Doubts, doubt)
		}
		if err := c.addMeasures(cell, sides[side], false, content); err != nil {
			return err
		}
	}
	return c.addMeasures(base, object, len(sides) > 0, content)
}

// addMeasures reads the numbers of an object. An object about both sides has meaningful numbers
// only for measures of pairs: its other numbers mix two rankings.
func (c *Collection) addMeasures(base Cell, object scoreObject, both bool, content []byte) error {
	score, scored := object.values[mainScore].(float64)
	scored = scored && mainMeasures[base.Task] == ""
	found := false
	var dropped []string
	for _, key := range slices.Sorted(maps.Keys(object.values)) {
		measure, ok := mtebMeasure(key)
		if key == mainScore && mainMeasures[base.Task] == "" {
			measure = key
		} else if !ok || both && !metrics.IsOfPairs(measure) {
			continue
		}
		value, isNumber := object.values[key].(float64)
		if !isNumber {
			dropped = append(dropped, fmt.Sprintf("%s is %s (line %d)", measure, NoNumber(object.values[key]), object.line(content, key)))
			continue
		}
		if !ok {
			continue // the score, which equals one of the others
		}
		if err := checkRange(measure, value); err != nil {
			return fmt.Errorf("line %d: %w", object.line(content, key), err)
		}
		cell := base
		cell.Measure, cell.Value, cell.Tolerance = measure, value, rounding
		cell.Main = mainMeasures[base.Task] == measure && (base.Side == "original" || base.Side == "")
		cell.score = scored && value == score && key != "accuracy"
		found = found || cell.score
		c.Cells = append(c.Cells, cell)
	}
	if scored && !found {
		if err := checkRange(mainScore, score); err != nil {
			return fmt.Errorf("line %d: %w", object.line(content, mainScore), err)
		}
		cell := base
		cell.Measure, cell.Value, cell.Tolerance, cell.score = mainName(object.values, score), score, rounding, true
		c.Cells = append(c.Cells, cell)
	}
	if len(dropped) > 0 {
		of := strings.Join(slices.DeleteFunc([]string{base.Split, base.Subset, base.Side}, func(s string) bool { return s == "" }), " ")
		c.Missing = append(c.Missing, Missing{base.Model, base.Revision, base.Task, base.File, fmt.Sprintf("%s: not a number: %s", of, words.First(5, dropped))})
	}
	return nil
}

// NoNumber describes a value that is not a number.
func NoNumber(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		if slices.Contains(constants, v) {
			return v
		}
		return fmt.Sprintf("the text %q", v)
	}
	return fmt.Sprintf("%.40v", v)
}

// checkRange returns an error if a value is outside the range of its measure. Measures that this
// program does not have are shares or correlations in MTEB.
func checkRange(measure string, v float64) error {
	if _, err := metrics.FamilyOf(measure); err != nil {
		return metrics.Within(measure, "[-1,1]", -1, 1, v)
	}
	return metrics.CheckRange(measure, v)
}

// QuoteNaN turns the numbers that Python's json writes and JSON forbids (NaN, Infinity, -Infinity)
// into texts, outside of strings.
func QuoteNaN(content []byte) []byte {
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
				out = fmt.Appendf(out, "%q", content[i:i+n])
				i += n - 1
				continue
			}
		}
		out = append(out, b)
	}
	return out
}

// constants are the numbers of Python that JSON lacks.
var constants = []string{"NaN", "Infinity", "-Infinity"}

// constant returns the length of a non-number at the beginning of text, or 0.
func constant(text []byte) int {
	for _, name := range constants {
		if len(text) >= len(name) && string(text[:len(name)]) == name {
			return len(name)
		}
	}
	return 0
}
