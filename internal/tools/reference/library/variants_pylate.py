"""Makes variants of ColBERT folders as PyLate saves them, and writes PyLate's results for each.

    variants_pylate.py OUT [--pairs N] [--only TEXT]

It runs in PyLate's own environment, after variants.py, which writes OUT/base/body_*.
"""

import itertools
import os
import random
import shutil

from common import arguments, link, quiet

quiet()

import torch  # noqa: E402
from pylate import models  # noqa: E402

import keys  # noqa: E402
from common import Lines, answer, attention, each, maxsim  # noqa: E402
from keys import ST, add, edit  # noqa: E402
from texts import DOCUMENTS, QUERIES  # noqa: E402

PYLATE = lambda base: base.name.startswith("pylate_")

for n in (12, 48):
    add("query_length", str(n), edit(ST, ("query_length", n)), PYLATE)
    add("document_length", str(n), edit(ST, ("document_length", n)), PYLATE)
add("query_length", "absent", edit(ST, ("query_length", None)), PYLATE)
add("document_length", "absent", edit(ST, ("document_length", None)), PYLATE)
add("document_length", "above positions", edit(ST, ("document_length", 300)), PYLATE)
for key in ("do_query_expansion", "attend_to_expansion_tokens"):
    for v in (True, False, None):
        add(key, str(v), edit(ST, (key, v)), PYLATE)
for v in ([], ["the", "."], None):
    add("skiplist_words", str(v), edit(ST, ("skiplist_words", v)), PYLATE)
for key, token in (("query_prefix", "query: "), ("query_prefix", ""), ("document_prefix", "passage: "), ("document_prefix", ""), ("query_prefix", None), ("document_prefix", None)):
    add(key, repr(token), edit(ST, (key, token)), PYLATE)


def encoded(folder):
    m = models.ColBERT(folder, device="cpu", local_files_only=True, model_kwargs=dict(dtype=torch.float32, **attention(folder)))
    plain = lambda x, query: torch.as_tensor(m.encode([x], batch_size=1, is_query=query, show_progress_bar=False)[0])
    q, _, e1 = each(QUERIES, lambda x: plain(x, True))
    d, _, e2 = each(DOCUMENTS, lambda x: plain(x, False))
    return answer(q, [], d, [], e1 + e2, maxsim(q, d))


def main():
    a = arguments()
    lines = Lines(a.only)
    for network in ("bert", "modernbert"):
        base = keys.Base(f"pylate_{network}", "late")
        saved = os.path.join(a.out, "base", base.name)
        shutil.rmtree(saved, ignore_errors=True)
        m = models.ColBERT(os.path.join(a.out, "base", f"body_{network}"), embedding_size=16, query_length=24, document_length=40, device="cpu", local_files_only=True)
        torch.manual_seed(4)
        with torch.no_grad():
            m[1].linear.weight.copy_(torch.randn_like(m[1].linear.weight) / 6)
        m.save_pretrained(saved, create_model_card=False)
        changes = [c for c in keys.CHANGES if c[2](base)]
        every = [p for p in itertools.combinations(changes, 2) if p[0][0] != p[1][0]]
        plans = [[]] + [[c] for c in changes] + [list(p) for p in random.Random(base.name).sample(every, min(a.pairs, len(every)))]
        for n, plan in enumerate(plans):
            folder = os.path.join(a.out, "variants", f"{base.name}{n:03}")

            def make(plan=plan, folder=folder, saved=saved):
                shutil.copytree(saved, folder, copy_function=link)
                for c in plan:
                    c[3](folder)

            lines.note(base.name + ": " + (" + ".join(f"{key} = {value}" for key, value, *_ in plan) or "as saved"), "late", folder, make, encoded)


if __name__ == "__main__":
    main()
