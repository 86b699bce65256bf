package chat

// Tokens estimates the tokens of a text as a quarter of its bytes: the tokenizers of endpoints are
// not available.
func Tokens(text string) int { return (len(text) + 3) / 4 }

// perMessage is an upper bound of the tokens that a conversation template adds to a message.
const perMessage = 16

// Estimate estimates the tokens of the question.
func (r *Request) Estimate() int {
	n := Tokens(string(r.Schema)) + Tokens(r.Prompt)
	for _, m := range r.Messages {
		n += Tokens(m.Text) + perMessage/4
	}
	return n
}

// AtMost returns an upper bound of the tokens of the question: a token has at least one byte.
func (r *Request) AtMost() int {
	n := len(InstructionOfForm(r.Schema)) + len(r.Prompt)
	for _, m := range r.Messages {
		n += len(m.Text) + perMessage
	}
	return n
}
