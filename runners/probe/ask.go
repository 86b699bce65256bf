package probe

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"infbench/datasets"
	"infbench/runners/results"
)

// Options decide how queries are asked again.
type Options struct {
	Seed     uint64             // for random draws
	Items    int                // random sample of queries to probe in a task; 0: all. A pair counts once
	Variants []datasets.Variant // instructions written for the queries; rewordings among them replace the frames
}

// asked is one question: a query with one instruction.
type asked struct {
	query       *datasets.Query
	item        string
	kind        string
	instruction string
	id          string // unique in the task
}

// item is an independent unit of a task: a query, or the queries of a pair in the order of
// their sides.
type item struct {
	id      string
	queries []*datasets.Query
}

// itemsOf lists the items of a task that have an instruction, in the order of its queries.
func itemsOf(t *datasets.Task) []item {
	of := map[string]string{}
	for _, p := range t.Pairs {
		of[p.Original], of[p.Changed] = p.ID, p.ID
		if p.Reversed != "" {
			of[p.Reversed] = p.ID
		}
	}
	var out []item
	at := map[string]int{}
	for i := range t.Queries {
		q := &t.Queries[i]
		id, paired := of[q.ID]
		if !paired {
			id = q.ID
		}
		if q.Instruction == "" {
			continue
		}
		n, known := at[id]
		if !known {
			n, at[id] = len(out), len(out)
			out = append(out, item{id: id})
		}
		out[n].queries = append(out[n].queries, q)
	}
	return out
}

// ask lists the questions for the sampled items of a task: each query with its own instruction,
// then with others.
func (o Options) ask(t *datasets.Task) []asked {
	items := itemsOf(t)
	h := fnv.New64a()
	h.Write([]byte(t.Name))
	order := rand.New(rand.NewPCG(o.Seed, h.Sum64())).Perm(len(items))
	donors := donorsOf(items, order)
	others := o.others(t)
	taken := map[string]bool{}
	for _, q := range t.Queries {
		taken[q.ID] = true
	}
	var all []asked
	for _, n := range o.drawn(order) {
		for _, q := range items[n].queries {
			all = append(all, asked{q, items[n].id, results.AskedOwn, q.Instruction, q.ID}, asked{q, items[n].id, results.AskedNone, "", unused(taken, q.ID+"~"+results.AskedNone)})
			if donor := donors[q]; donor != nil {
				all = append(all, asked{q, items[n].id, results.AskedShuffled, donor.Instruction, unused(taken, q.ID+"~"+results.AskedShuffled)})
			}
			for _, v := range others(q) {
				all = append(all, asked{q, items[n].id, string(v.Kind), v.Instruction, unused(taken, q.ID+"~"+string(v.Kind))})
			}
		}
	}
	return all
}

// drawn returns the positions of the sampled items, ascending.
func (o Options) drawn(order []int) []int {
	drawn := slices.Clone(order)
	if o.Items > 0 {
		drawn = drawn[:min(o.Items, len(drawn))]
	}
	slices.Sort(drawn)
	return drawn
}

// unused returns an ID that no query of the task has, and reserves it.
func unused(taken map[string]bool, id string) string {
	for n := 1; ; n++ {
		if numbered := fmt.Sprintf("%s%d", id, n); !taken[numbered] {
			taken[numbered] = true
			return numbered
		}
	}
}

// donorsOf assigns each query the instruction of another query, for shuffling. It arranges all
// items in a random circle, and each query gets the instruction of the next item, on the same
// side of a pair. So no query keeps its own instruction, and each instruction is used once. If
// the next item has the same text, the one after it is taken. A query has no donor if its task
// has no other text.
func donorsOf(items []item, order []int) map[*datasets.Query]*datasets.Query {
	donors := map[*datasets.Query]*datasets.Query{}
	for at, n := range order {
		for side, q := range items[n].queries {
			for step := 1; step < len(order) && donors[q] == nil; step++ {
				from := items[order[(at+step)%len(order)]].queries
				if donor := from[side%len(from)]; donor.Instruction != q.Instruction {
					donors[q] = donor
				}
			}
		}
	}
	return donors
}

// others returns a function that lists the instructions written for a query: by hand or by its
// generated world, by its pair and, if no rewording was written for any query, by the frames.
func (o Options) others(t *datasets.Task) func(q *datasets.Query) []datasets.Variant {
	written := secondOf(t)
	framed := true
	for _, v := range o.Variants {
		framed = framed && v.Kind != datasets.Rewording
		if v.Task == "" || v.Task == t.Name {
			written[v.Query] = append(written[v.Query], v)
		}
	}
	return func(q *datasets.Query) []datasets.Variant {
		all := slices.Clone(written[q.ID])
		for _, text := range reworded(q.Instruction) {
			if framed {
				all = append(all, datasets.Variant{Kind: datasets.Rewording, Instruction: text})
			}
		}
		return all
	}
}

// secondOf lists the other instructions of the pairs, for the original queries. The changed
// instruction counts as a change, or as a rewording in a task whose pairs ask for the same
// twice. The reversed instruction is a contradiction.
func secondOf(t *datasets.Task) map[string][]datasets.Variant {
	instructions := map[string]string{}
	for _, q := range t.Queries {
		instructions[q.ID] = q.Instruction
	}
	second := datasets.VariantKind(results.AskedChanged)
	if t.Control {
		second = datasets.Rewording
	}
	out := map[string][]datasets.Variant{}
	for _, p := range t.Pairs {
		out[p.Original] = append(out[p.Original], datasets.Variant{Kind: second, Instruction: instructions[p.Changed]})
		if p.Reversed != "" {
			out[p.Original] = append(out[p.Original], datasets.Variant{Kind: datasets.Contradiction, Instruction: instructions[p.Reversed]})
		}
	}
	return out
}
