package catalog

import (
	"testing"

	"infbench/runners/spec"
)

// TestRemoteTemplate: a remote model's queries are joined by its card, unless the flag
// overrides it.
func TestRemoteTemplate(t *testing.T) {
	for _, c := range []struct {
		o    RemoteOptions
		want string
	}{
		{RemoteOptions{Remote: spec.Remote{API: "google", Model: "text-embedding-preview-0409"}}, "{instruction} {query}"},
		{RemoteOptions{Remote: spec.Remote{Model: "text-embedding-3-large"}}, "{query} {instruction}"},
		{RemoteOptions{Remote: spec.Remote{API: "google", Model: "text-embedding-preview-0409", QueryTemplate: "{query}: {instruction}"}}, "{query}: {instruction}"},
		{RemoteOptions{Remote: spec.Remote{API: "google", Model: "of-no-card"}}, ""},
	} {
		if got, err := c.o.queryTemplate(); err != nil || got != c.want {
			t.Errorf("%+v: %q, %v, want %q", c.o, got, err, c.want)
		}
	}
}
