package command

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/datasets/format"
	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/words"
)

// unreadColumns names in a sentence the columns of a training file that nothing reads, with
// the names that were likely meant; "" if there are none, or if it is not a file of lines.
func unreadColumns(file string) string {
	info, err := disk.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	known := datasets.OwnColumns()
	var left []string
	for _, name := range columnsOf(file) {
		if slices.Contains(known, name) {
			continue
		}
		said := words.Clean(name)
		if near, ok := nearest.Of(name, known); ok {
			said += fmt.Sprintf(" (did you mean %s?)", near)
		}
		left = append(left, said)
	}
	if len(left) == 0 {
		return ""
	}
	return fmt.Sprintf("of %s nothing reads %s; read are %s", words.Clean(file), words.Listed(left), strings.Join(known, ", "))
}

// columnsOf are the names in the first line of a file that has them there, in order.
func columnsOf(file string) (names []string) {
	for line, err := range format.Lines(file) {
		if err != nil {
			return nil // whoever reads it says so
		}
		text := strings.TrimSpace(string(line.Text))
		if text == "" {
			continue
		}
		var object map[string]json.RawMessage
		switch {
		case json.Unmarshal([]byte(text), &object) == nil:
			return words.SortedKeys(object)
		case strings.Contains(filepath.Base(file), ".tsv"):
			return strings.Split(text, "\t")
		case strings.Contains(filepath.Base(file), ".csv"):
			names, _ = csv.NewReader(strings.NewReader(text)).Read()
		}
		return names
	}
	return nil
}
