package published

import "strings"

// beirTasks are MTEB's names of BEIR's data sets (mteb 2.26.24), by BEIR's own.
var beirTasks = map[string]string{
	"trec-covid": "TRECCOVID", "nfcorpus": "NFCorpus", "nq": "NQ", "hotpotqa": "HotpotQA", "fiqa": "FiQA2018", "arguana": "ArguAna",
	"touche2020": "Touche2020", "quora": "QuoraRetrieval", "dbpedia": "DBPedia", "scidocs": "SCIDOCS", "fever": "FEVER",
	"climate-fever": "ClimateFEVER", "scifact": "SciFact", "msmarco": "MSMARCO",
}

// BEIRNames is like Names for the data sets of BEIR: those that this program fetches (beir-scifact),
// and folders that were imported under BEIR's name (scifact). For a folder, imported is true: it
// may have other texts than the data set that MTEB pins, and the files do not show it.
func BEIRNames(benchmark, task string) (names []Name, imported bool) {
	set, fetched := strings.CutPrefix(benchmark, "beir-")
	name := Name{Task: beirTasks[set]}
	switch {
	case name.Task == "", fetched && task != set:
		return nil, false
	case !fetched:
		name.Split = task
	}
	return []Name{name}, !fetched
}
