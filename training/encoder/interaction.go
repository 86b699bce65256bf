package encoder

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/nearest"
)

// Interaction says how instruction and query meet in a query's vector. Names say
// what is computed; options that are left out have the values of the first line.
//
//	cross_attention(level=token, projections=none, eval_mask=correct)
type Interaction string

// The interactions of InF-Embed. Concat reads both as one text, or as one
// sequence of tokens (Text.Concat), joined by the template.
//
// CrossAttention reads them apart, each with its own special tokens, and lets
// the tokens of the instruction attend to those of the query as the reference code
// does: with last hidden states H_I [L,D] and H_Q [M,D], the vector is the mean
// over L of softmax(H_I H_Q^T / sqrt(D)) H_Q, whatever the pooling of documents.
// An instruction acts as weights on the query's tokens: words that are not in the
// query reach the vector through those weights only.
//
// With projections=learned the weights of the paper's eq. 4 are there, which the
// code lacks: softmax((H_I W_i)(H_Q W_q1)^T / sqrt(D)) H_Q W_q2. The equation
// leaves three things open. Its vectors are rows, multiplied from the right; the
// projections are square, D by D, without bias; and they start as the identity, so
// that training starts from what the code computes. They belong to the query side
// alone.
//
// With level=pooled the equation is read as it is printed, on pooled vectors
// (Text.Pooling) in the place of token states. There is one key then, whose share
// is 1: the vector is that of the query, times W_q2 if it is learned, and the
// instruction, W_i and W_q1 have no effect (spec/training.md, section 3).
//
// With eval_mask=reference_bug evaluation has the reference code's mask of -1e-8
// for -1e8: the padding of a query to MaxQuery tokens keeps its share of the
// softmax. Training is unchanged, as there. Pooled vectors have no padding.
const (
	Concat                               Interaction = "concat"
	CrossAttention                       Interaction = "cross_attention"
	CrossAttentionReferenceMask          Interaction = "cross_attention(eval_mask=reference_bug)"
	CrossAttentionProjected              Interaction = "cross_attention(projections=learned)"
	CrossAttentionProjectedReferenceMask Interaction = "cross_attention(projections=learned,eval_mask=reference_bug)"
	CrossAttentionPooled                 Interaction = "cross_attention(level=pooled)"
	CrossAttentionPooledProjected        Interaction = "cross_attention(level=pooled,projections=learned)"
)

// Interactions lists the names.
func Interactions() []string {
	return []string{
		string(Concat), string(CrossAttention), string(CrossAttentionReferenceMask),
		string(CrossAttentionProjected), string(CrossAttentionProjectedReferenceMask),
		string(CrossAttentionPooled), string(CrossAttentionPooledProjected),
	}
}

// check refuses unknown names.
func (i Interaction) check() error {
	if !slices.Contains(Interactions(), string(i)) {
		return nearest.Unknown("interaction", string(i), Interactions())
	}
	return nil
}

// Crossed says that instruction and query are read apart.
func (i Interaction) Crossed() bool { return i != Concat && i != "" }

// projected says that the interaction has weights of its own.
func (i Interaction) projected() bool { return i.has("projections=learned") }

// pooled says that vectors meet, not tokens.
func (i Interaction) pooled() bool { return i.has("level=pooled") }

// has says whether an option is set.
func (i Interaction) has(option string) bool { return strings.Contains(string(i), option) }

// padded is the number of tokens to which evaluation pads a query without masking
// the padding; 0: it is masked.
func (t *Text) padded() int {
	if t.Interaction.has("eval_mask=reference_bug") {
		return t.MaxQuery
	}
	return 0
}

// SetInteraction changes how instruction and query meet. Weights that the
// interaction learns begin as the identity, those of another are dropped. Save
// keeps both. It must not be called while the encoder encodes or is trained.
func (e *Encoder) SetInteraction(i Interaction) error {
	if err := i.check(); err != nil {
		return err
	}
	if err := e.Crossing().setLearned(i.projected()); err != nil {
		return fmt.Errorf("interaction %s: %w", i, err)
	}
	e.config.Text.Interaction = i
	e.passes.pairs.reset()
	return nil
}
