// Command release builds infbench, stamped with the identity of the build, for this machine
// or as archives with checksums, bills of materials and third-party notices. It publishes
// nothing.
//
// Run it in the repository: go run ./internal/tools/release build|notices|archives. See the
// Makefile.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"infbench/internal/nearest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run runs the subcommand in the working directory, which is that of the module.
func run(ctx context.Context, stdout io.Writer, args []string) error {
	module, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	asked := ""
	if len(args) > 0 {
		asked, args = args[0], args[1:]
	}
	flags := flag.NewFlagSet("release "+asked, flag.ExitOnError)
	switch asked {
	case "build":
		binary, tags := flags.String("out", "", "file"), flags.String("tags", "", "of go build")
		_ = flags.Parse(args)
		t, err := treeOf(ctx, module)
		if err != nil {
			return err
		}
		return t.here(ctx, *binary, *tags, os.Stderr)
	case "notices":
		check := flags.Bool("check", false, "compare, do not write")
		_ = flags.Parse(args)
		return updateNotices(ctx, module, *check)
	case "archives":
		dir, again := flags.String("out", "dist", "folder"), flags.Bool("twice", false, "build twice and compare")
		only := flags.String("only", "", "one target: OS-ARCH")
		_ = flags.Parse(args)
		of, err := chosen(*only)
		if err != nil {
			return err
		}
		t, err := treeOf(ctx, module)
		if err != nil {
			return err
		}
		return archives(ctx, t, of, *dir, *again, stdout)
	}
	return fmt.Errorf("unknown %q; known: build, notices, archives", asked)
}

// chosen returns the targets, or the one with a name.
func chosen(only string) ([]target, error) {
	if only == "" {
		return targets, nil
	}
	var known []string
	for _, t := range targets {
		if t.String() == only {
			return []target{t}, nil
		}
		known = append(known, t.String())
	}
	return nil, nearest.Unknown("target", only, known)
}
