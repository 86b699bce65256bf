package runners

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// No way of printing shows the key, not even of values that hold it unexported.
func TestAPIKeyIsHidden(t *testing.T) {
	r := newRemote(t, &endpoint{}, nil)
	key := r.opts.Key
	var printed strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, value := range []any{key, &key, r, r.opts, []APIKey{key}, map[string]APIKey{"k": key}} {
			fmt.Fprintf(&printed, verb, value)
		}
	}
	slog.New(slog.NewTextHandler(&printed, nil)).Info("x", "key", key, "remote", r)
	slog.New(slog.NewJSONHandler(&printed, nil)).Info("x", "key", key, "options", struct{ Key APIKey }{key})
	for _, form := range []string{testKey, fmt.Sprintf("%x", testKey)} {
		if strings.Contains(printed.String(), form) {
			t.Errorf("the key is printed: %s", printed.String())
		}
	}
	t.Setenv("INFBENCH_TEST_KEY", " ")
	if _, err := APIKeyFromEnvironment("INFBENCH_TEST_KEY"); err == nil || !strings.Contains(err.Error(), "INFBENCH_TEST_KEY") {
		t.Errorf("unset: error %v", err)
	}
}
