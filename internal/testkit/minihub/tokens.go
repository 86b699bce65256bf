package minihub

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"infbench/datasets"
	"infbench/training/tokenizer"
)

// vocabularyWords is the number of words of the generated texts that become single tokens.
const vocabularyWords = 600

// texts are the texts of the generated world from which vocabularies are built.
var texts = sync.OnceValue(func() []string {
	var all []string
	for _, t := range datasets.MiniInfIRSized(world, 240) {
		all = append(all, t.InstructionPositive, t.InstructionNegative, t.QueryPositive, t.QueryNegative, t.Positive, t.HardNegative1, t.HardNegative2)
	}
	return all
})

// commonWords returns the most frequent words of the texts that consist of letters only.
func commonWords() []string {
	counts := map[string]int{}
	for _, text := range texts() {
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r > 'z' || r < 'A' || r > 'Z' && r < 'a' }) {
			counts[word]++
		}
	}
	words := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return words[:min(vocabularyWords, len(words))]
}

// object is a JSON object.
type object = map[string]any

func toJSON(v any) []byte {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("minihub: write JSON: %v", err)) // only values of this package
	}
	return append(data, '\n')
}

// vocabulary numbers tokens in the order in which they are added.
type vocabulary struct {
	ids    map[string]int
	merges []string
}

func (v *vocabulary) add(tokens ...string) {
	for _, t := range tokens {
		if _, ok := v.ids[t]; !ok {
			v.ids[t] = len(v.ids)
		}
	}
}

// merge adds the merges for a word: its prefixes, shortest first.
func (v *vocabulary) merge(word string) {
	letters := strings.Split(word, "")
	begun := letters[0]
	for _, next := range letters[1:] {
		v.add(next)
		if _, known := v.ids[begun+next]; !known {
			v.merges = append(v.merges, begun+" "+next)
			v.add(begun + next)
		}
		begun += next
	}
}

// halve replaces the merges by those that SentencePiece makes: every way to halve an entry,
// the earlier entries first (transformers' generate_merges).
func (v *vocabulary) halve() {
	entries := slices.SortedFunc(maps.Keys(v.ids), func(a, b string) int { return cmp.Compare(v.ids[a], v.ids[b]) })
	v.merges = nil
	for _, entry := range entries[firstPiece:] {
		var ways [][2]string
		for at := range entry {
			left, right := entry[:at], entry[at:]
			if v.ids[left] >= firstPiece && v.ids[right] >= firstPiece {
				ways = append(ways, [2]string{left, right})
			}
		}
		slices.SortFunc(ways, func(a, b [2]string) int {
			return cmp.Or(cmp.Compare(v.ids[a[0]], v.ids[b[0]]), cmp.Compare(v.ids[a[1]], v.ids[b[1]]))
		})
		for _, way := range ways {
			v.merges = append(v.merges, way[0]+" "+way[1])
		}
	}
}

// visibleBytes returns the 256 characters with which byte-level vocabularies write bytes.
func visibleBytes() []string {
	var all []string
	hidden := 0
	for b := range 256 {
		if '!' <= b && b <= '~' || '¡' <= b && b <= '¬' || '®' <= b && b <= 'ÿ' {
			all = append(all, string(rune(b)))
		} else {
			all = append(all, string(rune(256+hidden)))
			hidden++
		}
	}
	return all
}

// special is an entry of added_tokens.
func special(id int, content string) object {
	return object{"id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}
}

// template returns a post-processor that puts tokens before and after a text.
func template(ids map[string]int, before, after []string) object {
	place := func(kind, id string, segment int) object { return object{kind: object{"id": id, "type_id": segment}} }
	specials := object{}
	around := func(sequence string, segment int) []object {
		var all []object
		for _, t := range before {
			all = append(all, place("SpecialToken", t, segment))
		}
		all = append(all, place("Sequence", sequence, segment))
		for _, t := range after {
			all = append(all, place("SpecialToken", t, segment))
		}
		return all
	}
	for _, t := range append(slices.Clone(before), after...) {
		specials[t] = object{"id": t, "ids": []int{ids[t]}, "tokens": []string{t}}
	}
	return object{"type": "TemplateProcessing", "single": around("A", 0), "pair": append(around("A", 0), around("B", 1)...), "special_tokens": specials}
}

// tokenizerFile is a tokenizer.json.
func tokenizerFile(added []object, normalizer, words, post, model any) []byte {
	return toJSON(object{"version": "1.0", "truncation": nil, "padding": nil, "added_tokens": added,
		"normalizer": normalizer, "pre_tokenizer": words, "post_processor": post, "decoder": nil, "model": model})
}

// bpe returns the model section of byte-pair vocabularies.
func (v *vocabulary) bpe(unknown any, byteFallback bool) object {
	return object{"type": "BPE", "dropout": nil, "unk_token": unknown, "continuing_subword_prefix": nil, "end_of_word_suffix": nil,
		"fuse_unk": byteFallback, "byte_fallback": byteFallback, "ignore_merges": false, "vocab": v.ids, "merges": v.merges}
}

// byteLevel returns a byte-level vocabulary: the bytes, common words after a blank, then the
// special tokens.
func byteLevel(specials ...string) (v *vocabulary, added []object) {
	v = &vocabulary{ids: map[string]int{}}
	v.add(visibleBytes()...)
	for _, word := range commonWords() {
		v.merge("Ġ" + word)
	}
	for i, s := range specials {
		added = append(added, special(len(v.ids)+i, s))
	}
	return v, added
}

// idsOf returns the numbers of added tokens.
func idsOf(added []object) map[string]int {
	ids := map[string]int{}
	for _, a := range added {
		ids[a["content"].(string)] = a["id"].(int)
	}
	return ids
}

// splitWords is the pre-tokenizer of Llama 3 and Qwen2, which differ in the number of digits
// per token.
func splitWords(digits string) object {
	return object{"type": "Sequence", "pretokenizers": []object{
		{"type": "Split", "behavior": "Isolated", "invert": false, "pattern": object{"Regex": `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|` + digits +
			`| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`}},
		{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}}}
}

// tokens is a tokenizer: its file and the ids that configurations mention.
type tokens struct {
	file []byte
	ids  map[string]int
	size int
	more map[string][]byte // other files of the same vocabulary
}

// llama3Tokens is Llama 3's.
func llama3Tokens() tokens {
	v, added := byteLevel("<|begin_of_text|>", "<|end_of_text|>", "<|finetune_right_pad_id|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>")
	ids := idsOf(added)
	post := object{"type": "Sequence", "processors": []object{
		{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": false, "use_regex": true},
		template(ids, []string{"<|begin_of_text|>"}, nil)}}
	file := tokenizerFile(added, nil, splitWords(`\p{N}{1,3}`), post, v.bpe(nil, false))
	return tokens{file, ids, len(v.ids) + len(added), map[string][]byte{
		"tokenizer_config.json": toJSON(object{"bos_token": "<|begin_of_text|>", "eos_token": "<|end_of_text|>", "clean_up_tokenization_spaces": true,
			"model_input_names": []string{"input_ids", "attention_mask"}, "model_max_length": 131072, "tokenizer_class": "PreTrainedTokenizerFast"}),
		"special_tokens_map.json": toJSON(object{"bos_token": "<|begin_of_text|>", "eos_token": "<|end_of_text|>"})}}
}

// qwen2Tokens is Qwen2's, which also has vocab.json and merges.txt.
func qwen2Tokens() tokens {
	v, added := byteLevel("<|endoftext|>", "<|im_start|>", "<|im_end|>")
	file := tokenizerFile(added, object{"type": "NFC"}, splitWords(`\p{N}`),
		object{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false}, v.bpe(nil, false))
	return tokens{file, idsOf(added), len(v.ids) + len(added), map[string][]byte{
		"vocab.json": toJSON(v.ids), "merges.txt": []byte("#version: 0.2\n" + strings.Join(v.merges, "\n") + "\n"),
		"tokenizer_config.json": toJSON(object{"add_bos_token": false, "add_prefix_space": false, "bos_token": nil, "eos_token": "<|endoftext|>", "pad_token": "<|endoftext|>",
			"errors": "replace", "model_max_length": 131072, "split_special_tokens": false, "tokenizer_class": "Qwen2Tokenizer", "unk_token": nil})}}
}

// modernBERTTokens is ModernBERT's.
func modernBERTTokens() tokens {
	v, added := byteLevel("[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]")
	ids := idsOf(added)
	file := tokenizerFile(added, object{"type": "NFC"}, object{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
		template(ids, []string{"[CLS]"}, []string{"[SEP]"}), v.bpe(nil, false))
	specials := object{"cls_token": "[CLS]", "mask_token": "[MASK]", "pad_token": "[PAD]", "sep_token": "[SEP]", "unk_token": "[UNK]"}
	all := maps.Clone(specials)
	all["model_max_length"], all["tokenizer_class"], all["model_input_names"] = 8192, "PreTrainedTokenizerFast", []string{"input_ids", "attention_mask"}
	return tokens{file, ids, len(v.ids) + len(added), map[string][]byte{"tokenizer_config.json": toJSON(all), "special_tokens_map.json": toJSON(specials)}}
}

// llama2Tokens is Llama 2's and Mistral's: SentencePiece's byte pairs with byte fallback.
func llama2Tokens() tokens {
	v := &vocabulary{ids: map[string]int{}}
	v.add("<unk>", "<s>", "</s>")
	for b := range 256 {
		v.add(fmt.Sprintf("<0x%02X>", b))
	}
	v.add("▁")
	for _, word := range append(commonWords(), "true", "false") {
		v.merge("▁" + word)
	}
	for _, answer := range []string{"true", "false"} { // the answers of judges
		v.merge(answer)
	}
	v.halve()
	added := []object{special(0, "<unk>"), special(1, "<s>"), special(2, "</s>")}
	file := tokenizerFile(added,
		object{"type": "Sequence", "normalizers": []object{{"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": object{"String": " "}, "content": "▁"}}},
		nil, template(v.ids, []string{"<s>"}, nil), v.bpe("<unk>", true))
	return tokens{file, v.ids, len(v.ids), map[string][]byte{
		"tokenizer.model": tokenizerModel(v),
		"tokenizer_config.json": toJSON(object{"add_bos_token": true, "add_eos_token": false, "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>",
			"legacy": true, "model_max_length": 4096, "tokenizer_class": "LlamaTokenizer"}),
		"special_tokens_map.json": toJSON(object{"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"})}}
}

// t5Pieces returns a unigram vocabulary in the order of T5's.
func t5Pieces() []piece {
	pieces := []piece{{"<pad>", 0, controlPiece}, {"</s>", 0, controlPiece}, {"<unk>", 0, unknownPiece}, {"▁", -2, normalPiece}}
	seen := map[string]bool{}
	for i, word := range append(commonWords(), "true", "false", "yes", "no", "Query", "Document", "Relevant", ":") {
		if text := "▁" + word; !seen[text] {
			seen[text] = true
			pieces = append(pieces, piece{text, float32(-3 - math.Log(float64(i+1))), normalPiece})
		}
	}
	for r := ' ' + 1; r <= '~'; r++ {
		pieces = append(pieces, piece{string(r), -12, normalPiece})
	}
	return pieces
}

// t5Config is T5's tokenizer_config.json and special tokens.
func t5Config() map[string][]byte {
	return map[string][]byte{
		"tokenizer_config.json": toJSON(object{"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>", "extra_ids": 0,
			"additional_special_tokens": []string{}, "model_max_length": 512, "tokenizer_class": "T5Tokenizer"}),
		"special_tokens_map.json": toJSON(object{"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"})}
}

// t5Tokens is T5's: SentencePiece's unigrams, in their own file and as tokenizer.json.
func t5Tokens() tokens {
	pieces := t5Pieces()
	var vocab [][]any
	for _, p := range pieces {
		vocab = append(vocab, []any{p.text, p.score})
	}
	ids := map[string]int{"<pad>": 0, "</s>": 1, "<unk>": 2}
	added := []object{special(0, "<pad>"), special(1, "</s>"), special(2, "<unk>")}
	file := tokenizerFile(added, nil, object{"type": "Sequence", "pretokenizers": []object{
		{"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "▁", "add_prefix_space": true}}},
		template(ids, nil, []string{"</s>"}), object{"type": "Unigram", "unk_id": 2, "vocab": vocab})
	more := t5Config()
	more["spiece.model"] = spieceModel(pieces)
	return tokens{file, ids, len(pieces), more}
}

// old returns the vocabulary without tokenizer.json, in its older format.
func (t tokens) old() tokens {
	t.file = nil
	return t
}

// bertTokens is BERT's, with vocab.txt.
func bertTokens() tokens {
	tok, err := tokenizer.BuildWordPiece(slices.Values(texts()), 900)
	if err != nil {
		panic(fmt.Sprintf("minihub: %v", err))
	}
	ids := map[string]int{}
	var lines strings.Builder
	for i := range tok.VocabSize() {
		ids[tok.Token(int32(i))] = i
		lines.WriteString(tok.Token(int32(i)) + "\n")
	}
	return tokens{tok.JSON(), ids, tok.VocabSize(), map[string][]byte{
		"vocab.txt": []byte(lines.String()),
		"tokenizer_config.json": toJSON(object{"cls_token": "[CLS]", "do_basic_tokenize": true, "do_lower_case": true, "mask_token": "[MASK]", "model_max_length": 512,
			"pad_token": "[PAD]", "sep_token": "[SEP]", "strip_accents": nil, "tokenize_chinese_chars": true, "tokenizer_class": "BertTokenizer", "unk_token": "[UNK]"}),
		"special_tokens_map.json": toJSON(object{"cls_token": "[CLS]", "mask_token": "[MASK]", "pad_token": "[PAD]", "sep_token": "[SEP]", "unk_token": "[UNK]"})}}
}
