package training

import "math"

// Schedules of the learning rate. Each is a factor of Config.LearningRate that depends on the
// progress of training after the warm-up, from 0 to 1.
const (
	Linear   = "linear"   // straight down to 0
	Cosine   = "cosine"   // half a cosine down to 0
	Constant = "constant" // 1
)

var scheduleNames = []string{Linear, Cosine, Constant}

var schedules = map[string]func(progress float64) float64{
	Linear:   func(x float64) float64 { return 1 - x },
	Cosine:   func(x float64) float64 { return (1 + math.Cos(math.Pi*x)) / 2 },
	Constant: func(float64) float64 { return 1 },
}

// rate is the learning rate of the step with that index (0 .. steps-1): it rises linearly from 0
// over the warm-up steps, then follows the schedule, which would reach its end at index steps.
// These are the schedules of transformers (get_linear_schedule_with_warmup and its siblings).
func (c Config) rate(step, steps int) float64 {
	warmup := int(math.Ceil(c.Warmup * float64(steps)))
	if step < warmup {
		return c.LearningRate * float64(step) / float64(warmup)
	}
	return c.LearningRate * schedules[c.Schedule](float64(step-warmup)/float64(max(1, steps-warmup)))
}
