package kernel

import (
	"syscall"
	"testing"
	"unsafe"
)

// guarded returns memory for n elements next to a page that can neither be read nor written:
// with end the page follows the memory, else it precedes the memory.
func guarded(t testing.TB, n int, end bool) []float32 {
	t.Helper()
	page := syscall.Getpagesize()
	inner := max((4*n+page-1)/page, 1) * page
	memory, err := syscall.Mmap(-1, 0, inner+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(memory) })
	for _, guard := range [][]byte{memory[:page], memory[page+inner:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	if n == 0 {
		return nil
	}
	first := page
	if end {
		first += inner - 4*n
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&memory[first])), n)
}
