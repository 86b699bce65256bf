// The compiler accepts functions without a body, here those of go:linkname, only in packages
// that have an assembly file.
