package datasets

import "infbench/datasets/format"

// msMARCO returns MS MARCO v2.1 (question answering), the seed of InF-IR: ten passages per query.
// Its records have one row without an instruction: the first selected passage is the answer, and
// the unselected ones are the negatives. Lines without a selected passage are skipped.
func msMARCO() TrainingSource {
	return TrainingSource{
		Name: "msmarco", About: "MS MARCO v2.1: queries with ten passages each",
		Repo: Repo{ID: "microsoft/ms_marco"}, Config: "v2.1", Split: "train",
		Licence:  "non-commercial research",
		Citation: "Bajaj et al. 2016, MS MARCO: A Human Generated MAchine Reading COmprehension Dataset, arXiv:1611.09268",
		cols: []format.Column{
			{Name: "query_id", Kind: format.ID},
			{Name: "query"},
			{Name: "passages.passage_text", List: true},
			{Name: "passages.is_selected", Kind: format.Int, List: true},
		},
		fill: func(r *format.Row) (Record, bool) {
			row := Row{Query: r.Text(1)}
			texts, selected := r.Texts(2), r.Ints(3)
			for i := range min(len(texts), len(selected)) {
				switch {
				case selected[i] == 0:
					row.Negatives = append(row.Negatives, texts[i])
				case row.Passage == "":
					row.Passage = texts[i]
				}
			}
			return Record{r.Text(0), []Row{row}}, row.Passage != ""
		},
	}.without("instruction_positive", instructionNegative, queryNegative, "hard_negative_document_2")
}
