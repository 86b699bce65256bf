package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/disk"
)

// noticesFile is made by notices, committed, and embedded in the command.
const noticesFile = "bench/version/notices.txt"

// component is a third-party part of the binary.
type component struct {
	name  string // "MODULE VERSION", or words
	texts map[string]text
	on    []string // targets that link it
}

// echarts are the terms of the chart script and of the code compiled into it, from their
// packages (npm's echarts 5.4.3 and zrender 5.4.4; tslib's are in the script). The Go
// module that contains the script has only its own terms.
//
//go:embed echarts
var echarts embed.FS

// components lists all third-party parts of the targets' binaries, in order.
func components(ctx context.Context, module string) ([]*component, error) {
	found := map[string]*component{}
	for _, t := range targets {
		packages, err := packagesOf(ctx, module, t)
		if err != nil {
			return nil, err
		}
		for i := range packages {
			if err := addPackage(found, &packages[i], t); err != nil {
				return nil, err
			}
		}
	}
	script, err := textsIn(echarts, "echarts")
	if err != nil {
		return nil, err
	}
	library, err := standardLibrary(ctx)
	all := []*component{library, {name: scriptName, texts: script}}
	for _, name := range sorted(found) {
		all = append(all, found[name])
	}
	return all, err
}

// Components that are not modules.
const (
	libraryName = "Go standard library"
	scriptName  = "Apache ECharts 5.4.3"
)

// addPackage adds the licences of a package to those of its module.
func addPackage(found map[string]*component, p *linked, t target) error {
	if p.Standard || p.ours() {
		return nil
	}
	name := p.Module.Path + " " + p.Module.Version
	if r := p.Module.Replace; r != nil {
		return fmt.Errorf("%s is replaced by %s: it is not clear which licence applies", name, r.Path)
	}
	c := found[name]
	if c == nil {
		c = &component{name: name, texts: map[string]text{}}
		found[name] = c
	}
	if !slices.Contains(c.on, t.String()) {
		c.on = append(c.on, t.String())
	}
	texts, err := textsOf(p)
	for file, text := range texts {
		if _, out := omitted[p.Module.Path+" "+file]; !out {
			c.texts[file] = text
		}
	}
	return err
}

// standardLibrary reads the licence of the Go that builds the binary.
func standardLibrary(ctx context.Context) (*component, error) {
	root, err := output(exec.CommandContext(ctx, "go", "env", "GOROOT"))
	if err != nil {
		return nil, err
	}
	texts, err := textsIn(os.DirFS(strings.TrimSpace(string(root))), ".")
	return &component{name: libraryName, texts: texts}, err
}

// licence is the SPDX expression of all texts of a component.
func (c *component) licence() (string, error) {
	var ids []string
	var failed []error
	for _, file := range sorted(c.texts) {
		expression, err := licenceOf(c.texts[file])
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %s: %w", c.name, file, err))
		}
		for id := range strings.SplitSeq(expression, " AND ") {
			if id != noLicence && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 && len(failed) == 0 {
		failed = append(failed, fmt.Errorf("%s has no licence", c.name))
	}
	slices.Sort(ids)
	return strings.Join(ids, " AND "), errors.Join(failed...)
}

// notices is the text of noticesFile: a line for each component ("NAME: LICENCE"), and all
// terms, each once, below the components they apply to. All errors are reported together.
func notices(all []*component) (string, error) {
	var b strings.Builder
	b.WriteString(noticesHead)
	var failed []error
	for _, c := range all {
		licence, err := c.licence()
		if err != nil {
			failed = append(failed, err)
		}
		fmt.Fprintf(&b, "%s%s: %s\n", c.name, c.where(), licence)
	}
	for _, same := range terms(all) {
		b.WriteString("\n" + strings.Repeat("=", 80) + "\n\n" + same.holders + "\n" + same.body + "\n")
	}
	return b.String(), errors.Join(failed...)
}

const noticesHead = `Third-party notices of infbench

infbench, which is licensed under the Apache License 2.0 (LICENSE), holds the following.
make notices writes this file from the licences of the linked code; make lint compares.

`

// where names the targets of a component that is not linked for all.
func (c *component) where() string {
	if len(c.on) == 0 || len(c.on) == len(targets) {
		return ""
	}
	return " (" + strings.Join(c.on, ", ") + ")"
}

// shared are terms with the statements of each component they apply to.
type shared struct{ holders, body string }

// terms joins the texts that have the same terms, in the order of the components.
func terms(all []*component) []*shared {
	var out []*shared
	byKey := map[string]*shared{}
	for _, c := range all {
		for _, file := range sorted(c.texts) {
			t := c.texts[file]
			s := byKey[t.key()]
			if s == nil {
				s = &shared{body: t.body}
				byKey[t.key()] = s
				out = append(out, s)
			}
			s.holders += fmt.Sprintf("%s, %s\n", c.name, file)
			for line := range strings.Lines(t.head) {
				s.holders += strings.TrimRight("    "+strings.TrimSpace(line), " ") + "\n"
			}
		}
	}
	return out
}

// updateNotices writes noticesFile, or compares it with the text it would write.
func updateNotices(ctx context.Context, module string, check bool) error {
	all, err := components(ctx, module)
	if err != nil {
		return err
	}
	want, err := notices(all)
	if err != nil {
		return err
	}
	path := filepath.Join(module, filepath.FromSlash(noticesFile))
	if !check {
		return disk.WriteBytes(path, []byte(want))
	}
	if have, err := os.ReadFile(path); err != nil || string(have) != want {
		return fmt.Errorf("%s does not match the linked code; make notices updates it", noticesFile)
	}
	return nil
}
