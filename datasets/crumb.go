package datasets

// The separator of a passage's number in CRUMB's passage IDs, and the number of passages ranked per
// query if documents are ranked by their best passage, as in the authors' runs.
const (
	crumbMark  = ":"
	CrumbDepth = 2000
)

// crumbParts are the eight tasks of CRUMB, with the folder of their files. They state whether
// documents are judged and ranked by their best passage (MaxP).
var crumbParts = []struct {
	task, folder string
	bestPassage  bool
}{
	{"clinical_trial", "", true}, {"code_retrieval", "", false}, {"legal_qa", "", false}, {"paper_retrieval", "scientific_paper", false},
	{"set_operation_entity_retrieval", "", true}, {"stack_exchange", "", false}, {"theorem_retrieval", "", false}, {"tip_of_the_tongue", "", true},
}

// crumb returns CRUMB: eight tasks of complex queries over passages.
func crumb() Suite {
	s := Suite{
		Name: "crumb", About: "CRUMB: eight tasks of complex queries of several requirements",
		Licence:  "CC BY-NC 4.0",
		Citation: "Killingback and Zamani 2025, Benchmarking Information Retrieval Models on Complex Retrieval Tasks, arXiv:2509.07253",
		Protocol: "Rank all passages. In clinical_trial, set_operation_entity_retrieval and tip_of_the_tongue documents are judged: 2,000 passages are ranked and a document gets the rank of its best passage (MaxP), by the part of the passage's ID before \":\"; " +
			"the authors' script keeps the passage's ID there, which matches a judged document only if that has no \":\". Grades are cut to whole numbers. paper_retrieval has judgments of two grades of their own for recall and precision: paper_retrieval-binary. " +
			"The table is the unweighted mean of the eight tasks.",
		Measures: []string{"nDCG@10", "R@100", "R@1000", "P@10", "RR@10"}, Layout: InQueries,
	}
	for _, p := range crumbParts {
		part := SuitePart{Task: p.task, Repo: "jfkback/crumb", Revision: "adc97d8", Within: p.task, Folder: p.folder, Judgments: "passage_qrels"}
		if part.Folder == "" {
			part.Folder = p.task
		}
		if p.bestPassage {
			part.Judgments, part.PassageMark = "full_document_qrels", crumbMark
		}
		if p.task == "paper_retrieval" {
			part.Measures = s.Measures[:1]
			binary := part
			binary.Task, binary.Judgments, binary.Measures = p.task+"-binary", "passage_binary_qrels", s.Measures[1:]
			s.Parts = append(s.Parts, part, binary)
			continue
		}
		s.Parts = append(s.Parts, part)
	}
	return s
}
