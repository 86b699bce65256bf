package datasets

// instructIR returns InstructIR: instructions of about ten users for each of a thousand MS MARCO
// queries, with one relevant passage each.
func instructIR() Source {
	return Source{
		Name: "instructir", About: "InstructIR: one query, many users with different backgrounds",
		Repos:    []Repo{{"mteb/InstructIR-mteb", "42c3afabe480643b755a7099dbf0f9ebeedaf6ca"}},
		Licence:  "MIT (passages from MS MARCO: non-commercial research)",
		Citation: "Oh et al. 2024, INSTRUCTIR: A Benchmark for Instruction Following of Information Retrieval Models, arXiv:2402.14334",
		Measures: []string{"Robustness@10", "nDCG@10"},
		Protocol: "Rank the full corpus. Robustness@10 is the mean over groups of the lowest nDCG@10 in the group; " +
			"a group is the queries whose IDs agree up to the first _. The original puts the instruction first, then [SEP], then the query.",
		open: openInstructIR,
	}
}

func openInstructIR(root string, s *Source, pick *taskChoice) ([]Task, error) {
	if !pick.Wants("instructir") {
		return nil, nil
	}
	r, err := openRepo(root, s.Repos[0])
	if err != nil {
		return nil, err
	}
	task, err := r.openMTEBTask("instructir", r.mtebConfigs(plainName, "test"))
	if err != nil {
		return nil, err
	}
	task.Scorings = []Scoring{{Measure: "Robustness@10"}, {Measure: "nDCG@10"}}
	return []Task{*task}, nil
}
