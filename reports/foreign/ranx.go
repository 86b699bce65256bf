package foreign

import (
	"fmt"

	"infbench/metrics/trec"
)

// ranxRun is a run as ranx saves it: {query: {document: score}}.
type ranxRun struct{}

// Name implements reader.
func (ranxRun) Name() string { return "ranx" }

// Recognises implements reader.
func (ranxRun) Recognises(head []byte) bool {
	_, depth := outline(head)
	return depth == 2
}

// Read implements reader. The name of the file gives the system.
func (ranxRun) Read(path string, _ Options) ([]System, []string, error) {
	var run trec.Run
	err := readJSON(path, func(j *jsonFile) (err error) {
		run, err = j.run("the run")
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if len(run) == 0 {
		return nil, nil, fmt.Errorf("%s:1: the run has no query", path)
	}
	return []System{{Model: baseName(path), Tasks: []Task{{Run: run}}}}, nil, nil
}

// run reads {query: {document: score}}, every ranking sorted.
func (j *jsonFile) run(what string) (trec.Run, error) {
	run := trec.Run{}
	err := j.object(what, func(query string) error {
		ranking := trec.Ranking{}
		err := j.object("query "+query, func(doc string) error {
			score, err := j.number("the score of document " + doc)
			ranking = append(ranking, trec.Scored{Doc: doc, Score: score})
			return err
		})
		ranking.Sort()
		run[query] = ranking
		return err
	})
	return run, err
}

// ranxQrels reads judgments as ranx saves them: {query: {document: grade}}.
func ranxQrels(path string) (trec.Qrels, error) {
	qrels := trec.Qrels{}
	err := readJSON(path, func(j *jsonFile) error {
		return j.object("the judgments", func(query string) error {
			qrels[query] = map[string]int{}
			return j.object("query "+query, func(doc string) error {
				grade, err := j.number("the grade of document " + doc)
				if err == nil && (grade != float64(int(grade)) || grade > 1<<30 || grade < -1<<30) {
					err = j.errorf("the grade of document %s is %v, not a whole number", doc, grade)
				}
				qrels[query][doc] = int(grade)
				return err
			})
		})
	})
	if err == nil && len(qrels) == 0 {
		err = fmt.Errorf("%s:1: the judgments have no query", path)
	}
	return qrels, err
}
