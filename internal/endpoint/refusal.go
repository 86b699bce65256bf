package endpoint

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
)

// spent are codes of refusals with status 429 for which waiting does not help: the account has no
// credit left (platform.openai.com/docs/guides/error-codes; likewise Moonshot and DeepSeek).
var spent = []string{"insufficient_quota", "insufficient_balance", "insufficient_credit", "insufficient_funds", "exceeded_current_quota",
	"billing_hard_limit_reached", "billing_not_active", "account_deactivated", "account_suspended"}

// isSpent reports whether the code or type of a refusal is one of spent. It ignores the message:
// Google's mentions plan and billing even for a limit per minute.
func isSpent(refusal []byte) bool {
	type coded struct {
		Code any `json:"code"`
		Type any `json:"type"`
	}
	var body struct {
		coded
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(refusal, &body) != nil {
		return false
	}
	var inner coded
	_ = json.Unmarshal(body.Error, &inner) // some endpoints send a text without a code
	for _, value := range []any{body.Code, body.Type, inner.Code, inner.Type} {
		code, _ := value.(string)
		for _, s := range spent {
			if strings.Contains(strings.ToLower(code), s) {
				return true
			}
		}
	}
	return false
}

// manyWords matches the messages of endpoints about too many texts, or too many tokens in all
// texts, in one request.
var manyWords = regexp.MustCompile(`(?i)\bbatch|too (many|large|long|big)|at most|max(imum|\.|_|\b)|exceed|(larger|more|greater) than|up to \d|limit`)

// isTooMuch reports whether a refusal may be due to the size of a request, so that the same texts
// may succeed in several requests. It may be wrong, for example for a single text that is too long:
// then the smaller requests are refused as well.
func isTooMuch(status int, refusal []byte) bool {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return true
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return manyWords.Match(refusal)
	}
	return false
}

var (
	logprobWords  = regexp.MustCompile(`(?i)log.?prob`)
	logprobFields = regexp.MustCompile(`\\?"(top_)?logprobs\\?"\s*:`)
)

// NamesLogprobs reports whether a refusal is about log-probabilities. The fields of a repeated
// request do not count.
func NamesLogprobs(refusal string) bool {
	return logprobWords.MatchString(logprobFields.ReplaceAllString(refusal, ""))
}
