package trec

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"unsafe"
)

// parseScore parses text like C's atof: the longest prefix that is a number, or 0 if there is
// none. complete is false if text has more than that number. Values beyond float64 become
// infinite; the value may be NaN.
func parseScore(text []byte) (value float64, complete bool) {
	if v, ok := parseShort(text); ok {
		return v, true
	}
	n := floatPrefix(text)
	if n == 0 {
		return 0, false
	}
	if lower(text[signLength(text)]) == 'n' { // with a sign or (letters), which Go does not parse
		return math.NaN(), n == len(text)
	}
	number := unsafeString(text[:n])
	if isHex(text[:n]) && !hasByte(text[:n], 'p') {
		number += "p0" // Go requires the exponent, C does not
	}
	// An out-of-range error comes with the same infinity or zero that C returns.
	v, _ := strconv.ParseFloat(number, 64)
	return v, n == len(text)
}

// isNumber reports whether text is a number in digits and nothing else.
func isNumber(text []byte) bool {
	_, complete := parseScore(text)
	return complete && bytes.ContainsAny(text, "0123456789")
}

// isDecimal reports whether text is a number, with a decimal point or a decimal comma.
func isDecimal(text []byte) bool {
	at := bytes.IndexByte(text, ',')
	if at < 0 || at == len(text)-1 {
		return isNumber(text)
	}
	return isNumber(slices.Concat(text[:at], []byte("."), text[at+1:]))
}

// powersOfTen are the powers of ten that float64 represents exactly.
var powersOfTen = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// parseShort parses [-]digits[.digits] of up to 15 digits, the form of nearly every score.
// Both the digits as an integer and the power of ten are exact in float64, so the one
// division rounds correctly. ok is false for all other forms.
func parseShort(text []byte) (value float64, ok bool) {
	i := 0
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		i = 1
	}
	if len(text)-i > 16 {
		return 0, false
	}
	digits, end := decimalDigits(text, i, 0)
	count, fraction := end-i, 0
	if end < len(text) && text[end] == '.' {
		i = end + 1
		digits, end = decimalDigits(text, i, digits)
		fraction = end - i
		count += fraction
	}
	if end < len(text) || count == 0 || count > 15 {
		return 0, false
	}
	value = float64(digits) / powersOfTen[fraction]
	if negative {
		value = -value
	}
	return value, true
}

// decimalDigits appends the digits of text from i on to a number and returns the index after
// them.
func decimalDigits(text []byte, i int, number uint64) (digits uint64, end int) {
	for ; i < len(text) && isDigit(text[i]); i++ {
		number = number*10 + uint64(text[i]-'0')
	}
	return number, i
}

// floatPrefix returns the length of the longest prefix of text that C's strtod accepts.
func floatPrefix(text []byte) int {
	i := signLength(text)
	if n := wordPrefix(text[i:]); n > 0 {
		return i + n
	}
	if isHex(text) {
		if n := mantissa(text[i+2:], isHexDigit); n > 0 {
			return i + 2 + n + exponent(text[i+2+n:], 'p')
		}
		return i + 1 // the 0 before the x
	}
	n := mantissa(text[i:], isDigit)
	if n == 0 {
		return 0
	}
	return i + n + exponent(text[i+n:], 'e')
}

// wordPrefix returns the length of infinity, inf, nan(letters) or nan at the start of text.
func wordPrefix(text []byte) int {
	for _, word := range []string{"infinity", "inf"} {
		if hasPrefixFold(text, word) {
			return len(word)
		}
	}
	if !hasPrefixFold(text, "nan") {
		return 0
	}
	for i := 3; i < len(text); i++ {
		c := text[i]
		if i > 3 && c == ')' {
			return i + 1
		}
		if i == 3 && c != '(' || i > 3 && !isDigit(c) && lower(c)-'a' > 'z'-'a' && c != '_' {
			break
		}
	}
	return 3
}

// mantissa returns the length of digits[.digits] at the start of text, or 0 without a digit.
func mantissa(text []byte, digit func(byte) bool) int {
	i, digits, point := 0, 0, false
	for ; i < len(text); i++ {
		if digit(text[i]) {
			digits++
		} else if text[i] == '.' && !point {
			point = true
		} else {
			break
		}
	}
	if digits == 0 {
		return 0
	}
	return i
}

// exponent returns the length of an exponent at the start of text, or 0 if it is incomplete.
func exponent(text []byte, letter byte) int {
	if len(text) == 0 || lower(text[0]) != letter {
		return 0
	}
	start := 1 + signLength(text[1:])
	i := start
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	if i == start {
		return 0
	}
	return i
}

// parseGrade parses text like C's atol: an optional sign and the digits that follow, 0
// without digits, the nearest int if it is out of range. complete is false if text has more
// than that number.
func parseGrade(text []byte) (grade int, complete bool) {
	start := signLength(text)
	i := start
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	if i == start {
		return 0, false
	}
	// An out-of-range error comes with the nearest int.
	n, _ := strconv.ParseInt(unsafeString(text[:i]), 10, strconv.IntSize)
	return int(n), i == len(text)
}

// signLength returns 1 if text begins with a sign, else 0.
func signLength(text []byte) int {
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		return 1
	}
	return 0
}

// isHex reports whether text is a hexadecimal number: [sign]0x and more.
func isHex(text []byte) bool {
	text = text[signLength(text):]
	return len(text) > 2 && text[0] == '0' && lower(text[1]) == 'x'
}

func isDigit(c byte) bool    { return c-'0' <= 9 }
func isHexDigit(c byte) bool { return isDigit(c) || lower(c)-'a' <= 'f'-'a' }
func lower(c byte) byte      { return c | 0x20 }

// hasByte reports whether text contains the lower-case letter c, in either case.
func hasByte(text []byte, c byte) bool {
	for _, b := range text {
		if lower(b) == c {
			return true
		}
	}
	return false
}

// hasPrefixFold reports whether text begins with a lower-case word, in any case.
func hasPrefixFold(text []byte, word string) bool {
	if len(text) < len(word) {
		return false
	}
	for i := range len(word) {
		if lower(text[i]) != word[i] {
			return false
		}
	}
	return true
}

// unsafeString returns b as a string without a copy; b must never change afterwards.
func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
