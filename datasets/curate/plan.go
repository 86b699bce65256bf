package curate

import "strings"

// Planned is the forecast for one author or judge.
type Planned struct {
	By   string `json:"by"`
	Part Part   `json:"part"`
	Forecast
}

// sampled is the number of records that a forecast examines; the result is scaled.
const sampled = 200

// typicalInstruction is the placeholder of an unwritten instruction: as long as those of InF-IR, some 40
// words.
var typicalInstruction = strings.Repeat("instruction ", 40)

// Forecast estimates the usage of making the corpus from its seeds. It assumes that every record
// passes all stages, that instructions are of typical length, and that poisoned texts are as long
// as their opposites. Nothing is asked.
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

// scaled scales the forecast of some questions to another number of them.
func (f Forecast) scaled(to, of int) Forecast {
	times := func(n int) int { return n * to / of }
	return Forecast{times(f.Questions), times(f.Input), times(f.Output), f.Cost * float64(to) / float64(of), times(f.Unpriced)}
}

// typical returns the record as it may be when a part is written.
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
