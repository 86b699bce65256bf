package datasets

// limit returns LIMIT: all pairs of 46 documents are relevant to some query, among 50,000.
func limit() Suite {
	return Suite{
		Name: "limit", About: "LIMIT: a limit of single vectors: every pair of documents is relevant to some query",
		Licence:  "Apache 2.0",
		Citation: "Weller et al. 2025, On the Theoretical Limitations of Embedding-Based Retrieval, arXiv:2508.21038",
		Protocol: "Rank the full corpus; two documents are relevant to each query, so that R@2 is the score.",
		Measures: []string{"R@2", "R@100"}, Layout: MTEB,
		Parts: []SuitePart{{Task: "limit", Repo: "orionweller/LIMIT", Revision: "48142cc741b04d0b4af370ade7e8b42430382670"}},
	}
}

// limitSmall returns LIMIT with only the 46 relevant documents.
func limitSmall() Suite {
	s := limit()
	s.Name, s.About = "limit-small", "LIMIT with only its 46 relevant documents"
	s.Measures = []string{"R@2", "R@10"}
	s.Parts = []SuitePart{{Task: "limit-small", Repo: "orionweller/LIMIT-small", Revision: "ff4a8f2476ae77476c1912f1f3cb5bb5f2d766d4"}}
	return s
}
