package command

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"
)

// opened runs a function and returns the files below a folder that it opened, by path.
func opened(t *testing.T, root string, do func()) map[string]bool {
	t.Helper()
	watch, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(watch)
	folders := map[int32]string{}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		folder, err := syscall.InotifyAddWatch(watch, path, syscall.IN_OPEN)
		folders[int32(folder)] = path
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	do()
	files := map[string]bool{}
	for buffer := make([]byte, 1<<16); ; {
		n, err := syscall.Read(watch, buffer)
		if err == syscall.EAGAIN {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		for rest := buffer[:n]; len(rest) >= syscall.SizeofInotifyEvent; {
			folder, length := int32(binary.NativeEndian.Uint32(rest)), binary.NativeEndian.Uint32(rest[12:])
			name := rest[syscall.SizeofInotifyEvent : syscall.SizeofInotifyEvent+length]
			files[filepath.Join(folders[folder], string(bytes.TrimRight(name, "\x00")))] = true
			rest = rest[syscall.SizeofInotifyEvent+length:]
		}
	}
}
