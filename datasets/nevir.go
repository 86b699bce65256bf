package datasets

// nevIR returns NevIR: pairs of passages that differ in a negation, and for each passage a question
// that only it answers.
func nevIR() Source {
	return Source{
		Name: "nevir", About: "NevIR: two passages that differ in a negation",
		Repos:    []Repo{{"orionweller/NevIR-mteb", "eab99575c01c6a8e39f8d2adc6e3c3adcfe84413"}},
		Licence:  "MIT",
		Citation: "Weller et al. 2023, NevIR: Negation in Neural Information Retrieval, arXiv:2305.07614",
		Measures: []string{"PairedAccuracy", "R@1"},
		Protocol: "Rank the two passages of each question. A pair (IDs ending in _q1 and _q2) counts if R@1 is 1 for both questions; " +
			"PairedAccuracy is the mean over pairs, 25 % for a random order.",
		open: openNevIR,
	}
}

func openNevIR(root string, s *Source, pick *taskChoice) ([]Task, error) {
	if !pick.Wants("nevir") {
		return nil, nil
	}
	r, err := openRepo(root, s.Repos[0])
	if err != nil {
		return nil, err
	}
	task, err := r.openMTEBTask("nevir", r.mtebConfigs(plainName, "test"))
	if err != nil {
		return nil, err
	}
	task.Scorings = []Scoring{{Measure: "PairedAccuracy"}, {Measure: "R@1"}}
	return []Task{*task}, nil
}
