package main

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// passage is prose without line breaks; starts has the position of each line in text.
type passage struct {
	text   string
	line   int // of the first character
	starts []int
}

// add joins a line to the passage.
func (p *passage) add(line string) {
	if p.text != "" {
		p.text += " "
	}
	p.starts = append(p.starts, len(p.text))
	p.text += line
}

// lineOf returns the line of a character of the text.
func (p *passage) lineOf(at int) int {
	line := p.line
	for _, start := range p.starts[1:] {
		if start > at {
			break
		}
		line++
	}
	return line
}

// find matches every pattern.
func (p *passage) find() []finding {
	var all []finding
	for _, c := range patterns {
		for _, at := range c.match(p.text) {
			all = append(all, finding{line: p.lineOf(at[0]), text: p.text[at[0]:at[1]], write: c.write})
		}
	}
	return all
}

const waiver = "plain:ok"

// source returns the comments of a Go file and, if it is not a test, the strings of at least
// three words. Lines of comments with code are left out.
func source(files *token.FileSet, f *ast.File) []passage {
	var all []passage
	waived := map[int]bool{}
	for _, group := range f.Comments {
		p := passage{line: files.Position(group.Pos()).Line}
		ok := false
		for _, c := range group.List {
			for i, line := range strings.Split(c.Text, "\n") {
				if strings.Contains(line, waiver) {
					waived[files.Position(c.Pos()).Line+i] = true
					ok = true
				}
				line = strings.TrimPrefix(strings.TrimPrefix(line, "//"), "/*")
				if strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "go:") {
					line = ""
				}
				p.add(unquoted(strings.TrimSpace(line)))
			}
		}
		if !ok {
			all = append(all, p)
		}
	}
	if strings.HasSuffix(files.Position(f.Pos()).Filename, "_test.go") {
		return all
	}
	ast.Inspect(f, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(lit.Value)
		line := files.Position(lit.Pos()).Line
		if err != nil || waived[line] || len(strings.Fields(text)) < 3 {
			return true
		}
		p := passage{line: line}
		if strings.HasPrefix(lit.Value, "`") {
			for _, part := range strings.Split(text, "\n") {
				p.add(part)
			}
		} else {
			p.add(strings.ReplaceAll(text, "\n", " "))
		}
		all = append(all, p)
		return true
	})
	return all
}

var quotes = regexp.MustCompile("`[^`]*`|\"[^\"]*\"")

// unquoted blanks quotations and code, which the check does not apply to.
func unquoted(line string) string {
	return quotes.ReplaceAllStringFunc(line, func(s string) string { return s[:1] + strings.Repeat("x", len(s)-2) + s[len(s)-1:] })
}

// markdown returns the paragraphs of a document without code, quotations and comments.
func markdown(text string) []passage {
	var all []passage
	var p passage
	code := false
	end := func() {
		if p.text != "" {
			all = append(all, p)
		}
		p = passage{}
	}
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		fence := strings.HasPrefix(trimmed, "```")
		code = code != fence
		switch {
		case code, fence, trimmed == "", strings.HasPrefix(trimmed, ">"), strings.HasPrefix(trimmed, "<!--"), strings.Contains(line, waiver):
			end()
			continue
		case strings.HasPrefix(trimmed, "|"), strings.HasPrefix(trimmed, "- "), strings.HasPrefix(trimmed, "#"):
			end()
			trimmed = strings.TrimLeft(trimmed, "-# ")
		}
		if p.text == "" {
			p.line = i + 1
		}
		p.add(unquoted(trimmed))
	}
	end()
	return all
}
