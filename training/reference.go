package training

import "sync"

// referenceLosses maps the reference code's "model_type/contrast_mode" pairs that its own
// assertions accept to the formula that the code computes.
//
// Its README says map = separate losses and map_add = one softmax. The code does the reverse, and
// this table follows the code: "_add" sums cross entropies (Uni), the others concatenate scores
// (Multi). With a single term both are the same loss, written as Uni. The attn types use the same
// formulas on cross-attended embeddings; the encoder chooses the interaction. basic_unfilter is
// basic on the unfiltered data.
//
// map_sum has only qk_with_neg here, because its only_neg uses passage 0 as every row's positive.
var referenceLosses = sync.OnceValue(func() map[string]Contrastive {
	basic := map[string]Term{"qk": P, "kq": IQ, "no_trick": P | IQ, "same_tower": P | IQ | ST}
	instruction := map[string]Term{
		"qk_with_neg": P | I, "kq_with_neg": I | IQ, "no_trick_with_neg": P | I | IQ,
		"same_tower_with_neg": P | I | IQ | ST, "only_neg": I,
	}
	families := []struct {
		model string
		form  Form
		modes map[string]Term
	}{
		{"basic", Multi, basic}, {"basic_unfilter", Multi, basic}, {"attn", Multi, basic},
		{"basic_add", Uni, basic}, {"attn_add", Uni, basic},
		{"map", Multi, instruction}, {"attn_map", Multi, instruction},
		{"map_add", Uni, instruction}, {"attn_map_add", Uni, instruction},
	}
	losses := map[string]Contrastive{"map_sum/qk_with_neg": {Multi, P | IP}}
	for _, f := range families {
		for mode, terms := range f.modes {
			l := Contrastive{f.form, terms}
			if len(terms.Split()) == 1 {
				l.Form = Uni
			}
			losses[f.model+"/"+mode] = l
		}
	}
	return losses
})
