//go:build !amd64 && !arm64

package kernel

func detected() []*set { return []*set{&portableKernels} }
