package catalog

import (
	"testing"
)

// A remote model's queries are joined as its card says, unless the flag says
// otherwise.
func TestRemoteTemplate(t *testing.T) {
	for _, c := range []struct {
		o    remoteOptions
		want string
	}{
		{remoteOptions{api: "google", model: "text-embedding-preview-0409"}, "{instruction} {query}"},
		{remoteOptions{model: "text-embedding-3-large"}, "{query} {instruction}"},
		{remoteOptions{api: "google", model: "text-embedding-preview-0409", template: "{query}: {instruction}"}, "{query}: {instruction}"},
		{remoteOptions{api: "google", model: "gemini-embedding-001"}, ""},
	} {
		if got, err := c.o.queryTemplate(); err != nil || got != c.want {
			t.Errorf("%+v: %q, %v, want %q", c.o, got, err, c.want)
		}
	}
}
