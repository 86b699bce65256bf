package datasets

import (
	"embed"
	"fmt"
	"strings"
)

// wordFiles are the word lists and templates of generated benchmarks.
//
//go:embed *.txt
var wordFiles embed.FS

// eachLine calls add for every line of a file that is not blank, a comment or a [section] head,
// with its section. The files are part of the program, so an error in them is a programming error
// and panics.
func eachLine(file string, add func(section, line string) error) {
	text, err := wordFiles.ReadFile(file)
	if err != nil {
		panic(err)
	}
	section := ""
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
		default:
			if err := add(section, line); err != nil {
				panic(fmt.Errorf("datasets/%s:%d: %w", file, i+1, err))
			}
		}
	}
}

// cutWords parses "name: words | words" with nLeft and nRight words.
func cutWords(line string, nLeft, nRight int) (name string, left, right []string, err error) {
	name, text, _ := strings.Cut(line, ": ")
	l, r, _ := strings.Cut(text, "|")
	left, right = strings.Fields(l), strings.Fields(r)
	if len(left) != nLeft || len(right) != nRight {
		return "", nil, nil, fmt.Errorf("want %d and %d words, have %d and %d", nLeft, nRight, len(left), len(right))
	}
	return name, left, right, nil
}
