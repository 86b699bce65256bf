package command

import (
	"bytes"
	"strings"
	"testing"
)

// An ablation is not a projection; the error comes before anything is read.
func TestAblationHasNoProjection(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := run([]string{"report", t.TempDir(), "--ablation", "--row", "loss"}, &stdout, &stderr)
	if code != 2 || !strings.Contains(stderr.String(), "--ablation has tables of its own") {
		t.Errorf("exit %d: %s", code, stderr.String())
	}
}
