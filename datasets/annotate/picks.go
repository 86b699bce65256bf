package annotate

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"infbench/datasets/curate"
	"infbench/internal/disk"
	"infbench/internal/nearest"
)

// PicksFormat is the name and version of the file format that the page saves.
const PicksFormat = "infbench-picks/1"

// Picks are one annotator's picks, by item and candidate of the key; items without a pick are
// missing.
type Picks struct {
	File      string
	Annotator string
	Chosen    map[int]int // curate.None where no candidate was found suitable
}

// picked is one pick as written in a file.
type picked struct {
	line              int
	sheet, item, pick string
	annotator         string
}

// faultsAtMost is the largest number of errors that are shown per file.
const faultsAtMost = 10

// ReadPicks reads the file that an annotator saved, as CSV or from the page. Entries that do not
// match the key are errors with their lines; all of a file are reported together.
func (k *Key) ReadPicks(file string) (*Picks, error) {
	data, err := disk.ReadText(file)
	if err != nil {
		return nil, err
	}
	read := csvPicks
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		read = pagePicks
	}
	lines, err := read(file, data)
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s: no item", file)
	}
	o, err := k.orderOf(file, lines[0])
	if err != nil {
		return nil, err
	}
	p := &Picks{File: file, Annotator: o.Annotator, Chosen: map[int]int{}}
	if err := p.take(k, o, lines); err != nil {
		return nil, err
	}
	if len(p.Chosen) == 0 {
		return nil, fmt.Errorf("%s: %s picked nothing", file, p.Annotator)
	}
	return p, nil
}

// orderOf finds the sheet to which a file belongs.
func (k *Key) orderOf(file string, first picked) (Order, error) {
	for _, o := range k.Sheets {
		if k.Code(o.Annotator) == first.sheet {
			return o, nil
		}
	}
	var known []string
	for _, name := range k.Annotators() {
		known = append(known, fmt.Sprintf("%s of %s", k.Code(name), name))
	}
	return Order{}, fmt.Errorf("%s:%d: sheet %q is not in this key, which has %s", file, first.line, first.sheet, strings.Join(known, ", "))
}

// take checks each line against the sheet.
func (p *Picks) take(k *Key, o Order, lines []picked) error {
	var faults []error
	seen := map[string]int{}
	for _, l := range lines {
		err := p.one(k, o, l, lines[0].sheet, seen)
		if err == nil {
			continue
		}
		if len(faults) == faultsAtMost {
			faults = append(faults, fmt.Errorf("%s:%d: and more", p.File, l.line))
			break
		}
		faults = append(faults, fmt.Errorf("%s:%d: %w", p.File, l.line, err))
	}
	return errors.Join(faults...)
}

// one reads a line; seen maps each item read so far to its line.
func (p *Picks) one(k *Key, o Order, l picked, sheet string, seen map[string]int) error {
	if l.sheet != sheet {
		return fmt.Errorf("sheet %q, but the lines before are of %s: a file must contain one sheet", l.sheet, sheet)
	}
	if l.annotator != "" && l.annotator != o.Annotator {
		return fmt.Errorf("annotator %q: sheet %s is that of %s", l.annotator, sheet, o.Annotator)
	}
	if first, again := seen[l.item]; again {
		return fmt.Errorf("item %s again, which line %d has too", l.item, first)
	}
	seen[l.item] = l.line
	item, err := strconv.Atoi(l.item)
	if err != nil || item < 1 || item > len(o.Places) {
		return fmt.Errorf("item %q: the sheet has 1 to %d", l.item, len(o.Places))
	}
	place := o.Places[item-1]
	switch pick, err := strconv.Atoi(l.pick); {
	case l.pick == "":
	case l.pick == NoneLabel:
		p.Chosen[place.Item] = curate.None
	case err != nil || pick < 1 || pick > len(place.Candidates):
		return fmt.Errorf("item %d: pick %q: want 1 to %d, %s, or nothing", item, l.pick, len(place.Candidates), NoneLabel)
	default:
		p.Chosen[place.Item] = place.Candidates[pick-1]
	}
	return nil
}

// csvPicks reads a sheet saved by a spreadsheet, which may separate cells by semicolons.
func csvPicks(file string, data []byte) ([]picked, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	if head, _, _ := bytes.Cut(data, []byte("\n")); !bytes.ContainsRune(head, ',') {
		r.Comma = ';'
	}
	head, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%s:1: not the header of a sheet: %w", file, err)
	}
	at := map[string]int{}
	for i, name := range head {
		at[strings.TrimSpace(name)] = i
	}
	for _, name := range []string{sheetColumn, itemColumn, pickColumn} {
		if _, there := at[name]; !there {
			return nil, fmt.Errorf("%s:1: column %s is missing: %w", file, name, nearest.Unknown("column", name, head))
		}
	}
	var out []picked
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		cell := func(name string) string {
			if i, there := at[name]; there && i < len(cells) {
				return strings.TrimSpace(cells[i])
			}
			return ""
		}
		line, _ := r.FieldPos(0)
		out = append(out, picked{line: line, sheet: cell(sheetColumn), annotator: cell(annotatorColumn), item: cell(itemColumn), pick: strings.ToLower(cell(pickColumn))})
	}
}

// pagePicks reads the file that the page saved.
func pagePicks(file string, data []byte) ([]picked, error) {
	var saved struct {
		Format, Sheet, Annotator string
		Picks                    json.RawMessage
	}
	if err := json.Unmarshal(data, &saved); err != nil {
		return nil, fmt.Errorf("%s: not a file of picks: %w", file, err)
	}
	if err := disk.CheckFormat(file, saved.Format, PicksFormat); err != nil {
		return nil, err
	}
	list := json.NewDecoder(bytes.NewReader(saved.Picks))
	list.UseNumber()
	if start, err := list.Token(); err != nil || start != json.Delim('[') {
		return nil, fmt.Errorf("%s: picks are not a list", file)
	}
	before := max(0, bytes.Index(data, saved.Picks))
	var out []picked
	for list.More() {
		var one struct{ Item, Pick any }
		err := list.Decode(&one)
		line := 1 + bytes.Count(data[:before+int(list.InputOffset())], []byte("\n"))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: not a pick: %w", file, line, err)
		}
		out = append(out, picked{line: line, sheet: saved.Sheet, annotator: saved.Annotator, item: text(one.Item), pick: text(one.Pick)})
	}
	return out, nil
}

// text returns a number or string of a JSON file as text, "" for anything else.
func text(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// isQuestions reports whether a file contains questions rather than picks of an annotator.
func isQuestions(file string) bool {
	return slices.Contains([]string{".jsonl", ".gz", ".zst"}, filepath.Ext(file))
}
