package minihub

// rtebParts are the repositories of RTEB's open tasks with the commits that mteb pins.
var rtebParts = [][2]string{
	{"mteb/AILA_casedocs", "4106e6bcc72e0698d714ea8b101355e3e238431a"}, {"mteb/AILA_statutes", "ebfcd844eadd3d667efa3c57fc5c8c87f5c2867e"},
	{"mteb/legal_summarization", "3bb1a05c66872889662af04c5691c14489cebd72"}, {"mteb/LegalQuAD", "37aa6cfb01d48960b0f8e3f17d6e3d99bf1ebc3e"},
	{"embedding-benchmark/FinanceBench", "e68478442112cae36b70a216f52cc2777acf0a7e"}, {"embedding-benchmark/HC3Finance", "fda6fad068f2ed814d99f29dc95dbb28ac586943"},
	{"embedding-benchmark/FinQA", "bdd1903ce03153129480bfc14b710e3d612c1efd"}, {"CoIR-Retrieval/apps", "f22508f96b7a36c2415181ed8bb76f76e04ae2d5"},
	{"embedding-benchmark/DS1000", "25cd4dc8172e799235d83c66439b6b7b8e6583ec"}, {"embedding-benchmark/HumanEval", "ed1f48aca747f10bac146795328e2f03326e7625"},
	{"embedding-benchmark/MBPP", "586a1fd6a0c63fdeda3b49c0293559a81c79cdec"}, {"embedding-benchmark/WikiSQL_mteb", "4e099ab42dffd49d72c1472f451371e53343e3d7"},
	{"embedding-benchmark/FreshStack_mteb", "7a20df1abe4dafc46f93f9a7965bf9c6968bdf04"}, {"embedding-benchmark/SWEbenchCodeRetrieval", "440b0e732b8d02c16df2c95352ab6770abe997da"},
	{"embedding-benchmark/ChatDoctor_HealthCareMagic", "50c2986fedffa33b38afd5c1752026f8e9e5ed1d"},
}

// rteb are RTEB's open tasks of one language, in BEIR's file formats.
func rteb() []Repository {
	var all []Repository
	for i, p := range rtebParts {
		s := draw(generated("mini-bright", i), 3*i+1, 3)
		all = append(all, jsonTask(p[0], p[1], "mit", &s, "test"))
	}
	return all
}
