package datasets

import (
	"slices"
	"strings"
)

// TaskNames lists the names of a benchmark's tasks and groups of tasks, as far as they are known
// without its files. complete is false if the files may have more: splits, and unknown benchmarks.
func TaskNames(benchmark string) (names []string, complete bool) {
	if slices.Contains(MiniNames(), benchmark) {
		b, err := Mini(benchmark, 1) // its task names are the same in every world
		if err != nil {
			return nil, false
		}
		for _, t := range b.Tasks {
			names = append(append(names, t.Name), t.Groups...)
		}
		return Distinct(names), true
	}
	switch {
	case benchmark == "mair":
		for _, t := range MAIRTasks {
			names = append(names, t.Name)
		}
		for _, t := range MAIRTasks {
			names = append(names, t.Domain)
		}
		return Distinct(names), false
	case strings.HasPrefix(benchmark, "followir"):
		for _, part := range followIRParts {
			names = append(names, part.task)
		}
	case strings.HasPrefix(benchmark, "bright"):
		for _, split := range brightSplits {
			if split.long || !strings.HasPrefix(benchmark, "bright-long") {
				names = append(names, split.name)
			}
		}
	}
	for _, suite := range Suites() {
		if suite.Name == benchmark {
			for _, part := range suite.Parts {
				names = append(names, part.Task)
			}
		}
	}
	return names, len(names) > 0
}
