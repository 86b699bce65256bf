package encoder

import (
	"errors"
	"fmt"
	"math"

	"infbench/internal/nearest"
)

// RopeScaling changes rotary frequencies for long contexts (config.json rope_scaling;
// rope_parameters in later versions), by the formulas of transformers' modeling_rope_utils.
type RopeScaling struct {
	Type      string  `json:"rope_type,omitempty"` // default, linear, dynamic, yarn, llama3
	OldType   string  `json:"type,omitempty"`      // the key of early versions
	Factor    float64 `json:"factor,omitempty"`
	Low       float64 `json:"low_freq_factor,omitempty"`
	High      float64 `json:"high_freq_factor,omitempty"`
	Positions float64 `json:"original_max_position_embeddings,omitempty"`
	Theta     float64 `json:"rope_theta,omitempty"` // in rope_parameters

	Attention *float64 `json:"attention_factor,omitempty"` // for yarn, as are the next two
	BetaFast  float64  `json:"beta_fast,omitempty"`
	BetaSlow  float64  `json:"beta_slow,omitempty"`

	// Keys of yarn in other families.
	MScale    *float64 `json:"mscale,omitempty"`
	MScaleAll *float64 `json:"mscale_all_dim,omitempty"`
	Truncate  *bool    `json:"truncate,omitempty"`
	Partial   *float64 `json:"partial_rotary_factor,omitempty"`
}

// kind is the type under either key.
func (r *RopeScaling) kind() string {
	switch {
	case r == nil:
		return "default"
	case r.Type != "":
		return r.Type
	case r.OldType != "":
		return r.OldType
	}
	return "default"
}

// check returns an error for scalings that are unknown or incomplete.
func (r *RopeScaling) check() error {
	kind := r.kind()
	if kind == "default" {
		return r.checkPartial()
	}
	if r.Factor <= 0 {
		switch kind {
		case "linear", "dynamic", "yarn":
			return fmt.Errorf("rope_scaling %s with factor %g", kind, r.Factor)
		}
	}
	switch kind {
	case "linear", "dynamic":
	case "yarn":
		if r.MScale != nil || r.MScaleAll != nil || r.Truncate != nil && !*r.Truncate {
			return errors.New("rope_scaling yarn with mscale, mscale_all_dim or truncate false is not supported")
		}
	case "llama3":
		if r.Factor <= 0 || r.Positions <= 0 || r.High <= r.Low || r.Low <= 0 {
			return errors.New("rope_scaling llama3 needs factor, low_freq_factor < high_freq_factor and original_max_position_embeddings")
		}
	default:
		return nearest.Unknown("rope_scaling type", kind, []string{"default", "dynamic", "linear", "llama3", "yarn"})
	}
	return r.checkPartial()
}

// checkPartial returns an error for heads that are rotated only in part.
func (r *RopeScaling) checkPartial() error {
	if r != nil && r.Partial != nil && *r.Partial != 1 {
		return fmt.Errorf("partial_rotary_factor %g is not supported (known: 1)", *r.Partial)
	}
	return nil
}

// angles are the rotary frequencies of a network.
type angles struct {
	theta     float64
	width     int          // of a head
	positions int          // max_position_embeddings
	scaling   *RopeScaling // nil: none
}

// frequencies returns the width/2 frequencies theta^(-2i/width), scaled, for sequences of a
// length, and the factor of the cosines and sines.
func (a angles) frequencies(length int) (list []float32, factor float32) {
	r, factor := a.scaling, 1
	switch r.kind() {
	case "dynamic": // no change up to the positions of the model
		if length > a.positions {
			d := float64(a.width)
			stretch := r.Factor*float64(length)/float64(a.positions) - (r.Factor - 1)
			a.theta *= math.Pow(stretch, d/(d-2))
		}
	case "yarn":
		return a.yarn()
	}
	list = make([]float32, a.width/2)
	for i := range list {
		f := float32(1 / math.Pow(a.theta, float64(2*i)/float64(a.width)))
		switch r.kind() {
		case "linear":
			f /= float32(r.Factor)
		case "llama3":
			f = r.llama3(f)
		}
		list[i] = f
	}
	return list, factor
}

// llama3 keeps short waves, divides long ones by factor and interpolates smoothly between the two
// (Llama 3.1).
func (r *RopeScaling) llama3(f float32) float32 {
	wave := 2 * math.Pi / float64(f)
	switch {
	case wave < r.Positions/r.High:
		return f
	case wave > r.Positions/r.Low:
		return f / float32(r.Factor)
	}
	smooth := (r.Positions/wave - r.Low) / (r.High - r.Low)
	return float32((1-smooth)*float64(f)/r.Factor + smooth*float64(f))
}

// yarn keeps the frequencies that turn often within the original length, divides the slowest ones
// by factor, and interpolates linearly between them by their number; attention gets sharper (Peng
// et al. 2023, arXiv 2309.00071).
func (a angles) yarn() (list []float32, factor float32) {
	r, d := a.scaling, float64(a.width)
	positions := r.Positions
	if positions == 0 {
		positions = float64(a.positions)
	}
	fast, slow := r.BetaFast, r.BetaSlow
	setDefault(&fast, 32)
	setDefault(&slow, 1)
	turning := func(times float64) float64 { // the frequency that turns this many times
		return d * math.Log(positions/(times*2*math.Pi)) / (2 * math.Log(a.theta))
	}
	from := max(math.Floor(turning(fast)), 0)
	to := min(math.Ceil(turning(slow)), d-1)
	if from == to {
		to += 0.001
	}
	for i := range a.width / 2 {
		f := 1 / math.Pow(a.theta, float64(2*i)/d)
		divided := min(max((float64(i)-from)/(to-from), 0), 1)
		list = append(list, float32(f/r.Factor*divided+f*(1-divided)))
	}
	if r.Attention != nil {
		return list, float32(*r.Attention)
	}
	return list, float32(0.1*math.Log(r.Factor) + 1)
}
