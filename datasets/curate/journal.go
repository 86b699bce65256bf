package curate

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"

	"infbench/internal/disk"
)

// journal stores the answers of an unfinished stage. Each is appended and synced before it is used;
// simultaneous answers are synced together. A kill loses at most the answers to open questions.
type journal struct {
	path  string
	file  disk.File
	have  map[string]json.RawMessage
	lines chan entry
	done  chan struct{}
}

// entry is a line that is not yet synced.
type entry struct {
	line []byte
	safe chan error
}

// answered is a line of a journal.
type answered struct {
	Key   string          `json:"key"` // hash of the question and the author or judge
	Value json.RawMessage `json:"value"`
}

// openJournal reads the answers stored before a kill, and truncates an incomplete last line.
func openJournal(path string) (*journal, error) {
	j := &journal{path: path, have: map[string]json.RawMessage{}, lines: make(chan entry), done: make(chan struct{})}
	text, err := disk.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read answers: %w", err)
	}
	whole := 0
	for line := range bytes.Lines(text) {
		var a answered
		if !bytes.HasSuffix(line, []byte("\n")) || json.Unmarshal(line, &a) != nil {
			break
		}
		whole += len(line)
		j.have[a.Key] = a.Value
	}
	files := disk.OS{}
	if j.file, err = files.Append(path, int64(whole)); err != nil {
		return nil, fmt.Errorf("write answers: %w", err)
	}
	if err := files.SyncDir(filepath.Dir(path)); err != nil {
		return nil, errors.Join(fmt.Errorf("write answers: %w", err), j.file.Close())
	}
	go j.write()
	return j, nil
}

// write appends lines until the channel is closed; waiting lines are written together.
func (j *journal) write() {
	defer close(j.done)
	out := bufio.NewWriterSize(j.file, 1<<16)
	for first := range j.lines {
		waiting := []entry{first}
		for more := true; more; {
			select {
			case e, ok := <-j.lines:
				if more = ok; ok {
					waiting = append(waiting, e)
				}
			default:
				more = false
			}
		}
		for _, e := range waiting {
			out.Write(e.line) // the error is kept until Flush
		}
		err := out.Flush()
		if err == nil {
			err = j.file.Sync()
		}
		for _, e := range waiting {
			e.safe <- err
		}
	}
}

// keep stores an answer; it returns once the answer is synced.
func (j *journal) keep(key string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	line, err := json.Marshal(answered{key, text})
	if err != nil {
		return err
	}
	e := entry{append(line, '\n'), make(chan error, 1)}
	j.lines <- e
	if err := <-e.safe; err != nil {
		return fmt.Errorf("keep an answer: %w", err)
	}
	return nil
}

// close ends the journal; keep must not be called any more.
func (j *journal) close() error {
	close(j.lines)
	<-j.done
	return j.file.Close()
}

// task is one question of a stage.
type task[T any] struct {
	key string // equal questions may share a key
	ask func(context.Context) (T, error)
}

// Missing reports questions without an answer; they may get one when asked again.
type Missing struct {
	N, Of int
	First error
}

func (m *Missing) Error() string {
	return fmt.Sprintf("%d of %d questions have no answer, the first: %v; run it again to retry them", m.N, m.Of, m.First)
}
func (m *Missing) Unwrap() error { return m.First }

// askAll answers tasks, at most atATime at once, and returns the answers in the order of the tasks.
// Tasks with an answer in the journal are not asked again. It stops at a fatal error, after which
// no other question can succeed. Otherwise it continues and returns a *Missing.
func askAll[T any](ctx context.Context, j *journal, tasks []task[T], atATime int, fatal func(error) bool) ([]T, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out := make([]T, len(tasks))
	var open []int
	for i, t := range tasks {
		text, ok := j.have[t.key]
		if !ok {
			open = append(open, i)
		} else if err := json.Unmarshal(text, &out[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", j.path, err)
		}
	}
	one := func(i int) (err error) {
		if out[i], err = tasks[i].ask(ctx); err != nil {
			return err
		}
		return j.keep(tasks[i].key, out[i])
	}
	next, missing := make(chan int), Missing{Of: len(tasks)}
	var mu sync.Mutex
	var workers sync.WaitGroup
	for range max(1, atATime) {
		workers.Go(func() {
			for i := range next {
				err := one(i)
				if err == nil {
					continue
				}
				if fatal(err) {
					stop(err)
				}
				mu.Lock()
				if missing.N++; missing.First == nil {
					missing.First = err
				}
				mu.Unlock()
			}
		})
	}
	feed(ctx, open, next)
	workers.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case missing.N > 0:
		return nil, &missing
	}
	return out, nil
}

// feed sends numbers until the context ends, then closes the channel.
func feed(ctx context.Context, numbers []int, to chan<- int) {
	defer close(to)
	for _, i := range numbers {
		select {
		case to <- i:
		case <-ctx.Done():
			return
		}
	}
}
