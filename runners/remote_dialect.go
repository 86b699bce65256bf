package runners

import (
	"maps"
	"net/http"
	"slices"
	"time"

	"infbench/internal/secret"
)

// The interfaces for embeddings that Remote supports.
const (
	apiOpenAI = "openai"
	apiCohere = "cohere"
	apiGoogle = "google"
)

// dialect is the protocol of one interface for embeddings: its requests and how to read its
// answers.
type dialect interface {
	// address is the provider's own address, "" if the interface has many providers.
	address() string
	// texts are the usual and the maximum number of texts in a request.
	texts() (usual, most int)
	// authorize adds the key in the way of the provider.
	authorize(req *http.Request, key secret.Secret)
	// request returns the path below the address and the body of a request for the vectors of
	// texts.
	request(o *RemoteOptions, as role, texts []string) (path string, body any)
	// read decodes the answer to a request for the vectors of texts.
	read(body []byte, texts []string) (answer, error)
	// wait is the time to wait that the body of a refusal gives; 0 if it gives none.
	wait(body []byte) time.Duration
}

// role is the role in which texts are encoded: some models encode queries and documents
// differently.
type role bool

const (
	asQueries   role = true
	asDocuments role = false
)

// answer is the content of an endpoint's answer: the vectors in the order of the texts. Their
// values are pointers, since otherwise a null would be read as zero.
type answer struct {
	vectors [][]*float32
	tokens  int64 // used tokens, by the endpoint's count; 0: no count
}

// dialects lists the interfaces by name.
func dialects() map[string]dialect {
	return map[string]dialect{apiOpenAI: openAI{}, apiCohere: cohere{}, apiGoogle: google{}}
}

// RemoteAPIs lists the interfaces for embeddings that NewRemote supports.
func RemoteAPIs() []string { return slices.Sorted(maps.Keys(dialects())) }
