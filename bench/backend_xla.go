//go:build xla

package main

import "github.com/gomlx/go-xla/compute/xla"

// builtWithXLA says that this binary can load PJRT plugins. It is built by
// go build -tags xla with cgo.
const builtWithXLA = true

// prepareXLA keeps XLA from downloading plugins by itself.
func prepareXLA() error {
	xla.EnableAutoInstall(false)
	return nil
}
