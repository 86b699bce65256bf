package command

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	pages "infbench/reports/serve"
	"infbench/runners/runs"
)

// runSource is the run folders that were named, or all below runs/.
type runSource struct {
	named []string // folders; nil: all

	mu   sync.Mutex
	dirs map[string]string // name -> folder, as of the last look
	all  []string          // names in their order
}

var _ pages.Source = (*runSource)(nil)

func newRunSource(named []string) *runSource { return &runSource{named: named} }

// Names implements pages.Source.
func (s *runSource) Names() ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.find()
	return s.all, nil
}

// Open implements pages.Source. The name of no run that was found is looked for again.
func (s *runSource) Open(name string) pages.Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dirs[name] == "" {
		s.find()
	}
	if s.dirs[name] == "" {
		return nil
	}
	return newServedRun(s.dirs[name])
}

// find names the folders: below runs/ by their path there, others by their own name, and
// by a number too where that is taken.
func (s *runSource) find() {
	dirs := s.named
	if len(dirs) == 0 {
		dirs, _ = runs.Names() // none, yet
	}
	s.dirs, s.all = map[string]string{}, nil
	for _, dir := range dirs {
		name := nameOf(dir)
		for n := 2; s.dirs[name] != ""; n++ {
			name = fmt.Sprintf("%s-%d", nameOf(dir), n)
		}
		s.dirs[name] = dir
		s.all = append(s.all, name)
	}
}

// nameOf is how a folder is called on pages.
func nameOf(dir string) string {
	if below, ok := strings.CutPrefix(filepath.ToSlash(filepath.Clean(dir)), runs.In()+"/"); ok {
		return below
	}
	whole, err := filepath.Abs(dir)
	if err != nil {
		whole = filepath.Clean(dir)
	}
	return filepath.Base(whole)
}
