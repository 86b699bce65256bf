package encoder

import (
	"errors"
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
)

// windowed says which layers of a family see no more than the sliding_window tokens
// that end with their own.
type windowed int

const (
	nowhere    windowed = iota // sliding_window is no setting of the family (Llama)
	everywhere                 // unless sliding_window is null (Mistral)
	whereAsked                 // in layers that Qwen's settings name, if use_sliding_window is true
)

// The defaults of transformers' configurations. Mistral's sliding_window null is no
// window.
const (
	usualWindow     = 4096 // sliding_window of Mistral, Qwen2 and Qwen3
	usualFullLayers = 28   // max_window_layers of Qwen2 and Qwen3, which counts the layers without a window
)

// readWindows fills the settings of windows that config.json leaves out, and refuses
// those that contradict each other.
func (l llama) readWindows(c *Config) error {
	if c.UseSlidingWindow && l.windowed != whereAsked {
		return fmt.Errorf("use_sliding_window true is no setting of %s", l.name)
	}
	if _, ok := c.flat["sliding_window"]; c.flat != nil && !ok && (l.windowed == everywhere || c.UseSlidingWindow) {
		window := usualWindow
		c.SlidingWindow = &window
	}
	if c.UseSlidingWindow && c.MaxWindowLayers == nil {
		if _, ok := c.flat["max_window_layers"]; ok {
			return errors.New("max_window_layers is null")
		}
		layers := usualFullLayers
		c.MaxWindowLayers = &layers
	}
	if err := c.checkLayerTypes(); err != nil {
		return err
	}
	if c.MaxWindowLayers != nil && *c.MaxWindowLayers < 0 {
		return fmt.Errorf("max_window_layers is %d", *c.MaxWindowLayers)
	}
	for i := range c.NumHiddenLayers {
		slides := l.slides(c, i)
		if slides && *c.SlidingWindow < 1 {
			return fmt.Errorf("sliding_window is %d", *c.SlidingWindow)
		}
		if c.LayerTypes != nil && slides != (c.LayerTypes[i] == slidingAttention) {
			return fmt.Errorf("layer_types says %s of layer %d, use_sliding_window and sliding_window do not", c.LayerTypes[i], i)
		}
	}
	return nil
}

// slides says whether a layer sees a window of tokens alone. layer_types, where there
// is one, counts before max_window_layers.
func (l llama) slides(c *Config, layer int) bool {
	switch {
	case c.SlidingWindow == nil || l.windowed == nowhere:
		return false
	case l.windowed == everywhere:
		return true
	case c.LayerTypes != nil:
		return c.UseSlidingWindow && c.LayerTypes[layer] == slidingAttention
	}
	return c.UseSlidingWindow && layer >= *c.MaxWindowLayers
}

// window is how many tokens a layer sees, that of the token included, where there are
// length.
func (l llama) window(c *Config, layer, length int) int {
	if l.slides(c, layer) {
		return *c.SlidingWindow
	}
	return length
}

// biases lists the bias of attention of each layer, as build makes it for the layer's
// window where there are length tokens; layers of one window share it.
func (l llama) biases(c *Config, length int, build func(window int) *graph.Node) []*graph.Node {
	byWindow := map[int]*graph.Node{}
	list := make([]*graph.Node, c.NumHiddenLayers)
	for i := range list {
		window := l.window(c, i, length)
		if byWindow[window] == nil {
			byWindow[window] = build(window)
		}
		list[i] = byWindow[window]
	}
	return list
}
