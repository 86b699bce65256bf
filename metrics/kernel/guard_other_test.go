//go:build !linux

package kernel

import "testing"

// guarded returns memory for n elements; pages are guarded on Linux only.
func guarded(_ testing.TB, n int, _ bool) []float32 { return make([]float32, n) }
