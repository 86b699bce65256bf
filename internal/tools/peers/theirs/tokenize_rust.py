"""Tokenises texts one by one with HuggingFace's tokenizers."""

import tokenizers

import job

asked = job.read()
texts, seconds = job.lines(asked["path"]("texts.txt")), {}
for model in ("WordPiece", "BPE", "Unigram"):
    tokenizer = tokenizers.Tokenizer.from_file(asked["path"](model + ".json"))
    encodings = [None] * len(texts)

    def tokenize():
        for i, text in enumerate(texts):
            encodings[i] = tokenizer.encode(text)

    seconds[model] = job.repeat(asked, tokenize)
    if asked["check"]:
        job.keep(asked["out"]("." + model), [encoding.ids for encoding in encodings])
job.answer(tokenizers.__version__, **seconds)
