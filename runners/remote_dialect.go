package runners

import (
	"maps"
	"net/http"
	"slices"
	"time"

	"infbench/internal/secret"
)

// The interfaces for embeddings that Remote speaks.
const (
	apiOpenAI = "openai"
	apiCohere = "cohere"
	apiGoogle = "google"
)

// dialect is how one interface for embeddings is spoken: what is sent where, and
// how its answers are read.
type dialect interface {
	// address is the provider's own, "" where the interface has many providers.
	address() string
	// texts are how many texts a request usually and at most holds.
	texts() (usual, most int)
	// authorize puts the key where the provider looks for it.
	authorize(req *http.Request, key secret.Secret)
	// request returns the path below the address and the body that asks for the
	// vectors of texts.
	request(o *RemoteOptions, as role, texts []string) (path string, body any)
	// read decodes the answer to a request for the vectors of texts.
	read(body []byte, texts []string) (answer, error)
	// wait is how long the body of a refusal asks to wait; 0 where it does not say.
	wait(body []byte) time.Duration
}

// role is what texts are encoded as: some models read queries and documents
// differently.
type role bool

const (
	asQueries   role = true
	asDocuments role = false
)

// answer is what an endpoint said: the vectors in the order of the texts. Their
// values are pointers since a null would otherwise pass for a zero.
type answer struct {
	vectors [][]*float32
	tokens  int64 // used, by the endpoint's count; 0: it gives none
}

// dialects lists the interfaces by name.
func dialects() map[string]dialect {
	return map[string]dialect{apiOpenAI: openAI{}, apiCohere: cohere{}, apiGoogle: google{}}
}

// RemoteAPIs lists the interfaces for embeddings that NewRemote can speak.
func RemoteAPIs() []string { return slices.Sorted(maps.Keys(dialects())) }
