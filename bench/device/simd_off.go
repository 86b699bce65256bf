//go:build !goexperiment.simd

package device

// BuiltWithSIMD says that GoMLX's Go backend was compiled with vector
// instructions (GOEXPERIMENT=simd).
const BuiltWithSIMD = false
