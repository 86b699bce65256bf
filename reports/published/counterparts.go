package published

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Name is the name of a task in other sources. An empty Subset means any, and an empty Split means
// any on which the task is evaluated: the source has only one, or none.
type Name struct{ Task, Split, Subset string }

// Covers reports whether a cell is about the named task.
func (n Name) Covers(c *Cell) bool {
	return n.Task == c.Task && (n.Split == c.Split || n.Split == "" && Evaluates(c.Task, c.Split)) && (n.Subset == "" || n.Subset == c.Subset)
}

// Names lists the names in other sources of a task of one of this program's benchmarks. It is nil
// if nobody publishes numbers with the same meaning. BRIGHT with rewritten queries, for example,
// has no name, since its queries differ.
func Names(benchmark, task string) []Name {
	switch benchmark {
	case "followir", "followir-v1", followIRSwapped:
		return followIRNames[task]
	case "mair":
		return mairNames(task)
	case "bright", "bright-long":
		return brightNames(task, benchmark == "bright-long")
	case "r2med":
		if repo, ok := r2medRepositories[task]; ok {
			return []Name{{Task: r2medTask(repo)}}
		}
	case "bright-pro":
		if isBrightPro(task) {
			return []Name{{Task: brightProTask(task)}}
		}
	case "browsecomp-plus":
		if slices.Contains(browseCompJudgments, task) {
			return []Name{{Task: browseCompTask(task)}}
		}
	}
	return nil
}

// browseCompJudgments are the tasks of BrowseComp-Plus.
var browseCompJudgments = []string{"evidence", "gold"}

// r2medRepositories are the repositories of R2MED's tasks, from which mteb derives names.
var r2medRepositories = map[string]string{
	"biology": "Biology", "bioinformatics": "Bioinformatics", "medical-sciences": "Medical-Sciences", "medxpertqa-exam": "MedXpertQA-Exam",
	"medqa-diag": "MedQA-Diag", "pmc-treatment": "PMC-Treatment", "pmc-clinical": "PMC-Clinical", "iiyi-clinical": "IIYi-Clinical",
}

// isBrightPro reports whether BRIGHT-Pro has a domain of BRIGHT: it has those of StackExchange.
func isBrightPro(domain string) bool {
	return brightTasks[domain] != "" && !slices.Contains([]string{"leetcode", "pony", "aops", "theoremqa_questions", "theoremqa_theorems"}, domain)
}

// Ours returns this program's name for a task of MTEB's with the same meaning. It is the inverse of
// Names, except for MAIR, whose tasks are only in its own list.
func (n Name) Ours() (benchmark, task string, ok bool) {
	for task, names := range followIRNames {
		if n.Task == names[0].Task {
			return "followir", task, true
		}
	}
	for task, repo := range r2medRepositories {
		if n.Task == r2medTask(repo) {
			return "r2med", task, true
		}
	}
	for _, judgments := range browseCompJudgments {
		if n.Task == browseCompTask(judgments) {
			return "browsecomp-plus", judgments, true
		}
	}
	for domain := range brightTasks {
		if isBrightPro(domain) && n.Task == brightProTask(domain) {
			return "bright-pro", domain, true
		}
		for benchmark, long := range map[string]bool{"bright": false, "bright-long": true} {
			if n.Task == brightNames(domain, long)[0].Task {
				return benchmark, domain, true
			}
		}
	}
	return "", "", false
}

// followIRSwapped is the benchmark that scores as mteb 1.7 to 1.39 did.
const followIRSwapped = "followir-mteb1"

var followIRNames = map[string][]Name{
	"robust04": {{Task: "Robust04InstructionRetrieval"}, {Task: "Robust04"}},
	"news21":   {{Task: "News21InstructionRetrieval"}, {Task: "News21"}},
	"core17":   {{Task: "Core17InstructionRetrieval"}, {Task: "Core17"}},
}

// mairPrinted are the five tasks of MAIR in the paper, with its names.
var mairPrinted = map[string]string{
	"DD_2015": "DD-15", "DD_2016": "DD-16", "DD_2017": "DD-17", "FairRanking_2021": "FR-21", "FairRanking_2022": "FR-22",
}

// mairElsewhere are tasks of MAIR whose names MTEB uses for other queries and documents. A result
// file does not show which of the two it has.
var mairElsewhere = map[string]bool{
	"ArguAna": true, "NFCorpus": true, "SciFact": true, "GerDaLIR": true, "LeCaRDv2": true, "LegalQuAD": true,
}

// mairNames returns the names of a task of MAIR; the splits of a task have no published numbers of
// their own.
func mairNames(task string) []Name {
	var names []Name
	if !mairElsewhere[task] && !strings.Contains(task, "/") {
		names = append(names, Name{Task: task})
	}
	if printed, ok := mairPrinted[task]; ok {
		names = append(names, Name{Task: printed})
	}
	return names
}

// brightTasks are the middle parts of the names of the domains in mteb's BRIGHT(v1.1):
// BrightEarthScienceRetrieval.
var brightTasks = map[string]string{
	"biology": "Biology", "earth_science": "EarthScience", "economics": "Economics", "psychology": "Psychology",
	"robotics": "Robotics", "stackoverflow": "Stackoverflow", "sustainable_living": "SustainableLiving", "leetcode": "Leetcode",
	"pony": "Pony", "aops": "Aops", "theoremqa_questions": "TheoremQAQuestions", "theoremqa_theorems": "TheoremQATheorems",
}

func brightNames(domain string, long bool) []Name {
	middle, ok := brightTasks[domain]
	if !ok {
		return nil
	}
	if long {
		return []Name{{Task: "Bright" + middle + "LongRetrieval"}, {Task: "BrightRetrieval", Split: "long", Subset: domain}}
	}
	return []Name{{Task: "Bright" + middle + "Retrieval"}, {Task: "BrightRetrieval", Split: "standard", Subset: domain}}
}

// Part is one of the numbers that a Combination averages.
type Part struct{ Task, Side, Measure string }

// Combination is a published number that is the unweighted mean of other numbers.
type Combination struct {
	Name          Name
	Side, Measure string
	Title         string // the name of the mean on boards of this program
	Parts         []Part // with this program's names
}

// Called returns the measure in the terms of this program's boards: "FollowIR score" for a mean
// over several measures.
func (c Combination) Called() string {
	for _, p := range c.Parts {
		if p.Measure != c.Measure {
			return c.Name.Task + " " + c.Measure
		}
	}
	return c.Measure
}

// Grouped reports whether numbers of a benchmark of this program are published as means over groups
// of its tasks. MAIR's are, with tasks made of splits and domains made of tasks, and so are those
// of the generated benchmark with its structure.
func Grouped(benchmark string) bool { return benchmark == "mair" || benchmark == "mini-mair" }

// Combinations lists the means over tasks that the paper prints for a benchmark of this program.
// They are defined only here: measured and published numbers are averaged by the same list.
func Combinations(benchmark string) []Combination {
	switch benchmark {
	case "followir", "followir-v1", followIRSwapped:
		return []Combination{
			{Name: Name{Task: "FollowIR"}, Side: "original", Measure: "score", Title: "mean of 3 tasks", Parts: []Part{
				{"robust04", "original", "AP@1000"}, {"news21", "original", "nDCG@5"}, {"core17", "original", "AP@1000"}}},
			{Name: Name{Task: "FollowIR"}, Measure: "p-MRR", Title: "mean of 3 tasks", Parts: parts("p-MRR", "robust04", "news21", "core17")},
		}
	case "mair":
		return []Combination{{Name: Name{Task: "MAIR-5"}, Measure: "nDCG@10", Title: "MAIR-5",
			Parts: parts("nDCG@10", "DD_2015", "DD_2016", "DD_2017", "FairRanking_2021", "FairRanking_2022")}}
	case "bright":
		return []Combination{{Name: Name{Task: "Bright"}, Measure: "nDCG@10", Title: "mean of 12 domains",
			Parts: parts("nDCG@10", "biology", "earth_science", "economics", "psychology", "robotics", "stackoverflow", "sustainable_living",
				"leetcode", "pony", "aops", "theoremqa_questions", "theoremqa_theorems")}}
	case "r2med":
		return []Combination{{Name: Name{Task: "R2MED"}, Measure: "nDCG@10", Title: "mean of 8 tasks",
			Parts: parts("nDCG@10", slices.Sorted(maps.Keys(r2medRepositories))...)}}
	case "bright-pro":
		var all []Combination
		for _, measure := range []string{"nDCG@10", "aspect_nDCG@25", "A-Recall@25", "R@25"} {
			all = append(all, Combination{Name: Name{Task: "BRIGHT-Pro"}, Measure: measure, Title: "mean of 7 domains",
				Parts: parts(measure, "biology", "earth_science", "economics", "psychology", "robotics", "stackoverflow", "sustainable_living")})
		}
		return all
	case "crumb":
		return []Combination{
			{Name: Name{Task: "CRUMB"}, Measure: "nDCG@10", Title: "mean of 8 tasks", Parts: parts("nDCG@10", append(slices.Clone(crumbTasks), "paper_retrieval")...)},
			{Name: Name{Task: "CRUMB"}, Measure: "R@100", Title: "mean of 8 tasks", Parts: parts("R@100", append(slices.Clone(crumbTasks), "paper_retrieval-binary")...)},
		}
	case "multiconir":
		return multiConIRMeans()
	}
	return nil
}

// crumbTasks are the tasks of CRUMB that have one set of judgments.
var crumbTasks = []string{"clinical_trial", "code_retrieval", "legal_qa", "set_operation_entity_retrieval", "stack_exchange", "theorem_retrieval", "tip_of_the_tongue"}

// multiConIRMeans are the means of MultiConIR's tables over its five domains.
func multiConIRMeans() (all []Combination) {
	mean := func(side, measure, kind string) {
		c := Combination{Name: Name{Task: "MultiConIR " + kind}, Side: side, Measure: measure, Title: kind + ", mean of 5 domains"}
		for _, domain := range []string{"books", "legal-document", "medical-case", "movies", "people"} {
			c.Parts = append(c.Parts, Part{Task: domain + "/" + kind, Side: side, Measure: measure})
		}
		all = append(all, c)
	}
	for n := range 10 {
		mean("", "Monotonicity", fmt.Sprintf("conditions-%02d", n+1))
	}
	mean("original", "Monotonicity", "monotonicity")
	mean("", "FlipRate", "monotonicity")
	mean("", "Monotonicity", "length-512")
	mean("", "Monotonicity", "length-1024")
	return all
}

// parts are tasks without sides, all scored by one measure.
func parts(measure string, tasks ...string) []Part {
	out := make([]Part, len(tasks))
	for i, task := range tasks {
		out[i] = Part{Task: task, Measure: measure}
	}
	return out
}

// Ours returns the conventions of a number that this program measured. It ranks documents of equal
// score by ID and removes the documents that BRIGHT excludes. A ranking is evaluated by the
// judgments of its own instruction, except on the benchmark that repeats the exchange of mteb 1.
func Ours(benchmark string, name Name, side string) Conventions {
	c := Conventions{Qrels: side, Ties: TiesByID, Version: "infbench"}
	if benchmark == followIRSwapped {
		c.Qrels = otherSide[side]
	}
	if hasExcluded(name) {
		c.Excluded = ExcludedRemoved
	}
	return c
}

// otherSide exchanges the two sides; "" remains "".
var otherSide = map[string]string{"original": "changed", "changed": "original"}
