package breakfs

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// disk knows, of what was changed through it, what a power loss would leave. What was
// there before is safe, and what others change passes it by.
type disk struct {
	trash string           // folder that keeps what is removed, since it may come back
	kept  int              // how many things ever went there
	nodes map[string]*node // by where they lie now, the trash included
}

// node is a file, a folder or a link, whatever its name is.
type node struct {
	path string
	body *body            // of a file
	was  map[string]*node // of a folder: what is safe of names that changed since it was synced; nil: nothing
}

// body is the content of a file, which may have several names.
type body struct{ synced int64 } // bytes that are safe

// at is the node of a path; nil where there is nothing.
func (d *disk) at(path string) *node {
	path = absolute(path)
	info, err := os.Lstat(path)
	if err != nil {
		delete(d.nodes, path) // others removed it
		return nil
	}
	if n := d.nodes[path]; n != nil {
		return n
	}
	n := &node{path: path, was: map[string]*node{}}
	if info.Mode().IsRegular() {
		n.body = &body{info.Size()}
	}
	d.nodes[path] = n
	return n
}

// name makes a name by an operation.
func (d *disk) name(path string, make func() error) error {
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	changed := d.changes(path)
	if err := make(); err != nil {
		return err
	}
	changed()
	return nil
}

// fresh is the content of a file that was just made.
func (d *disk) fresh(path string) *body {
	n := d.at(path)
	n.body.synced = 0
	return n.body
}

// changes looks at what has a name; call what it returns once another has it, or none.
func (d *disk) changes(path string) (changed func()) {
	dir, before, base := d.at(filepath.Dir(absolute(path))), d.at(path), filepath.Base(path)
	return func() {
		if _, known := dir.was[base]; !known {
			dir.was[base] = before
		}
	}
}

// rename is os.Rename, and what it writes over goes to the trash.
func (d *disk) rename(from, to string) error {
	was, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if now, err := os.Lstat(to); err == nil {
		if was.IsDir() != now.IsDir() {
			return os.Rename(from, to) // which says why not
		}
		if err := d.remove(to); err != nil {
			return err
		}
	}
	gone, come := d.changes(from), d.changes(to)
	if err := d.move(from, to); err != nil {
		return err
	}
	gone()
	come()
	return nil
}

// move renames, and the nodes follow.
func (d *disk) move(from, to string) error {
	from, to = absolute(from), absolute(to)
	d.at(from)
	if err := os.Rename(from, to); err != nil {
		return err
	}
	for _, n := range d.all() {
		if rest, inside := strings.CutPrefix(n.path+"/", from+"/"); inside {
			delete(d.nodes, n.path)
			n.path = filepath.Join(to, rest)
			d.nodes[n.path] = n
		}
	}
	return nil
}

// remove is os.Remove.
func (d *disk) remove(path string) error {
	if inside, err := os.ReadDir(path); err == nil && len(inside) > 0 {
		return &fs.PathError{Op: "remove", Path: path, Err: syscall.ENOTEMPTY}
	}
	return d.away(path)
}

// away moves what has a name to the trash.
func (d *disk) away(path string) error {
	gone := d.changes(path)
	if err := d.stash(path); err != nil {
		return err
	}
	gone()
	return nil
}

func (d *disk) stash(path string) error {
	d.kept++
	return d.move(path, filepath.Join(d.trash, fmt.Sprint(d.kept)))
}

// removeHalf removes every other file below a path.
func (d *disk) removeHalf(path string) {
	odd := false
	filepath.WalkDir(path, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			if odd = !odd; odd {
				d.away(path)
			}
		}
		return nil
	})
}

// lose leaves what is safe.
func (d *disk) lose() error { return errors.Join(d.loseContent(), d.loseNames()) }

// loseContent cuts files to what was synced.
func (d *disk) loseContent() error {
	for path, n := range d.nodes {
		if n.body == nil {
			continue
		}
		if err := os.Truncate(path, n.body.synced); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("lose content: %w", err)
		}
	}
	return nil
}

// loseNames gives every folder the names that it had when it was synced last.
func (d *disk) loseNames() error {
	type place struct {
		in   *node
		name string
		of   *node
	}
	var places []place
	for _, dir := range d.all() {
		for name, was := range dir.was {
			path := filepath.Join(dir.path, name)
			if now := d.at(path); now != nil {
				if now == was {
					continue
				}
				if err := d.stash(path); err != nil {
					return fmt.Errorf("lose names: %w", err)
				}
			}
			if was != nil {
				places = append(places, place{dir, name, was})
			}
		}
	}
	for _, p := range places {
		if err := d.restore(p.of, filepath.Join(p.in.path, p.name)); err != nil {
			return fmt.Errorf("lose names: %w", err)
		}
	}
	return nil
}

// all lists the nodes, while others come and move.
func (d *disk) all() []*node { return slices.Collect(maps.Values(d.nodes)) }

// restore gives a node the name back that it had. What was moved elsewhere, and is safe
// there, has two names, as on a disk that has one folder synced and the other not; of a
// folder the new one.
func (d *disk) restore(n *node, path string) error {
	if strings.HasPrefix(n.path, absolute(d.trash)+"/") {
		return d.move(n.path, path)
	}
	if n.body == nil {
		return nil
	}
	return os.Link(n.path, path)
}
