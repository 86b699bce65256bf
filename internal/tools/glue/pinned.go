package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"infbench/internal/disk"
)

// relied lists upstream's files that the added ones rely on, in the format of sha256sum.
const relied = own + "/relies.sum"

// upstreamModule is the module as go.mod pins it, in Go's module cache, with its hash in
// go.sum.
type upstreamModule struct{ Version, Dir string }

// pinned finds it, and has Go fetch it if it is missing.
func pinned(module string) (upstreamModule, error) {
	cmd := exec.Command("go", "mod", "download", "-json", upstream)
	cmd.Dir, cmd.Env = module, append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return upstreamModule{}, fmt.Errorf("go mod download %s: %w: %s", upstream, err, strings.TrimSpace(stderr.String()+string(out)))
	}
	var p upstreamModule
	return p, json.Unmarshal(out, &p)
}

// fits returns an error if a file that the added ones rely on has changed since they were
// written.
func (p upstreamModule) fits(module string) error {
	return eachRelied(module, func(name, want string) error {
		got, _, err := disk.SHA256(filepath.Join(p.Dir, filepath.FromSlash(name)))
		if err == nil && got != want {
			err = errors.New("has changed")
		}
		if err != nil {
			return fmt.Errorf("%s of %s %s, which %s relies on: %w; adapt the files there, then go run ./%s --accept", name, upstream, p.Version, added, err, own)
		}
		return nil
	})
}

// acceptPinned writes the hashes of the pinned module's files into relies.sum.
func acceptPinned(module string) error {
	p, err := pinned(module)
	if err != nil {
		return err
	}
	var lines strings.Builder
	err = eachRelied(module, func(name, _ string) error {
		sum, _, err := disk.SHA256(filepath.Join(p.Dir, filepath.FromSlash(name)))
		fmt.Fprintf(&lines, "%s  %s\n", sum, name)
		return err
	})
	if err != nil {
		return err
	}
	return disk.WriteBytes(filepath.Join(module, filepath.FromSlash(relied)), []byte(lines.String()))
}

// eachRelied calls do with each line of relies.sum.
func eachRelied(module string, do func(name, sum string) error) error {
	text, err := os.ReadFile(filepath.Join(module, filepath.FromSlash(relied)))
	if err != nil {
		return err
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			return fmt.Errorf("%s:%d: want a hash, two spaces and a file", relied, number)
		}
		if err := do(name, sum); err != nil {
			return err
		}
	}
	return nil
}
