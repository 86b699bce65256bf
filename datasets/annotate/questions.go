package annotate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"

	"infbench/datasets/curate"
	"infbench/datasets/format"
	"infbench/internal/disk"
)

// FileOf returns the questions file for a path: the path itself, or judged.jsonl if the path is the
// folder of a corpus. A file of a finished corpus must be unchanged since it was finished.
func FileOf(path string) (string, error) {
	if err := curate.CheckUnchanged(path); err != nil {
		return "", err
	}
	info, err := disk.Stat(path)
	if err != nil || !info.IsDir() {
		return path, err
	}
	file := filepath.Join(path, curate.JudgedFile)
	if _, err := disk.Stat(file); err != nil {
		return "", fmt.Errorf("%s is not a folder of a curated corpus: %w", path, err)
	}
	return file, nil
}

// Questions streams the questions of a judged.jsonl with the picks of its judges. Unknown fields
// are ignored. A line that is not a question ends the stream with an error that has its position.
func Questions(file string) iter.Seq2[*Item, error] {
	return func(yield func(*Item, error) bool) {
		known := map[string]int{}
		for line, err := range format.Lines(file) {
			var it *Item
			if err == nil {
				it, err = parse(line, known)
			}
			if !yield(it, err) || err != nil {
				return
			}
		}
	}
}

// parse reads a line; known maps each question read so far to its line.
func parse(line format.Line, known map[string]int) (*Item, error) {
	read := struct {
		Item
		Poison string `json:"poison"`
	}{Item: Item{line: line.Pos.Line}}
	if err := json.Unmarshal(line.Text, &read); err != nil {
		return nil, line.Pos.Errorf("not a question: %w", err)
	}
	it := &read.Item
	it.Type = cmp.Or(it.Type, read.Poison)
	if err := it.check(); err != nil {
		return nil, line.Pos.Errorf("%w", err)
	}
	if first, again := known[it.ID]; again {
		return nil, line.Pos.Errorf("question %s again, which line %d has too", it.ID, first)
	}
	known[it.ID] = it.line
	return it, nil
}

// recordFiles are the stages of a corpus folder whose records have the type of poison, the stage
// nearest to the questions first.
var recordFiles = []string{curate.UnfilteredFile, curate.Filtered.File(), curate.Poisoned.File()}

// recordTypes gives items without a type of poison the type of their record, from the record files
// next to the questions. A line that cannot be read is skipped.
func recordTypes(file string, items []Item) {
	wanted := map[string][]*Item{}
	for i := range items {
		if it := &items[i]; it.Type == "" {
			wanted[it.Record] = append(wanted[it.Record], it)
		}
	}
	for _, name := range recordFiles {
		if len(wanted) == 0 {
			return
		}
		for line, err := range format.Lines(filepath.Join(filepath.Dir(file), name)) {
			if err != nil {
				break
			}
			var r struct{ ID, Type, Poison string }
			if json.Unmarshal(line.Text, &r) != nil || cmp.Or(r.Type, r.Poison) == "" {
				continue
			}
			for _, it := range wanted[r.ID] {
				it.Type = cmp.Or(r.Type, r.Poison)
			}
			delete(wanted, r.ID)
		}
	}
}
