package tracer

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Numbers of system calls that package syscall does not name (Linux,
// arch/x86/entry/syscalls/syscall_64.tbl).
const (
	sysRenameat2 = 316
	sysCopyRange = 326
	sysStatx     = 332
	sysOpenat2   = 437
)

// argument gives the positions of the arguments that name a call's file.
type argument struct {
	descriptor int // argument with a descriptor: that of the file, or of the folder that the path is relative to; -1: the working folder
	path       int // argument with the path; -1: none
}

// traced are the file system calls that Go's runtime and the C library use. For opens, the
// flags determine the kind.
var traced = map[uint64]struct {
	name string
	kind Kind
	at   argument
}{
	syscall.SYS_OPEN:       {"open", Open, argument{-1, 0}},
	syscall.SYS_OPENAT:     {"openat", Open, argument{0, 1}},
	sysOpenat2:             {"openat2", Open, argument{0, 1}},
	syscall.SYS_STAT:       {"stat", Find, argument{-1, 0}},
	syscall.SYS_LSTAT:      {"lstat", Find, argument{-1, 0}},
	syscall.SYS_NEWFSTATAT: {"newfstatat", Find, argument{0, 1}},
	syscall.SYS_FSTAT:      {"fstat", Look, argument{0, -1}},
	sysStatx:               {"statx", Find, argument{0, 1}},
	syscall.SYS_READLINKAT: {"readlinkat", Find, argument{0, 1}},
	syscall.SYS_GETDENTS64: {"getdents64", Look, argument{0, -1}},
	syscall.SYS_READ:       {"read", Read, argument{0, -1}},
	syscall.SYS_PREAD64:    {"pread64", Read, argument{0, -1}},
	syscall.SYS_MKDIR:      {"mkdir", Create, argument{-1, 0}},
	syscall.SYS_MKDIRAT:    {"mkdirat", Create, argument{0, 1}},
	syscall.SYS_LINKAT:     {"linkat", Create, argument{2, 3}},
	syscall.SYS_SYMLINKAT:  {"symlinkat", Create, argument{1, 2}},
	syscall.SYS_WRITE:      {"write", Write, argument{0, -1}},
	syscall.SYS_PWRITE64:   {"pwrite64", Write, argument{0, -1}},
	sysCopyRange:           {"copy_file_range", Write, argument{2, -1}},
	syscall.SYS_RENAME:     {"rename", Change, argument{-1, 1}},
	syscall.SYS_RENAMEAT:   {"renameat", Change, argument{2, 3}},
	sysRenameat2:           {"renameat2", Change, argument{2, 3}},
	syscall.SYS_UNLINK:     {"unlink", Change, argument{-1, 0}},
	syscall.SYS_UNLINKAT:   {"unlinkat", Change, argument{0, 1}},
	syscall.SYS_RMDIR:      {"rmdir", Change, argument{-1, 0}},
	syscall.SYS_FTRUNCATE:  {"ftruncate", Change, argument{0, -1}},
	syscall.SYS_FALLOCATE:  {"fallocate", Change, argument{0, -1}},
	syscall.SYS_UTIMENSAT:  {"utimensat", Change, argument{0, 1}},
	syscall.SYS_FCHMOD:     {"fchmod", Change, argument{0, -1}},
	syscall.SYS_FCHMODAT:   {"fchmodat", Change, argument{0, 1}},
	syscall.SYS_FSYNC:      {"fsync", Sync, argument{0, -1}},
	syscall.SYS_FDATASYNC:  {"fdatasync", Sync, argument{0, -1}},
}

// writing are the flags of an open that can change the file.
const writing = syscall.O_WRONLY | syscall.O_RDWR | syscall.O_CREAT | syscall.O_TRUNC

// callOf returns the call that a stopped thread is about to make, with its file.
func callOf(tid int, regs *syscall.PtraceRegs) (Call, bool) {
	known, ok := traced[regs.Orig_rax]
	if !ok {
		return Call{}, false
	}
	arguments := [...]uint64{regs.Rdi, regs.Rsi, regs.Rdx, regs.R10, regs.R8, regs.R9}
	c := Call{Kind: known.kind, Name: known.name}
	if c.Name == "openat" && arguments[2]&writing != 0 || c.Name == "open" && arguments[1]&writing != 0 {
		c.Kind = Create
	}
	if known.at.path >= 0 {
		c.Path = textAt(tid, uintptr(arguments[known.at.path]))
	}
	if c.Kind == Find && c.Path == "" {
		c.Kind = Look // at the open descriptor
	}
	if filepath.IsAbs(c.Path) {
		return c, true
	}
	folder := fmt.Sprintf("/proc/%d/cwd", tid)
	if known.at.descriptor >= 0 {
		if fd := int32(arguments[known.at.descriptor]); fd >= 0 {
			folder = fmt.Sprintf("/proc/%d/fd/%d", tid, fd)
		}
	}
	at, err := os.Readlink(folder)
	c.Path = filepath.Join(at, c.Path)
	return c, err == nil
}

// textAt reads a C string from the memory of a stopped thread.
func textAt(tid int, at uintptr) string {
	var text []byte
	for len(text) < 4096 {
		var word [8]byte
		n, err := syscall.PtracePeekData(tid, at+uintptr(len(text)), word[:])
		if err != nil {
			break
		}
		for _, b := range word[:n] {
			if b == 0 {
				return string(text)
			}
			text = append(text, b)
		}
	}
	return string(text)
}
