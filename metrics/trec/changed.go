package trec

import (
	"errors"
	"fmt"
	"io"
)

// Changed lists, for each query, the documents whose relevance an instruction changed: query
// ID -> document IDs in the order of the file.
type Changed map[string][]string

// ReadChanged reads lines of exactly two fields, query and document, separated by ASCII white
// space; blank lines and lines that begin with # are skipped. A document may be listed twice:
// p-MRR then counts it twice. name is the name of the file in errors, which start with
// file:line. An empty file is an error.
func ReadChanged(r io.Reader, name string) (Changed, error) {
	changed := Changed{}
	err := eachLine(r, name, func(line []byte) (problem string) {
		query, rest := cutField(line)
		if len(query) == 0 || query[0] == '#' {
			return ""
		}
		doc, rest := cutField(rest)
		if more, _ := cutField(rest); len(doc) == 0 || len(more) > 0 {
			return "want two fields: query document"
		}
		changed[string(query)] = append(changed[string(query)], string(doc))
		return ""
	})
	if err != nil {
		return nil, err
	}
	if len(changed) == 0 {
		return nil, fmt.Errorf("%s: no documents in this file", name)
	}
	return changed, nil
}

// eachLine calls take with every line; take returns the problem with it, or "".
func eachLine(r io.Reader, name string, take func(line []byte) (problem string)) error {
	source := blocks{r: r}
	line := 0
	for {
		text, err := source.next()
		if err == io.EOF {
			return nil
		}
		if err != nil && !errors.Is(err, errLongLine) {
			return readError(name, line+1, err)
		}
		text, nul := noNUL(text)
		before := line
		for len(text) > 0 {
			var one []byte
			one, text = cutLine(text)
			line++
			if hasMark(one) {
				return (&lineError{line, innerMark}).in(name)
			}
			if problem := take(one); problem != "" {
				return (&lineError{line, problem}).in(name)
			}
		}
		if nul != nil {
			return (&lineError{before + nul.line, nul.text}).in(name)
		}
		if err != nil {
			return (&lineError{line + 1, err.Error()}).in(name)
		}
	}
}
