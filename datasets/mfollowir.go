package datasets

import (
	"fmt"
)

const mFollowIRCitation = "Weller et al. 2025, mFollowIR: a Multilingual Benchmark for Instruction Following in Retrieval, arXiv:2501.19264"

// mFollowIRLanguages are Persian, Russian and Chinese under the names of the configs.
var mFollowIRLanguages = []string{"fas", "rus", "zho"}

// mFollowIR returns FollowIR on NeuCLIR: documents, queries and instructions in the same language.
func mFollowIR() Source {
	return Source{
		Name: "mfollowir", About: "mFollowIR: FollowIR in Persian, Russian and Chinese",
		Repos:   []Repo{{"jhu-clsp/mFollowIR-parquet-mteb", "09eecbe45c54b4a6dfb8e68e345cae77337768e2"}},
		Licence: "ODC-By", Citation: mFollowIRCitation, Measures: []string{"p-MRR", "nDCG@20"},
		Protocol: "Rerank the 1000 candidates of each query; p-MRR per language, then the mean of the three.",
		open: func(root string, s *Source, pick *taskChoice) ([]Task, error) {
			return openMFollowIR(root, s, pick, "")
		},
	}
}

// mFollowIRCrossLingual returns mFollowIR with queries and instructions in English.
func mFollowIRCrossLingual() Source {
	s := mFollowIR()
	s.Name, s.About = "mfollowir-cross", "mFollowIR with English queries and instructions"
	s.Repos = []Repo{{"jhu-clsp/mFollowIR-cross-lingual-parquet-mteb", "6b01566619233a0c35d135123510b6b02c258ff5"}}
	s.open = func(root string, s *Source, pick *taskChoice) ([]Task, error) {
		return openMFollowIR(root, s, pick, "eng-")
	}
	return s
}

// openMFollowIR opens the chosen languages. The configs of a language end in its name; prefix only
// affects the task names ("eng-fas").
func openMFollowIR(root string, s *Source, pick *taskChoice, prefix string) ([]Task, error) {
	r, err := openRepo(root, s.Repos[0])
	if err != nil {
		return nil, err
	}
	var tasks []Task
	for _, language := range mFollowIRLanguages {
		name := prefix + language
		if !pick.Wants(name, language) {
			continue
		}
		parts := r.mtebConfigs(func(part string) string { return part + "-" + language }, "test")
		task, err := r.openSuffixed(name, parts)
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", name, err)
		}
		task.Scorings = []Scoring{{Measure: "nDCG@20", Side: Original}, {Measure: "p-MRR"}}
		tasks = append(tasks, *task)
	}
	return tasks, nil
}
