package datasets

import (
	"slices"
	"strings"
)

// MAIRTask is one of the 126 tasks of MAIR.
type MAIRTask struct {
	Name, Domain string
	Shared       string // tasks with the same value share a corpus; "" for their own
}

// MAIRTasks lists them in the order of MAIR's configuration (config.py of
// sunnweiwei/MAIR at cfe8801).
var MAIRTasks = []MAIRTask{
	{"Competition-Math", "Academic", ""},
	{"ProofWiki_Proof", "Academic", ""},
	{"ProofWiki_Reference", "Academic", ""},
	{"Stacks_Proof", "Academic", ""},
	{"Stacks_Reference", "Academic", ""},
	{"Stein_Proof", "Academic", ""},
	{"Stein_Reference", "Academic", ""},
	{"Trench_Proof", "Academic", ""},
	{"Trench_Reference", "Academic", ""},
	{"TAD", "Academic", ""},
	{"TAS2", "Academic", ""},
	{"StackMathQA", "Academic", ""},
	{"APPS", "Code", ""},
	{"CodeEditSearch", "Code", ""},
	{"CodeSearchNet", "Code", ""},
	{"Conala", "Code", ""},
	{"HumanEval-X", "Code", ""},
	{"LeetCode", "Code", ""},
	{"MBPP", "Code", ""},
	{"RepoBench", "Code", ""},
	{"TLDR", "Code", ""},
	{"SWE-Bench-Lite", "Code", ""},
	{"Apple", "Finance", ""},
	{"ConvFinQA", "Finance", ""},
	{"FinQA", "Finance", ""},
	{"FinanceBench", "Finance", ""},
	{"HC3Finance", "Finance", ""},
	{"TAT-DQA", "Finance", ""},
	{"Trade-the-event", "Finance", ""},
	{"AY2", "Web", "AY2"},
	{"ELI5", "Web", "AY2"},
	{"Fever", "Web", "AY2"},
	{"TREx", "Web", "AY2"},
	{"WnCw", "Web", "AY2"},
	{"WnWi", "Web", "AY2"},
	{"WoW", "Web", "AY2"},
	{"zsRE", "Web", "AY2"},
	{"AILA2019-Case", "Legal", ""},
	{"AILA2019-Statutes", "Legal", ""},
	{"BSARD", "Legal", ""},
	{"BillSum", "Legal", ""},
	{"CUAD", "Legal", ""},
	{"GerDaLIR", "Legal", ""},
	{"LeCaRDv2", "Legal", ""},
	{"LegalQuAD", "Legal", ""},
	{"REGIR-EU2UK", "Legal", ""},
	{"REGIR-UK2EU", "Legal", ""},
	{"ArguAna", "Web", ""},
	{"CQADupStack", "Web", ""},
	{"FiQA", "Finance", ""},
	{"NFCorpus", "Medical", ""},
	{"Quora", "Web", ""},
	{"SciDocs", "Academic", ""},
	{"SciFact", "Academic", ""},
	{"TopiOCQA", "Web", ""},
	{"Touche", "Web", ""},
	{"Trec-Covid", "Medical", ""},
	{"ACORDAR", "Web", ""},
	{"CPCD", "Web", ""},
	{"ChroniclingAmericaQA", "Web", ""},
	{"Monant", "Medical", ""},
	{"NTCIR", "Web", ""},
	{"PointRec", "Web", ""},
	{"ProCIS-Dialog", "Web", "ProCIS-Dialog"},
	{"ProCIS-Turn", "Web", "ProCIS-Dialog"},
	{"QuanTemp", "Web", ""},
	{"WebTableSearch", "Web", ""},
	{"CARE", "Medical", ""},
	{"MISeD", "Web", ""},
	{"SParC", "Web", ""},
	{"SParC-SQL", "Web", ""},
	{"Spider", "Web", ""},
	{"Spider-SQL", "Web", ""},
	{"LitSearch", "Academic", ""},
	{"CAsT_2019", "Web", "CAsT_2019"},
	{"CAsT_2020", "Web", "CAsT_2019"},
	{"CAsT_2021", "Web", "CAsT_2021"},
	{"CAsT_2022", "Web", "CAsT_2021"},
	{"Core_2017", "Web", ""},
	{"Microblog_2011", "Web", ""},
	{"Microblog_2012", "Web", ""},
	{"Microblog_2013", "Web", ""},
	{"Microblog_2014", "Web", ""},
	{"PrecisionMedicine_2017", "Medical", "PrecisionMedicine_2017"},
	{"PrecisionMedicine_2018", "Medical", "PrecisionMedicine_2017"},
	{"PrecisionMedicine_2019", "Medical", ""},
	{"PrecisionMedicine-Article_2019", "Medical", "Article_2019"},
	{"PrecisionMedicine-Article_2020", "Medical", "Article_2019"},
	{"CliniDS_2014", "Medical", "CliniDS_2014"},
	{"CliniDS_2015", "Medical", "CliniDS_2014"},
	{"CliniDS_2016", "Medical", "CliniDS_2014"},
	{"ClinicalTrials_2021", "Medical", "ClinicalTrials_2021"},
	{"ClinicalTrials_2022", "Medical", "ClinicalTrials_2021"},
	{"ClinicalTrials_2023", "Medical", ""},
	{"DD_2015", "Web", ""},
	{"DD_2016", "Web", ""},
	{"DD_2017", "Web", ""},
	{"FairRanking_2020", "Academic", ""},
	{"FairRanking_2021", "Web", ""},
	{"FairRanking_2022", "Web", ""},
	{"Genomics-AdHoc_2004", "Medical", "AdHoc_2004"},
	{"Genomics-AdHoc_2005", "Medical", "AdHoc_2004"},
	{"Genomics-AdHoc_2006", "Medical", "AdHoc_2006"},
	{"Genomics-AdHoc_2007", "Medical", "AdHoc_2006"},
	{"TREC-Legal_2011", "Legal", ""},
	{"NeuCLIR-Tech_2023", "Web", ""},
	{"NeuCLIR_2022", "Web", "NeuCLIR_2022"},
	{"NeuCLIR_2023", "Web", "NeuCLIR_2022"},
	{"ProductSearch_2023", "Web", ""},
	{"ToT_2023", "Web", "ToT_2023"},
	{"ToT_2024", "Web", "ToT_2023"},
	{"FoodAPI", "Code", ""},
	{"HuggingfaceAPI", "Code", ""},
	{"PytorchAPI", "Code", ""},
	{"SpotifyAPI", "Code", ""},
	{"TMDB", "Code", ""},
	{"TensorAPI", "Code", ""},
	{"ToolBench", "Code", ""},
	{"WeatherAPI", "Code", ""},
	{"ExcluIR", "Web", ""},
	{"Core17", "Web", ""},
	{"News21", "Web", ""},
	{"Robust04", "Web", ""},
	{"InstructIR", "Web", ""},
	{"NevIR", "Web", ""},
	{"IFEval", "Web", ""},
}

// MAIRGroups returns the domain and the task under which a task or split of MAIR ("IFEval/x") is
// averaged; nil if MAIR has no such task.
func MAIRGroups(name string) []string {
	published, _, _ := strings.Cut(name, "/")
	i := slices.IndexFunc(MAIRTasks, func(t MAIRTask) bool { return t.Name == published })
	if i < 0 {
		return nil
	}
	return []string{MAIRTasks[i].Domain, published}
}

// HasMAIRTask reports whether MAIR has a task with that name. Other benchmarks may have one, too.
func HasMAIRTask(task string) bool {
	return slices.ContainsFunc(MAIRTasks, func(t MAIRTask) bool { return t.Name == task })
}
