package trec

import (
	"fmt"
	"io"

	"infbench/internal/memory"
)

// ReadQrels reads judgments; name is the name of the file in errors.
//
// A line is exactly "query iteration document grade", separated by ASCII white space; lines
// that begin with # are skipped. An empty file, a blank line, any other number of fields and
// a document that occurs twice for a query are errors, with file:line.
func (o Options) ReadQrels(r io.Reader, name string) (Qrels, error) {
	qrels := Qrels{}
	var query string
	var own map[string]int // judgments of query; the next line is likely to have the same query
	var ids arena
	err := o.eachJudgment(r, name, func(j judgment) (problem string) {
		if own == nil || query != string(j.query) {
			likely := min(len(own), 64)
			query = ids.keep(j.query)
			if own = qrels[query]; own == nil {
				own = make(map[string]int, likely)
				qrels[query] = own
			}
		}
		before := len(own)
		if own[ids.keep(j.doc)] = j.grade; len(own) == before {
			return fmt.Sprintf("document %q is judged twice for query %q", j.doc, j.query)
		}
		return ""
	})
	if err != nil {
		return nil, err
	}
	return qrels, nil
}

// Subtopics holds judgments by aspect of a query: query ID -> document ID -> aspect -> grade.
type Subtopics map[string]map[string]map[string]int

// ReadSubtopics reads judgments by aspect: a qrels file whose second field is the aspect, as
// in ndeval. Errors are as in ReadQrels, except that a document may occur once for each
// aspect.
func ReadSubtopics(r io.Reader, name string) (Subtopics, error) {
	subtopics := Subtopics{}
	err := Options{}.eachJudgment(r, name, func(j judgment) (problem string) {
		docs := subtopics[string(j.query)]
		if docs == nil {
			docs = map[string]map[string]int{}
			subtopics[string(j.query)] = docs
		}
		own := docs[string(j.doc)]
		if own == nil {
			own = map[string]int{}
			docs[string(j.doc)] = own
		}
		if _, twice := own[string(j.iteration)]; twice {
			return fmt.Sprintf("document %q is judged twice for query %q, aspect %q", j.doc, j.query, j.iteration)
		}
		own[string(j.iteration)] = j.grade
		return ""
	})
	if err != nil {
		return nil, err
	}
	return subtopics, nil
}

// judgment is one line of a qrels file.
type judgment struct {
	query, iteration, doc []byte
	grade                 int
}

// judgmentKept is about the most bytes that a judgment takes: a query and an aspect with a
// single judgment, in their own maps. Memory is requested for asked judgments at a time.
const (
	asked        = 4096
	judgmentKept = 1024
)

// eachJudgment calls take with every judgment; take returns the problem with it, or "". The
// slices are valid during the call.
func (o Options) eachJudgment(r io.Reader, name string, take func(judgment) (problem string)) error {
	judged, line := 0, 0
	var full error
	warn := o.Warn
	err := eachLine(r, name, func(text []byte) (problem string) {
		line++
		if len(text) > 0 && text[0] == '#' {
			return ""
		}
		j, odd, problem := parseJudgment(text)
		if problem != "" {
			return problem
		}
		if judged++; judged%asked == 0 {
			if full = memory.For(asked * judgmentKept); full != nil {
				return full.Error()
			}
		}
		if odd != "" && warn != nil {
			warn(fmt.Errorf("%s: grade %q read as %d, as trec_eval does", position(name, line), odd, j.grade))
			warn = nil
		}
		return take(j)
	})
	if full != nil {
		return fmt.Errorf("%s: %w", position(name, line), full)
	}
	if err == nil && judged == 0 {
		return fmt.Errorf("%s: no judgments in this file", name)
	}
	return err
}

// parseJudgment parses one line without its newline; odd is the text of a grade that is more
// than an integer.
func parseJudgment(line []byte) (j judgment, odd, problem string) {
	j.query, line = cutField(line)
	j.iteration, line = cutField(line)
	j.doc, line = cutField(line)
	grade, line := cutField(line)
	if more, _ := cutField(line); len(grade) == 0 || len(more) > 0 {
		return j, "", "want four fields: query iteration document grade"
	}
	var complete bool
	j.grade, complete = parseGrade(grade)
	if !complete {
		odd = string(grade)
	}
	return j, odd, ""
}
