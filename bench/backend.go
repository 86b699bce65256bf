package main

import (
	"fmt"
	"os"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend" // the pure Go backend
)

// goBackend is the only safe configuration of GoMLX's pure Go backend: with its
// default one, operations wait for each other's worker slots for ever on
// machines with few cores.
const goBackend = "go:parallelism=-1"

// openBackend opens the GoMLX backend that trains and encodes.
func openBackend() (compute.Backend, error) {
	// The backend prints its configuration to standard output, which belongs to
	// our results.
	stdout := os.Stdout
	os.Stdout = os.Stderr
	if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		defer null.Close()
		os.Stdout = null
	}
	defer func() { os.Stdout = stdout }()
	b, err := compute.NewWithConfig(goBackend)
	if err != nil {
		return nil, fmt.Errorf("open backend %s: %w", goBackend, err)
	}
	return b, nil
}
