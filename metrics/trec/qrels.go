package trec

import (
	"errors"
	"fmt"
	"io"
)

// ReadQrels reads judgments as the function of that name does.
func (o Options) ReadQrels(r io.Reader, name string) (Qrels, error) {
	qrels := Qrels{}
	err := o.eachJudgment(r, name, func(j judgment) string {
		own := qrels[string(j.query)]
		if own == nil {
			own = map[string]int{}
			qrels[string(j.query)] = own
		}
		if _, twice := own[string(j.doc)]; twice {
			return fmt.Sprintf("document %q is judged twice for query %q", j.doc, j.query)
		}
		own[string(j.doc)] = j.grade
		return ""
	})
	if err != nil {
		return nil, err
	}
	return qrels, nil
}

// judgment is one line of a qrels file.
type judgment struct {
	query, iteration, doc []byte
	grade                 int
}

// eachJudgment hands every line of a qrels file to take, which says what is
// wrong with it or "". The slices are valid during the call.
func (o Options) eachJudgment(r io.Reader, name string, take func(judgment) (problem string)) error {
	source := blocks{r: r}
	line, judged := 0, 0
	warn := o.Warn
	for {
		text, err := source.next()
		if err == io.EOF {
			break
		}
		if err != nil && !errors.Is(err, errLongLine) {
			return fmt.Errorf("%s: %w", name, err)
		}
		text, nul := noNUL(text)
		before := line
		for len(text) > 0 {
			var fields []byte
			fields, text = cutLine(text)
			line++
			if len(fields) > 0 && fields[0] == '#' {
				continue
			}
			j, odd, problem := parseJudgment(fields)
			if problem == "" {
				problem = take(j)
			}
			if problem != "" {
				return (&lineError{line, problem}).in(name)
			}
			if odd != "" && warn != nil {
				warn(fmt.Errorf("%s: grade %q read as %d, as trec_eval does", position(name, line), odd, j.grade))
				warn = nil
			}
			judged++
		}
		if nul != nil {
			return (&lineError{before + nul.line, nul.text}).in(name)
		}
		if err != nil {
			return (&lineError{line + 1, err.Error()}).in(name)
		}
	}
	if judged == 0 {
		return fmt.Errorf("%s: no judgments in this file", name)
	}
	return nil
}

// parseJudgment reads one line without its newline; odd is the text of a grade
// that is more than a whole number.
func parseJudgment(line []byte) (j judgment, odd, problem string) {
	j.query, line = cutField(line)
	j.iteration, line = cutField(line)
	j.doc, line = cutField(line)
	grade, line := cutField(line)
	more, _ := cutField(line)
	if len(grade) == 0 || len(more) > 0 {
		return j, "", "want four fields: query iteration document grade"
	}
	var whole bool
	j.grade, whole = parseGrade(grade)
	if !whole {
		odd = string(grade)
	}
	return j, odd, ""
}
