"""The texts that both sides read, and the training texts of tiny tokenizers."""

_LONG = " ".join(f"the quick brown fox number {i} jumps over a lazy dog near the river bank" for i in range(14))

QUERIES = [
    "Which fox jumps over the dog?",
    "do LAZY Dogs sleep near Rivers at night",
    "Élan naïve café, über-groß 東京 tower",
    "the quick [MASK] fox </s> and <s> 3.14 or 12345",
    "foxes aren't dogs; they'll jump  twice\tdaily",
    "query " + _LONG,
]
DOCUMENTS = [
    "The quick brown fox jumps over the lazy dog.",
    "A river bank, where DOGS sleep! Is it near Tokyo?",
    "naïve Élan café résumé",
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen",
    " leading and trailing spaces \n and a second line ",
    "passage " + _LONG + ".",
]
CORPUS = QUERIES + DOCUMENTS + [x.lower() for x in QUERIES + DOCUMENTS] + [
    "search: query: passage: Represent this sentence: yes no relevant",
    "sleeping dogs sleep and jumping foxes jump; the number of rivers near banks",
]
