package output

import (
	"bytes"
	"strings"
	"testing"
)

// TestSheetIsSafe: text from data never reaches a terminal or a spreadsheet as a command.
func TestSheetIsSafe(t *testing.T) {
	s := Sheet{Title: "a\x1b[2Jb", Head: []string{"name", "value"}, Left: 1, Rows: [][]string{{"=cmd()\r\nx", "-0.5"}}}
	var table, csv bytes.Buffer
	if err := s.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(table.String(), "\x1b\r") {
		t.Errorf("control bytes in %q", table.String())
	}
	if err := s.WriteCSV(&csv); err != nil {
		t.Fatal(err)
	}
	if want := "name,value\n'=cmd()  x,-0.5\n"; csv.String() != want {
		t.Errorf("csv %q, want %q", csv.String(), want)
	}
}
