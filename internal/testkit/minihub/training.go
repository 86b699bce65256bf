package minihub

import (
	"fmt"

	"infbench/datasets"
)

// records is the number of records in a miniature training set: enough for one batch of 32,
// the paper's size, when a quarter of the records is held out.
const records = 60

// olderRow is a record of aarontrinh02/ms_marco_synthetic_data.
type olderRow struct {
	InstructionPositive string `parquet:"instruction_positive"`
	InstructionNegative string `parquet:"instruction_negative"`
	QueryPositive       string `parquet:"query_positive"`
	QueryNegative       string `parquet:"query_negative"`
	Document            string `parquet:"document"`
	HardNegative1       string `parquet:"hard_negative_document_1"`
	HardNegative2       string `parquet:"hard_negative_document_2"`
}

// taskRow is a record of instruction_following_synthetic, whose positive has another name.
type taskRow struct {
	InstructionPositive string `parquet:"instruction_positive"`
	InstructionNegative string `parquet:"instruction_negative"`
	QueryPositive       string `parquet:"query_positive"`
	QueryNegative       string `parquet:"query_negative"`
	Document            string `parquet:"document_positive"`
	HardNegative1       string `parquet:"hard_negative_document_1"`
	HardNegative2       string `parquet:"hard_negative_document_2"`
}

// releaseRow is a record of InF-IR/InF-IR with its known columns.
type releaseRow struct {
	QueryPositive       string `parquet:"query_positive"`
	InstructionPositive string `parquet:"instruction_positive"`
	InstructionNegative string `parquet:"instruction_negative"`
	Document            string `parquet:"document_positive"`
	HardNegative1       string `parquet:"hard_negative_document_1"`
}

// infIR returns the released set and the older ones.
func infIR() []Repository {
	all := datasets.MiniInfIRSized(world, 2*records)
	var older, unfiltered []olderRow
	var tasks []taskRow
	var release []releaseRow
	for i, t := range all {
		row := olderRow{t.InstructionPositive, t.InstructionNegative, t.QueryPositive, t.QueryNegative, t.Positive, t.HardNegative1, t.HardNegative2}
		spoilt := row
		if i%3 == 0 { // a judge would reject this record
			spoilt.Document, spoilt.HardNegative1 = row.HardNegative1, row.Document
		}
		if i < records {
			older = append(older, row)
			release = append(release, releaseRow{t.QueryPositive, t.InstructionPositive, t.InstructionNegative, t.Positive, t.HardNegative1})
		} else {
			tasks = append(tasks, taskRow(row))
		}
		unfiltered = append(unfiltered, spoilt)
	}
	train := card("", config{"default", [][2]string{{"train", "data/train-*"}}})
	return []Repository{
		dataset("InF-IR/InF-IR", "", map[string][]byte{
			"README.md":                           card("", config{"default", [][2]string{{"msmarco", "data/msmarco-*"}}}),
			"data/msmarco-00000-of-00001.parquet": parquetFile(release)}),
		dataset("aarontrinh02/ms_marco_synthetic_data", "", map[string][]byte{
			"README.md": train, "data/train-00000-of-00001.parquet": parquetFile(older)}),
		dataset("aarontrinh02/ms_marco_synthetic_data_unfiltered", "", map[string][]byte{
			"README.md": train, "data/train-00000-of-00001.parquet": parquetFile(unfiltered)}),
		dataset("aarontrinh02/instruction_following_synthetic", "", map[string][]byte{
			"README.md":                            card("", config{"default", [][2]string{{"metamath", "data/metamath-*"}}}),
			"data/metamath-00000-of-00001.parquet": parquetFile(tasks)}),
	}
}

// promptriever is samaya-ai/msmarco-w-instructions.
func promptriever() Repository {
	type passage struct {
		ID    string `parquet:"docid"`
		Text  string `parquet:"text"`
		Title string `parquet:"title"`
	}
	type judged struct {
		ID          string  `parquet:"docid"`
		Explanation string  `parquet:"explanation"`
		Score       float64 `parquet:"followir_score"`
		Joint       string  `parquet:"joint_id"`
		Text        string  `parquet:"text"`
		Title       string  `parquet:"title"`
	}
	type row struct {
		ID              string    `parquet:"query_id"`
		Query           string    `parquet:"query"`
		Positive        []judged  `parquet:"positive_passages,list"`
		Negative        []passage `parquet:"negative_passages,list"`
		OnlyInstruction string    `parquet:"only_instruction"`
		OnlyQuery       string    `parquet:"only_query"`
		HasInstruction  bool      `parquet:"has_instruction"`
		New             []judged  `parquet:"new_negatives,list"`
	}
	var rows []row
	for i, t := range datasets.MiniInfIRSized(world, records) {
		r := row{ID: fmt.Sprint(1000 + i), Query: t.QueryPositive, OnlyQuery: t.QueryPositive,
			Positive: []judged{{ID: fmt.Sprint(i), Score: 1, Text: t.Positive, Title: "-"}},
			Negative: []passage{{fmt.Sprint(100 + i), t.HardNegative2, "-"}}}
		if i%2 == 0 { // every other query has no instruction, as in the original
			r.ID += "-instruct"
			r.Query, r.OnlyInstruction, r.HasInstruction = t.QueryPositive+" "+t.InstructionPositive, t.InstructionPositive, true
			r.New = []judged{{ID: fmt.Sprint(200 + i), Explanation: "asks for another", Joint: r.ID, Text: t.HardNegative1}}
		}
		rows = append(rows, r)
	}
	return dataset("samaya-ai/msmarco-w-instructions", "", map[string][]byte{
		"README.md":                         card("", config{"default", [][2]string{{"train", "data/train-*"}}}),
		"data/train-00000-of-00002.parquet": parquetFile(rows[:records/2]),
		"data/train-00001-of-00002.parquet": parquetFile(rows[records/2:])})
}

// msMARCO is microsoft/ms_marco: v2.1 in seven shards, and v1.1.
func msMARCO() Repository {
	type passages struct {
		Selected []int32  `parquet:"is_selected,list"`
		Texts    []string `parquet:"passage_text,list"`
		URLs     []string `parquet:"url,list"`
	}
	type row struct {
		Answers  []string `parquet:"answers,list"`
		Passages passages `parquet:"passages"`
		Query    string   `parquet:"query"`
		ID       int32    `parquet:"query_id"`
		Type     string   `parquet:"query_type"`
		Formed   []string `parquet:"wellFormedAnswers,list"`
	}
	var rows []row
	for i, t := range datasets.MiniInfIRSized(world, records) {
		rows = append(rows, row{[]string{"No Answer Present."},
			passages{[]int32{0, 1, 0}, []string{t.HardNegative1, t.Positive, t.HardNegative2}, []string{"u", "v", "w"}},
			t.QueryPositive, int32(i), "DESCRIPTION", []string{}})
	}
	var configs []config
	files := map[string][]byte{}
	for version, shards := range map[string]int{"v1.1": 1, "v2.1": 7} {
		for _, s := range []string{"validation", "test"} {
			files[version+"/"+s+"-00000-of-00001.parquet"] = parquetFile(rows[:2])
		}
		for i := range shards {
			files[fmt.Sprintf("%s/train-%05d-of-%05d.parquet", version, i, shards)] = parquetFile(rows[i*len(rows)/shards : (i+1)*len(rows)/shards])
		}
	}
	for _, version := range []string{"v1.1", "v2.1"} {
		configs = append(configs, config{version, [][2]string{
			{"validation", version + "/validation-*"}, {"train", version + "/train-*"}, {"test", version + "/test-*"}}})
	}
	files["README.md"] = card("", configs...)
	return dataset("microsoft/ms_marco", "a47ee7aae8d7d466ba15f9f0bfac3b3681087b3a", files)
}
