package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// origin is the version of a tree in version control, "" if there is none, and its time.
type origin struct {
	version string
	made    time.Time
}

// archivedFile holds, in the output of git archive (such as GitHub releases), the version and
// the time of the commit, which .gitattributes makes git write into it.
const archivedFile = "internal/tools/release/archived.txt"

// originOf asks git or, if the folder is not the top of a work tree (a folder of a release
// may be inside another one), the archive's own record. SOURCE_DATE_EPOCH overrides the time
// of either; without any time it is the first day that archives can represent.
func originOf(ctx context.Context, module string) (origin, error) {
	o, err := asked(ctx, module)
	if err != nil {
		if o, err = archived(module); err != nil {
			return origin{}, err
		}
	}
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		if o.made, err = unix(epoch); err != nil {
			return origin{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
		}
	}
	if o.made.IsZero() {
		o.made = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return o, nil
}

// asked returns git's answer.
func asked(ctx context.Context, module string) (origin, error) {
	git := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = module
		out, err := output(cmd)
		return strings.TrimSpace(string(out)), err
	}
	if prefix, err := git("rev-parse", "--show-prefix"); err != nil || prefix != "" {
		return origin{}, errors.Join(err, errors.New("not the top of a work tree"))
	}
	version, err := git("describe", "--tags", "--always", "--abbrev=12")
	if err != nil {
		return origin{}, err
	}
	changes, err := git("status", "--porcelain") // including new files, which describe --dirty leaves out
	if err != nil {
		return origin{}, err
	}
	if changes != "" {
		version += "+changes"
	}
	seconds, err := git("log", "-1", "--format=%ct")
	if err != nil {
		return origin{}, err
	}
	made, err := unix(seconds)
	return origin{version, made}, err
}

// archived returns the record of git archive (describe, which is empty without tags, the
// commit and its time); it is empty in other trees.
func archived(module string) (origin, error) {
	text, err := os.ReadFile(filepath.Join(module, filepath.FromSlash(archivedFile)))
	if err != nil || strings.HasPrefix(string(text), "$Format") {
		return origin{}, err
	}
	names, seconds, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	version, commit, _ := strings.Cut(names, "/")
	made, err := unix(seconds)
	return origin{cmp.Or(version, commit[:min(12, len(commit))]), made}, err
}

func unix(text string) (time.Time, error) {
	seconds, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}
