package weights_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/training/weights"
)

// The codes that the tests write, in the order of Python's pickletools.
const (
	mark, stop, reduce, persistent, setItems, build = "(", ".", "R", "Q", "u", "b"
	emptyTuple, emptyDict, emptyList, appends       = ")", "}", "]", "e"
	none, no, tuple1, tuple2, tuple3, closeTuple    = "N", "\x89", "\x85", "\x86", "\x87", "t"
)

func text(s string) string {
	return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s
}
func global(module, name string) string { return "c" + module + "\n" + name + "\n" }
func number(n int) string {
	return "J" + string(binary.LittleEndian.AppendUint32(nil, uint32(n)))
}
func numbers(list ...int) string {
	s := mark
	for _, n := range list {
		s += number(n)
	}
	return s + closeTuple
}

var orderedDict = global("collections", "OrderedDict") + emptyTuple + reduce

// stored is a storage of an archive.
func stored(class, key string, count int) string {
	return mark + text("storage") + global("torch", class) + text(key) + text("cpu") + number(count) + closeTuple + persistent
}

// view is a tensor over a storage.
func view(storage string, offset int, shape, stride []int) string {
	return global("torch._utils", "_rebuild_tensor_v2") + mark + storage + number(offset) +
		numbers(shape...) + numbers(stride...) + no + orderedDict + closeTuple + reduce
}

// state is a pickle of alternating names and values.
func state(pairs ...string) string {
	s := "\x80\x02" + orderedDict + mark
	for i, p := range pairs {
		if i%2 == 0 {
			p = text(p)
		}
		s += p
	}
	return s + setItems + stop
}

// floats are the bytes of values.
func floats(values ...float32) string {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return string(b)
}

// archive zips a pickle and storages like torch.save. A key may be "../name".
func archive(t testing.TB, program string, storages map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	add := func(name, data string) {
		f, err := w.CreateHeader(&zip.FileHeader{Name: "archive/" + name, Method: zip.Store})
		if err == nil {
			_, err = f.Write([]byte(data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	add("data.pkl", program)
	for key, data := range storages {
		add(path.Join("data", key), data)
	}
	add("version", "3\n")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// older is the form before PyTorch 1.6; each storage is of four-byte values.
func older(program string, keys []string, storages map[string]string) []byte {
	s := "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19." + "\x80\x02M\xe9\x03." +
		"\x80\x02" + emptyDict + mark + text("little_endian") + "\x88" + setItems + stop + program + "\x80\x02" + emptyList + mark
	for _, key := range keys {
		s += text(key)
	}
	s += appends + stop
	for _, key := range keys {
		s += string(binary.LittleEndian.AppendUint64(nil, uint64(len(storages[key])/4))) + storages[key]
	}
	return []byte(s)
}

func open(t testing.TB, data []byte) (*weights.PickleFile, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pytorch_model.bin")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := weights.OpenPickle(file)
	if err == nil {
		t.Cleanup(func() { f.Close() })
	} else if !strings.Contains(err.Error(), file) {
		t.Errorf("the error does not name the file: %v", err)
	}
	return f, err
}

// want checks a file's only tensor against its shape and values.
func want(t *testing.T, data []byte, shape []int, values ...float32) {
	t.Helper()
	f, err := open(t, data)
	if err != nil {
		t.Fatal(err)
	}
	info := f.Tensors()[0]
	got, err := f.Float32(info)
	if err != nil || !slices.Equal(got, values) || !slices.Equal(info.Shape, shape) || info.Len() != len(values) {
		t.Errorf("%v %v, %v; want %v %v", info.Shape, got, err, shape, values)
	}
}

// TestViews: values come in row-major order from any place.
func TestViews(t *testing.T) {
	six := map[string]string{"0": floats(1, 2, 3, 4, 5, 6)}
	in := stored("FloatStorage", "0", 6)
	for _, c := range []struct {
		name          string
		offset        int
		shape, stride []int
		values        []float32
	}{
		{"whole", 0, []int{2, 3}, []int{3, 1}, []float32{1, 2, 3, 4, 5, 6}},
		{"transposed", 0, []int{3, 2}, []int{1, 3}, []float32{1, 4, 2, 5, 3, 6}},
		{"a row at an offset", 3, []int{3}, []int{1}, []float32{4, 5, 6}},
		{"a column", 1, []int{2}, []int{3}, []float32{2, 5}},
		{"three axes", 0, []int{1, 3, 2}, []int{6, 1, 3}, []float32{1, 4, 2, 5, 3, 6}},
		{"an axis of one with any stride", 0, []int{1, 6}, []int{99, 1}, []float32{1, 2, 3, 4, 5, 6}},
		{"repeated", 2, []int{2, 2}, []int{0, 1}, []float32{3, 4, 3, 4}},
		{"a number", 5, nil, nil, []float32{6}},
		{"nothing", 0, []int{0, 3}, []int{3, 1}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			program := state("w", view(in, c.offset, c.shape, c.stride))
			want(t, archive(t, program, six), c.shape, c.values...)
			withView := strings.Replace(program, closeTuple+persistent, none+closeTuple+persistent, 1)
			want(t, older(withView, []string{"0"}, six), c.shape, c.values...)
			part := strings.Replace(program, stored("FloatStorage", "0", 6), mark+text("storage")+global("torch", "FloatStorage")+text("root")+text("cpu")+
				number(8)+mark+text("0")+number(1)+number(6)+closeTuple+closeTuple+persistent, 1)
			want(t, older(part, []string{"root"}, map[string]string{"root": floats(9) + six["0"] + floats(9)}), c.shape, c.values...)
		})
	}
}

// TestPickleTypes: weights of every floating-point type are read; the other types are listed.
func TestPickleTypes(t *testing.T) {
	for _, c := range []struct{ class, dtype, raw string }{
		{"FloatStorage", "F32", floats(1.5, -2)},
		{"HalfStorage", "F16", "\x00\x3e\x00\xc0"},
		{"BFloat16Storage", "BF16", "\xc0\x3f\x00\xc0"},
		{"DoubleStorage", "F64", string(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, math.Float64bits(1.5)), math.Float64bits(-2)))},
		{"LongStorage", "I64", strings.Repeat("\x00", 16)}, {"IntStorage", "I32", strings.Repeat("\x00", 8)},
		{"ShortStorage", "I16", "0000"}, {"CharStorage", "I8", "00"}, {"ByteStorage", "U8", "00"}, {"BoolStorage", "BOOL", "\x00\x01"},
	} {
		f, err := open(t, archive(t, state("w", view(stored(c.class, "0", 2), 0, []int{2}, []int{1})), map[string]string{"0": c.raw}))
		if err != nil {
			t.Fatal(err)
		}
		info := f.Tensors()[0]
		got, err := f.Float32(info)
		switch {
		case info.DType != c.dtype:
			t.Errorf("%s: %s", c.class, info.DType)
		case c.dtype[0] == 'F' || c.dtype == "BF16":
			if err != nil || !slices.Equal(got, []float32{1.5, -2}) {
				t.Errorf("%s: %v, %v", c.class, got, err)
			}
		case err == nil || !strings.Contains(err.Error(), `tensor "w": `+c.dtype+" is not a type of weights"):
			t.Errorf("%s: error %v", c.class, err)
		}
	}
}

// TestForms: the forms of torch.save's versions around tensors.
func TestForms(t *testing.T) {
	data := map[string]string{"0": floats(1, 2)}
	in := stored("FloatStorage", "0", 2)
	w := view(in, 0, []int{2}, []int{1})
	typed := global("torch._utils", "_rebuild_tensor_v3") + mark + strings.Replace(stored("FloatStorage", "0", 8), global("torch", "FloatStorage"), global("torch.storage", "UntypedStorage"), 1) +
		number(0) + numbers(2) + numbers(1) + no + orderedDict + global("torch", "float32") + closeTuple + reduce
	old := global("torch._utils", "_rebuild_tensor") + mark + in + number(0) + numbers(2) + numbers(1) + closeTuple + reduce
	arguments := strings.TrimSuffix(strings.TrimPrefix(w, global("torch._utils", "_rebuild_tensor_v2")), reduce)
	for name, program := range map[string]string{
		"a dict":                        "\x80\x02" + emptyDict + text("w") + w + "s" + stop,
		"an ordered dict":               state("w", w),
		"protocol 4":                    "\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00" + emptyDict + "\x94\x8c\x01w\x94" + strings.Replace(w, global("torch._utils", "_rebuild_tensor_v2"), "\x8c\x0ctorch._utils\x94\x8c\x12_rebuild_tensor_v2\x94\x93\x94", 1) + "s" + stop,
		"protocol 0's texts":            "(dp0\nVw\np1\n" + w + "p2\nsg1\ng2\ns" + stop,
		"a parameter":                   state("w", global("torch._utils", "_rebuild_parameter")+w+"\x88"+orderedDict+tuple3+reduce),
		"a parameter's state":           state("w", global("torch._utils", "_rebuild_parameter_with_state")+mark+w+"\x88"+orderedDict+emptyDict+closeTuple+reduce),
		"a tensor's attributes":         state("w", global("torch._tensor", "_rebuild_from_type_v2")+mark+global("torch._utils", "_rebuild_tensor_v2")+global("torch", "Tensor")+arguments+emptyDict+closeTuple+reduce),
		"of bytes":                      state("w", typed),
		"before 0.4":                    state("w", old),
		"a shape as Size":               state("w", strings.Replace(w, numbers(2), global("torch", "Size")+numbers(2)+tuple1+reduce, 1)),
		"_metadata":                     strings.TrimSuffix(state("w", w), stop) + emptyDict + text("_metadata") + orderedDict + text("") + emptyDict + text("version") + "K\x01" + "s" + "s" + "s" + build + stop,
		"a name twice, the last counts": state("w", view(in, 0, []int{1}, []int{1}), "w", w),
	} {
		t.Run(name, func(t *testing.T) { want(t, archive(t, program, data), []int{2}, 1, 2) })
	}
	t.Run("two names for one storage", func(t *testing.T) {
		f, err := open(t, archive(t, state("a", w, "b", w), data))
		if err != nil || len(f.Tensors()) != 2 {
			t.Fatal(err)
		}
	})
}

// TestRefused: a file that is not a table of tensors, or contradicts itself, is an error with the
// reason.
func TestRefused(t *testing.T) {
	data := map[string]string{"0": floats(1, 2)}
	in := stored("FloatStorage", "0", 2)
	w := view(in, 0, []int{2}, []int{1})
	call := func(module, name string) string { return global(module, name) + text("x") + tuple1 + reduce }
	for _, c := range []struct{ program, want string }{
		{state("w", call("posix", "system")), "asks for posix.system"},
		{state("w", call("builtins", "eval")), "asks for builtins.eval"},
		{state("w", call("__builtin__", "getattr")), "asks for __builtin__.getattr"},
		{state("w", "\x8c\x02os\x8c\x06system\x93"+text("x")+tuple1+reduce), "asks for os.system"},
		{state("w", call("torch.storage", "_load_from_bytes")), "asks for torch.storage._load_from_bytes"},
		{state("w", call("numpy.core.multiarray", "scalar")), "asks for numpy.core.multiarray.scalar"},
		{state("w", call("torch._utils", "_rebuild_qtensor")), "asks for torch._utils._rebuild_qtensor"},
		{state("w", global("torch.nn.modules.linear", "Linear")+emptyTuple+"\x81"), "asks for torch.nn.modules.linear.Linear: a complete module was saved"},
		{state("w", call("torch._utils", "_rebuild_sparse_tensor")), "asks for torch._utils._rebuild_sparse_tensor: only dense tensors are read"},
		{state("w", call("torch", "FloatStorage")), "calls torch.FloatStorage"},
		{state("w", text("os")+emptyTuple+reduce), "calls a text with a tuple"},
		{state("w", "(icommands\ngetoutput\n"), `operation 0x69 ('i')`},
		{state("w", "\x82\x01"), "operation 0x82"},
		{state("w", text("x")), `"w" is a text, not a tensor`},
		{state("w", none), `"w" is None, not a tensor`},
		{state("state_dict", emptyDict), `"state_dict" is a dict, not a tensor`},
		{state("w", in), `"w" is a storage, not a tensor`},
		{"\x80\x02" + emptyDict + "K\x01" + w + "s" + stop, "contains a value under a number"},
		{"\x80\x02" + w + stop, "contains a tensor, not a state dict"},
		{"\x80\x09" + emptyDict + stop, "protocol 9"},
		{state("w", w+emptyDict+build), "sets attributes of a tensor"},
		{state("w", mark+text("module")+none+text("0")+text("cpu")+number(1)+closeTuple+persistent), "not a storage of the file"},
		{state("w", view(stored("FloatStorage", "7", 2), 0, []int{2}, []int{1})), `has no storage "7"`},
		{state("w", view(stored("FloatStorage", "../version", 2), 0, []int{2}, []int{1})), `has no storage "../version"`},
		{state("w", view(stored("FloatStorage", "0", 3), 0, []int{2}, []int{1})), `storage "0" takes 12 bytes, the archive has 8`},
		{state("w", view(stored("DoubleStorage", "0", math.MaxInt32), 0, []int{2}, []int{1})), `storage "0" takes`},
		{state("w", w, "v", view(stored("IntStorage", "0", 2), 0, []int{2}, []int{1})), "described twice"},
		{state("w", view(in, 1, []int{2}, []int{1})), "reaches value 2 of a storage of 2"},
		{state("w", view(in, 0, []int{3}, []int{1})), "reaches value 2"},
		{state("w", view(in, 0, []int{2, 2}, []int{math.MaxInt32, 1})), "reaches value"},
		{state("w", view(in, -1, []int{1}, []int{1})), "not consistent numbers"},
		{state("w", view(in, 0, []int{-1}, []int{1})), "not consistent numbers"},
		{state("w", view(in, 0, []int{2}, []int{1, 1})), "not consistent numbers"},
		{state("w", view(in, 0, []int{math.MaxInt32, math.MaxInt32, math.MaxInt32}, []int{0, 0, 0})), "impossible shape"},
		{state("w", view(in, 0, []int{math.MaxInt32}, []int{0})), "larger than the file"},
		{state("w", view(in, 0, slices.Repeat([]int{1}, 65), slices.Repeat([]int{1}, 65))), "not consistent numbers"},
		{state("w", global("torch._tensor", "_rebuild_from_type_v2")+mark+global("torch._tensor", "_rebuild_from_type_v2")+global("torch", "Tensor")+emptyTuple+emptyDict+closeTuple+reduce), "another class"},
		{state("w", "X\xff\xff\xff\xff"), "continues after its end"},
		{state("w", "\x8d\xff\xff\xff\xff\xff\xff\xff\xff"), "continues after its end"},
		{strings.TrimSuffix(state("w", w), stop), "continues after its end"},
		{"\x80\x02.", "takes more from its stack"},
		{"\x80\x02(.", "takes more from its stack"},
		{"\x80\x02h\x05.", "the memo has no value 5"},
		{"\x80\x02" + strings.Repeat("]", 3_000_000) + ".", "more than 2097152 steps"},
	} {
		if _, err := open(t, archive(t, c.program, data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80q: error %v, want %q", c.program, err, c.want)
		}
	}
}

// TestNested: a list that contains itself, and tuples as deep as steps allow, are neither followed
// nor printed.
func TestNested(t *testing.T) {
	deep := emptyTuple + strings.Repeat(tuple1, 2_000_000)
	for program, want := range map[string]string{
		state("w", emptyList+"q\x00h\x00a"): `"w" is a list`,
		state("w", deep):                    `"w" is a tuple`,
	} {
		if _, err := open(t, archive(t, program, nil)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestArchives: damaged archives, and forms that no version of torch.save writes.
func TestArchives(t *testing.T) {
	program := state("w", view(stored("FloatStorage", "0", 2), 0, []int{2}, []int{1}))
	good := archive(t, program, map[string]string{"0": floats(1, 2)})
	var packed, twice, other bytes.Buffer
	zipped := func(b *bytes.Buffer, method uint16, names ...string) []byte {
		w := zip.NewWriter(b)
		for _, name := range names {
			f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
			if err == nil {
				_, err = f.Write([]byte(strings.Repeat("\x00", 1<<16)))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		w.Close()
		return b.Bytes()
	}
	for want, data := range map[string][]byte{
		"without the directory at its end":           good[:len(good)-30],
		"a/data/0 is compressed":                     zipped(&packed, zip.Deflate, "a/data/0", "a/data.pkl"),
		"a/data.pkl is there twice":                  zipped(&twice, zip.Store, "a/data.pkl", "a/data.pkl"),
		"without data.pkl: not written by torch":     zipped(&other, zip.Store, "word/document.xml"),
		"this is a Git LFS pointer":                  []byte("version https://git-lfs.github.com/spec/v1\n"),
		"not a file of torch.save: truncated":        {},
		"not a file of torch.save: a pickle of None": []byte("N."),
		"byte order \"big\"":                         archive(t, program, map[string]string{"0": floats(1, 2), "../byteorder": "big"}),
	} {
		if _, err := open(t, data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestOlderForm: possible errors in the older form.
func TestOlderForm(t *testing.T) {
	in := strings.Replace(stored("FloatStorage", "0", 2), closeTuple+persistent, none+closeTuple+persistent, 1)
	program := state("w", view(in, 0, []int{2}, []int{1}))
	data := map[string]string{"0": floats(1, 2)}
	good := older(program, []string{"0"}, data)
	want(t, good, []int{2}, 1, 2)
	part := func(from, count int) string {
		return strings.Replace(program, none+closeTuple+persistent, mark+text("v")+number(from)+number(count)+closeTuple+closeTuple+persistent, 1)
	}
	for want, data := range map[string][]byte{
		`truncated: storage "0" takes 8 bytes, 7 are left`: good[:len(good)-1],
		`truncated: storage "0" is missing`:                good[:len(good)-16],
		`storage "0" has 1 values, but 2 by its tensors`:   older(program, []string{"0"}, map[string]string{"0": floats(1)}),
		`"1" is not a storage of the tensors`:              older(program, []string{"1"}, data),
		`"0" is not a storage of the tensors, or is a dup`: older(program, []string{"0", "0"}, data),
		"its storage is not in the file":                   older(program, nil, data),
		"not part of it":                                   older(part(1, 2), []string{"0"}, data),
		"described by 5 values, not 6":                     older(state("w", view(stored("FloatStorage", "0", 2), 0, []int{2}, []int{1})), []string{"0"}, data),
		"byte order other than":                            bytes.Replace(good, []byte("\x88u."), []byte("\x89u."), 1),
		"other than 1001":                                  bytes.Replace(good, []byte("M\xe9\x03."), []byte("M\xe8\x03."), 1),
	} {
		if _, err := open(t, data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestMemory: a file that claims much and contains little takes little memory.
func TestMemory(t *testing.T) {
	hostile := []string{
		state("w", view(stored("FloatStorage", "0", math.MaxInt32), 0, []int{math.MaxInt32}, []int{1})),
		state("w", view(stored("FloatStorage", "0", 2), 0, []int{math.MaxInt32}, []int{0})),
		"\x80\x04\x8e\xff\xff\xff\xff\xff\x00\x00\x00.",
		"\x80\x02" + mark + strings.Repeat("K\x01", 1000) + closeTuple + "q\x00" + strings.Repeat("h\x00"+tuple2, 100_000) + ".",
	}
	for _, program := range hostile {
		data := archive(t, program, map[string]string{"0": floats(1, 2)})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := open(t, data); err == nil {
			t.Errorf("%.60q: no error", program)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 {
			t.Errorf("%.60q: %d bytes for a file of %d", program, took, len(data))
		}
	}
}

// TestRefusedGoldens: files that ask for more than tensors are rejected with the names that they
// ask for, and nothing is executed.
func TestRefusedGoldens(t *testing.T) {
	dir := testkit.SharedPath(t, "goldens-bin", "refuse")
	for name, want := range map[string]string{
		"reduce_os_system.bin": "refused, nothing was executed: it asks for posix.system",
		"raw_pickle.bin":       "not a file of torch.save: refused, nothing was executed: it asks for posix.system",
		"whole_module.bin":     "refused, nothing was executed: it asks for torch.nn.modules.linear.Linear: a complete module was saved",
		"sparse.bin":           "refused, nothing was executed: it asks for torch._utils._rebuild_sparse_tensor: only dense tensors are read",
		"truncated.bin":        "truncated or damaged: a zip archive without the directory at its end",
	} {
		_, err := weights.OpenPickle(filepath.Join(dir, name))
		if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, name)+": "+want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if _, err := os.Stat("EXECUTED"); err == nil {
			t.Fatalf("%s was executed", name)
		}
	}
}

// FuzzPickleOpen: a file is rejected, or all its weights can be read and take no more memory than
// the file.
func FuzzPickleOpen(f *testing.F) {
	in := stored("FloatStorage", "0", 6)
	program := state("w", view(in, 0, []int{3, 2}, []int{1, 3}), "v", view(in, 2, []int{2}, []int{1}))
	data := map[string]string{"0": floats(1, 2, 3, 4, 5, 6)}
	seed := func(kind uint8, program string) { f.Add(kind, []byte(program), []byte(data["0"])) }
	seed(0, string(archive(f, program, data)))
	seed(0, "\x80\x04\x95\x30\x00\x00\x00\x00\x00\x00\x00}\x94\x8c\x01a\x94\x8c\x05posix\x94\x8c\x06system\x94\x93\x94.")
	seed(1, program)
	seed(1, state("w", global("posix", "system")+text("x")+tuple1+reduce))
	seed(2, strings.ReplaceAll(program, closeTuple+persistent, none+closeTuple+persistent))
	f.Fuzz(func(t *testing.T, kind uint8, data, values []byte) {
		testkit.Small.Within(t, len(data)+len(values), func() {
			switch storages := map[string]string{"0": string(values)}; kind % 3 {
			case 1: // a program within a sound archive
				data = archive(t, string(data), storages)
			case 2:
				data = older(string(data), []string{"0"}, storages)
			}
			name := filepath.Join(t.TempDir(), "x.bin")
			if err := os.WriteFile(name, data, 0o644); err != nil {
				t.Fatal(err)
			}
			file, err := weights.OpenPickle(name)
			if err != nil {
				return
			}
			defer file.Close()
			for _, info := range file.Tensors() {
				values, err := file.Float32(info)
				if err == nil && (len(values) != info.Len() || len(values) > len(data)) {
					t.Errorf("%v: %d values of a file of %d bytes", info, len(values), len(data))
				}
			}
		})
	})
}
