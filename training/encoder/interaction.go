package encoder

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/nearest"
)

// Interaction selects how instruction and query are combined in a query's vector. The names
// describe the computation; omitted options have the values of the first line.
//
//	cross_attention(level=token, projections=none, eval_mask=correct)
type Interaction string

// The interactions of InF-Embed. Concat encodes both as one text, or as one sequence of tokens
// (Text.Concat), joined by the template.
//
// CrossAttention encodes them separately, each with its own special tokens, and lets the tokens
// of the instruction attend to those of the query as the reference code does. With last hidden
// states H_I [L,D] and H_Q [M,D], the vector is the mean over L of softmax(H_I H_Q^T / sqrt(D))
// H_Q, whatever the pooling of documents. An instruction acts as weights on the query's tokens:
// words that are not in the query reach the vector through those weights only.
//
// projections=learned adds the weights of the paper's eq. 4, which the code lacks: softmax((H_I
// W_i)(H_Q W_q1)^T / sqrt(D)) H_Q W_q2. The equation leaves three things open. Its vectors are
// rows, multiplied from the right; the projections are square, D by D, without bias; and they
// start as the identity, so that training starts from the formula of the code. They belong to the
// query side only.
//
// level=pooled takes the equation as printed, on pooled vectors (Text.Pooling) instead of token
// states. Then there is one key, whose share is 1: the vector is the query's vector, times W_q2
// if it is learned, and the instruction, W_i and W_q1 have no effect (spec/training.md, section
// 3).
//
// eval_mask=reference_bug uses the reference code's mask of -1e-8 instead of -1e8 in evaluation:
// the padding of a query to MaxQuery tokens keeps its share of the softmax. Training is
// unchanged, as in that code. Pooled vectors have no padding.
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

// check returns an error for unknown names.
func (i Interaction) check() error {
	if !slices.Contains(Interactions(), string(i)) {
		return nearest.Unknown("interaction", string(i), Interactions())
	}
	return nil
}

// Crossed reports whether instruction and query are encoded separately.
func (i Interaction) Crossed() bool { return i != Concat && i != "" }

// projected reports whether the interaction has its own weights.
func (i Interaction) projected() bool { return i.has("projections=learned") }

// pooled reports whether the interaction uses pooled vectors instead of tokens.
func (i Interaction) pooled() bool { return i.has("level=pooled") }

// has reports whether an option is set.
func (i Interaction) has(option string) bool { return strings.Contains(string(i), option) }

// padded is the number of tokens to which evaluation pads a query without masking the padding; 0:
// the padding is masked.
func (t *Text) padded() int {
	if t.Interaction.has("eval_mask=reference_bug") {
		return t.MaxQuery
	}
	return 0
}

// SetInteraction changes how instruction and query are combined. Weights that the interaction
// learns begin as the identity; those of the previous interaction are dropped. Save keeps both.
// It must not be called while the encoder encodes or is trained.
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
