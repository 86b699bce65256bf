package pyenv

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Main is the main function of a tool: it calls run with the arguments, and ends its context at
// the first signal. It prints an Absent error as a skip. After any other error the exit
// code is 1.
func Main(name string, run func(ctx context.Context, stdout io.Writer, args []string) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout, os.Args[1:])
	stop()
	if gap := (Absent{}); errors.As(err, &gap) {
		fmt.Printf("%s: SKIP: %v\n", name, gap)
	} else if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}
