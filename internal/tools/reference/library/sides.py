"""The library's results for a folder: vectors, scores and the IDs that its network read."""

import json
import os

import torch
from peft import PeftModel
from sentence_transformers import CrossEncoder, MultiVectorEncoder, SentenceTransformer, SparseEncoder
from sentence_transformers.base.modules import Transformer
from sentence_transformers.cross_encoder.modules import LogitScore

from common import answer, attention, each, maxsim, numbers
from texts import DOCUMENTS, QUERIES

OPEN = dict(device="cpu", local_files_only=True, model_kwargs=dict(dtype=torch.float32))


class Reader:
    """Records the IDs that the networks of a model read."""

    def __init__(self, model):
        self.ids = None
        for m in model.modules():
            if isinstance(m, Transformer):
                m.register_forward_pre_hook(self.note)

    def note(self, module, args):
        features = args[0]
        mask = features.get("attention_mask")
        ids = features["input_ids"][0]
        self.ids = [int(i) for k, i in enumerate(ids) if mask is None or mask.shape != features["input_ids"].shape or mask[0][k]]


def adapter(folder):
    """PEFT loads adapters: transformers 5.24 does not read the magnitudes of DoRA."""
    with open(os.path.join(folder, "adapter_config.json"), encoding="utf-8") as f:
        config = json.load(f)
    if not config.get("use_dora"):
        return dense(folder)
    m = SentenceTransformer(config["base_model_name_or_path"], **OPEN)
    m[0].model = PeftModel.from_pretrained(m[0].model, folder).eval()
    return dense(folder, m)


def dense(folder, m=None):
    m = m or SentenceTransformer(folder, **OPEN)
    reader = Reader(m)
    q, qi, e1 = each(QUERIES, lambda x: m.encode_query(x, convert_to_tensor=True), reader)
    d, di, e2 = each(DOCUMENTS, lambda x: m.encode_document(x, convert_to_tensor=True), reader)
    return answer(q, qi, d, di, e1 + e2, scores(m, q, d))


def scores(m, q, d):
    """By the folder's similarity; null if a vector is null."""
    return [[None if x is None or y is None else numbers(m.similarity(torch.tensor([x]), torch.tensor([y])))[0][0] for y in d] for x in q] if all(isinstance(v, float) for r in q + d if r for v in r) else []


def sparse(folder):
    m = SparseEncoder(folder, **OPEN)
    reader = Reader(m)
    q, qi, e1 = each(QUERIES, lambda x: m.encode_query(x), reader)
    d, di, e2 = each(DOCUMENTS, lambda x: m.encode_document(x), reader)
    return answer(q, qi, d, di, e1 + e2, scores(m, q, d))


def late(folder):
    m = MultiVectorEncoder(folder, **OPEN | dict(model_kwargs=dict(dtype=torch.float32, **attention(folder))))
    reader = Reader(m)
    q, qi, e1 = each(QUERIES, lambda x: m.encode_query(x), reader)
    d, di, e2 = each(DOCUMENTS, lambda x: m.encode_document(x), reader)
    return answer(q, [], d, [], e1 + e2, maxsim(q, d))


def cross(folder):
    """Logits; if two words are compared, the logarithm of the relevant one's share, as on our side."""
    m = CrossEncoder(folder, **OPEN)
    scale = torch.nn.LogSigmoid() if any(isinstance(x, LogitScore) for x in m.modules()) else torch.nn.Identity()
    reader = Reader(m)
    rows, errors = [], []
    for q in QUERIES:
        row, _, e = each(DOCUMENTS, lambda d: m.predict([(q, d)], activation_fn=scale, convert_to_tensor=True)[0], reader)
        rows.append(row)
        errors += e
    return answer([], [], [], [], errors, rows)


KINDS = dict(dense=dense, sparse=sparse, late=late, cross=cross)
