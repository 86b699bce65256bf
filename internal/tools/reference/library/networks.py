"""Tiny networks with random weights and tokenizers that fit them, each saved by the library."""

import collections
import functools
import json
import os
import re
import shutil

import numpy as np
import torch
from sentence_transformers import CrossEncoder, MultiVectorEncoder, SentenceTransformer, SparseEncoder
from sentence_transformers.base.modules import Dense, Router, Transformer
from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling
from sentence_transformers.sparse_encoder.modules import SparseStaticEmbedding, SpladePooling
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
import transformers as t

from texts import CORPUS

BODY = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48)
POSITIONS, ROTARY = 64, 96  # learned positions, and the length that rotary networks declare
FLOAT = dict(dtype=torch.float32)


def fill(model, seed=1):
    """Larger weights than those of a fresh network, so that a wrong mask or position shows."""
    r = np.random.RandomState(seed)
    with torch.no_grad():
        for name, p in sorted(model.named_parameters()):
            z = r.standard_normal(tuple(p.shape))
            if p.ndim == 1:
                z = 0.2 * z + (1 if "norm" in name.lower() and name.endswith("weight") else 0)
            elif "embed" in name.lower() or "shared" in name or "relative" in name:
                z = 0.6 * z
            else:
                z = 1.2 / np.sqrt(p.shape[1]) * z
            p.copy_(torch.from_numpy(z).to(p.dtype))
    return model.eval()


# ---------------------------------------------------------------- tokenizers


def words():
    return sorted({w for text in CORPUS for w in re.findall(r"\w+|[^\w\s]", text)})


def pieces():
    """A vocabulary of WordPiece: letters, some words, and how some words begin and end."""
    every = words() + [w.lower() for w in words()]
    letters = sorted({c for w in every for c in w})
    return letters + ["##" + c for c in letters] + every[::2] + [w[:3] for w in every] + ["##" + w[3:] for w in every if len(w) > 3]


def numbered(words):
    return {w: i for i, w in enumerate(dict.fromkeys(words))}


def bert_tokenizer(**kw):
    return t.BertTokenizer(vocab=numbered(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + pieces()), **kw)


def mpnet_tokenizer():
    return t.MPNetTokenizer(vocab=numbered(["<s>", "<pad>", "</s>", "<unk>", "[UNK]"] + pieces() + ["<mask>"]), model_max_length=POSITIONS)


def merges_of(spelled, count):
    """The pairs that byte-pair encoding merges: each time the most frequent one, the first among equals."""
    merges, spelled = [], [list(w) for w in spelled]
    for _ in range(count):
        pairs = collections.Counter(p for w in spelled for p in zip(w, w[1:]))
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], p))
        merges.append(best)
        for w in spelled:
            at = 0
            while at < len(w) - 1:
                if (w[at], w[at + 1]) == best:
                    w[at : at + 2] = ["".join(best)]
                at += 1
    return merges


@functools.cache
def byte_pairs(first):
    """Vocabulary and merges of byte-level BPE, after the tokens named."""
    split = pre_tokenizers.ByteLevel(add_prefix_space=False)
    merges = merges_of([w for text in CORPUS for w, _ in split.pre_tokenize_str(text)], 160)
    return numbered([*first, *sorted(pre_tokenizers.ByteLevel.alphabet()), *("".join(m) for m in merges)]), merges


def roberta_tokenizer():
    vocab, merges = byte_pairs(("<s>", "<pad>", "</s>", "<unk>", "<mask>"))
    return t.RobertaTokenizer(vocab=vocab, merges=merges, model_max_length=POSITIONS)


def qwen_tokenizer(**kw):
    vocab, merges = byte_pairs(("<|endoftext|>", "<|im_start|>", "<|im_end|>", "yes", "no"))
    return t.Qwen2Tokenizer(vocab=vocab, merges=merges, **kw)


def modernbert_tokenizer():
    vocab, merges = byte_pairs(("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"))
    tok = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    tok.normalizer = normalizers.NFC()
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = decoders.ByteLevel()
    tok.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return t.PreTrainedTokenizerFast(tokenizer_object=tok, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]", model_input_names=["input_ids", "attention_mask"])


@functools.cache
def sentence_pieces():
    """Vocabulary and merges of Llama's BPE over letters, with bytes for missing ones."""
    spelled = ["▁" + w for w in words()]
    merges = merges_of(spelled, 160)
    letters = sorted({c for w in spelled for c in w} - set("東京"))
    return numbered(["<unk>", "<s>", "</s>", *(f"<0x{i:02X}>" for i in range(256)), *letters, *("".join(m) for m in merges)]), merges


def llama_tokenizer(**kw):
    vocab, merges = sentence_pieces()
    return t.LlamaTokenizer(vocab=vocab, merges=merges, pad_token="<unk>", **kw)


def unigram(first):
    every = ["▁" + w for w in words()]
    letters = sorted({c for w in every for c in w} - set("東京"))
    scores = {c: -7.0 - 0.01 * i for i, c in enumerate(letters)} | {w: -5.0 - 0.01 * i for i, w in enumerate(every[::2])} | {w[1:4]: -6.0 - 0.01 * i for i, w in enumerate(every) if len(w) > 4}
    return [(p, 0.0) for p in first] + list(scores.items())


def t5_tokenizer():
    return t.T5Tokenizer(vocab=unigram(["<pad>", "</s>", "<unk>"]), extra_ids=0, model_max_length=ROTARY)


def xlmr_tokenizer():
    return t.XLMRobertaTokenizer(vocab=unigram(["<s>", "<pad>", "</s>", "<unk>"]) + [("<mask>", 0.0)], model_max_length=POSITIONS)


# ---------------------------------------------------------------- networks


def sized(tok, spare=8, **kw):
    """Rows for tokens that variants add."""
    return dict(vocab_size=len(tok) + spare, **BODY) | kw


def bert(cls, spare=8, **kw):
    tok = bert_tokenizer()
    return cls, t.BertConfig(**sized(tok, spare), max_position_embeddings=POSITIONS, pad_token_id=0, **kw), tok


def roberta(cls, **kw):
    tok = roberta_tokenizer()
    return cls, t.RobertaConfig(**sized(tok), max_position_embeddings=POSITIONS + 2, type_vocab_size=1, pad_token_id=1, bos_token_id=0, eos_token_id=2, **kw), tok


def xlmr(cls, **kw):
    tok = xlmr_tokenizer()
    return cls, t.XLMRobertaConfig(**sized(tok), max_position_embeddings=POSITIONS + 2, type_vocab_size=1, pad_token_id=1, bos_token_id=0, eos_token_id=2, **kw), tok


def distilbert(cls, **kw):
    tok = bert_tokenizer(do_lower_case=False)
    return cls, t.DistilBertConfig(vocab_size=len(tok) + 8, dim=32, n_layers=2, n_heads=4, hidden_dim=48, max_position_embeddings=POSITIONS, pad_token_id=0, **kw), tok


def mpnet(cls, **kw):
    tok = mpnet_tokenizer()
    return cls, t.MPNetConfig(**sized(tok), max_position_embeddings=POSITIONS + 2, pad_token_id=1, bos_token_id=0, eos_token_id=2, **kw), tok


def modernbert(cls, **kw):
    tok = modernbert_tokenizer()
    return cls, t.ModernBertConfig(**sized(tok, num_hidden_layers=3), max_position_embeddings=ROTARY, local_attention=16, global_attn_every_n_layers=3, pad_token_id=0, cls_token_id=2, sep_token_id=3, bos_token_id=2, eos_token_id=3, **kw), tok


def llama(cls, **kw):
    tok = llama_tokenizer()
    return cls, t.LlamaConfig(**sized(tok), num_key_value_heads=2, max_position_embeddings=ROTARY, pad_token_id=0, bos_token_id=1, eos_token_id=2, **kw), tok


def qwen2(cls, **kw):
    tok = qwen_tokenizer()
    return cls, t.Qwen2Config(**sized(tok), num_key_value_heads=2, max_position_embeddings=ROTARY, pad_token_id=0, bos_token_id=0, eos_token_id=0, **kw), tok


def qwen3(cls, **kw):
    tok = qwen_tokenizer(padding_side="left")
    return cls, t.Qwen3Config(**sized(tok), num_key_value_heads=2, head_dim=16, max_position_embeddings=ROTARY, pad_token_id=0, bos_token_id=0, eos_token_id=0, tie_word_embeddings=True, **kw), tok


def t5(cls, **kw):
    tok = t5_tokenizer()
    return cls, t.T5Config(vocab_size=len(tok) + 8, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4, relative_attention_num_buckets=8, relative_attention_max_distance=20, pad_token_id=0, eos_token_id=1, decoder_start_token_id=0, **kw), tok


def body(folder, made, seed=1):
    """Saves a network as transformers does, without sentence-transformers."""
    cls, config, tok = made
    shutil.rmtree(folder, ignore_errors=True)
    fill(cls(config), seed).save_pretrained(folder)
    tok.save_pretrained(folder)
    return folder


def dense(folder, made, pooling="mean", more=()):
    inner = body(folder + ".body", made)
    first = Transformer(inner, model_kwargs=FLOAT)
    SentenceTransformer(modules=[first, Pooling(first.get_embedding_dimension(), pooling), *more], device="cpu").save_pretrained(folder, create_model_card=False)
    shutil.rmtree(inner)


def cross(folder, made, classic=False):
    if classic:
        return body(folder, made)
    inner = body(folder + ".body", made)
    CrossEncoder(inner, device="cpu", model_kwargs=FLOAT).save_pretrained(folder, create_model_card=False)
    shutil.rmtree(inner)


# A prompt as in rerankers like Qwen3's.
CHAT = (
    "{%- for m in messages -%}{%- if m.role == 'query' -%}query: {{ m.content }} {% elif m.role == 'document' -%}passage: {{ m.content }}{%- endif -%}{%- endfor %} relevant:"
)
JUDGE = dict(judge=dict(prompt="query: {query} passage: {document} relevant:", yes="yes", no="no"))


def judge(folder, made):
    """A decoder that is asked for yes or no; our side reads the prompt in infbench.json."""
    made[1].max_position_embeddings = made[2].model_max_length = 600  # all texts fit, so that our side cuts none
    made[2].chat_template = CHAT
    cross(folder, made)
    with open(os.path.join(folder, "infbench.json"), "w", encoding="utf-8") as f:
        json.dump(JUDGE, f)


def splade(folder, made, strategy="max", activation="relu"):
    inner = body(folder + ".body", made)
    modules = [Transformer(inner, transformer_task="fill-mask", model_kwargs=FLOAT), SpladePooling(strategy, activation_function=activation)]
    SparseEncoder(modules=modules, device="cpu").save_pretrained(folder, create_model_card=False)
    shutil.rmtree(inner)


def splade_router(folder, made):
    inner = body(folder + ".body", made)
    static = SparseStaticEmbedding(tokenizer=made[2], frozen=False)
    with torch.no_grad():
        static.weight.copy_(torch.from_numpy(np.abs(1 + 0.4 * np.random.RandomState(3).standard_normal(len(static.weight)))).float())
    document = [Transformer(inner, transformer_task="fill-mask", model_kwargs=FLOAT), SpladePooling("max")]
    SparseEncoder(modules=[Router.for_query_document(query_modules=[static], document_modules=document)], device="cpu").save_pretrained(folder, create_model_card=False)
    shutil.rmtree(inner)


def dense_router(folder, made):
    """Separate networks for queries and documents."""
    inner = [body(f"{folder}.body{seed}", made, seed) for seed in (1, 2)]
    sides = [[Transformer(b, model_kwargs=FLOAT), Pooling(32, "mean")] for b in inner]
    SentenceTransformer(modules=[Router.for_query_document(query_modules=sides[0], document_modules=sides[1])], device="cpu").save_pretrained(folder, create_model_card=False)
    for b in inner:
        shutil.rmtree(b)


def late(folder, made, **kw):
    inner = body(folder + ".body", made)
    first = Transformer(inner, document_length=40, model_kwargs=FLOAT, **({"query_expansion": dict(strategy="fixed", attend=False, length=24)} | kw))
    linear = fill(Dense(in_features=32, out_features=16, bias=False, activation_function=torch.nn.Identity(), module_input_name="token_embeddings"))
    modules = [first, linear, MultiVectorMask(skiplist_words=[".", ",", "!", "?"]), Normalize(module_input_name="token_embeddings")]
    MultiVectorEncoder(modules=modules, device="cpu").save_pretrained(folder, create_model_card=False)
    shutil.rmtree(inner)


DENSE = dict(
    bert=lambda f: dense(f, bert(t.BertModel)),
    distilbert=lambda f: dense(f, distilbert(t.DistilBertModel)),
    roberta=lambda f: dense(f, roberta(t.RobertaModel)),
    xlmr=lambda f: dense(f, xlmr(t.XLMRobertaModel), "cls"),
    mpnet=lambda f: dense(f, mpnet(t.MPNetModel)),
    modernbert=lambda f: dense(f, modernbert(t.ModernBertModel)),
    llama=lambda f: dense(f, llama(t.LlamaModel), "mean"),
    qwen2=lambda f: dense(f, qwen2(t.Qwen2Model), "lasttoken"),
    qwen3=lambda f: dense(f, qwen3(t.Qwen3Model), "lasttoken", [Normalize()]),
    dense_router=lambda f: dense_router(f, bert(t.BertModel)),
    t5=lambda f: dense(f, t5(t.T5EncoderModel), "mean", [fill(Dense(32, 24, bias=False, activation_function=torch.nn.Identity())), Normalize()]),
)
CROSS = dict(
    cross_bert=lambda f: cross(f, bert(t.BertForSequenceClassification, num_labels=1)),
    cross_bert_classic=lambda f: cross(f, bert(t.BertForSequenceClassification, num_labels=1), classic=True),
    cross_roberta=lambda f: cross(f, roberta(t.RobertaForSequenceClassification, num_labels=1)),
    cross_xlmr=lambda f: cross(f, xlmr(t.XLMRobertaForSequenceClassification, num_labels=1)),
    cross_modernbert=lambda f: cross(f, modernbert(t.ModernBertForSequenceClassification, num_labels=1)),
    cross_qwen3=lambda f: cross(f, qwen3(t.Qwen3ForSequenceClassification, num_labels=1)),
    judge_qwen3=lambda f: judge(f, qwen3(t.Qwen3ForCausalLM)),
)
SPARSE = dict(
    splade_bert=lambda f: splade(f, bert(t.BertForMaskedLM)),
    splade_log=lambda f: splade(f, bert(t.BertForMaskedLM), "sum", "log1p_relu"),
    splade_distilbert=lambda f: splade(f, distilbert(t.DistilBertForMaskedLM)),
    splade_router=lambda f: splade_router(f, bert(t.BertForMaskedLM, spare=0)),
)
LATE = dict(
    late_bert=lambda f: late(f, bert(t.BertModel)),
    late_modernbert=lambda f: late(f, modernbert(t.ModernBertModel), query_expansion=dict(strategy="fixed", attend=True, length=24)),
)
# Bodies from which PyLate makes its own folders.
BODIES = dict(body_bert=lambda: bert(t.BertModel), body_modernbert=lambda: modernbert(t.ModernBertModel))
