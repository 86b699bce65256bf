package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"infbench/internal/disk"
)

// Limits of a file. A file beyond them is a mistake or an attack, and is rejected before it costs
// time.
const (
	MaxSize   = 1 << 20 // bytes
	maxParts  = 25_000  // lines and commas: each value that is not nested takes one
	maxScalar = 4096    // bytes of one name or value, the maximum length of a path
)

// Parse returns the root of the only YAML document in data, and its decoder; file names the file in
// errors.
func Parse(file string, data []byte) (*Decoder, *yaml.Node, error) {
	data, err := disk.Text(data)
	if err != nil {
		return nil, nil, Errors{{File: file, Line: 1, Column: 1, Err: err}}
	}
	root, err := document(file, data)
	if err != nil {
		return nil, nil, err
	}
	d := &Decoder{File: file}
	d.checkTree(root)
	d.checkFolds(bytes.Split(data, []byte{'\n'}), root)
	(&merges{d, map[*yaml.Node]bool{}, map[*yaml.Node]bool{}}).within(root)
	return d, root, nil
}

// document returns the root of the only YAML document in data.
func document(name string, data []byte) (*yaml.Node, error) {
	if err := checkText(name, data); err != nil {
		return nil, Errors{*err}
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, Errors{{File: name, Err: errors.New("empty file")}}
	} else if err != nil {
		return nil, Errors{syntaxError(name, data, err)}
	}
	root := doc.Content[0]
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		fault := Error{File: name, Line: second.Line, Column: second.Column, Err: errors.New("a second document; one file holds one")}
		if fault.Line == 0 { // it cannot be read at all
			fault.Line, fault.Column = separator(data, root.Line), 1
		}
		return nil, Errors{fault}
	}
	return root, nil
}

// checkText rejects data that is too large or not text, with the position, which yaml.v3 would not
// report.
func checkText(name string, data []byte) *Error {
	parts := 0
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == '\n' || r == ',' {
			parts++
		}
		var err error
		switch {
		case i >= MaxSize:
			err = fmt.Errorf("larger than %d bytes", MaxSize)
		case parts > maxParts:
			err = fmt.Errorf("more than %d lines and commas", maxParts)
		case r == utf8.RuneError && size == 1:
			err = fmt.Errorf("byte %#x: want text in UTF-8", data[i])
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r >= 0x7f && r < 0xa0 && r != 0x85, r == 0xfeff:
			err = fmt.Errorf("control character %U", r)
		}
		if err != nil {
			line, column := position(data, i)
			return &Error{File: name, Line: line, Column: column, Err: err}
		}
		i += size
	}
	return nil
}

// position returns line and column of the byte at an offset, both from 1.
func position(data []byte, offset int) (line, column int) {
	before := data[:offset]
	return bytes.Count(before, []byte{'\n'}) + 1, offset - bytes.LastIndexByte(before, '\n')
}

// separator finds the line of the first document separator after a line.
func separator(data []byte, after int) int {
	line := 0
	for text := range bytes.Lines(data) {
		if line++; line > after && (bytes.HasPrefix(text, []byte("---")) || bytes.HasPrefix(text, []byte("..."))) {
			return line
		}
	}
	return after
}

// parserMessages are messages of yaml.v3's parser, which counts lines from 0, while its scanner
// counts from 1 (v3.0.1, parser.fail).
var parserMessages = []string{
	"did not find expected <", "did not find expected node content", "did not find expected key",
	"did not find expected '-' indicator", "did not find expected ',' or", "found undefined tag handle", "found duplicate %",
}

// syntaxError extracts the line from yaml.v3's "yaml: line 3: ..." messages and finds the first
// column of that line.
func syntaxError(name string, data []byte, err error) Error {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if n, _ := fmt.Sscanf(msg, "line %d:", &line); n == 1 {
		_, msg, _ = strings.Cut(msg, ": ")
		if slices.ContainsFunc(parserMessages, func(m string) bool { return strings.HasPrefix(msg, m) }) {
			line++
		}
	}
	fault := Error{File: name, Line: max(line, 1), Column: 1, Err: errors.New(msg)}
	var anchor string
	if n, _ := fmt.Sscanf(msg, "unknown anchor '%s", &anchor); n == 1 {
		if i := bytes.Index(data, []byte("*"+strings.TrimSuffix(anchor, "'"))); i >= 0 {
			fault.Line, fault.Column = position(data, i)
			return fault
		}
	}
	lines := bytes.Split(bytes.TrimRight(data, " \t\r\n"), []byte{'\n'})
	fault.Line = min(fault.Line, len(lines)) // an error at the end of the file is reported in the last line
	if tabbed := tabAfter(lines, fault.Line, msg); tabbed > 0 {
		fault.Line, fault.Column = tabbed, bytes.IndexByte(lines[tabbed-1], '\t')+1
		fault.Err = errors.New("a tab in the indentation: YAML indents by spaces alone; replace each tab by two spaces")
		return fault
	}
	found := !ofBlock(msg)
	if !found {
		if line := misplaced(lines, fault.Line); line > 0 {
			fault.Line, found = line, true
		}
	}
	fault.Column += len(indentOf(lines[fault.Line-1]))
	if todo := advice(lines[:fault.Line], msg); found && todo != "" {
		fault.Err = fmt.Errorf("%s: %s", msg, todo)
	}
	return fault
}

// checkTree rejects tags, which change the meaning of a value, and values longer than any name,
// anywhere in the tree.
func (d *Decoder) checkTree(n *yaml.Node) {
	if n.Style&yaml.TaggedStyle != 0 {
		d.Fail(n, "a tag, %.40s: values are taken as they are written", n.Tag)
	}
	if len(n.Value) > maxScalar {
		d.Fail(n, "a value of %d bytes, longer than %d", len(n.Value), maxScalar)
		n.Value = n.Value[:32] + "..."
	}
	for _, c := range n.Content {
		d.checkTree(c)
	}
}
