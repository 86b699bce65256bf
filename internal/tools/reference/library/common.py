"""Code for both environments: it must not import sentence-transformers."""

import argparse
import glob
import json
import os
import re
import shutil
import sys
import warnings


def quiet():
    """Set one thread, no network and no warnings, before the libraries are imported."""
    os.environ.update(HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false", OMP_NUM_THREADS="1")
    warnings.filterwarnings("ignore")
    import logging

    import torch
    import transformers

    torch.set_num_threads(1)
    logging.disable(logging.WARNING)
    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    transformers.utils.logging.disable_progress_bar()


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("out")
    p.add_argument("--pairs", type=int, default=0, help="pairs of changes of each kind of folder")
    p.add_argument("--only", default="", help="variants whose name matches this")
    return p.parse_args()


def link(src, dst):
    """Weights are the same in most variants."""
    os.link(src, dst) if src.endswith(".safetensors") else shutil.copy(src, dst)


class Lines:
    """Makes folders and writes the library's results for each to standard output, as a line of JSON."""

    def __init__(self, only=""):
        self.file, self.only = os.fdopen(os.dup(1), "w", encoding="utf-8"), only
        os.dup2(2, 1)  # the reader must not get the libraries' output

    def note(self, name, kind, folder, change, read):
        if not re.search(self.only, name):
            return
        line = dict(name=name, kind=kind, folder=folder, error="")
        try:
            change()
        except Exception as e:  # the change does not apply to this folder
            print(f"{name}: not made: {type(e).__name__}: {e}", file=sys.stderr)
            shutil.rmtree(folder, ignore_errors=True)
            return
        try:
            line |= read(folder)
        except Exception as e:
            line["error"] = f"{type(e).__name__}: {e}"[:400]
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()


def numbers(v):
    """JSON has no NaN: such a value is a string, which equals no number."""
    if hasattr(v, "tolist"):
        v = (v.to_dense() if v.is_sparse else v).detach().double().tolist()
    if isinstance(v, list):
        return [numbers(x) for x in v]
    v = float(v)
    return v if v == v and abs(v) != float("inf") else str(v)


def each(texts, encode, reader=None):
    """Vectors and IDs of texts one by one; for texts that the library cannot read, null and the error."""
    rows, ids, errors = [], [], []
    for text in texts:
        if reader:
            reader.ids = None  # a side without a network has no IDs
        try:
            rows.append(numbers(encode(text)))
            ids.append(reader.ids if reader else None)
        except Exception as e:  # any error of the library
            rows.append(None), ids.append(None), errors.append(f"{type(e).__name__}: {e}"[:400])
    return rows, ids, errors


def attention(folder):
    """The attention of a late-interaction model. Padding of a query may see no token in a window:
    eager attention then mixes all tokens equally, as infbench does by default; PyTorch's attention
    mixes nothing, as infbench does if the folder names that attention."""
    said = [json.load(open(f)) for f in sorted(glob.glob(os.path.join(folder, "sentence_*_config.json")))]
    named = any("attn_implementation" in s.get(key, {}) for s in said for key in ("model_args", "model_kwargs"))
    return {} if named else dict(attn_implementation="eager")


def maxsim(q, d):
    import torch

    of = lambda x, y: float((torch.tensor(x, dtype=torch.double) @ torch.tensor(y, dtype=torch.double).T).max(1).values.sum())
    return [[None if x is None or y is None else of(x, y) for y in d] for x in q]


def answer(q, qi, d, di, errors, scores):
    return dict(queries=q, query_ids=qi, documents=d, document_ids=di, scores=scores, errors=errors)
