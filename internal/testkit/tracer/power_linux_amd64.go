package tracer

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// disk knows what a power loss would leave of some folders. The folders' own names count as
// safe.
type disk struct {
	roots []string
	nodes map[uint64]*node // by inode
}

// node is a file, a folder or a link. A file or folder is kept open, so that its inode is not
// reused and its bytes can be read after its last name was removed.
type node struct {
	open   *os.File
	info   os.FileInfo
	synced int64            // number of a file's bytes that are safe
	names  map[string]*node // a folder's safe names
	target string           // a link's target
}

// newDisk returns a disk on which everything below some folders is safe.
func newDisk(roots []string) (*disk, error) {
	d := &disk{roots: roots, nodes: map[uint64]*node{}}
	for _, root := range roots {
		if err := d.scan(root); err != nil {
			d.close()
			return nil, fmt.Errorf("remember %s: %w", root, err)
		}
	}
	return d, nil
}

func (d *disk) close() {
	for _, n := range d.nodes {
		if n.open != nil {
			n.open.Close()
		}
	}
}

// scan marks a file, or a folder and everything below it, as safe.
func (d *disk) scan(path string) error {
	if err := d.sync(path); err != nil {
		return err
	}
	entries, err := os.ReadDir(path)
	if errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	for _, e := range entries {
		if below := filepath.Join(path, e.Name()); e.IsDir() || e.Type().IsRegular() {
			err = errors.Join(err, d.scan(below))
		}
	}
	return err
}

// at returns the node of a path; a new node has nothing safe.
func (d *disk) at(path string, info os.FileInfo) (*node, error) {
	inode := info.Sys().(*syscall.Stat_t).Ino
	if n := d.nodes[inode]; n != nil && n.info.Mode().Type() == info.Mode().Type() {
		return n, nil
	}
	n := &node{info: info}
	var err error
	switch {
	case info.IsDir() || info.Mode().IsRegular():
		n.open, err = os.Open(path)
	case info.Mode()&os.ModeSymlink != 0:
		n.target, err = os.Readlink(path)
	}
	if err == nil && n.target == "" { // the inode of a link may be reused
		d.nodes[inode] = n
	}
	return n, err
}

// sync marks the bytes of a file, or the names in a folder, as safe. The path may be one in
// /proc through which a process has it open.
func (d *disk) sync(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	n, err := d.at(path, info)
	if err != nil || !info.IsDir() {
		n.synced = info.Size()
		return err
	}
	entries, err := os.ReadDir(path)
	names := map[string]*node{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue // removed at this moment
		}
		if names[e.Name()], err = d.at(filepath.Join(path, e.Name()), info); err != nil {
			delete(names, e.Name())
		}
	}
	for _, below := range names {
		if below.info.IsDir() {
			d.forget(below) // a folder has one name: it was moved here
		}
	}
	n.names = names
	return err
}

// forget removes the safe names of a folder.
func (d *disk) forget(folder *node) {
	for _, n := range d.nodes {
		for name, below := range n.names {
			if below == folder {
				delete(n.names, name)
			}
		}
	}
}

// note records a call that changes which data is safe: a sync or a truncation of a file.
func (d *disk) note(tid int, c Call, regs *syscall.PtraceRegs) {
	open := fmt.Sprintf("/proc/%d/fd/%d", tid, regs.Rdi)
	switch c.Name {
	case "fsync", "fdatasync":
		d.sync(open) // fails if the call does
	case "ftruncate":
		d.cut(open, int64(regs.Rsi))
	case "open":
		if regs.Rsi&syscall.O_TRUNC != 0 {
			d.cut(c.Path, 0)
		}
	case "openat":
		if regs.Rdx&syscall.O_TRUNC != 0 {
			d.cut(c.Path, 0)
		}
	}
}

// cut limits a file's safe bytes to size.
func (d *disk) cut(path string, size int64) {
	if info, err := os.Stat(path); err == nil {
		if n := d.nodes[info.Sys().(*syscall.Stat_t).Ino]; n != nil {
			n.synced = min(n.synced, size)
		}
	}
}

// lose restores the state after a power loss.
func (d *disk) lose(power Power) error {
	for _, root := range d.roots {
		if err := d.loseBelow(root, power); err != nil {
			return fmt.Errorf("lose power: %w", err)
		}
	}
	return nil
}

func (d *disk) loseBelow(root string, power Power) error {
	if power == LoseContent {
		return filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			n, err := d.at(path, info)
			if err != nil || n.synced >= info.Size() {
				return err
			}
			return os.Truncate(path, n.synced)
		})
	}
	info, err := os.Stat(root)
	if err != nil {
		return err
	}
	n, err := d.at(root, info)
	if err != nil {
		return err
	}
	left := root + ".left"
	if err := errors.Join(n.restore(left, map[*node]string{}), os.RemoveAll(root)); err != nil {
		return err
	}
	return os.Rename(left, root)
}

// restore creates the safe part of a node under a name; made has the files that already have
// one.
func (n *node) restore(path string, made map[*node]string) error {
	switch {
	case n.info.IsDir():
		err := os.Mkdir(path, n.info.Mode().Perm())
		for name, below := range n.names {
			err = errors.Join(err, below.restore(filepath.Join(path, name), made))
		}
		return err
	case n.open == nil && n.target == "":
		return nil // a pipe or a device
	case n.open == nil:
		return os.Symlink(n.target, path)
	case made[n] != "":
		return os.Link(made[n], path)
	}
	made[n] = path
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, n.info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(f, io.NewSectionReader(n.open, 0, n.synced))
	now, unknown := n.open.Stat()
	if err = errors.Join(err, f.Close(), unknown); err == nil {
		err = os.Chtimes(path, now.ModTime(), now.ModTime())
	}
	return err
}
