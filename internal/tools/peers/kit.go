package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// scripts are the peers' sides.
//
//go:embed theirs
var scripts embed.FS

// kit holds the paths of the programs that run the sides.
type kit struct {
	settings *settings
	stdout   io.Writer
	work     string // of this comparison, deleted after it
	self     string // this program
	theirs   string // folder of the peers' scripts

	found    map[*peer]error
	versions map[string]string // by name, for peers that do not report their own
	python   map[string]string // interpreter that has a module
	lucene   string            // class path of its jars and our side's class
}

// newKit unpacks the scripts.
func (s *settings) newKit(work string, stdout io.Writer) (*kit, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	k := &kit{settings: s, stdout: stdout, work: work, self: self, theirs: filepath.Join(work, "theirs"),
		found: map[*peer]error{}, versions: map[string]string{}, python: map[string]string{}}
	sub, err := fs.Sub(scripts, "theirs")
	if err != nil {
		return nil, err
	}
	return k, os.CopyFS(k.theirs, sub)
}

// environment returns the variables that scripts need apart from threads.
func (k *kit) environment() []string {
	return []string{"NODE_PATH=" + filepath.Join(k.settings.cache, "node_modules"), "PYTHONDONTWRITEBYTECODE=1"}
}

// find looks for a peer and, if asked, installs it; the error gives the reason why it cannot
// run, and a remedy.
func (k *kit) find(ctx context.Context, p *peer) error {
	if err, known := k.found[p]; known {
		return err
	}
	err := p.locate(ctx, k)
	if err != nil && k.settings.install {
		if failed := k.install(ctx, p); failed == nil {
			err = p.locate(ctx, k)
		} else {
			err = fmt.Errorf("%w (%v)", err, failed)
		}
	}
	k.found[p] = err
	return err
}

// install gets the packages of a peer and prints that.
func (k *kit) install(ctx context.Context, p *peer) error {
	if len(p.debian) > 0 {
		if err := k.say(ctx, append([]string{"apt-get", "install", "--yes", "--no-install-recommends"}, p.debian...)); err != nil {
			return err
		}
	}
	if len(p.npm) > 0 {
		return k.say(ctx, append([]string{"npm", "install", "--no-audit", "--no-fund", "--prefix", k.settings.cache}, p.npm...))
	}
	return nil
}

// say prints a command that changes the machine, then runs it.
func (k *kit) say(ctx context.Context, argv []string) error {
	if argv[0] == "apt-get" && os.Geteuid() != 0 {
		argv = append([]string{"sudo", "--non-interactive"}, argv...)
	}
	fmt.Fprintln(k.stdout, "peers: installs:", strings.Join(argv, " "))
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, lastLines(string(out)))
	}
	return nil
}
