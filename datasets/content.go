package datasets

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strconv"
)

// ContentHashes are hashes of a task's parts as its loader returned them: SHA-256 in hexadecimal.
// The same data in other files, packed or not, has the same hashes. Documents, queries and
// candidates are hashed in the order of reading, since a baseline ranks in it; judgments are
// unordered and hashed by query and document.
type ContentHashes struct {
	Documents  string `json:"documents"`            // IDs, titles, texts
	Queries    string `json:"queries"`              // IDs, texts, instructions
	Judgments  string `json:"judgments"`            // including the pairs of instructions with their moved documents, the aspects, and the passage mark
	Candidates string `json:"candidates,omitempty"` // including excluded documents; "" if every query ranks the full corpus
}

// HashContents hashes every task of a benchmark, by name. It streams each corpus once, also one
// that several tasks share.
func HashContents(b *Benchmark) (map[string]ContentHashes, error) {
	out := map[string]ContentHashes{}
	known := map[*FileCorpus]string{}
	for i := range b.Tasks {
		t := &b.Tasks[i]
		c := ContentHashes{Queries: hashQueries(t), Judgments: hashJudgments(t), Candidates: hashCandidates(t)}
		shared, _ := t.Corpus.(*FileCorpus)
		if c.Documents = known[shared]; c.Documents == "" {
			var err error
			if c.Documents, err = HashDocuments(t.Corpus); err != nil {
				return nil, fmt.Errorf("hash documents of %s/%s: %w", b.Name, t.Name, err)
			}
		}
		if shared != nil {
			known[shared] = c.Documents
		}
		out[t.Name] = c
	}
	return out, nil
}

// HashDocuments hashes the documents of a corpus for ContentHashes. The result is "" for a task
// that has only judgments.
func HashDocuments(c Corpus) (string, error) {
	d := newDigest()
	if c == nil {
		return d.sum(), nil
	}
	for doc, err := range c.Documents() {
		if err != nil {
			return "", err
		}
		d.add(doc.ID, doc.Title, doc.Text)
	}
	return d.sum(), nil
}

func hashQueries(t *Task) string {
	d := newDigest()
	for _, q := range t.Queries {
		d.add(q.ID, q.Text, q.Instruction)
	}
	return d.sum()
}

func hashJudgments(t *Task) string {
	d := newDigest()
	for _, query := range slices.Sorted(maps.Keys(t.Qrels)) {
		judged := t.Qrels[query]
		d.add(query)
		d.count(len(judged))
		for _, doc := range slices.Sorted(maps.Keys(judged)) {
			d.add(doc)
			d.count(judged[doc])
		}
	}
	for _, p := range t.Pairs {
		d.add(p.ID, p.Original, p.Changed, p.Reversed)
		d.list(p.Moved)
	}
	for _, query := range slices.Sorted(maps.Keys(t.Aspects)) {
		d.add(query)
		for _, a := range t.Aspects[query] {
			d.add(a.ID, strconv.FormatFloat(a.Weight, 'g', -1, 64))
			d.list(a.Docs)
		}
	}
	if t.PassageMark != "" {
		d.add("passages", t.PassageMark)
	}
	return d.sum()
}

func hashCandidates(t *Task) string {
	if t.Candidates == nil && t.Excluded == nil {
		return ""
	}
	d := newDigest()
	for _, lists := range []map[string][]string{t.Candidates, t.Excluded} {
		d.count(len(lists))
		for _, query := range slices.Sorted(maps.Keys(lists)) {
			d.add(query)
			d.list(lists[query])
		}
	}
	return d.sum()
}

// digest hashes texts, each with its length before it, so that different sequences never look
// alike.
type digest struct {
	hash hash.Hash
	to   *bufio.Writer // writing to a hash never fails
}

func newDigest() digest {
	h := sha256.New()
	return digest{h, bufio.NewWriterSize(h, 1<<16)}
}

func (d digest) add(texts ...string) {
	for _, s := range texts {
		d.count(len(s))
		d.to.WriteString(s)
	}
}

func (d digest) list(texts []string) {
	d.count(len(texts))
	d.add(texts...)
}

func (d digest) count(n int) {
	var b [binary.MaxVarintLen64]byte
	d.to.Write(binary.AppendVarint(b[:0], int64(n)))
}

func (d digest) sum() string {
	d.to.Flush()
	return fmt.Sprintf("%x", d.hash.Sum(nil))
}
