package data

import (
	"fmt"
	"io"
	"sync"
	"time"

	"infbench/datasets/hub"
	"infbench/internal/words"
)

// longestSilence is the longest time without a line while a fetch runs.
const longestSilence = 3 * time.Second

// Progress prints how far a fetch is. It is safe for concurrent use.
type Progress struct {
	w       io.Writer
	silence time.Duration // time without a line after which one is printed

	mu      sync.Mutex
	last    time.Time        // of the last line
	shown   map[string]int64 // tenths of each file that were printed
	written map[string]int64 // bytes of each file
}

// FollowClient prints to w how far the client's transfers are, and its notices.
func FollowClient(client *hub.Client, w io.Writer) *Progress {
	p := &Progress{w: w, silence: longestSilence, shown: map[string]int64{}, written: map[string]int64{}}
	client.Progress, client.Notice = p.wrote, func(text string) { p.line("%s", text) }
	return p
}

// line prints a line.
func (p *Progress) line(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.print(format, args...)
}

// print is line with the lock held.
func (p *Progress) print(format string, args ...any) {
	fmt.Fprintln(p.w, words.Clean(fmt.Sprintf(format, args...)))
	p.last = time.Now()
}

// wrote prints a line for each tenth of a file, and one line for a small file.
func (p *Progress) wrote(file string, written, size int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.written[file] = written
	tenth := written * 10 / max(size, 1)
	if tenth == p.shown[file] {
		return
	}
	p.shown[file] = tenth
	p.print("%s  %d%% of %.1f MB", file, tenth*10, float64(size)/1e6)
}

// during runs a step of a fetch. While no other line appears, it prints regularly what the step is,
// how long it has taken and how much was fetched.
func (p *Progress) during(step string, do func() error) error {
	began, ended := time.Now(), make(chan struct{})
	p.mu.Lock()
	p.last = began
	clear(p.written)
	p.mu.Unlock()
	var ticking sync.WaitGroup
	ticking.Go(func() {
		ticker := time.NewTicker(p.silence / 2)
		defer ticker.Stop()
		for {
			select {
			case <-ended:
				return
			case <-ticker.C:
				p.tick(step, began)
			}
		}
	})
	defer ticking.Wait()
	defer close(ended)
	return do()
}

// tick prints a line if none was printed for a while.
func (p *Progress) tick(step string, began time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.last) < p.silence {
		return
	}
	total := int64(0)
	for _, n := range p.written {
		total += n
	}
	text := fmt.Sprintf("%s, %v", step, time.Since(began).Round(time.Second))
	if total > 0 {
		text += fmt.Sprintf(", %.1f MB so far", float64(total)/1e6)
	}
	p.print("%s", text)
}
