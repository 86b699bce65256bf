package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"infbench/internal/disk"
)

// Store is a folder of requests with their answers, one file each, named by the hash of the request
// in a folder named by the hash of the origin. It serves as a cache for asking and as a recording
// for replaying. Several processes may use it at once: the first answer to a request is kept, and
// files are written atomically.
type Store struct {
	dir    string
	origin string
}

// NewStore returns the store in a folder, which need not exist. It stores the answers of one
// origin, as Client.Origin returns it.
func NewStore(dir, origin string) *Store { return &Store{dir, origin} }

// entry is a file of the store.
type entry struct {
	Origin  string  `json:"origin"`
	Request Request `json:"request"`
	Answer  Answer  `json:"answer"`
	Class   Class   `json:"class,omitempty"` // class of a paid but unusable answer
	Why     string  `json:"why,omitempty"`
	Sum     string  `json:"sha256"` // hash of the answer with its class
}

// sum returns the hash of the answer.
func (e *entry) sum() string {
	text, err := json.Marshal([]any{e.Answer, e.Class, e.Why})
	if err != nil {
		panic(fmt.Sprintf("chat: %v", err)) // texts and numbers
	}
	return disk.Sum(text)
}

// result returns the result for the caller.
func (e *entry) result() (Answer, error) {
	a := e.Answer
	if a.Cached = true; e.Class == "" {
		return a, nil
	}
	return a, &Error{e.Class, errors.New(e.Why)}
}

// path returns the file of a request by its hash.
func (s *Store) path(hash string) string {
	return filepath.Join(s.folder(), hash[:2], hash+".json")
}

// folder returns the folder of the origin.
func (s *Store) folder() string {
	return filepath.Join(s.dir, disk.Sum(s.origin)[:12])
}

// Has reports whether the answer to a request is stored.
func (s *Store) Has(r Request) (bool, error) {
	hash, err := r.Hash()
	if err != nil {
		return false, err
	}
	_, err = disk.Stat(s.path(hash))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// load reads the entry of a request; nil if there is none.
func (s *Store) load(hash string) (*entry, error) { return readEntry(s.path(hash), hash) }

// readEntry reads a file of a store. A damaged file is an error.
func readEntry(path, hash string) (*entry, error) {
	text, err := disk.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read an answer: %w", err)
	}
	var e entry
	err = json.Unmarshal(text, &e)
	if err == nil {
		var found string
		if found, err = e.Request.Hash(); err == nil && (found != hash || e.Sum != e.sum()) {
			err = errors.New("its hash does not match its content")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; delete the file to ask the question again", path, err)
	}
	return &e, nil
}

// save stores an answer, synced to disk, and returns the stored entry: that of another process if
// it was earlier.
func (s *Store) save(hash string, e *entry) (*entry, error) {
	e.Origin, e.Sum = s.origin, e.sum()
	text, err := json.MarshalIndent(e, "", " ")
	if err != nil {
		return nil, fmt.Errorf("keep an answer: %w", err)
	}
	path := s.path(hash)
	err = disk.WriteNew(path, append(text, '\n'))
	if errors.Is(err, fs.ErrExist) {
		if earlier, err := s.load(hash); err != nil || earlier != nil {
			return earlier, err
		}
	} else if err != nil {
		return nil, fmt.Errorf("keep an answer: %w", err)
	}
	return e, nil
}
