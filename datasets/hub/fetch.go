package hub

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"infbench/internal/disk"
	"infbench/internal/endpoint"
)

// ErrDamaged means that a file does not match its hash.
var ErrDamaged = errors.New("content does not match its hash")

// Fetch brings the files of a snapshot that want accepts (nil: all) into the cache. It returns the
// snapshot's folder and the lock entry of each file. Existing files are not fetched again; an
// interrupted download is resumed. A file appears in the snapshot only when it is complete and
// matches its hash; the revision points to the commit only when all files do.
func (c *Client) Fetch(ctx context.Context, s *Snapshot, want func(path string) bool) (dir string, locked []LockedFile, err error) {
	var files []File
	for _, f := range s.Files {
		if want == nil || want(f.Path) {
			files = append(files, f)
		}
	}
	base := filepath.Join(c.Cache, s.Repo.folder())
	if err := c.checkSpace(base, files); err != nil {
		return "", nil, fmt.Errorf("fetch %s: %w", s.Repo, err)
	}
	locked = make([]LockedFile, len(files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, c.Parallel))
	for _, equal := range byBlob(files) {
		group.Go(func() error {
			for _, i := range equal {
				f := files[i]
				sum, err := c.fetchFile(ctx, s, base, f)
				if err != nil {
					return err
				}
				locked[i] = LockedFile{Path: f.Path, Size: f.Size, SHA256: sum}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return "", nil, err
	}
	if ref := s.Repo.revision(); ref != s.Commit {
		if err := disk.WriteBytes(filepath.Join(base, "refs", filepath.FromSlash(ref)), []byte(s.Commit)); err != nil {
			return "", nil, fmt.Errorf("fetch %s: %w", s.Repo, err)
		}
	}
	return snapshotDir(base, s.Commit), locked, nil
}

// byBlob groups the indexes of files of equal content, which share a blob: an exported model
// repeats its vocabulary.
func byBlob(files []File) [][]int {
	var groups [][]int
	at := map[string]int{}
	for i, f := range files {
		g, seen := at[f.Blob]
		if !seen {
			g = len(groups)
			at[f.Blob], groups = g, append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

func snapshotDir(base, commit string) string { return filepath.Join(base, "snapshots", commit) }

// fetchFile ensures that one file's blob is in the cache and linked into the snapshot, and returns
// its SHA-256.
func (c *Client) fetchFile(ctx context.Context, s *Snapshot, base string, f File) (sum string, err error) {
	blob := filepath.Join(base, "blobs", f.Blob)
	if sum, err = checkBlob(blob, f); err != nil {
		if sum, err = c.fetchBlob(ctx, s, blob, f); err != nil {
			return "", err
		}
	}
	return sum, link(base, s.Commit, f)
}

// fetchBlob fetches a blob that is missing or damaged. Only one process at a time does so, under
// the same lock file as the Python library.
func (c *Client) fetchBlob(ctx context.Context, s *Snapshot, blob string, f File) (sum string, err error) {
	release, err := disk.Lock(ctx, filepath.Join(c.Cache, ".locks", s.Repo.folder(), f.Blob+".lock"))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, release()) }()
	if sum, err = checkBlob(blob, f); err == nil {
		return sum, nil // another process fetched it
	}
	if !errors.Is(err, fs.ErrNotExist) {
		// A damaged blob is fetched again, not repaired.
		if err := (disk.OS{}).Remove(blob); err != nil {
			return "", fmt.Errorf("remove damaged %s: %w", blob, err)
		}
	}
	return c.download(ctx, s, blob, f)
}

// link creates the snapshot's name of a blob: a relative symbolic link, as in the Python library.
func link(base, commit string, f File) error {
	name := filepath.Join(snapshotDir(base, commit), filepath.FromSlash(f.Path))
	if err := disk.MkdirAll(disk.OS{}, filepath.Dir(name)); err != nil {
		return err
	}
	target, err := filepath.Rel(filepath.Dir(name), filepath.Join(base, "blobs", f.Blob))
	if err != nil {
		return err
	}
	if have, err := os.Readlink(name); err == nil && have == target {
		return nil
	}
	temp, files := disk.Temporary(name), disk.OS{}
	if err := files.Symlink(target, temp); err != nil {
		return err
	}
	if err := files.Rename(temp, name); err != nil {
		return errors.Join(err, files.Remove(temp))
	}
	return files.SyncDir(filepath.Dir(name))
}

// download fetches one blob, resuming an earlier attempt, and gives it its final name once it is
// complete, verified and synced. An earlier partial file may be damaged, for example by a power
// loss: then the blob is fetched from its start.
func (c *Client) download(ctx context.Context, s *Snapshot, blob string, f File) (sum string, err error) {
	files := disk.OS{}
	if err := disk.MkdirAll(disk.OS{}, filepath.Dir(blob)); err != nil {
		return "", err
	}
	partial := blob + ".incomplete"
	what := fmt.Sprintf("fetch %s of %s", f.Path, s.Repo)
	for {
		resumed, err := sizeOf(partial)
		if err != nil {
			return "", fmt.Errorf("%s: %w", what, err)
		}
		err = c.retry(ctx, what, func() error {
			return c.append(ctx, s.Repo.filePath(s.Commit, f.Path), partial, f)
		})
		if err != nil {
			return "", c.explain(s.Repo, err)
		}
		if sum, err = checkBlob(partial, f); err == nil {
			break
		}
		if gone := files.Remove(partial); gone != nil || resumed == 0 {
			return "", fmt.Errorf("%s: %w", what, errors.Join(err, gone))
		}
	}
	if err := files.Rename(partial, blob); err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	return sum, files.SyncDir(filepath.Dir(blob))
}

// sizeOf returns the size of a file in bytes, 0 if there is none.
func sizeOf(path string) (int64, error) {
	info, err := disk.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// append requests the missing part of a file, writes it and syncs the file.
func (c *Client) append(ctx context.Context, path, partial string, f File) error {
	have, err := sizeOf(partial)
	if err != nil {
		return err
	}
	if have > f.Size {
		have = 0
	}
	if have == f.Size && have > 0 {
		return c.write(partial, have, func(io.Writer) error { return nil })
	}
	header := http.Header{}
	if have > 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	resp, err := c.http.Open(ctx, endpoint.Request{Path: path, Header: header})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		have = 0 // the server ignores the range and sends the entire file
	}
	return c.write(partial, have, func(out io.Writer) error {
		return c.copyBody(out, resp.Body, have, f)
	})
}

// write writes a file from an offset on and syncs it.
func (c *Client) write(path string, from int64, fill func(io.Writer) error) error {
	out, err := disk.OS{}.Append(path, from)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := fill(out); err != nil {
		return err
	}
	return out.Sync()
}

// copyBody writes a body to disk.
func (c *Client) copyBody(out io.Writer, body io.Reader, have int64, f File) error {
	buf := make([]byte, 1<<18)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			if have += int64(n); have > f.Size {
				return fmt.Errorf("%w: longer than %d bytes", ErrDamaged, f.Size)
			}
			if _, err := out.Write(buf[:n]); err != nil {
				return fmt.Errorf("write: %w", err)
			}
			if c.Progress != nil {
				c.Progress(f.Path, have, f.Size)
			}
		}
		switch {
		case errors.Is(err, io.EOF) && have < f.Size:
			return &endpoint.Passing{Err: io.ErrUnexpectedEOF}
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// checkBlob compares a file with the hub's hash and returns its SHA-256.
func checkBlob(path string, f File) (sha256Hex string, err error) {
	file, err := disk.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	var git hash.Hash
	w := io.Writer(sum)
	if !f.LFS {
		git = sha1.New()
		fmt.Fprintf(git, "blob %d\x00", f.Size)
		w = io.MultiWriter(sum, git)
	}
	n, err := io.Copy(w, file)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	sha256Hex = hex.EncodeToString(sum.Sum(nil))
	got := sha256Hex
	if git != nil {
		got = hex.EncodeToString(git.Sum(nil))
	}
	if n != f.Size || got != f.Blob {
		return "", fmt.Errorf("%w: %s has %d bytes with hash %.12s, want %d with %.12s", ErrDamaged, f.Path, n, got, f.Size, f.Blob)
	}
	return sha256Hex, nil
}
