package curate

import "strings"

// Planned is what one author or judge will be asked.
type Planned struct {
	By   string `json:"by"`
	Part Part   `json:"part"`
	Forecast
}

// sampled is how many records a forecast looks at; it scales what they take.
const sampled = 200

// typicalInstruction stands for an instruction that is not written yet: as long as those
// of InF-IR, some 40 words.
var typicalInstruction = strings.Repeat("instruction ", 40)

// Forecast says what making the corpus will take, from its seeds, as if every record got
// to the end: instructions count as typical ones, poisoned texts as long as the texts
// that they oppose. Nothing is asked.
func (c *Corpus) Forecast() ([]Planned, error) {
	seeds, err := c.seeds()
	if err != nil {
		return nil, err
	}
	seeds = standing(seeds)
	sample := seeds[:min(sampled, len(seeds))]
	of := func(by string, part Part, one func(*Record) Forecast) Planned {
		p := Planned{By: by, Part: part}
		for i := range sample {
			p.Add(one(&sample[i]))
		}
		if len(sample) > 0 {
			p.Forecast = p.scaled(len(seeds), len(sample))
		}
		return p
	}
	var plan []Planned
	var poison Poison
	if len(c.Poisons) > 0 {
		poison = c.Poisons[0]
	}
	for _, part := range []Part{Instruction, NegativeInstruction, NegativeQuery, Passage1, Passage2} {
		plan = append(plan, of(c.Author.Name(), part, func(r *Record) Forecast { return c.Author.Forecast(r.typical(part, poison), part) }))
	}
	for _, judge := range c.Judges {
		plan = append(plan, of(judge.Name(), Verdict, func(r *Record) Forecast {
			questions := c.questions([]Record{*r.typical(Verdict, poison)}, seeds)
			return judge.Forecast(&questions[0]).scaled(len(questions), 1)
		}))
	}
	return plan, nil
}

// scaled is the forecast of so many questions as of some.
func (f Forecast) scaled(to, of int) Forecast {
	times := func(n int) int { return n * to / of }
	return Forecast{times(f.Questions), times(f.Input), times(f.Output), f.Cost * float64(to) / float64(of), times(f.Unpriced)}
}

// typical is the record as it may be when a part is written.
func (r *Record) typical(part Part, p Poison) *Record {
	t := *r
	t.Poison = p
	if part == Instruction {
		return &t
	}
	t.InstructionPositive, t.InstructionNegative, t.QueryNegative = typicalInstruction, typicalInstruction, t.QueryPositive
	t.HardNegative1, t.HardNegative2 = t.Positive, t.Positive
	return &t
}
