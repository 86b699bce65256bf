//go:build !amd64

package kernel

var peaks = map[string]peakLoop{}
