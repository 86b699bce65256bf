package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"infbench/internal/usage"
	"infbench/internal/words"
	pages "infbench/reports/serve"
)

// defaultAddress is where pages are served: on this machine only, at a port that IANA has
// assigned to nobody.
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
		Long: `Serve pages that follow sweeps while they run: cells and how far they are, curves
as they grow, the board as it fills, logs and the first error of failed cells, queries, and
two runs side by side. Without RUN, every run folder below runs/, those that come later too.
It needs no running sweep, disturbs none, and changes nothing. Ctrl-C ends it.

It serves this machine only, and answers only whoever asks for localhost; whoever has an
account on this machine can read what it shows. From another machine come by a tunnel:
ssh -L 8471:localhost:8471 MACHINE, then http://localhost:8471/. With --listen on another
address whoever reaches that reads all: there is no password.`,
		Example: "  infbench serve\n  infbench serve runs/demo --listen localhost:8080",
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.serve(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), args)
		},
	}
	cmd.Flags().StringVar(&o.listen, "listen", defaultAddress, "HOST:PORT to serve at; port 0 is any that is free")
	cmd.Flags().StringSliceVar(&o.hosts, "host", nil, "with --listen: names by which browsers may ask for this machine, besides localhost and the address")
	return cmd
}

func (o *serveOptions) serve(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	host, port, err := net.SplitHostPort(o.listen)
	if err != nil {
		return usage.Errorf("--listen: want HOST:PORT, as %s: %w", defaultAddress, err)
	}
	l, err := listenAt(host, port)
	if err != nil {
		return err
	}
	defer l.Close()
	own := l.Addr().(*net.TCPAddr)
	if !own.IP.IsLoopback() {
		fmt.Fprintf(stderr, "warning: %s can be reached from other machines: whoever reaches it reads these runs, their logs and texts; there is no password. A tunnel needs no --listen: ssh -L %d:localhost:%d MACHINE\n", own, own.Port, own.Port)
	}
	s, err := pages.New(newRunSource(args), pages.Options{Hosts: append(o.hosts, host)})
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Fprintf(stdout, "serving %s at http://%s/ (read only; Ctrl-C ends it)\n", words.Clean(servedNames(args)), net.JoinHostPort(printedHost(host, own), strconv.Itoa(own.Port)))
	return s.Serve(ctx, l)
}

// servedNames names what is served.
func servedNames(args []string) string {
	if len(args) == 0 {
		return "the run folders below runs/"
	}
	return words.First(5, args)
}

// printedHost is the host of the address that is printed.
func printedHost(host string, own *net.TCPAddr) string {
	if host == "" || own.IP.IsUnspecified() {
		return "localhost"
	}
	return host
}

// triedPorts is how many ports after one that is taken are tried for one that is free.
const triedPorts = 100

// listenAt takes a port. One that is taken is wrong usage, with the next that is free.
func listenAt(host, port string) (net.Listener, error) {
	address := host
	if host == "localhost" {
		address = "127.0.0.1" // whatever a resolver makes of the name
	}
	l, err := net.Listen("tcp", net.JoinHostPort(address, port))
	if !errors.Is(err, syscall.EADDRINUSE) {
		if err != nil {
			return nil, usage.Errorf("--listen %s: %w", net.JoinHostPort(host, port), err)
		}
		return l, nil
	}
	taken, _ := strconv.Atoi(port) // a service's name: none is offered
	for next := taken + 1; taken > 0 && next <= min(taken+triedPorts, 65535); next++ {
		other, err := net.Listen("tcp", net.JoinHostPort(address, strconv.Itoa(next)))
		if err != nil {
			continue
		}
		other.Close()
		return nil, usage.Errorf("port %s of %s is taken, by another infbench serve perhaps; this one is free: --listen %s", port, host, net.JoinHostPort(host, strconv.Itoa(next)))
	}
	return nil, usage.Errorf("port %s of %s is taken; --listen %s takes any that is free", port, host, net.JoinHostPort(host, "0"))
}
