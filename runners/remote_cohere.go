package runners

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"infbench/internal/endpoint"
	"infbench/internal/secret"
)

// cohere is Cohere's /v2/embed (docs.cohere.com/reference/embed). All keys are limited to 2,000
// texts a minute, which is 0.34 full requests a second, and trial keys to 1,000 requests a
// month (docs.cohere.com/docs/rate-limits).
type cohere struct{}

var _ dialect = cohere{}

func (cohere) address() string { return "https://api.cohere.com/v2" }

// texts is the maximum number, since Cohere limits requests.
func (cohere) texts() (usual, most int) { return 96, 96 }

func (cohere) authorize(req *http.Request, key secret.Secret) { key.Authorize(req) }

func (cohere) request(o *RemoteOptions, as role, texts []string) (string, any) {
	body := map[string]any{"model": o.Model, "texts": texts, "input_type": "search_document", "embedding_types": []string{"float"}}
	if as == asQueries {
		body["input_type"] = "search_query"
	}
	if strings.HasPrefix(o.Model, "embed-v") { // embed-v4.0 and later; embed-english-v3.0 has one size and refuses the field
		body["output_dimension"] = o.Dim
	}
	return "/embed", body
}

// read returns the vectors in the order of the texts, which the answer repeats: if a text is in
// the place of another, so is its vector.
func (cohere) read(body []byte, texts []string) (answer, error) {
	var sent struct {
		Embeddings struct {
			Float [][]*float32 `json:"float"`
		} `json:"embeddings"`
		Texts []string `json:"texts"`
		Meta  struct {
			Billed struct {
				InputTokens endpoint.Count `json:"input_tokens"`
			} `json:"billed_units"`
		} `json:"meta"`
	}
	if err := endpoint.Decode(body, &sent); err != nil {
		return answer{}, err
	}
	a := answer{tokens: int64(sent.Meta.Billed.InputTokens)}
	vectors := sent.Embeddings.Float
	if len(vectors) != len(texts) {
		return a, fmt.Errorf("%d vectors for %d texts", len(vectors), len(texts))
	}
	order, err := orderOf(sent.Texts, texts)
	if err != nil {
		return a, err
	}
	a.vectors = make([][]*float32, len(texts))
	for i, v := range vectors {
		a.vectors[order[i]] = v
	}
	return a, nil
}

// orderOf returns for each repeated text the index of the request's text. Repetitions are
// optional, and some models change them to lower case or cut them. A repetition that matches no
// text is assumed to be in its place.
func orderOf(repeated, texts []string) ([]int, error) {
	order, taken := make([]int, len(texts)), make([]bool, len(texts))
	places := map[string][]int{}
	for i, text := range texts {
		order[i] = i
		places[strings.ToLower(text)] = append(places[strings.ToLower(text)], i)
	}
	if len(repeated) != len(texts) {
		return order, nil
	}
	for i, text := range repeated {
		if same := places[strings.ToLower(text)]; len(same) > 0 {
			order[i], places[strings.ToLower(text)] = same[0], same[1:]
		}
		if taken[order[i]] {
			return nil, errors.New("the texts of the answer are not those of the request")
		}
		taken[order[i]] = true
	}
	return order, nil
}

func (cohere) wait([]byte) time.Duration { return 0 }
