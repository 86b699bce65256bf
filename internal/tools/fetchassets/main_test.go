package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A script with any other content is refused, whoever signed the module.
func TestCheckRefuses(t *testing.T) {
	if err := check([]byte("alert(1)")); err == nil {
		t.Error("an unknown script is accepted")
	}
}

// A script already in place is left alone: offline builds work.
func TestFetchKeeps(t *testing.T) {
	source := filepath.Join("..", "..", "..", "reports", "page", "assets", "echarts.min.js")
	data, err := os.ReadFile(source)
	if err != nil {
		t.Skipf("SKIP: %s absent; make assets fetches it", source)
	}
	dir := t.TempDir()
	target := filepath.Join(dir, "echarts.min.js")
	if err := os.WriteFile(target, data, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "") // no go command to call
	if err := fetch(t.Context(), dir); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(target, data[1:], 0o644); err != nil {
		t.Fatal(err)
	}
	if err := fetch(t.Context(), dir); err == nil {
		t.Error("a changed script is kept")
	}
}
