package testkit

import (
	"os"
	"testing"
)

// HostPlugin returns the path of XLA's plugin for processors, which computes, unlike the plugin of
// package pjrttest. Without one the test is skipped.
func HostPlugin(t testing.TB) string {
	t.Helper()
	path := os.Getenv("INFBENCH_PLUGIN")
	if path == "" {
		t.Skip("SKIP: INFBENCH_PLUGIN names no XLA plugin: make device-check PLUGIN=PATH sets it")
	}
	return path
}
