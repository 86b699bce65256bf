//go:build !amd64

package kernel

var roundings map[string]*micro
