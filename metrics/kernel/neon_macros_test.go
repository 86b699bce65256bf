package kernel

import (
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The words that GNU as 2.40 produces for each instruction (-march=armv8-a; objdump -d), with
// registers and other numbers in which every bit is set once.
func TestNEONMacros(t *testing.T) {
	macros, tested := readMacros(t), map[string]bool{}
	for _, c := range []struct {
		macro string
		args  []int
		word  uint32
		as    string
	}{
		{"FADD", []int{1, 2, 4}, 0x4e21d444, "fadd v4.4s, v2.4s, v1.4s"},
		{"FADD", []int{30, 21, 11}, 0x4e3ed6ab, "fadd v11.4s, v21.4s, v30.4s"},
		{"FSUB", []int{1, 2, 4}, 0x4ea1d444, "fsub v4.4s, v2.4s, v1.4s"},
		{"FSUB", []int{30, 21, 11}, 0x4ebed6ab, "fsub v11.4s, v21.4s, v30.4s"},
		{"FMUL", []int{1, 2, 4}, 0x6e21dc44, "fmul v4.4s, v2.4s, v1.4s"},
		{"FMUL", []int{30, 21, 11}, 0x6e3edeab, "fmul v11.4s, v21.4s, v30.4s"},
		{"FDIV", []int{1, 2, 4}, 0x6e21fc44, "fdiv v4.4s, v2.4s, v1.4s"},
		{"FDIV", []int{30, 21, 11}, 0x6e3efeab, "fdiv v11.4s, v21.4s, v30.4s"},
		{"FMAX", []int{1, 2, 4}, 0x4e21f444, "fmax v4.4s, v2.4s, v1.4s"},
		{"FMAX", []int{30, 21, 11}, 0x4e3ef6ab, "fmax v11.4s, v21.4s, v30.4s"},
		{"FMIN", []int{1, 2, 4}, 0x4ea1f444, "fmin v4.4s, v2.4s, v1.4s"},
		{"FMIN", []int{30, 21, 11}, 0x4ebef6ab, "fmin v11.4s, v21.4s, v30.4s"},
		{"FADDP", []int{1, 2, 4}, 0x6e21d444, "faddp v4.4s, v2.4s, v1.4s"},
		{"FADDP", []int{30, 21, 11}, 0x6e3ed6ab, "faddp v11.4s, v21.4s, v30.4s"},
		{"FCMGT", []int{1, 2, 4}, 0x6ea1e444, "fcmgt v4.4s, v2.4s, v1.4s"},
		{"FCMGT", []int{30, 21, 11}, 0x6ebee6ab, "fcmgt v11.4s, v21.4s, v30.4s"},
		{"FCMGE", []int{1, 2, 4}, 0x6e21e444, "fcmge v4.4s, v2.4s, v1.4s"},
		{"FCMGE", []int{30, 21, 11}, 0x6e3ee6ab, "fcmge v11.4s, v21.4s, v30.4s"},
		{"FCMEQ", []int{1, 2, 4}, 0x4e21e444, "fcmeq v4.4s, v2.4s, v1.4s"},
		{"FCMEQ", []int{30, 21, 11}, 0x4e3ee6ab, "fcmeq v11.4s, v21.4s, v30.4s"},
		{"FMLA", []int{1, 2, 4}, 0x4e21cc44, "fmla v4.4s, v2.4s, v1.4s"},
		{"FMLA", []int{30, 21, 11}, 0x4e3eceab, "fmla v11.4s, v21.4s, v30.4s"},
		{"FMLS", []int{1, 2, 4}, 0x4ea1cc44, "fmls v4.4s, v2.4s, v1.4s"},
		{"FMLS", []int{30, 21, 11}, 0x4ebeceab, "fmls v11.4s, v21.4s, v30.4s"},
		{"ADD4", []int{1, 2, 4}, 0x4ea18444, "add v4.4s, v2.4s, v1.4s"},
		{"ADD4", []int{30, 21, 11}, 0x4ebe86ab, "add v11.4s, v21.4s, v30.4s"},
		{"SUB4", []int{1, 2, 4}, 0x6ea18444, "sub v4.4s, v2.4s, v1.4s"},
		{"SUB4", []int{30, 21, 11}, 0x6ebe86ab, "sub v11.4s, v21.4s, v30.4s"},
		{"FMLAE", []int{1, 0, 2, 4}, 0x4f811044, "fmla v4.4s, v2.4s, v1.s[0]"},
		{"FMLAE", []int{30, 1, 21, 11}, 0x4fbe12ab, "fmla v11.4s, v21.4s, v30.s[1]"},
		{"FMLAE", []int{17, 2, 8, 3}, 0x4f911903, "fmla v3.4s, v8.4s, v17.s[2]"},
		{"FMLAE", []int{31, 3, 31, 31}, 0x4fbf1bff, "fmla v31.4s, v31.4s, v31.s[3]"},
		{"FABS", []int{1, 2}, 0x4ea0f822, "fabs v2.4s, v1.4s"},
		{"FABS", []int{30, 21}, 0x4ea0fbd5, "fabs v21.4s, v30.4s"},
		{"FNEG", []int{1, 2}, 0x6ea0f822, "fneg v2.4s, v1.4s"},
		{"FNEG", []int{30, 21}, 0x6ea0fbd5, "fneg v21.4s, v30.4s"},
		{"FSQRT", []int{1, 2}, 0x6ea1f822, "fsqrt v2.4s, v1.4s"},
		{"FSQRT", []int{30, 21}, 0x6ea1fbd5, "fsqrt v21.4s, v30.4s"},
		{"FRINTN", []int{1, 2}, 0x4e218822, "frintn v2.4s, v1.4s"},
		{"FRINTN", []int{30, 21}, 0x4e218bd5, "frintn v21.4s, v30.4s"},
		{"FCVTNS", []int{1, 2}, 0x4e21a822, "fcvtns v2.4s, v1.4s"},
		{"FCVTNS", []int{30, 21}, 0x4e21abd5, "fcvtns v21.4s, v30.4s"},
		{"SCVTF", []int{1, 2}, 0x4e21d822, "scvtf v2.4s, v1.4s"},
		{"SCVTF", []int{30, 21}, 0x4e21dbd5, "scvtf v21.4s, v30.4s"},
		{"FMAXV", []int{1, 2}, 0x6e30f822, "fmaxv s2, v1.4s"},
		{"FMAXV", []int{30, 21}, 0x6e30fbd5, "fmaxv s21, v30.4s"},
		{"SSHR4", []int{1, 1, 2}, 0x4f3f0422, "sshr v2.4s, v1.4s, #1"},
		{"SSHR4", []int{31, 30, 21}, 0x4f2107d5, "sshr v21.4s, v30.4s, #31"},
		{"SHL4", []int{1, 1, 2}, 0x4f215422, "shl v2.4s, v1.4s, #1"},
		{"SHL4", []int{31, 30, 21}, 0x4f3f57d5, "shl v21.4s, v30.4s, #31"},
		{"SXTLB", []int{1, 2}, 0x0f08a422, "sxtl v2.8h, v1.8b"},
		{"SXTLH", []int{1, 2}, 0x0f10a422, "sxtl v2.4s, v1.4h"},
		{"SXTL2H", []int{1, 2}, 0x4f10a422, "sxtl2 v2.4s, v1.8h"},
		{"FCVTLH", []int{1, 2}, 0x0e217822, "fcvtl v2.4s, v1.4h"},
		{"FCVTL2H", []int{1, 2}, 0x4e217822, "fcvtl2 v2.4s, v1.8h"},
		{"MOVE", []int{1, 2}, 0x4ea11c22, "mov v2.16b, v1.16b"},
		{"ZERO", []int{2}, 0x4f000402, "movi v2.4s, #0"},
		{"BSL", []int{3, 1, 2}, 0x6e631c22, "bsl v2.16b, v1.16b, v3.16b"},
		{"LD1X4", []int{1, 2}, 0x4c402822, "ld1 {v2.4s-v5.4s}, [x1]"},
		{"ST1X4", []int{2, 1}, 0x4c002822, "st1 {v2.4s-v5.4s}, [x1]"},
		{"LDRSX", []int{17, 1, 2}, 0xbc716822, "ldr s2, [x1, x17]"},
		{"LDRS", []int{1, 2}, 0xbd400022, "ldr s2, [x1]"},
		{"STRS", []int{2, 1}, 0xbd000022, "str s2, [x1]"},
		{"LDRD", []int{1, 2}, 0xfd400022, "ldr d2, [x1]"},
		{"STRD", []int{2, 1}, 0xfd000022, "str d2, [x1]"},
		{"LDRQ", []int{1, 2}, 0x3dc00022, "ldr q2, [x1]"},
		{"STRQ", []int{2, 1}, 0x3d800022, "str q2, [x1]"},
		{"SXTLB", []int{30, 21}, 0x0f08a7d5, "sxtl v21.8h, v30.8b"},
		{"SXTLH", []int{30, 21}, 0x0f10a7d5, "sxtl v21.4s, v30.4h"},
		{"SXTL2H", []int{30, 21}, 0x4f10a7d5, "sxtl2 v21.4s, v30.8h"},
		{"FCVTLH", []int{30, 21}, 0x0e217bd5, "fcvtl v21.4s, v30.4h"},
		{"FCVTL2H", []int{30, 21}, 0x4e217bd5, "fcvtl2 v21.4s, v30.8h"},
		{"MOVE", []int{30, 21}, 0x4ebe1fd5, "mov v21.16b, v30.16b"},
		{"ZERO", []int{21}, 0x4f000415, "movi v21.4s, #0"},
		{"BSL", []int{3, 30, 21}, 0x6e631fd5, "bsl v21.16b, v30.16b, v3.16b"},
		{"LD1X4", []int{30, 21}, 0x4c402bd5, "ld1 {v21.4s-v24.4s}, [x30]"},
		{"ST1X4", []int{21, 30}, 0x4c002bd5, "st1 {v21.4s-v24.4s}, [x30]"},
		{"LDRSX", []int{17, 30, 21}, 0xbc716bd5, "ldr s21, [x30, x17]"},
		{"LDRS", []int{30, 21}, 0xbd4003d5, "ldr s21, [x30]"},
		{"STRS", []int{21, 30}, 0xbd0003d5, "str s21, [x30]"},
		{"LDRD", []int{30, 21}, 0xfd4003d5, "ldr d21, [x30]"},
		{"STRD", []int{21, 30}, 0xfd0003d5, "str d21, [x30]"},
		{"LDRQ", []int{30, 21}, 0x3dc003d5, "ldr q21, [x30]"},
		{"STRQ", []int{21, 30}, 0x3d8003d5, "str q21, [x30]"},
	} {
		tested[c.macro] = true
		if got := macros[c.macro].word(t, c.args); got != c.word {
			t.Errorf("%s%v is %08x, and %s is %08x", c.macro, c.args, got, c.as, c.word)
		}
	}
	for name := range macros {
		if !tested[name] {
			t.Errorf("%s is not tested", name)
		}
	}
}

// macro is an instruction of neon_arm64.h.
type macro struct {
	parameters []string
	expression string // expression of the word
}

// readMacros returns the header's macros by name.
func readMacros(t *testing.T) map[string]macro {
	t.Helper()
	text, err := os.ReadFile("neon_arm64.h")
	if err != nil {
		t.Fatal(err)
	}
	macros := map[string]macro{}
	for _, m := range regexp.MustCompile(`(?m)^#define (\w+)\((.*?)\) WORD \$\((.*)\)$`).FindAllStringSubmatch(string(text), -1) {
		macros[m[1]] = macro{strings.Split(m[2], ", "), m[3]}
	}
	if n := strings.Count(string(text), "#define"); n != len(macros) {
		t.Fatalf("%d of %d macros are of one word", len(macros), n)
	}
	return macros
}

// word computes the instruction with numbers for the parameters: the assembler's expressions
// are also valid in Go.
func (m macro) word(t *testing.T, args []int) uint32 {
	t.Helper()
	expression := m.expression
	for i, p := range m.parameters {
		expression = strings.ReplaceAll(expression, "("+p+")", strconv.Itoa(args[i]))
	}
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, expression)
	if err != nil {
		t.Fatal(err)
	}
	word, _ := constant.Uint64Val(v.Value)
	return uint32(word)
}
