package datasets

import (
	"fmt"
	"slices"
	"strings"
)

// DropSelf excludes the document with a query's own ID from the rankings of that query, whatever
// its grade. BEIR's EvaluateRetrieval.evaluate does so by default (ignore_identical_ids), and mteb
// for tasks with that attribute. These documents are added to Excluded; a task without such
// documents stays unchanged. Without a corpus, every query's own ID is excluded.
func (t *Task) DropSelf() error {
	own, err := t.selves()
	if err != nil || len(own) == 0 || t.DropsSelf() {
		return err
	}
	t.Warnings = slices.DeleteFunc(slices.Clone(t.Warnings), func(w string) bool { return w == t.selfWarning(own) })
	excluded := make(map[string][]string, len(own)+len(t.Excluded))
	for query, docs := range t.Excluded {
		excluded[query] = slices.Clone(docs)
	}
	for _, id := range own {
		excluded[id] = append(excluded[id], id)
	}
	t.Excluded = excluded
	t.note("the document with a query's own ID is not ranked for it")
	return nil
}

// DropsSelf reports whether a document with a query's own ID is excluded for that query.
func (t *Task) DropsSelf() bool {
	for query, docs := range t.Excluded {
		if slices.Contains(docs, query) {
			return true
		}
	}
	return false
}

// KeepSelf undoes DropSelf except for its note: evaluations of earlier builds ranked these
// documents.
func (t *Task) KeepSelf() {
	if !t.DropsSelf() {
		return
	}
	excluded := map[string][]string{}
	for query, docs := range t.Excluded {
		if rest := slices.DeleteFunc(slices.Clone(docs), func(doc string) bool { return doc == query }); len(rest) > 0 {
			excluded[query] = rest
		}
	}
	if t.Excluded = excluded; len(excluded) == 0 {
		t.Excluded = nil
	}
}

// DropSelf applies Task.DropSelf to all tasks.
func (b *Benchmark) DropSelf() error {
	for i := range b.Tasks {
		if err := b.Tasks[i].DropSelf(); err != nil {
			return fmt.Errorf("%s/%s: %w", b.Name, b.Tasks[i].Name, err)
		}
	}
	return nil
}

// DropsSelf reports whether a task of the benchmark excludes such documents.
func (b *Benchmark) DropsSelf() bool {
	return slices.ContainsFunc(b.Tasks, func(t Task) bool { return t.DropsSelf() })
}

// selves lists the queries whose ID is also that of a document, in order.
func (t *Task) selves() (own []string, err error) {
	has := func(string) bool { return true }
	switch c := t.Corpus.(type) {
	case nil:
	case *FileCorpus:
		has = c.Has
	default:
		ids := map[string]bool{}
		for d, err := range c.Documents() {
			if err != nil {
				return nil, err
			}
			ids[d.ID] = true
		}
		has = func(id string) bool { return ids[id] }
	}
	for _, q := range t.Queries {
		if has(q.ID) {
			own = append(own, q.ID)
		}
	}
	return own, nil
}

// warnSelf adds a warning if queries can find themselves.
func (t *Task) warnSelf() error {
	own, err := t.selves()
	if w := t.selfWarning(own); w != "" {
		t.Warnings = append(t.Warnings, w)
	}
	return err
}

// selfWarning describes the queries that can find themselves, "" if none can. Such a query may rank
// the document with its own ID, which is not judged relevant for it.
func (t *Task) selfWarning(own []string) string {
	n := 0
	for _, id := range own {
		if t.Qrels[id][id] < 1 && (t.Candidates == nil || slices.Contains(t.Candidates[id], id)) {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d queries can find a document with their own ID, which BEIR's evaluator drops; so does --drop-self", n, len(t.Queries))
}

// SelfWarning returns the warning that n queries of a run rank a document with their own ID that is
// not judged relevant for them.
func SelfWarning(n, of int) string {
	return fmt.Sprintf("%d of %d queries rank a document with their own ID, which BEIR's evaluator drops; so does --drop-self", n, of)
}

// RepositoryDropsSelf reports whether mteb or BEIR drops the document with a query's own ID in the
// task of a hub repository. Like the hub, it ignores the case of the name.
func RepositoryDropsSelf(repo string) bool {
	is := func(id string) bool { return strings.EqualFold(id, repo) }
	if slices.ContainsFunc(mtebDropsSelf, is) {
		return true
	}
	return slices.ContainsFunc(Suites(), func(s Suite) bool {
		return s.DropSelf && slices.ContainsFunc(s.Parts, func(p SuitePart) bool { return is(p.Repo) })
	})
}

// mtebDropsSelf are the repositories of the tasks with ignore_identical_ids = True in mteb 2.20.0
// (mteb/tasks/**/*.py) that are not part of a suite here.
var mtebDropsSelf = []string{
	"ai-forever/ria-news-retrieval",
	"ai-forever/rubq-retrieval",
	"clips/beir-nl-arguana",
	"clips/beir-nl-fever",
	"clips/beir-nl-fiqa",
	"clips/beir-nl-mmarco",
	"clips/beir-nl-quora",
	"clips/mteb-nl-bbsard",
	"clips/mteb-nl-legalqa-pr",
	"if-ir/fiqa",
	"McGill-NLP/mlquestions",
	"MCINext/arguana-fa",
	"MCINext/arguana-fa-v2",
	"MCINext/FEVER_FA_test_top_250_only_w_correct-v2",
	"MCINext/fiqa-fa",
	"MCINext/fiqa-fa-v2",
	"MCINext/msmarco-fa",
	"MCINext/MSMARCO_FA_test_top_250_only_w_correct-v2",
	"MCINext/persian-web-document-retrieval",
	"MCINext/quora-fa",
	"MCINext/quora-fa-v2",
	"MCINext/synthetic-persian-chatbot-rag-faq-retrieval",
	"MCINext/synthetic-persian-chatbot-rag-topics-retrieval",
	"MCINext/synthetic-persian-chatbot-topics-retrieval",
	"MCINext/synthetic-persian-qa-retrieval",
	"mlsa-iai-msu-lab/ru_sci_bench_cite_retrieval",
	"mlsa-iai-msu-lab/ru_sci_bench_cocite_retrieval",
	"mteb/ArguAna-PL",
	"mteb/BSARDRetrieval",
	"mteb/BSARDRetrieval.v2",
	"mteb/DanFEVER",
	"mteb/EcomRetrieval",
	"mteb/FeedbackQARetrieval",
	"mteb/FEVER_test_top_250_only_w_correct-v2",
	"mteb/FiQA-PL",
	"mteb/JaCWIRRetrieval",
	"mteb/JaGovFaqsRetrieval",
	"mteb/MedicalRetrieval",
	"mteb/MMarcoRetrieval",
	"mteb/MSMARCO-PL",
	"mteb/MSMARCO-PLHardNegatives",
	"mteb/MSMARCO_test_top_250_only_w_correct-v2",
	"mteb/NLPJournalAbsArticleRetrieval",
	"mteb/NLPJournalAbsArticleRetrieval.V2",
	"mteb/QuoraRetrieval_test_top_250_only_w_correct-v2",
	"mteb/RiaNewsRetrieval_test_top_250_only_w_correct-v2",
	"mteb/T2Retrieval",
	"mteb/VideoRetrieval",
	"whybe-choi/trec-dl-2019",
	"whybe-choi/trec-dl-2020",
}
