package chat

// Tokens is about how many tokens a text has, a quarter of its bytes: the tokenizers of
// endpoints are not to be had.
func Tokens(text string) int { return (len(text) + 3) / 4 }

// perMessage is more tokens than the template of a conversation adds to a message.
const perMessage = 16

// Estimate is about how many tokens the question has.
func (r *Request) Estimate() int {
	n := Tokens(string(r.Schema))
	for _, m := range r.Messages {
		n += Tokens(m.Text) + perMessage/4
	}
	return n
}

// AtMost is no fewer tokens than the question has: a token is at least one byte.
func (r *Request) AtMost() int {
	n := len(InstructionOfForm(r.Schema))
	for _, m := range r.Messages {
		n += len(m.Text) + perMessage
	}
	return n
}
