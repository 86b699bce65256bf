"""Tokenizers as in published folders: a ModernBERT folder with a changed tokenizer.json.

For this network, transformers reads that file unchanged; for Qwen2, Llama or BERT it rebuilds parts.
"""

import os
import shutil

from keys import TOKENIZER, read, write

# Published expressions of pre-tokenizers, and parts of expressions.
PATTERNS = dict(
    gpt2=r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    cl100k=r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
    o200k=r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    kimi=r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    deepseek=r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    bloom=r" ?[^(\s|[.,!?…。，、।۔،])]+",
    possessive_star=r"\p{L}*+|\s*+|.",
    lookbehind=r"(?<=\s)\p{L}+|\s+|[^\s]",
    negative_lookbehind=r"(?<!\p{L})\p{L}+|\p{N}|[^\p{L}\p{N}]",
    lookahead=r"\p{L}+(?=s)|\p{L}|\P{L}+",
    inline_flag=r"(?i)the|dogs?|\s+|[^\s]",
    hexadecimal=r"\h+|\H+",
    line=r"\R|[^\r\n]+",
    posix=r"[[:alpha:]]+|[[:digit:]]+|[[:space:]]+|[[:punct:]]",
    posix_not=r"[[:^alpha:]]+|[[:alpha:]]+",
    intersection=r"[a-z&&[^aeiou]]+|[aeiou]+|[^a-z]",
    words=r"\w+|\W",
    boundary=r"\b\w+\b|\s|[^\w\s]",
    anchors=r"^\w+|\w+$|\s+|[^\w\s]|\w+",
    lazy=r"\p{L}+?s|\p{L}|\P{L}",
    atomic=r"(?>\p{L}+)|\P{L}",
    back_reference=r"(.)\1|.",
    unicode_class=r"[\p{Latin}&&\p{Lu}]\p{Ll}*|\p{Ll}+|\P{L}+",
    escapes=r"\x41\w*|\u0064\w+|\w+|\W+",
)


SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def split(pattern, behavior="Isolated", invert=False):
    return {"type": "Sequence", "pretokenizers": [{"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}, LETTERS]}


LETTERS = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def tokenizer(fn):
    def change(folder):
        value = read(folder, TOKENIZER)
        fn(value)
        write(folder, TOKENIZER, value)

    return change


def pre(value):
    return tokenizer(lambda t: t.__setitem__("pre_tokenizer", {"type": "Sequence", "pretokenizers": [value, LETTERS]} if value["type"] != "Sequence" else value))


def part(name, value):
    return tokenizer(lambda t: t.__setitem__(name, value))


def word_level(t):
    words = "the quick brown fox jumps over a lazy dog near river bank".split()
    t["model"] = dict(type="WordLevel", vocab={w: i for i, w in enumerate([*SPECIAL, *words])}, unk_token="[UNK]")
    t["pre_tokenizer"] = {"type": "Whitespace"}
    t["normalizer"] = {"type": "Lowercase"}


def unigram(t, twice=False, byte_fallback=False):
    t["model"] = dict(type="Unigram", unk_id=1, byte_fallback=byte_fallback, vocab=[*([s, 0.0] for s in SPECIAL), ["▁the", -2.0], ["▁qu", -3.0], ["ick", -3.0], ["▁", -4.0], ["lo", -4.0], ["s", -4.5], ["o", -5.0], ["x", -5.0], ["▁f", -5.0], ["dog", -4.0]] + ([["lo", -3.0], ["dog", -6.0]] if twice else []) + [[c, -6.0] for c in "abcefgijklmnpqrtuvwyz"])
    t["pre_tokenizer"] = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    t["normalizer"] = None


def token(content, number, **more):
    return lambda t: t["added_tokens"].append(dict(id=number, content=content, single_word=False, lstrip=False, rstrip=False, normalized=False, special=False) | more)


def shift(number):
    """An added token with an ID that the vocabulary gives to another token."""

    def fn(t):
        content = next(w for w, i in t["model"]["vocab"].items() if i == 300)
        token(content.replace("Ġ", " "), number)(t)

    return fn


def template(*places):
    ids = {s: i for i, s in enumerate(SPECIAL)}
    return {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}} if p == "A" else {"SpecialToken": {"id": p, "type_id": 0}} for p in places],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}], "special_tokens": {p: {"id": p, "ids": [ids[p]], "tokens": [p]} for p in places if p != "A"}}


def changes():
    for name, pattern in PATTERNS.items():
        yield f"expression = {name}", part("pre_tokenizer", split(pattern))
    for behavior in ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"):
        for invert in (False, True):
            yield f"Split = {behavior}{', inverted' if invert else ''}", part("pre_tokenizer", split(r"\s+|[a-d]", behavior, invert))
    for kind in ("UnicodeScripts", "BertPreTokenizer", "Whitespace", "WhitespaceSplit"):
        yield f"pre_tokenizer = {kind}", pre({"type": kind})
    yield "pre_tokenizer = Digits", pre({"type": "Digits", "individual_digits": True})
    yield "pre_tokenizer = Digits together", pre({"type": "Digits", "individual_digits": False})
    yield "pre_tokenizer = Punctuation", pre({"type": "Punctuation", "behavior": "Isolated"})
    yield "pre_tokenizer = CharDelimiterSplit", pre({"type": "CharDelimiterSplit", "delimiter": "e"})
    yield "pre_tokenizer = FixedLength", pre({"type": "FixedLength", "length": 5})
    yield "pre_tokenizer = ByteLevel with its expression", part("pre_tokenizer", LETTERS | {"use_regex": True})
    yield "pre_tokenizer = ByteLevel, prefix space", part("pre_tokenizer", LETTERS | {"use_regex": True, "add_prefix_space": True})
    for n in ("NFD", "NFKC", "NFKD", "StripAccents", "Lowercase", "Nmt"):
        yield f"normalizer = {n}", part("normalizer", {"type": n})
    yield "normalizer = Strip", part("normalizer", {"type": "Strip", "strip_left": True, "strip_right": True})
    yield "normalizer = Replace", part("normalizer", {"type": "Replace", "pattern": {"Regex": r"[aeiou]+"}, "content": "o"})
    yield "normalizer = Replace text", part("normalizer", {"type": "Replace", "pattern": {"String": "fox"}, "content": "dog"})
    yield "normalizer = Prepend", part("normalizer", {"type": "Prepend", "prepend": "the "})
    yield "normalizer = BertNormalizer", part("normalizer", {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True})
    yield "normalizer = Sequence", part("normalizer", {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}, {"type": "Lowercase"}]})
    yield "post_processor = end", part("post_processor", template("A", "[SEP]"))
    yield "post_processor = both", part("post_processor", template("[MASK]", "A", "[SEP]"))
    yield "post_processor = null", part("post_processor", None)
    yield "model = WordLevel", tokenizer(word_level)
    yield "model = Unigram", tokenizer(unigram)
    yield "model = Unigram, pieces twice", tokenizer(lambda t: unigram(t, twice=True))
    yield "model.ignore_merges = True", tokenizer(lambda t: t["model"].__setitem__("ignore_merges", True))
    yield "model.dropout = 0.0", tokenizer(lambda t: t["model"].__setitem__("dropout", 0.0))
    yield "added_tokens = next free ID", tokenizer(token("quick", 421))
    yield "added_tokens = ID beyond", tokenizer(token("quick", 425))
    yield "added_tokens = ID of the vocabulary", tokenizer(shift(423))
    yield "added_tokens = ID taken", tokenizer(token("quick", 300))
    for more in (dict(lstrip=True), dict(rstrip=True), dict(single_word=True), dict(normalized=True), dict(special=True), dict(lstrip=True, rstrip=True, normalized=True)):
        yield "added_tokens = " + " ".join(more), tokenizer(token("fox", 421, **more))
    yield "added_tokens = one within another", tokenizer(lambda t: (token("dog", 421)(t), token("dogs", 422)(t)))


def variants(out):
    """Names, folders and the functions that make them."""
    for n, (name, change) in enumerate(changes()):
        folder = os.path.join(out, "variants", f"tokenizer{n:03}")

        def make(folder=folder, change=change):
            shutil.copytree(os.path.join(out, "base", "modernbert"), folder)
            change(folder)

        yield "tokenizer: " + name, folder, make
