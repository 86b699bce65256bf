package datasets

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"infbench/datasets/format"
)

// multiConIRFolder is the folder by which MultiConIR's files are recognized.
const multiConIRFolder = "Task2_&_3"

// multiConditions is the maximum number of conditions in a query of MultiConIR.
const multiConditions = 10

// multiConIRDomains are the domains of MultiConIR, with their names in its files and in our tasks.
var multiConIRDomains = []struct{ file, name string }{
	{"Books", "books"}, {"Legal Document", "legal-document"}, {"Medical Case", "medical-case"}, {"Movies", "movies"}, {"People", "people"},
}

// multiConIRLengths are the document lengths of task 4, in tokens.
var multiConIRLengths = []string{"512", "1024"}

// multiConIR returns MultiConIR: documents that meet fewer and fewer conditions of a query.
func multiConIR() Suite {
	s := Suite{
		Name: "multiconir", About: "MultiConIR: one to ten conditions in a query, and documents that meet fewer and fewer of them",
		Licence:   "Apache 2.0",
		Citation:  "Lu et al. 2025, MultiConIR: Towards Multi-Condition Information Retrieval, arXiv:2503.08046",
		Elsewhere: "https://github.com/EIT-NLP/MultiConIR at 26b6504, whose folder is datasets",
		Protocol: "Score each row's own documents; nothing else is ranked, and a tie loses. conditions-N is the authors' task 1 for a query of N conditions: Monotonicity is their win rate " +
			"(their mean difference of scores, which is on each system's own scale, is left out). monotonicity is their tasks 2 (Monotonicity of the original wording, the mean of their ten win rates, which are Monotonicity(step=1) to (step=10)) and 3 (FlipRate), " +
			"length-N their task 4, of which the released script reads the files of task 2. Their tables are unweighted means over the five domains. Their BM25 has the statistics of each row's own texts, ours of the domain's.", //plain:ok recorded with runs
		Measures: []string{"Monotonicity", "FlipRate", "WholeChain"},
	}
	for _, d := range multiConIRDomains {
		for n := range multiConditions {
			s.Parts = append(s.Parts, SuitePart{Task: conditionsTask(d.name, n+1)})
		}
		s.Parts = append(s.Parts, SuitePart{Task: d.name + "/monotonicity"})
		for _, length := range multiConIRLengths {
			s.Parts = append(s.Parts, SuitePart{Task: d.name + "/length-" + length})
		}
	}
	return s
}

// conditionsTask names the task of a domain's queries with n conditions.
func conditionsTask(domain string, n int) string {
	return fmt.Sprintf("%s/conditions-%02d", domain, n)
}

// ReadMultiConIR reads the tasks of MultiConIR from the folder of its files.
func ReadMultiConIR(dir string) ([]Collected, error) {
	var all []Collected
	for _, d := range multiConIRDomains {
		tasks, err := readByConditions(filepath.Join(dir, "Task1", d.file+"_Task1.csv"), d.name)
		if err != nil {
			return nil, err
		}
		all = append(all, tasks...)
		task, err := readChains(filepath.Join(dir, multiConIRFolder, d.file+"_Task2_&_3.csv"), "Query10", "Natural_Query10")
		if err != nil {
			return nil, err
		}
		task.Name = d.name + "/monotonicity"
		task.Scorings = []Scoring{{"Monotonicity", Original}, {"WholeChain", Original}, {"Monotonicity", Changed}, {"FlipRate", None}}
		all = append(all, task)
		for _, length := range multiConIRLengths {
			if task, err = readChains(filepath.Join(dir, "Task4", d.file+"_"+length+".csv"), "Query10"); err != nil {
				return nil, err
			}
			task.Name = d.name + "/length-" + length
			task.Scorings = []Scoring{{"Monotonicity", None}, {"WholeChain", None}}
			all = append(all, task)
		}
	}
	return all, nil
}

// readByConditions reads a file of task 1. It returns one task for each number of conditions; its
// queries rank the document that meets them all and the one that misses one.
func readByConditions(file, domain string) ([]Collected, error) {
	var columns []string
	for n := range multiConditions {
		columns = append(columns, "Query"+strconv.Itoa(n+1))
	}
	rows, docs, err := readConditions(file, columns)
	if err != nil {
		return nil, err
	}
	tasks := make([]Collected, multiConditions)
	for n := range tasks {
		tasks[n] = closed(docs)
		tasks[n].Name = conditionsTask(domain, n+1)
		tasks[n].Scorings = []Scoring{{"Monotonicity", None}}
		for i, queries := range rows {
			tasks[n].Queries = append(tasks[n].Queries, Posed{ID: strconv.Itoa(i + 1), Text: queries[n],
				Grades: map[string]int{conditionsDoc(i, 0): 1, conditionsDoc(i, n+1): 0}})
		}
	}
	return tasks, nil
}

// readChains reads a file of the tasks 2 to 4, whose queries grade all documents of their row. If
// there are two columns, the second has the first's queries in other words.
func readChains(file string, columns ...string) (task Collected, err error) {
	rows, docs, err := readConditions(file, columns)
	if err != nil {
		return task, err
	}
	task = closed(docs)
	for i, queries := range rows {
		grades := map[string]int{}
		for missed := range multiConditions + 1 {
			grades[conditionsDoc(i, missed)] = multiConditions - missed
		}
		first := Posed{ID: strconv.Itoa(i + 1), Text: queries[0], Grades: grades}
		task.Queries = append(task.Queries, first)
		if len(queries) > 1 {
			task.Queries = append(task.Queries, Posed{ID: first.ID + "-natural", Text: queries[1], Grades: grades, Rewords: first.ID})
		}
	}
	return task, nil
}

// closed returns a task in which each query ranks only the documents that it grades.
func closed(docs MemoryCorpus) Collected {
	return Collected{Documents: docs, Closed: true, Instruction: "Given a document search query, retrieve relevant documents that match the query"}
}

// conditionsDoc returns the ID of a document of row i, from 0: the one that meets all conditions
// (missed 0) or the hard negative with that number. The ID does not begin with a telling word.
func conditionsDoc(i, missed int) string { return fmt.Sprintf("%d-%d", i+1, missed) }

// readConditions reads the queries of each row in the named columns, and the documents of all rows.
func readConditions(file string, queries []string) (rows [][]string, docs MemoryCorpus, err error) {
	var cols []format.Column
	for _, name := range append(slices.Clone(queries), "Positive") {
		cols = append(cols, format.Column{Name: name})
	}
	for n := range multiConditions {
		cols = append(cols, format.Column{Name: "HN" + strconv.Itoa(n+1)})
	}
	for r, err := range format.Rows([]string{file}, cols) {
		if err != nil {
			return nil, nil, err
		}
		var asked []string
		for i, col := range cols {
			text := r.Text(i)
			switch {
			case text == "":
				return nil, nil, r.Pos.Errorf("column %q is empty", col.Name)
			case i < len(queries):
				asked = append(asked, text)
			default:
				docs = append(docs, Document{ID: conditionsDoc(len(rows), i-len(queries)), Text: text})
			}
		}
		rows = append(rows, asked)
	}
	if len(rows) == 0 {
		return nil, nil, fmt.Errorf("%s: no rows", file)
	}
	return rows, docs, nil
}
