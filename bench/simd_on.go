//go:build goexperiment.simd

package main

// builtWithSIMD says that GoMLX's Go backend was compiled with vector
// instructions (GOEXPERIMENT=simd).
const builtWithSIMD = true
