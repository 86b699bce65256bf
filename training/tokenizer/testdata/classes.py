"""Writes classes.json: what AutoTokenizer of transformers 5.24 (tokenizers 0.23) makes of
small tokenizer.json files next to tokenizer_config.json, special_tokens_map.json and
added_tokens.json. Run it in an environment that has them: python classes.py > classes.json"""
import json, os, tempfile

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import AutoTokenizer
from transformers.models.qwen2.tokenization_qwen2 import PRETOKENIZE_REGEX

words = ["hello", "Hello", "é", "É", "e", "a", "b", "w1", "中", "文", "中文", "[", "]", "q", "Q"]
texts = ["Hello É 中文", "  a  b", "a [Q] b", "w1 new", "[MASK]<mask> b"]


def around(t, first, last, segment=1):
    t.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}", pair=f"{first} $A {last} $B:{segment} {last}:{segment}",
        special_tokens=[(first, t.token_to_id(first)), (last, t.token_to_id(last))])
    return t


def wordpiece(specials, lower):
    vocab = {w: i for i, w in enumerate(specials + words)}
    t = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    t.normalizer, t.pre_tokenizer = normalizers.BertNormalizer(lowercase=lower), pre_tokenizers.BertPreTokenizer()
    t.add_special_tokens(specials)
    return t


def bert(lower):
    return around(wordpiece(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], lower), "[CLS]", "[SEP]")


def mpnet():
    t = wordpiece(["<s>", "<pad>", "</s>", "[UNK]", "<mask>"], False)
    t.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return t


def byte_level(specials, split):
    vocab = {w: i for i, w in enumerate(specials + sorted(pre_tokenizers.ByteLevel.alphabet()) + ["Ġa", "Ġb"])}
    t = Tokenizer(models.BPE(vocab, [("Ġ", "a"), ("Ġ", "b")]))
    t.pre_tokenizer = split
    t.add_special_tokens(specials)
    return t


def roberta():
    t = byte_level(["<s>", "<pad>", "</s>", "<unk>", "<mask>"], pre_tokenizers.ByteLevel(add_prefix_space=False))
    t.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    return t


def qwen():
    t = byte_level(["<|endoftext|>", "<|im_start|>"], pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(PRETOKENIZE_REGEX), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]))
    t.normalizer = normalizers.NFC()
    t.post_processor = processors.TemplateProcessing(single="$A <|endoftext|>", pair="$A $B <|endoftext|>", special_tokens=[("<|endoftext|>", 0)])
    return t


def unigram(specials, first):
    pieces = [(s, 0.0) for s in specials] + [("▁", -2.0)] + [(p, -3.0 - i / 10) for i, p in enumerate(["▁a", "▁b", "H", "e", "l", "o", "É", "w", "1", "n", "中", "文", "Q"])]
    t = Tokenizer(models.Unigram(pieces, unk_id=specials.index("<unk>")))
    t.pre_tokenizer = pre_tokenizers.Metaspace()  # without the class's WhitespaceSplit
    t.add_special_tokens(specials)
    if first:
        return around(t, "<s>", "</s>", 0)
    t.post_processor = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", specials.index("</s>"))])
    return t


def llama():
    specials = ["<unk>", "<s>", "</s>"]
    vocab = {w: i for i, w in enumerate(specials + ["<0x%02X>" % i for i in range(256)] + ["▁", "a", "b", "▁a", "H", "e", "l", "o"])}
    t = Tokenizer(models.BPE(vocab, [("▁", "a")], unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    t.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    t.add_special_tokens(specials)
    t.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)])
    return t


def word_level():
    t = Tokenizer(models.WordLevel({w: i for i, w in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + words)}, unk_token="[UNK]"))
    t.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return around(t, "[CLS]", "[SEP]")


tokenizers = {"bert": bert(True), "cased": bert(False), "mpnet": mpnet(), "roberta": roberta(), "qwen": qwen(),
              "xlmr": unigram(["<s>", "<pad>", "</s>", "<unk>", "<mask>"], True), "t5": unigram(["<pad>", "</s>", "<unk>"], False),
              "llama": llama(), "words": word_level()}


def added(content, **more):
    return {"content": content, "lstrip": False, "normalized": False, "rstrip": False, "single_word": False, "special": True, **more}


B, L = "BertTokenizer", "LlamaTokenizerFast"
cases = [  # tokenizer, model_type, tokenizer_config.json, other files
    ("bert", "bert", None, {}), ("cased", "bert", None, {}), ("cased", "bert", {}, {}),
    ("bert", "bert", {"tokenizer_class": B, "do_lower_case": False}, {}), ("cased", "bert", {"tokenizer_class": B + "Fast", "do_lower_case": True}, {}),
    ("bert", "bert", {"tokenizer_class": "PreTrainedTokenizerFast", "do_lower_case": False}, {}), ("cased", "bert", {"tokenizer_class": "TokenizersBackend"}, {}),
    ("bert", "distilbert", {"tokenizer_class": "DistilBertTokenizer", "do_lower_case": False}, {}), ("bert", "electra", {"tokenizer_class": "ElectraTokenizerFast", "do_lower_case": False}, {}),
    ("bert", "modernbert", {"tokenizer_class": B, "do_lower_case": False}, {}),
    ("bert", "bert", {"tokenizer_class": B, "strip_accents": False}, {}), ("bert", "bert", {"tokenizer_class": B, "tokenize_chinese_chars": False}, {}),
    ("bert", "bert", {"tokenizer_class": B, "truncation_side": "left"}, {}), ("bert", "bert", {"tokenizer_class": "PreTrainedTokenizerFast", "truncation_side": "left"}, {}),
    ("bert", "bert", {"tokenizer_class": B, "added_tokens_decoder": {"400": added("[Q]")}}, {}),
    ("bert", "bert", {"tokenizer_class": "PreTrainedTokenizerFast", "added_tokens_decoder": {"400": added("[Q]", rstrip=True), "401": added("new", special=False, normalized=True)}}, {}),
    ("bert", "bert", {"tokenizer_class": B, "additional_special_tokens": ["[Q]", "new"]}, {}), ("bert", "bert", {"tokenizer_class": B, "extra_special_tokens": {"q": "[Q]"}}, {}),
    ("bert", "bert", {"tokenizer_class": B, "query_token": "[Q]"}, {}), ("bert", "bert", {"tokenizer_class": B, "mask_token": added("w1", __type="AddedToken")}, {}),
    ("bert", "bert", {"tokenizer_class": B}, {"special_tokens_map.json": {"mask_token": "w1", "additional_special_tokens": ["[Q]"]}}),
    ("bert", "bert", {"tokenizer_class": B}, {"added_tokens.json": {"[Q]": 500}}),
    ("bert", "bert", {"tokenizer_class": B, "cls_token": "[MASK]"}, {}), ("words", "bert", {"tokenizer_class": B}, {}), ("words", "bert", {"tokenizer_class": "PreTrainedTokenizerFast"}, {}),
    ("mpnet", "mpnet", {"tokenizer_class": "MPNetTokenizer"}, {}), ("mpnet", "mpnet", {"tokenizer_class": "MPNetTokenizer", "do_lower_case": False}, {}), ("mpnet", "mpnet", {"tokenizer_class": B}, {}),
    ("roberta", "roberta", {"tokenizer_class": "RobertaTokenizer"}, {}), ("roberta", "roberta", {"tokenizer_class": "RobertaTokenizer", "add_prefix_space": True}, {}),
    ("roberta", "roberta", {"tokenizer_class": "RobertaTokenizer", "add_eos_token": True}, {}),
    ("xlmr", "xlm-roberta", {"tokenizer_class": "XLMRobertaTokenizer"}, {}), ("xlmr", "xlm-roberta", {"tokenizer_class": "XLMRobertaTokenizer", "add_prefix_space": False}, {}),
    ("xlmr", "xlm-roberta", {"tokenizer_class": "PreTrainedTokenizerFast"}, {}), ("xlmr", "camembert", {"tokenizer_class": "CamembertTokenizer"}, {}),
    ("t5", "t5", {"tokenizer_class": "T5Tokenizer", "extra_ids": 0}, {}), ("t5", "t5", {"tokenizer_class": "PreTrainedTokenizerFast"}, {}),
    ("llama", "llama", {"tokenizer_class": L}, {}), ("llama", "llama", {"tokenizer_class": L, "add_bos_token": True, "add_eos_token": True}, {}),
    ("llama", "llama", {"tokenizer_class": L, "legacy": True}, {}), ("llama", "llama", {"tokenizer_class": L, "add_prefix_space": False}, {}),
    ("llama", "llama", {"tokenizer_class": "PreTrainedTokenizerFast", "add_eos_token": True}, {}), ("llama", "mistral", {"tokenizer_class": L, "add_eos_token": True}, {}),
    ("qwen", "llama", {"tokenizer_class": L, "add_bos_token": False}, {}), ("llama", "llama", None, {}),
    ("qwen", "qwen2", {"tokenizer_class": "Qwen2Tokenizer"}, {}), ("qwen", "qwen3", {"tokenizer_class": "Qwen2TokenizerFast", "add_prefix_space": True}, {}),
    ("qwen", "qwen2", {"tokenizer_class": "PreTrainedTokenizerFast", "add_prefix_space": True}, {}), ("qwen", "qwen3", {"tokenizer_class": "PreTrainedTokenizerFast", "add_prefix_space": True}, {}),
]
out = []
for name, model_type, config, more in cases:
    with tempfile.TemporaryDirectory() as folder:
        files = {"config.json": {"model_type": model_type, "vocab_size": 2000}, **more}
        if config is not None:
            files["tokenizer_config.json"] = config
        for file, value in files.items():
            json.dump(value, open(os.path.join(folder, file), "w"))
        tokenizers[name].save(os.path.join(folder, "tokenizer.json"))
        t = AutoTokenizer.from_pretrained(folder)
        out.append({"tokenizer": name, "files": files, "ids": [t(text)["input_ids"] for text in texts],
                    "pair": t(texts[0], texts[1])["input_ids"], "cut": t(texts[0], truncation=True, max_length=4)["input_ids"]})
print('{"texts": ' + json.dumps(texts) + ',\n"tokenizers": {')
print(",\n".join(json.dumps(n) + ": " + json.dumps(json.loads(t.to_str()), ensure_ascii=False) for n, t in tokenizers.items()) + '},\n"cases": [')
print(",\n".join(json.dumps(c, ensure_ascii=False) for c in out) + "\n]}")
