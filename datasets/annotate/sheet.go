package annotate

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Sheet is the content that one annotator sees. Its texts are unescaped: the printer escapes them.
type Sheet struct {
	Code      string  `json:"sheet"`
	Annotator string  `json:"annotator"`
	Questions []Asked `json:"questions"`
}

// Asked is one question of a sheet.
type Asked struct {
	Instruction string   `json:"instruction"`
	Query       string   `json:"query"`
	Passages    []string `json:"passages"`
}

// Sheet builds the sheet of an annotator of the key.
func (k *Key) Sheet(o Order) *Sheet {
	s := &Sheet{Code: k.Code(o.Annotator), Annotator: o.Annotator}
	for _, p := range o.Places {
		it := &k.Items[p.Item]
		q := Asked{Instruction: Readable(it.Instruction), Query: Readable(it.Query)}
		for _, at := range p.Candidates {
			q.Passages = append(q.Passages, Readable(it.Candidates[at].Text))
		}
		s.Questions = append(s.Questions, q)
	}
	return s
}

// Readable makes an outside text safe to display. It keeps line breaks and tabs, which code needs;
// control bytes, invisible and direction-changing characters and invalid UTF-8 become U+FFFD.
func Readable(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, string(unicode.ReplacementChar)), "\r\n", "\n")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029') {
			return unicode.ReplacementChar
		}
		return r
	}, text))
}

// CSV columns of a sheet that are read back.
const (
	sheetColumn     = "sheet"
	annotatorColumn = "annotator"
	itemColumn      = "item"
	pickColumn      = "pick"
)

// NoneLabel means that no candidate was picked, on sheets and as a label of ratings.
const NoneLabel = "none"

// WriteCSV prints the sheet for a spreadsheet. The pick, a number or "none", goes into the column
// pick. A cell that a spreadsheet would run as a formula gets an apostrophe.
func (s *Sheet) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	most := 0
	for _, q := range s.Questions {
		most = max(most, len(q.Passages))
	}
	head := []string{sheetColumn, annotatorColumn, itemColumn, pickColumn, "instruction", "query"}
	for i := range most {
		head = append(head, "passage "+strconv.Itoa(i+1))
	}
	rows := [][]string{head}
	for i, q := range s.Questions {
		row := []string{s.Code, s.Annotator, strconv.Itoa(i + 1), "", guarded(q.Instruction), guarded(q.Query)}
		for _, text := range q.Passages {
			row = append(row, guarded(text))
		}
		rows = append(rows, slices.Concat(row, make([]string, len(head)-len(row))))
	}
	return c.WriteAll(rows)
}

// guarded returns a text that no spreadsheet takes for a formula.
func guarded(text string) string {
	if text != "" && strings.ContainsRune("=+-@|%", rune(text[0])) {
		return "'" + text
	}
	return text
}
