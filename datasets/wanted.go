package datasets

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// filedTask is a task of a source whose files tell by their names that they are its.
type filedTask struct {
	names []string // what it may be picked by, its own first
	has   func(file string) bool
}

// Wanted tells of the files of the source's repositories which the named tasks, or
// groups of tasks, are read from; nil, for all, where none is named. It fails on
// unknown tasks and on sources whose files are not told apart by task.
func (s *Source) Wanted(tasks []string) (func(file string) bool, error) {
	if len(tasks) == 0 {
		return nil, nil
	}
	if s.filed == nil {
		return nil, fmt.Errorf("%s is fetched whole: the names of its files do not tell its tasks", s.Name)
	}
	pick := chooseTasks(tasks)
	picked := slices.DeleteFunc(s.filed(), func(t filedTask) bool { return !pick.Wants(t.names...) })
	if err := pick.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return func(file string) bool {
		return !IsDataFile(file) || slices.ContainsFunc(picked, func(t filedTask) bool { return t.has(file) })
	}, nil
}

// mairFiled are the tasks of MAIR: a folder each, which for documents may be that of
// the first task that shares them.
func mairFiled() []filedTask {
	var all []filedTask
	for _, t := range MAIRTasks {
		first := t.Name
		if t.Shared != "" {
			first = MAIRTasks[slices.IndexFunc(MAIRTasks, func(other MAIRTask) bool { return other.Shared == t.Shared })].Name
		}
		all = append(all, filedTask{[]string{t.Name, t.Domain}, func(file string) bool {
			dir, name := path.Dir(file), path.Base(file)
			return dir == t.Name || dir == first && strings.Contains(name, "docs")
		}})
	}
	return all
}

// brightFiled are the domains of BRIGHT.
func brightFiled() []filedTask {
	var all []filedTask
	for _, s := range brightSplits {
		all = append(all, filedBySplit(s.name))
	}
	return all
}

// filedBySplit is a task that is a split of its name, in every config.
func filedBySplit(name string) filedTask {
	return filedTask{[]string{name}, func(file string) bool {
		_, split := splitOfFile(file)
		return split == name
	}}
}
