package chat

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"time"

	"infbench/internal/endpoint"
)

// Limits of one batch, as OpenAI sets them: 50,000 questions in 200 MB.
const (
	maxBatch      = 50_000
	maxBatchBytes = 150 << 20
	maxBatchFile  = 1 << 30 // bytes of answers
)

// batchKey is the field of a batch's metadata by which a batch is found again after its process was
// killed.
const batchKey = "infbench"

// remoteBatch is a batch as the endpoint describes it.
type remoteBatch struct {
	ID       string            `json:"id"`
	Status   string            `json:"status"`
	Output   string            `json:"output_file_id"`
	Errors   string            `json:"error_file_id"`
	Metadata map[string]string `json:"metadata"`
}

// ended reports whether no more answers can come.
func (b *remoteBatch) ended() bool {
	switch b.Status {
	case "completed", "failed", "expired", "cancelled":
		return true
	}
	return false
}

// batchLine is one line of the questions file.
type batchLine struct {
	ID     string          `json:"custom_id"`
	Method string          `json:"method"`
	URL    string          `json:"url"`
	Body   json.RawMessage `json:"body"`
}

// upload sends the questions, sorted by hash, as a file and returns its ID.
func (c *Client) upload(ctx context.Context, requests map[string]Request, order []string) (string, error) {
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	if err := parts.WriteField("purpose", "batch"); err != nil {
		return "", err
	}
	file, err := parts.CreateFormFile("file", "requests.jsonl")
	if err != nil {
		return "", err
	}
	lines := json.NewEncoder(file)
	for _, hash := range order {
		r := requests[hash]
		body, err := c.body(&r)
		if err == nil {
			err = lines.Encode(batchLine{hash, http.MethodPost, "/v1/chat/completions", body})
		}
		if err != nil {
			return "", err
		}
	}
	if err := parts.Close(); err != nil {
		return "", err
	}
	var made struct {
		ID string `json:"id"`
	}
	if err := c.call(ctx, endpoint.Request{Path: "/files", Kind: parts.FormDataContentType(), Body: form.Bytes()}, &made); err != nil {
		return "", err
	}
	return made.ID, needID(made.ID)
}

// submit creates a batch of an uploaded file. A request with unknown outcome is not repeated: the
// batch may already exist, and is then found by its key.
func (c *Client) submit(ctx context.Context, file, key string) (string, error) {
	body, err := json.Marshal(map[string]any{"input_file_id": file, "endpoint": "/v1/chat/completions", "completion_window": "24h",
		"metadata": map[string]string{batchKey: key}})
	if err != nil {
		return "", err
	}
	text, err := c.send(ctx, endpoint.Request{Path: "/batches", Body: body}, maxAnswer)
	if mayBePaid(ClassOf(err)) && ctx.Err() == nil {
		if id, err := c.findBatch(ctx, key); id != "" || err != nil {
			return id, err
		}
	}
	if err != nil {
		return "", err
	}
	var made remoteBatch
	if err := json.Unmarshal(text, &made); err != nil {
		return "", &Error{Malformed, fmt.Errorf("batch: %w", err)}
	}
	return made.ID, needID(made.ID)
}

// findBatch looks for the batch with a key at the endpoint; it returns "" if there is none.
func (c *Client) findBatch(ctx context.Context, key string) (string, error) {
	after := ""
	for {
		var list struct {
			Data []remoteBatch `json:"data"`
			More bool          `json:"has_more"`
		}
		if err := c.call(ctx, endpoint.Request{Path: "/batches?limit=100" + after}, &list); err != nil {
			return "", err
		}
		for _, b := range list.Data {
			if b.Metadata[batchKey] == key {
				return b.ID, nil
			}
		}
		if !list.More || len(list.Data) == 0 {
			return "", nil
		}
		after = "&after=" + url.QueryEscape(list.Data[len(list.Data)-1].ID)
	}
}

// await polls a batch until it has ended.
func (c *Client) await(ctx context.Context, id string, every time.Duration) (*remoteBatch, error) {
	for {
		var b remoteBatch
		if err := c.call(ctx, endpoint.Request{Path: "/batches/" + url.PathEscape(id)}, &b); err != nil {
			return nil, err
		}
		if b.ended() {
			return &b, nil
		}
		select {
		case <-time.After(every):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// outcome is the answer to one question of a batch, or the error in place of it.
type outcome struct {
	hash   string
	answer Answer
	err    error
}

// outcomes reads the answers of a batch, in the order of its files. Answers to unknown questions
// have the class WrongRecord.
func (c *Client) outcomes(ctx context.Context, b *remoteBatch, requests map[string]Request) ([]outcome, error) {
	var all []outcome
	for _, file := range []string{b.Output, b.Errors} {
		if file == "" {
			continue
		}
		text, err := c.content(ctx, file)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewReader(bytes.NewReader(text))
		for {
			line, err := lines.ReadBytes('\n')
			if line = bytes.TrimSpace(line); len(line) > 0 {
				all = append(all, c.outcome(line, requests))
			}
			if err == io.EOF {
				break
			}
		}
	}
	return all, nil
}

// outcome parses one line of the answers.
func (c *Client) outcome(line []byte, requests map[string]Request) outcome {
	var sent struct {
		ID       string `json:"custom_id"`
		Response struct {
			Status int             `json:"status_code"`
			Body   json.RawMessage `json:"body"`
		} `json:"response"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(line, &sent); err != nil {
		return outcome{err: &Error{Malformed, fmt.Errorf("a line of the batch's answers: %w", err)}}
	}
	r, asked := requests[sent.ID]
	o := outcome{hash: sent.ID}
	switch {
	case !asked:
		o.err = &Error{WrongRecord, fmt.Errorf("the batch answers request %.12q, which was not in it", sent.ID)}
	case sent.Response.Status != http.StatusOK:
		said := c.opts.Key.Redact(string(sent.Error) + string(sent.Response.Body))
		class := ServerFault
		if !endpoint.IsPassing(sent.Response.Status) {
			class = Rejected
		}
		o.err = &Error{class, fmt.Errorf("status %d in a batch: %s", sent.Response.Status, shortened(said))}
		if class == Rejected && r.Logprobs > 0 && endpoint.NamesLogprobs(said) {
			o.err = &Error{NoLogprobs, o.err}
		}
	default:
		o.answer, o.err = readCompletion(&r, sent.Response.Body, c.opts.Key)
	}
	if o.err != nil {
		o.err = &Error{ClassOf(o.err), errors.New(c.opts.Key.Redact(o.err.Error()))}
	}
	return o
}

// content downloads a file from the endpoint.
func (c *Client) content(ctx context.Context, file string) ([]byte, error) {
	return c.repeat(ctx, endpoint.Request{Path: "/files/" + url.PathEscape(file) + "/content"}, maxBatchFile)
}

// repeat sends a request that may be repeated.
func (c *Client) repeat(ctx context.Context, r endpoint.Request, limit int64) (text []byte, err error) {
	err = c.http.Retry(ctx, func() (err error) {
		text, err = c.send(ctx, r, limit)
		return err
	})
	return text, err
}

// call sends a request that may be repeated and decodes the answer.
func (c *Client) call(ctx context.Context, r endpoint.Request, into any) error {
	text, err := c.repeat(ctx, r, maxAnswer)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return &Error{Malformed, fmt.Errorf("%s: %w", r.Path, err)}
	}
	return nil
}

// needID rejects an answer without an ID.
func needID(id string) error {
	if id == "" {
		return &Error{Malformed, errors.New("the endpoint returned no ID: does it support batches?")}
	}
	return nil
}
