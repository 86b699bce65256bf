package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/internal/words"
	pages "infbench/reports/serve"
	"infbench/runners/runs"
)

// defaultAddress is the address of pages: on this machine only, at a port that IANA has not
// assigned.
const defaultAddress = "localhost:8471"

// serveOptions are the flags of the verb.
type serveOptions struct {
	listen string
	hosts  []string
}

// serveCommand is the verb serve: it finds run folders, reads them and shows them as live
// pages of package reports/serve.
func serveCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve [RUN...]",
		Short: "Show run folders as pages that follow a sweep, in a browser",
		Long: `Serve pages that follow sweeps while they run: cells and their progress, growing loss
curves, the board as it fills, logs and the first error of failed cells, queries, and
two runs side by side. RUN is a run folder, or a folder with some. Without RUN, every run
folder below runs/, including later ones.
It needs no running sweep, disturbs none, and changes nothing. Ctrl-C ends it.

It serves this machine only and answers only requests for localhost; anyone with an
account on this machine can read the pages. From another machine, use a tunnel:
ssh -L 8471:localhost:8471 MACHINE, then http://localhost:8471/. With --listen on another
address, anyone who reaches that address can read everything: there is no password.`,
		Example: "  infbench serve\n  infbench serve runs/demo --listen localhost:8080",
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.serve(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), args)
		},
	}
	cmd.Flags().StringVar(&o.listen, "listen", defaultAddress, "HOST:PORT to serve at; port 0 chooses a free one")
	cmd.Flags().StringSliceVar(&o.hosts, "host", nil, "with --listen: further host names that browsers may use for this machine, besides localhost and the address")
	return cmd
}

func (o *serveOptions) serve(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	host, port, err := net.SplitHostPort(o.listen)
	if err != nil {
		return usage.Errorf("--listen: want HOST:PORT, such as %s: %w", defaultAddress, err)
	}
	if args, err = servedFolders(args); err != nil {
		return err
	}
	l, err := listenAt(host, port)
	if err != nil {
		return err
	}
	defer l.Close()
	own := l.Addr().(*net.TCPAddr)
	if !own.IP.IsLoopback() {
		fmt.Fprintf(stderr, "warning: %s can be reached from other machines: anyone who reaches it can read these runs, their logs and texts; there is no password. A tunnel needs no --listen: ssh -L %d:localhost:%d MACHINE\n", own, own.Port, own.Port)
	}
	s, err := pages.New(newRunSource(args), pages.Options{Hosts: append(o.hosts, host)})
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Fprintf(stdout, "serving %s at http://%s/ (read only; Ctrl-C ends it)\n", words.Clean(servedNames(args)), net.JoinHostPort(printedHost(host, own), strconv.Itoa(own.Port)))
	return s.Serve(ctx, l)
}

// servedFolders returns the named run folders, and those in other named folders. A folder that does
// not exist is an error.
func servedFolders(names []string) ([]string, error) {
	var dirs []string
	for _, name := range names {
		if there, err := disk.Exists(name); err != nil || !there {
			_, unknown := runs.At(name).Plan() // names the known ones
			return nil, cmp.Or(err, unknown)
		}
		found, err := runs.Within([]string{name})
		if err != nil {
			return nil, usage.Error{Err: err}
		}
		dirs = append(dirs, found...)
	}
	return dirs, nil
}

// servedNames names the served folders.
func servedNames(args []string) string {
	if len(args) == 0 {
		return "the run folders below runs/"
	}
	return words.First(5, args)
}

// printedHost returns the host of the printed address.
func printedHost(host string, own *net.TCPAddr) string {
	if host == "" || own.IP.IsUnspecified() {
		return "localhost"
	}
	return host
}

// triedPorts is how many ports after a taken one are tried.
const triedPorts = 100

// listenAt opens a port. A taken port is a usage error that suggests the next free one.
func listenAt(host, port string) (net.Listener, error) {
	address := host
	if host == "localhost" {
		address = "127.0.0.1" // instead of a resolver's answer
	}
	l, err := net.Listen("tcp", net.JoinHostPort(address, port))
	if !errors.Is(err, syscall.EADDRINUSE) {
		if err != nil {
			return nil, usage.Errorf("--listen %s: %w", net.JoinHostPort(host, port), err)
		}
		return l, nil
	}
	taken, _ := strconv.Atoi(port) // a service's name: no port is suggested
	for next := taken + 1; taken > 0 && next <= min(taken+triedPorts, 65535); next++ {
		other, err := net.Listen("tcp", net.JoinHostPort(address, strconv.Itoa(next)))
		if err != nil {
			continue
		}
		other.Close()
		return nil, usage.Errorf("port %s of %s is taken, perhaps by another infbench serve; this one is free: --listen %s", port, host, net.JoinHostPort(host, strconv.Itoa(next)))
	}
	return nil, usage.Errorf("port %s of %s is taken; --listen %s chooses a free one", port, host, net.JoinHostPort(host, "0"))
}
