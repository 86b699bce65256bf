package format

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"

	"github.com/parquet-go/parquet-go"

	"infbench/internal/memory"
)

// aheadMost is about how many bytes the pages read ahead of one file may take.
const aheadMost = 32 << 20

// pageReader returns the pages of a column in a row group in order, then io.EOF.
type pageReader interface {
	parquet.PageReader
	io.Closer
}

// aheadPages reads and decompresses pages ahead in goroutines: most of the time of reading texts
// goes into that. Each of n goroutines has every n-th page, and waits until its page is taken
// before it reads the next. The order of pages therefore does not depend on n.
type aheadPages struct {
	chunk  *parquet.FileColumnChunk
	count  int             // number of pages
	next   int             // index of the page that ReadPage returns next
	fault  error           // error of all further calls
	turns  []chan pageRead // one per goroutine
	stop   chan struct{}
	reader sync.WaitGroup
}

type pageRead struct {
	page parquet.Page
	err  error
}

// openPages opens the pages of a column. It reads them ahead if there is more than one processor
// and enough memory, using at most the given number of bytes.
func openPages(f io.ReaderAt, chunk *parquet.FileColumnChunk, l *chunkLayout, most int64) pageReader {
	each := 2 * max(1, l.need) // a goroutine keeps its last page and the next one
	n := min(runtime.GOMAXPROCS(0), len(l.pages), int(most/each))
	if runtime.GOMAXPROCS(0) == 1 || n == 0 || memory.For(int64(n)*each) != nil {
		return chunk.Pages()
	}
	a := &aheadPages{chunk: chunk, count: len(l.pages), turns: make([]chan pageRead, n), stop: make(chan struct{})}
	for k := range a.turns {
		a.turns[k] = make(chan pageRead)
		a.reader.Add(1)
		go a.read(k, chunk.PagesFrom(newSplice(f, l, k, n)))
	}
	return a
}

// read reads the pages of goroutine k.
func (a *aheadPages) read(k int, pages parquet.Pages) {
	defer a.reader.Done()
	defer pages.Close()
	for i := k; i < a.count; i += len(a.turns) {
		page, err := readPage(pages)
		select {
		case a.turns[k] <- pageRead{page, err}:
		case <-a.stop:
			parquet.Release(page)
			return
		}
		if err != nil {
			return
		}
	}
}

// readPage reads a page. The library's panics on some damaged files become errors.
func readPage(pages parquet.Pages) (page parquet.Page, err error) {
	defer func() {
		if r := recover(); r != nil {
			page, err = nil, fmt.Errorf("damaged parquet data: %v", r)
		}
	}()
	return pages.ReadPage()
}

// ReadPage returns the next page. For an unreadable page it reads the column again from the start,
// so that the error has the right page number.
func (a *aheadPages) ReadPage() (parquet.Page, error) {
	if a.fault != nil {
		return nil, a.fault
	}
	if a.next == a.count {
		return nil, io.EOF
	}
	read := <-a.turns[a.next%len(a.turns)]
	if a.next++; read.err == nil {
		return read.page, nil
	}
	a.fault = read.err
	pages := a.chunk.Pages()
	defer pages.Close()
	for range a.next {
		page, err := pages.ReadPage()
		if parquet.Release(page); err != nil {
			a.fault = err
			break
		}
	}
	return nil, a.fault
}

// Close stops the goroutines.
func (a *aheadPages) Close() error {
	close(a.stop)
	a.reader.Wait()
	return nil
}

// splice presents a file to a column reader that may see only some of its pages, as if these were
// contiguous from the column's start.
type splice struct {
	file  io.ReaderAt
	parts []span
	ends  []int64 // ends of the parts as the reader sees them
	begin int64
}

// newSplice selects the dictionary and every n-th page from page k on.
func newSplice(f io.ReaderAt, l *chunkLayout, k, n int) *splice {
	s := &splice{file: f, begin: l.begin}
	end := l.begin
	add := func(part span) {
		end += part.length
		s.parts, s.ends = append(s.parts, part), append(s.ends, end)
	}
	for _, part := range l.dictionaries {
		add(part)
	}
	for ; k < len(l.pages); k += n {
		add(l.pages[k])
	}
	return s
}

// ReadAt implements io.ReaderAt.
func (s *splice) ReadAt(p []byte, at int64) (n int, err error) {
	if at < s.begin {
		return 0, io.EOF
	}
	first, _ := slices.BinarySearch(s.ends, at+1)
	for i := first; i < len(s.parts) && n < len(p); i++ {
		left := s.ends[i] - at
		size := min(left, int64(len(p)-n))
		read, err := s.file.ReadAt(p[n:n+int(size)], s.parts[i].at+s.parts[i].length-left)
		n, at = n+read, at+int64(read)
		if int64(read) < size {
			return n, noEOF(err)
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
