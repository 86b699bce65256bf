package kernel

// roundings are the kernels for products of bfloat16 numbers.
var roundings = map[string]*micro{"pairs": &pairsAVX512BF16, "flushed": &flushedAVX512BF16}
