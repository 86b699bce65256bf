//go:build !linux

package main

import "os/exec"

// dieWithUs does nothing: a server outlives this process if that is killed with kill -9.
func dieWithUs(*exec.Cmd) {}

// withChildren does nothing: processes that a command started go on after it was killed.
func withChildren(*exec.Cmd) {}
