package command

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	pages "infbench/reports/serve"
	"infbench/runners/runs"
)

// runSource holds the named run folders, or all below runs/.
type runSource struct {
	named []string // folders; nil: all

	mu   sync.Mutex
	dirs map[string]string // name -> folder, since the last look
	all  []string          // sorted names
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

// Open implements pages.Source. It searches again for an unknown name.
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

// find names the folders: below runs/ by their path there, others by their own name, with a
// number if that is taken.
func (s *runSource) find() {
	dirs := s.named
	if len(dirs) == 0 {
		dirs, _ = runs.Names() // none yet
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

// nameOf is the name of a folder on pages.
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
