package published

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// SourceMTEB is the Source of cells read from MTEB's result files.
const SourceMTEB = "MTEB"

// ReadMTEB reads result files as MTEB writes them, and as its public repository
// keeps them: <org>__<model>/<revision>/<Task>.json at any depth of a folder or
// of a .tar.gz. All three layouts are known: scores by split (mteb 1.11 and
// later), with the sides of an instruction below "individual" (1.x) or as "og"
// and "changed" (2.x), and splits at the top level (before 1.11). A file
// without the score of its task is Missing, not an error; a file that is no result file of
// MTEB's is an error that names it. Confidence statistics ("nauc_...") are left out.
func ReadMTEB(dir string) (*Collection, error) {
	c := &Collection{Source: SourceMTEB}
	err := eachFile(dir, isResult, func(name string, content []byte) error {
		c.Files++
		if err := c.addMTEB(name, content); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if c.Files == 0 {
		return nil, fmt.Errorf("%s holds no file named like <org>__<model>/<revision>/<Task>.json", dir)
	}
	c.sort()
	return c, nil
}

// isResult tells result files from what else stands beside them.
func isResult(name string) bool {
	parts := strings.Split(name, "/")
	return len(parts) >= 3 && path.Ext(name) == ".json" && parts[len(parts)-1] != "model_meta.json"
}

// mtebFile is what all layouts have in common.
type mtebFile struct {
	Task     string                      `json:"task_name"`
	OldTask  string                      `json:"mteb_dataset_name"`
	Version  string                      `json:"mteb_version"`
	Scores   map[string][]map[string]any `json:"scores"`
	OldTest  map[string]any              `json:"test"` // before 1.11, as the next two
	OldDev   map[string]any              `json:"dev"`
	OldTrain map[string]any              `json:"train"`
}

// addMTEB reads one file.
func (c *Collection) addMTEB(name string, content []byte) error {
	var f mtebFile
	if err := json.Unmarshal(nullForNaN(content), &f); err != nil {
		return err
	}
	parts := strings.Split(name, "/")
	model, revision, file := parts[len(parts)-3], parts[len(parts)-2], parts[len(parts)-1]
	task := strings.TrimSuffix(file, ".json")
	for _, said := range []string{f.Task, f.OldTask} {
		if said != "" && said != task {
			return fmt.Errorf("the file is named for task %s but says %s", task, said)
		}
	}
	base := Cell{
		Source: SourceMTEB, Model: strings.Replace(model, "__", "/", 1), Revision: revision,
		Task: task, File: name, Conventions: Conventions{Version: strings.TrimSpace("mteb " + f.Version)},
	}
	if f.Version == "" {
		base.Conventions.Version = ""
	}
	base.Conventions.Ties = mtebTies(f.Version)
	base.Conventions.Excluded = mtebExcluded(task)
	before := len(c.Cells)
	scores := f.Scores
	if scores == nil {
		if scores = f.old(); scores == nil {
			return fmt.Errorf("neither scores nor a split: no result file of MTEB's")
		}
	}
	for _, split := range slices.Sorted(maps.Keys(scores)) {
		for _, object := range scores[split] {
			base.Split = split
			base.Subset, _ = object["hf_subset"].(string)
			c.addScores(base, object)
		}
	}
	if reason := lacks(c.Cells[before:]); reason != "" {
		c.Missing = append(c.Missing, Missing{base.Model, revision, task, name, reason})
	}
	return nil
}

// lacks says what the cells of a file lack of a result; "" is nothing.
func lacks(cells []Cell) string {
	if len(cells) == 0 {
		return "the file holds no number"
	}
	for i := range cells {
		if cells[i].Main {
			return ""
		}
	}
	if main, ok := mainMeasures[cells[0].Task]; ok {
		return "the file holds no " + main + ", only " + cells[0].Measure
	}
	return ""
}

// old returns the splits of a file from before mteb 1.11.
func (f *mtebFile) old() map[string][]map[string]any {
	scores := map[string][]map[string]any{}
	for split, object := range map[string]map[string]any{"test": f.OldTest, "dev": f.OldDev, "train": f.OldTrain} {
		if object != nil {
			scores[split] = []map[string]any{object}
		}
	}
	if len(scores) == 0 {
		return nil
	}
	return scores
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
	main, hasMain := object["main_score"].(float64)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		value, ok := object[key].(float64)
		if !ok {
			continue
		}
		measure, ok := mtebMeasure(key)
		if !ok || len(sides) > 0 && measure != "p-MRR" {
			continue
		}
		cell := base
		cell.Measure, cell.Value = measure, value
		cell.Tolerance = rounding
		cell.Main = mainMeasures[base.Task] == measure && (base.Side == "original" || base.Side == "") ||
			mainMeasures[base.Task] == "" && hasMain && value == main && key != "accuracy"
		c.Cells = append(c.Cells, cell)
	}
}

// rounding is half a unit of the last digit of MTEB's files, which have five or
// six after the point.
const rounding = 5e-6

// mainMeasures are the numbers that FollowIR calls the score of a task; for
// other tasks the file says which it is.
var mainMeasures = map[string]string{
	"Core17InstructionRetrieval":   "AP@1000",
	"Robust04InstructionRetrieval": "AP@1000",
	"News21InstructionRetrieval":   "nDCG@5",
}

// mtebMeasure translates a key: ndcg_at_5 is nDCG@5, map_at_1000 is AP@1000.
// It reports false for keys that are no measure of effectiveness.
func mtebMeasure(key string) (string, bool) {
	if key == "p-MRR" || key == "accuracy" {
		return key, true
	}
	family, cut, ok := strings.Cut(key, "_at_")
	if !ok || strings.Trim(cut, "0123456789") != "" {
		return "", false
	}
	name, ok := map[string]string{
		"ndcg": "nDCG", "map": "AP", "recall": "R", "precision": "P", "mrr": "RR", "hit_rate": "Success",
	}[family]
	return name + "@" + cut, ok
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
