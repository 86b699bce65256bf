package datasets

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// filedTask is a task of a source whose files are recognized by their names.
type filedTask struct {
	names []string // names by which it may be chosen, its own first
	has   func(file string) bool
}

// Wanted returns a function that reports whether the named tasks, or groups of tasks, are read from
// a file of the source's repositories. It returns nil, for all files, if none is named. It fails
// for unknown tasks and for sources whose files are not named by task.
func (s *Source) Wanted(tasks []string) (func(file string) bool, error) {
	if len(tasks) == 0 {
		return nil, nil
	}
	if s.filed == nil {
		return nil, fmt.Errorf("%s can only be fetched completely: its files are not named by task", s.Name)
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

// mairFiled returns the tasks of MAIR: one folder each; for documents it may be that of the first
// task that shares them.
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

// brightFiled returns the domains of BRIGHT.
func brightFiled() []filedTask {
	var all []filedTask
	for _, s := range brightSplits {
		all = append(all, filedBySplit(s.name))
	}
	return all
}

// filedBySplit returns a task that is a split with its name, in every config.
func filedBySplit(name string) filedTask {
	return filedTask{[]string{name}, func(file string) bool {
		_, split := splitOfFile(file)
		return split == name
	}}
}
