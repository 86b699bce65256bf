package encoder

import (
	"errors"
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
)

// windowed selects the layers of a family that see only the sliding_window tokens that end with
// the current one.
type windowed int

const (
	nowhere    windowed = iota // sliding_window is not a setting of the family (Llama)
	everywhere                 // unless sliding_window is null (Mistral)
	whereAsked                 // in layers selected by Qwen's settings, if use_sliding_window is true
)

// The defaults of transformers' configurations. In Mistral, sliding_window null means no window.
const (
	usualWindow     = 4096 // sliding_window of Mistral, Qwen2 and Qwen3
	usualFullLayers = 28   // max_window_layers of Qwen2 and Qwen3: the number of layers without a window
)

// readWindows fills the window settings that config.json leaves out, and returns an error for
// settings that contradict each other.
func (l llama) readWindows(c *Config) error {
	if c.UseSlidingWindow && l.windowed != whereAsked {
		return fmt.Errorf("use_sliding_window true is not a setting of %s", l.name)
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
			return fmt.Errorf("layer_types sets %s for layer %d, but use_sliding_window and sliding_window do not", c.LayerTypes[i], i)
		}
	}
	return nil
}

// slides reports whether a layer sees only a window of tokens. layer_types, if it is set, wins
// over max_window_layers.
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

// window is the number of tokens that a layer sees, including the current one, in texts of length
// tokens.
func (l llama) window(c *Config, layer, length int) int {
	if l.slides(c, layer) {
		return *c.SlidingWindow
	}
	return length
}

// biases lists the attention bias of each layer, which build makes for the layer's window in
// texts of length tokens. Layers with the same window share it.
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
