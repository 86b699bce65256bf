package datasets

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// ContrastRule describes the records of Contrast; it is stored with them.
const ContrastRule = "One record for each ordered pair of instructions of a topic, I+ and I-, for which some document is relevant under I+ only and another under I- only. " +
	"Documents that are not judged under an instruction count as not relevant. " +
	"Drawn by the seed and the record's ID: P+ from the documents relevant under I+ and not under I-, P1- from those relevant under I- and not under I+, " +
	"Q- from the queries of other topics of the task, P2- from the documents relevant to Q- under any instruction or none, and not to Q+. Whether P2- complies with I+ is not judged."

// ContrastOptions are the settings of Contrast.
type ContrastOptions struct {
	Seed  uint64
	Taken func(text string) bool // reports whether a test has the text; no record gets such a text. nil: there is no test

	// Shuffle gives each instruction the text of an instruction of another topic, always the same.
	// The records are otherwise those without Shuffle: a control for the effect of instructions.
	Shuffle bool
}

// Contrasts are the training records of a task.
type Contrasts struct {
	Task         string    `json:"task"`
	Topics       int       `json:"topics"`       // queries with different texts
	Instructions int       `json:"instructions"` // of all topics
	Used         int       `json:"used"`         // instructions that are I+ of a record
	Records      int       `json:"records"`
	LeftOut      []LeftOut `json:"left_out"`

	Triplets []Triplet `json:"-"`
}

// LeftOut counts parts of a task that no record has, for one reason.
type LeftOut struct {
	Reason string   `json:"reason"` // "topics with one instruction"
	N      int      `json:"n"`
	IDs    []string `json:"ids"`
}

// The reasons, in the order of Contrasts.
const (
	takenTopics       = "topics in a test"
	takenInstructions = "instructions in a test"
	takenDocuments    = "documents in a test"
	blankDocuments    = "documents without text"
	singleInstruction = "topics with one instruction"
	nothingBroken     = "topics without a document that breaks an instruction"
	noContrast        = "pairs of instructions where one has no document that the other lacks"
	noOtherTopic      = "pairs of instructions without another topic that has further documents"
)

// Contrast makes training records from a task that has, for one query, several instructions with
// judgments. A record contrasts two instructions of a query by documents that comply with one of
// them only, as ContrastRule describes. A record's ID consists of the task and the IDs of both
// queries.
//
// The error names a task that has no record, with the reason.
func Contrast(t *Task, o ContrastOptions) (*Contrasts, error) {
	c := contraster{task: t, options: o, out: &Contrasts{Task: t.Name}}
	if err := c.readTopics(); err != nil {
		return nil, err
	}
	if err := c.readDocuments(); err != nil {
		return nil, err
	}
	said, err := c.instructions()
	if err != nil {
		return nil, err
	}
	for i := range c.topics {
		c.addRecords(&c.topics[i], said)
	}
	c.out.Records = len(c.out.Triplets)
	if c.out.Records == 0 {
		return nil, fmt.Errorf("task %s: no record can be made: %s", t.Name, c.out.reasons())
	}
	return c.out, nil
}

// reasons lists why parts were left out.
func (c *Contrasts) reasons() (text string) {
	for i, l := range c.LeftOut {
		if i > 0 {
			text += "; "
		}
		text += fmt.Sprintf("%d %s", l.N, l.Reason)
	}
	return text
}

// contraster has the state of Contrast.
type contraster struct {
	task    *Task
	options ContrastOptions
	topics  []contrastTopic
	texts   map[string]string // of relevant documents, by ID
	out     *Contrasts
}

// contrastTopic is a query with its instructions.
type contrastTopic struct {
	id, query    string
	instructions []contrastInstruction
	relevant     map[string]bool // under any instruction or none
}

type contrastInstruction struct {
	id, text string
	relevant map[string]bool
}

func (c *contraster) leave(reason, id string) {
	i := slices.IndexFunc(c.out.LeftOut, func(l LeftOut) bool { return l.Reason == reason })
	if i < 0 {
		i = len(c.out.LeftOut)
		c.out.LeftOut = append(c.out.LeftOut, LeftOut{Reason: reason})
	}
	l := &c.out.LeftOut[i]
	l.N, l.IDs = l.N+1, append(l.IDs, id)
}

func (c *contraster) taken(text string) bool { return c.options.Taken != nil && c.options.Taken(text) }

// readTopics groups the queries of the task by their text. Equal instructions of a query count as
// one.
func (c *contraster) readTopics() error {
	at := map[string]int{}
	for _, q := range c.task.Queries {
		i, seen := at[q.Text]
		if !seen {
			i = len(c.topics)
			at[q.Text] = i
			c.topics = append(c.topics, contrastTopic{id: q.ID, query: q.Text, relevant: map[string]bool{}})
		}
		t := &c.topics[i]
		relevant := map[string]bool{}
		for doc, grade := range c.task.Qrels[q.ID] {
			if grade > 0 {
				relevant[doc], t.relevant[doc] = true, true
			}
		}
		if q.Instruction == "" {
			continue
		}
		k := slices.IndexFunc(t.instructions, func(s contrastInstruction) bool { return s.text == q.Instruction })
		if k < 0 {
			t.instructions = append(t.instructions, contrastInstruction{q.ID, q.Instruction, relevant})
		} else {
			maps.Copy(t.instructions[k].relevant, relevant)
		}
	}
	c.out.Topics = len(c.topics)
	most := 0
	for _, t := range c.topics {
		c.out.Instructions += len(t.instructions)
		most = max(most, len(t.instructions))
	}
	switch most {
	case 0:
		return fmt.Errorf("task %s has no instructions: records need queries with several instructions, each with its own judgments", c.task.Name)
	case 1:
		return fmt.Errorf("task %s has one instruction for each query: records need several, each with its own judgments", c.task.Name)
	}
	c.topics = slices.DeleteFunc(c.topics, func(t contrastTopic) bool {
		if c.taken(t.query) {
			c.leave(takenTopics, t.id)
			return true
		}
		return false
	})
	for i := range c.topics {
		t := &c.topics[i]
		t.instructions = slices.DeleteFunc(t.instructions, func(s contrastInstruction) bool {
			if c.taken(s.text) {
				c.leave(takenInstructions, s.id)
				return true
			}
			return false
		})
	}
	return nil
}

// readDocuments reads the texts of relevant documents, and removes from the judgments those
// without text or in a test. Documents with equal texts become one.
func (c *contraster) readDocuments() error {
	wanted := map[string]bool{}
	for _, t := range c.topics {
		maps.Copy(wanted, t.relevant)
	}
	c.texts = map[string]string{}
	same, first := map[string]string{}, map[string]string{} // document -> first document with its text; text -> that
	for d, err := range c.task.Corpus.Documents() {
		if err != nil {
			return fmt.Errorf("task %s: %w", c.task.Name, err)
		}
		if !wanted[d.ID] {
			continue
		}
		delete(wanted, d.ID)
		text := d.Full()
		switch {
		case strings.TrimSpace(text) == "":
			c.leave(blankDocuments, d.ID)
		case c.taken(d.Text) || c.taken(text):
			c.leave(takenDocuments, d.ID)
		default:
			if first[text] == "" {
				first[text], c.texts[d.ID] = d.ID, text
			}
			same[d.ID] = first[text]
		}
	}
	for _, id := range slices.Sorted(maps.Keys(wanted)) {
		c.leave(blankDocuments, id)
	}
	merge := func(docs map[string]bool) map[string]bool {
		merged := map[string]bool{}
		for doc := range docs {
			if as, ok := same[doc]; ok {
				merged[as] = true
			}
		}
		return merged
	}
	for i := range c.topics {
		t := &c.topics[i]
		t.relevant = merge(t.relevant)
		for k := range t.instructions {
			t.instructions[k].relevant = merge(t.instructions[k].relevant)
		}
	}
	return nil
}

// instructions returns the text of each instruction by its ID: its own, or if shuffled that of
// another topic's. The topics are put in random order, and each instruction gets the text of the
// one that follows at a distance of the largest topic.
func (c *contraster) instructions() (map[string]string, error) {
	var all []contrastInstruction
	order, largest := rand.New(rand.NewPCG(c.options.Seed, 0)).Perm(len(c.topics)), 0
	for _, i := range order {
		all = append(all, c.topics[i].instructions...)
		largest = max(largest, len(c.topics[i].instructions))
	}
	if !c.options.Shuffle {
		largest = 0
	} else if len(all) < 2*largest {
		return nil, fmt.Errorf("task %s: instructions cannot be shuffled among topics: one topic has %d of %d", c.task.Name, largest, len(all))
	}
	said := map[string]string{}
	for i, s := range all {
		said[s.id] = all[(i+largest)%len(all)].text
	}
	return said, nil
}

// addRecords adds the records of a topic.
func (c *contraster) addRecords(t *contrastTopic, said map[string]string) {
	if len(t.instructions) < 2 {
		if len(t.instructions) == 1 {
			c.leave(singleInstruction, t.id)
		}
		return
	}
	if !slices.ContainsFunc(t.instructions, func(s contrastInstruction) bool { return len(onlyIn(t.relevant, s.relevant)) > 0 }) {
		c.leave(nothingBroken, t.id)
		return
	}
	for i := range t.instructions {
		before := len(c.out.Triplets)
		for k := range t.instructions {
			if k == i {
				continue
			}
			yes, no := &t.instructions[i], &t.instructions[k]
			complies, breaks := onlyIn(yes.relevant, no.relevant), onlyIn(no.relevant, yes.relevant)
			if len(complies) == 0 || len(breaks) == 0 {
				if i < k {
					c.leave(noContrast, yes.id+" "+no.id)
				}
				continue
			}
			id := c.task.Name + ":" + yes.id + ":" + no.id
			draw := drawFor(c.options.Seed, id)
			positive, hard := complies[draw.IntN(len(complies))], breaks[draw.IntN(len(breaks))]
			query, answer, ok := c.otherTopic(t, draw)
			if !ok {
				if i < k {
					c.leave(noOtherTopic, yes.id+" "+no.id)
				}
				continue
			}
			c.out.Triplets = append(c.out.Triplets, Triplet{ID: id,
				InstructionPositive: said[yes.id], InstructionNegative: said[no.id],
				QueryPositive: t.query, QueryNegative: query,
				Positive: c.texts[positive], HardNegative1: c.texts[hard], HardNegative2: c.texts[answer]})
		}
		if len(c.out.Triplets) > before {
			c.out.Used++
		}
	}
}

// otherTopic draws another topic and a document that is relevant to it and not to t.
func (c *contraster) otherTopic(t *contrastTopic, draw *rand.Rand) (query, doc string, ok bool) {
	for _, i := range draw.Perm(len(c.topics)) {
		other := &c.topics[i]
		if other.query == t.query {
			continue
		}
		if docs := onlyIn(other.relevant, t.relevant); len(docs) > 0 {
			return other.query, docs[draw.IntN(len(docs))], true
		}
	}
	return "", "", false
}

// onlyIn lists the documents that are in the first set and not in the second, sorted.
func onlyIn(a, b map[string]bool) (docs []string) {
	for doc := range a {
		if !b[doc] {
			docs = append(docs, doc)
		}
	}
	slices.Sort(docs)
	return docs
}

// drawFor returns the source of random numbers of a record. A record does not depend on the others.
func drawFor(seed uint64, id string) *rand.Rand {
	sum := fnv.New64a()
	sum.Write([]byte(id))
	return rand.New(rand.NewPCG(seed, sum.Sum64()))
}
