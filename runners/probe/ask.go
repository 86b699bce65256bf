package probe

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"infbench/datasets"
	"infbench/runners/results"
)

// Options say how queries are asked otherwise.
type Options struct {
	Seed     uint64             // of what is drawn
	Items    int                // queries of a task that are probed, drawn; 0: all. A pair counts once
	Variants []datasets.Variant // instructions written for the queries; rewordings among them replace the frames
}

// asked is a query as it is asked once.
type asked struct {
	query       *datasets.Query
	item        string
	kind        string
	instruction string
	id          string // unique in the task
}

// item is what is independent of the others of a task: a query, or the queries of a
// pair in the order of their sides.
type item struct {
	id      string
	queries []*datasets.Query
}

// itemsOf lists the items of a task with an instruction, in the order of its queries.
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

// ask lists what the drawn items of a task are asked: each query with its own
// instruction, then with others.
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

// drawn are the places of the items that are probed, ascending.
func (o Options) drawn(order []int) []int {
	drawn := slices.Clone(order)
	if o.Items > 0 {
		drawn = drawn[:min(o.Items, len(drawn))]
	}
	slices.Sort(drawn)
	return drawn
}

// unused is an ID that no query of the task has, and takes it.
func unused(taken map[string]bool, id string) string {
	for n := 1; ; n++ {
		if numbered := fmt.Sprintf("%s%d", id, n); !taken[numbered] {
			taken[numbered] = true
			return numbered
		}
	}
}

// donorsOf finds whose instruction each query gets when they are shuffled: that of the
// next item in a drawn circle of all, so that none keeps its own and each is given
// once, on the same side of a pair. Where the next has the same text it is the one
// after; a query whose task has no other text has none.
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

// others says what was written for a query: by hand or by its world, by its pair, and,
// where no rewording was written for any, by the frames.
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

// secondOf are the other instructions of the pairs, given to the original queries: the
// changed one is what it is, or a rewording in a task whose pairs ask for the same
// twice; the reversed one contradicts.
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
