package tokenizer_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"infbench/internal/testkit"
	"infbench/training/tokenizer"
)

// entry is a piece of a made-up model file.
type entry struct {
	text  string
	score float32
	kind  uint64 // 1: normal, 2: unknown, 3: control, 4: user-defined, 5: unused, 6: byte
}

// modelFile writes a SentencePiece model: pieces, and numbered fields of trainer_spec
// and normalizer_spec.
func modelFile(pieces []entry, trainer, normalizer map[protowire.Number]uint64) string {
	var b []byte
	message := func(field protowire.Number, content []byte) {
		b = protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), content)
	}
	for _, p := range pieces {
		var m []byte
		m = protowire.AppendString(protowire.AppendTag(m, 1, protowire.BytesType), p.text)
		m = protowire.AppendFixed32(protowire.AppendTag(m, 2, protowire.Fixed32Type), math.Float32bits(p.score))
		m = protowire.AppendVarint(protowire.AppendTag(m, 3, protowire.VarintType), p.kind)
		message(1, m)
	}
	for field, settings := range map[protowire.Number]map[protowire.Number]uint64{2: trainer, 3: normalizer} {
		var m []byte
		for number, v := range settings {
			m = protowire.AppendVarint(protowire.AppendTag(m, number, protowire.VarintType), v)
		}
		message(field, m)
	}
	return string(b)
}

// normal are pieces with scores from -1 down.
func normal(texts ...string) []entry {
	var list []entry
	for i, text := range texts {
		list = append(list, entry{text, -float32(i + 1), 1})
	}
	return list
}

var (
	t5Pieces    = append([]entry{{"<pad>", 0, 3}, {"</s>", 0, 3}, {"<unk>", 0, 2}}, normal("▁a", "▁b", "c", "▁")...)                                     // a: 3, b: 4, c: 5, blank: 6
	llamaPieces = append([]entry{{"<unk>", 0, 2}, {"<s>", 0, 3}, {"</s>", 0, 3}}, normal("▁a", "▁b", "▁", "a", "b", "c", "<", ">", "s", "▁ab", "ab")...) // a: 3, b: 4, blank: 5, ...
	bpe         = map[protowire.Number]uint64{3: 2}
	keepBlanks  = map[protowire.Number]uint64{4: 0}
)

// TestConventions: the tokens that transformers' slow tokenizers put around pieces, by class.
func TestConventions(t *testing.T) {
	t5, llama := modelFile(t5Pieces, nil, nil), modelFile(llamaPieces, bpe, keepBlanks)
	for _, c := range []struct {
		name  string
		files map[string]string
		text  string
		ids   []int32
		pair  []int32 // of the text and "b"
	}{
		{"T5 ends texts", map[string]string{"spiece.model": t5}, " a  b ", []int32{3, 4, 1}, []int32{3, 4, 1, 4, 1}},
		{"T5's sentinels count down and swallow blanks", map[string]string{"spiece.model": t5}, "a <extra_id_0> c<extra_id_99>", []int32{3, 106, 6, 5, 7, 1}, []int32{3, 106, 6, 5, 7, 1, 4, 1}},
		{"as many as extra_ids says", map[string]string{"spiece.model": t5, "tokenizer_config.json": `{"extra_ids": 2}`}, "<extra_id_1>", []int32{7, 1}, []int32{7, 1, 4, 1}},
		{"and none where the model has no rows", map[string]string{"spiece.model": t5, "config.json": `{"vocab_size": 7}`}, "a", []int32{3, 1}, []int32{3, 1, 4, 1}},
		{"T5's special tokens stand for themselves", map[string]string{"spiece.model": t5}, "a</s>b", []int32{3, 1, 4, 1}, []int32{3, 1, 4, 1, 4, 1}},
		{"legacy false: no blank after them", map[string]string{"spiece.model": t5, "tokenizer_config.json": `{"legacy": false}`}, "a</s>c", []int32{3, 1, 5, 1}, []int32{3, 1, 5, 1, 4, 1}},
		{"EncT5 begins them too, with a token after all others", map[string]string{"spiece.model": t5, "tokenizer_config.json": `{"tokenizer_class": "EncT5Tokenizer"}`}, "a <s>", []int32{107, 3, 107, 1}, []int32{107, 3, 107, 1, 4, 1}},
		{"which added_tokens.json may number, and counts over T5's tokenizer.json", map[string]string{"spiece.model": t5, "tokenizer.json": "{}", "tokenizer_config.json": `{"tokenizer_class": "EncT5Tokenizer", "bos_token": "<s>"}`, "added_tokens.json": `{"<s>": 120}`}, "a", []int32{120, 3, 1}, []int32{120, 3, 1, 4, 1}},
		{"as the network's class says too", map[string]string{"spiece.model": t5, "tokenizer_config.json": `{"tokenizer_class": "T5Tokenizer"}`, "config.json": `{"architectures": ["EncT5ForSequenceClassification"]}`}, "a", []int32{107, 3, 1}, []int32{107, 3, 1, 4, 1}},
		{"Llama begins texts", map[string]string{"tokenizer.model": llama}, "a b", []int32{1, 3, 4}, []int32{1, 3, 4, 1, 4}},
		{"blanks are kept", map[string]string{"tokenizer.model": llama}, " a", []int32{1, 5, 3}, []int32{1, 5, 3, 1, 4}},
		{"add_eos_token", map[string]string{"tokenizer.model": llama, "tokenizer_config.json": `{"add_bos_token": false, "add_eos_token": true, "tokenizer_class": "LLaMATokenizer"}`}, "a", []int32{3, 2}, []int32{3, 2, 4, 2}},
		{"legacy false", map[string]string{"tokenizer.model": llama, "tokenizer_config.json": `{"legacy": false, "tokenizer_class": "LlamaTokenizerFast"}`}, "a</s>b", []int32{1, 3, 2, 7}, []int32{1, 3, 2, 7, 1, 4}},
		{"other special tokens", map[string]string{"tokenizer.model": llama, "special_tokens_map.json": `{"bos_token": {"content": "c", "lstrip": true}, "pad_token": "[PAD]"}`}, "a c[PAD]", []int32{8, 3, 8, 14}, []int32{8, 3, 8, 14, 8, 4}},
		{"added tokens", map[string]string{"tokenizer.model": llama, "added_tokens.json": `{"[Q]": 20}`, "special_tokens_map.json": `{"additional_special_tokens": ["[D]"]}`}, "[Q][D]", []int32{1, 20, 21}, []int32{1, 20, 21, 1, 4}},
		{"added_tokens_decoder", map[string]string{"tokenizer.model": llama, "tokenizer_config.json": `{"added_tokens_decoder": {"14": {"content": "[Q]", "rstrip": true}, "2": {"content": "</s>"}}}`}, "[Q] b", []int32{1, 14, 4}, []int32{1, 14, 4, 1, 4}},
		{"XLM-RoBERTa's ids are fairseq's", map[string]string{"sentencepiece.bpe.model": modelFile(llamaPieces, nil, nil)}, "a b<mask>", []int32{0, 4, 5, 15, 2}, []int32{0, 4, 5, 15, 2, 2, 5, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tok, err := tokenizer.Open(folderOf(t, c.files))
			if err != nil {
				t.Fatal(err)
			}
			if ids := tok.Encode(c.text, 0); !slices.Equal(ids, c.ids) {
				t.Errorf("%v, want %v", ids, c.ids)
			}
			if ids, _ := tok.EncodePair(c.text, "b", 0); !slices.Equal(ids, c.pair) {
				t.Errorf("pair %v, want %v", ids, c.pair)
			}
			again := map[string]string{}
			for _, f := range tok.Files() {
				again[f.Name] = string(f.Data)
			}
			if c.files["config.json"] != "" {
				again["config.json"] = c.files["config.json"]
			}
			same, err := tokenizer.Open(folderOf(t, again))
			if err != nil || !slices.Equal(same.Encode(c.text, 0), c.ids) || same.VocabSize() != tok.VocabSize() {
				t.Errorf("the tokenizer's own files make another: %v", err)
			}
		})
	}
}

// TestSentencePiecePadding: files that name a padding token have it, and T5 always has one.
func TestSentencePiecePadding(t *testing.T) {
	t5, llama := modelFile(t5Pieces, nil, nil), modelFile(llamaPieces, bpe, keepBlanks)
	for _, c := range []struct {
		files map[string]string
		id    int32
		ok    bool
		left  bool
	}{
		{map[string]string{"spiece.model": t5}, 0, true, false},
		{map[string]string{"tokenizer.model": llama}, -1, false, false},
		{map[string]string{"tokenizer.model": llama, "tokenizer_config.json": `{"pad_token": "</s>", "padding_side": "left"}`}, 2, true, true},
	} {
		tok, err := tokenizer.Open(folderOf(t, c.files))
		if err != nil {
			t.Fatal(err)
		}
		if id, ok := tok.PadID(); id != c.id || ok != c.ok || tok.PadsLeft() != c.left {
			t.Errorf("%d %t, left %t", id, ok, tok.PadsLeft())
		}
	}
}

// TestSentencePieceOptions: the settings of a model file, derived by hand from sentencepiece's
// normalizer.cc, unigram_model.cc and bpe_model.cc.
func TestSentencePieceOptions(t *testing.T) {
	unk := entry{"<unk>", 0, 2}
	with := func(more ...entry) []entry { return append([]entry{unk}, more...) }
	bytes := func() (list []entry) {
		for b := range 256 {
			list = append(list, entry{"<0x" + strings.ToUpper(string("0123456789abcdef"[b>>4])+string("0123456789abcdef"[b&15])) + ">", 0, 6})
		}
		return list
	}()
	type fields = map[protowire.Number]uint64
	for _, c := range []struct {
		name                string
		pieces              []entry
		trainer, normalizer fields
		text                string
		ids                 []int32
	}{
		{"no dummy prefix", with(normal("▁a", "a")...), nil, fields{3: 0}, "a a", []int32{2, 1}},
		{"blanks removed", with(normal("▁a", "▁")...), nil, nil, "  a   a  ", []int32{1, 1}},
		{"blanks kept", with(normal("▁a", "▁")...), nil, fields{4: 0}, " a  a ", []int32{2, 1, 2, 1, 2}},
		{"nothing but blanks", with(normal("▁a", "▁")...), nil, nil, "   ", nil},
		{"a text without characters", with(normal("▁")...), nil, nil, "", nil},
		{"blanks not escaped", with(normal(" a", " ")...), nil, fields{5: 0}, "a  a", []int32{1, 1}},
		{"words end with their blank", with(normal("a▁", "a", "▁")...), fields{24: 1}, nil, "a a", []int32{1, 1}},
		{"the same in BPE", with(normal("a▁", "a", "▁")...), fields{3: 2, 24: 1}, nil, "a a", []int32{1, 1}},
		{"unknown characters are one token", with(normal("▁", "a")...), nil, nil, "xyaz", []int32{1, 0, 2, 0}},
		{"the same in BPE", with(normal("▁", "a")...), fields{3: 2}, nil, "xyaz", []int32{1, 0, 2, 0}},
		{"bytes", append(with(bytes...), normal("▁", "a")...), fields{35: 1}, nil, "aé", []int32{257, 258, 1 + 0xc3, 1 + 0xa9}},
		{"the same in BPE", append(with(bytes...), normal("▁", "a")...), fields{3: 2, 35: 1}, nil, "aé", []int32{257, 258, 1 + 0xc3, 1 + 0xa9}},
		{"no UTF-8 is U+FFFD", with(normal("▁", "\uFFFD")...), nil, nil, "\xff", []int32{1, 2}},
		{"a byte's name is text", append(with(bytes...), normal("▁", "a")...), fields{35: 1}, nil, "<0x41>", []int32{257, 1 + '<', 1 + '0', 1 + 'x', 1 + '4', 1 + '1', 1 + '>'}},
		{"control symbols are text", with(entry{"<s>", 0, 3}, entry{"▁", -1, 1}, entry{"s", -2, 1}), nil, nil, "<s>", []int32{2, 0, 3, 0}},
		{"unused pieces are not found", with(entry{"▁a", -1, 5}, entry{"▁", -2, 1}, entry{"a", -3, 1}), nil, nil, "a", []int32{2, 3}},
		{"a user's symbol wins", with(entry{"[Q]", 0, 4}, entry{"▁", -1, 1}, entry{"[", -2, 1}, entry{"Q", -2, 1}, entry{"]", -0.1, 1}, entry{"[Q", -0.1, 1}), nil, nil, "[Q]", []int32{2, 1}},
		{"and is never merged in BPE", with(entry{"ab", 0, 4}, entry{"▁", -2, 1}, entry{"▁ab", -1, 1}, entry{"a", -3, 1}, entry{"b", -4, 1}, entry{"▁a", -1, 1}), fields{3: 2}, nil, "abab", []int32{2, 1, 1}},
		{"the best score is merged first", with(entry{"a", -9, 1}, entry{"b", -9, 1}, entry{"ab", -2, 1}, entry{"ba", -1, 1}), fields{3: 2}, fields{3: 0}, "aba", []int32{1, 4}},
		{"the leftmost among equals", with(entry{"a", -9, 1}, entry{"b", -9, 1}, entry{"ab", -1, 1}, entry{"ba", -1, 1}), fields{3: 2}, fields{3: 0}, "aba", []int32{3, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tok, err := tokenizer.ReadSentencePiece([]byte(modelFile(c.pieces, c.trainer, c.normalizer)))
			if err != nil {
				t.Fatal(err)
			}
			if ids := tok.Tokenize(c.text); !slices.Equal(ids, c.ids) {
				t.Errorf("%q: %v, want %v", c.text, ids, c.ids)
			}
		})
	}
}

// TestSinglePrecision: SentencePiece's single precision decides between segmentations that differ
// only by rounding. After 2^24 the sum cannot distinguish one from two.
func TestSinglePrecision(t *testing.T) {
	pieces := append([]entry{{"<unk>", 0, 2}}, entry{"x", -(1 << 24), 1}, entry{"a", -0.75, 1}, entry{"aa", -1.25, 1})
	tok, err := tokenizer.ReadSentencePiece([]byte(modelFile(pieces, nil, map[protowire.Number]uint64{3: 0})))
	if err != nil {
		t.Fatal(err)
	}
	// x + a is -2^24 - 0.75, rounded to even: -2^24. x + a + a is then -2^24 - 0.75 too, and better
	// than x + aa.
	if ids := tok.Tokenize("xaa"); !slices.Equal(ids, []int32{1, 2, 2}) {
		t.Errorf("%v, want x, a, a", ids)
	}
	if ids := tok.Tokenize("aa"); !slices.Equal(ids, []int32{3}) {
		t.Errorf("%v, want aa", ids)
	}
}

// TestSentencePieceErrors: damaged and unknown files.
func TestSentencePieceErrors(t *testing.T) {
	good := modelFile(t5Pieces, nil, nil)
	unused := []entry{{"<unk>", 0, 2}, {"a", -1, 5}}
	for _, c := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{"spiece.model": good[:len(good)-9]}, "spiece.model"},
		{map[string]string{"spiece.model": "no protobuf"}, "spiece.model: damaged protobuf"},
		{map[string]string{"spiece.model": "version https://git-lfs.github.com/spec/v1"}, "spiece.model: this is a Git LFS pointer"},
		{map[string]string{"spiece.model": ""}, "no piece is of type unknown"},
		{map[string]string{"spiece.model": modelFile(append(t5Pieces, entry{strings.Repeat("a", 8001), 0, 1}), nil, nil)}, "piece 7 has 8001 bytes, more than 8000"},
		{map[string]string{"spiece.model": modelFile(append(t5Pieces, t5Pieces[3]), nil, nil)}, `pieces 3 and 7 are both "▁a"`},
		{map[string]string{"spiece.model": modelFile(append(t5Pieces, t5Pieces[2]), nil, nil)}, "two pieces are of type unknown"},
		{map[string]string{"spiece.model": modelFile(t5Pieces, map[protowire.Number]uint64{35: 1}, nil)}, "byte_fallback true with 0 pieces"},
		{map[string]string{"spiece.model": modelFile(t5Pieces, map[protowire.Number]uint64{3: 4}, nil)}, "model_type 4 is not supported"},
		{map[string]string{"tokenizer.model": modelFile(unused, bpe, nil)}, "unused pieces in a BPE model"},
		{map[string]string{"tokenizer.model": good}, `no piece is bos_token "<s>"`},
		{map[string]string{"spiece.model": good, "tokenizer_config.json": `{"tokenizer_class": "AlbertTokenizer"}`}, `unknown tokenizer_class "AlbertTokenizer"`},
		{map[string]string{"spiece.model": good, "tokenizer_config.json": `{"tokenizer_class": "LlamaTokenizer"}`}, "tokenizer_class LlamaTokenizer reads tokenizer.model, but the folder has spiece.model"},
		{map[string]string{"spiece.model": good, "special_tokens_map.json": `[]`}, "special_tokens_map.json"},
		{map[string]string{"spiece.model": good, "added_tokens.json": `{"[Q]": 3}`}, `tokens "[Q]" and "▁a" share the id 3`},
		{map[string]string{"spiece.model": good, "added_tokens.json": `{"[Q]": 999999999}`}, "outside"},
	} {
		if _, err := tokenizer.Open(folderOf(t, c.files)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// TestOlderFiles: vocab.txt and vocab.json with settings in the files next to them.
func TestOlderFiles(t *testing.T) {
	vocab := "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nété\nete\n中\n中文\n"
	for _, c := range []struct {
		config, text string
		ids          []int32
	}{
		{`{}`, "Été 中文", []int32{6, 7, 1}},
		{`{"strip_accents": false}`, "Été", []int32{5}},
		{`{"do_lower_case": false}`, "été", []int32{5}},
		{`{"tokenize_chinese_chars": false}`, "中文", []int32{8}},
	} {
		files := map[string]string{"vocab.txt": vocab, "tokenizer_config.json": c.config, "added_tokens.json": `{"[Q]": 9}`}
		tok, err := tokenizer.Open(folderOf(t, files))
		if err != nil {
			t.Fatal(err)
		}
		if ids := tok.Tokenize(c.text + " [Q]"); !slices.Equal(ids, append(c.ids, 9)) {
			t.Errorf("%s: %v, want %v and 9", c.config, ids, c.ids)
		}
	}
	tok, err := tokenizer.Open(folderOf(t, map[string]string{
		"vocab.json": `{"<s>": 0, "</s>": 1, "a": 2}`, "merges.txt": "#version: 0.2\n", "added_tokens.json": `{"[Q]": 3}`,
	}))
	if err != nil || !slices.Equal(tok.Encode("a[Q]", 0), []int32{0, 2, 3, 1}) {
		t.Errorf("%v, %v", tok, err)
	}
}

// FuzzSentencePiece: a model file is an error, or segments every text.
func FuzzSentencePiece(f *testing.F) {
	f.Add([]byte(modelFile(t5Pieces, nil, nil)), " a  b c")
	f.Add([]byte(modelFile(llamaPieces, bpe, keepBlanks)), "ab\xff<s>")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		testkit.Small.Within(t, len(data)+len(text), func() {
			tok, err := tokenizer.ReadSentencePiece(data)
			if err != nil {
				return
			}
			for _, id := range tok.Tokenize(text) {
				if tok.Token(id) == "" {
					t.Errorf("id %d is no token", id)
				}
			}
		})
	})
}
