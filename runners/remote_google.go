package runners

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"infbench/internal/endpoint"
	"infbench/internal/secret"
)

// google is models.batchEmbedContents of the Gemini API (ai.google.dev/api/embeddings). Nothing
// in an answer shows which text a vector belongs to: vectors come "in the same order as
// provided in the batch request".
type google struct{}

var _ dialect = google{}

func (google) address() string { return "https://generativelanguage.googleapis.com/v1beta" }

// texts: more are refused with "at most 100 requests can be in one batch".
func (google) texts() (usual, most int) { return 100, 100 }

func (google) authorize(req *http.Request, key secret.Secret) { key.AuthorizeGoogle(req) }

func (google) request(o *RemoteOptions, as role, texts []string) (string, any) {
	type object = map[string]any
	model := "models/" + strings.TrimPrefix(o.Model, "models/")
	task := "RETRIEVAL_DOCUMENT"
	if as == asQueries {
		task = "RETRIEVAL_QUERY"
	}
	requests := make([]object, len(texts))
	for i, text := range texts {
		requests[i] = object{
			"model": model, "content": object{"parts": []object{{"text": text}}},
			"taskType": task, "outputDimensionality": o.Dim,
		}
	}
	return "/" + model + ":batchEmbedContents", object{"requests": requests}
}

func (google) read(body []byte, texts []string) (answer, error) {
	var sent struct {
		Embeddings []struct {
			Values []*float32 `json:"values"`
		} `json:"embeddings"`
		Usage struct {
			PromptTokens endpoint.Count `json:"promptTokenCount"`
		} `json:"usageMetadata"` // only from later models
	}
	if err := endpoint.Decode(body, &sent); err != nil {
		return answer{}, err
	}
	a := answer{tokens: int64(sent.Usage.PromptTokens)}
	if len(sent.Embeddings) != len(texts) {
		return a, fmt.Errorf("%d vectors for %d texts", len(sent.Embeddings), len(texts))
	}
	for _, e := range sent.Embeddings {
		a.vectors = append(a.vectors, e.Values)
	}
	return a, nil
}

// wait reads google.rpc.RetryInfo: Google's refusals have "retryDelay": "34.5s" in their
// details and no Retry-After.
func (google) wait(body []byte) time.Duration {
	var refusal struct {
		Error struct {
			Details []struct {
				RetryDelay string `json:"retryDelay"`
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &refusal) != nil {
		return 0
	}
	for _, d := range refusal.Error.Details {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil {
			return max(0, wait)
		}
	}
	return 0
}
