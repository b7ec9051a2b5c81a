package entity

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// dateAt finds the date whose four-digit year starts at i. value is YYYY-MM-DD or YYYY-MM; it is
// empty when there is none or when day and month could be read either way.
func dateAt(s string, i int) (start, end int, value string) {
	year := int(s[i]-'0')*1000 + int(s[i+1]-'0')*100 + int(s[i+2]-'0')*10 + int(s[i+3]-'0')
	if year < 1900 || year > 2099 {
		return 0, 0, ""
	}
	j := i + 4
	if j < len(s) {
		if end, v := yearFirst(s, i, j, year); v != "" {
			return i, end, v
		}
	}
	if !closesNumber(s, j) {
		return 0, 0, ""
	}
	if start, v := yearLast(s, i, year); v != "" {
		return start, j, v
	}
	return 0, 0, ""
}

// yearFirst reads 2024-05-01, 2024/5/1, 2024.05.01, 2024-05 and 2024年5月1日; j follows the year.
func yearFirst(s string, i, j, year int) (end int, value string) {
	if !opensDate(s, i) {
		return 0, ""
	}
	switch sep := s[j]; sep {
	case '-', '/', '.':
		month, m := smallNumber(s, j+1)
		if m == 0 || sep != '/' && m != 2 {
			return 0, ""
		}
		e := j + 1 + m
		if e < len(s) && s[e] == sep {
			if day, d := smallNumber(s, e+1); d != 0 && (sep == '/' || d == 2) {
				e += 1 + d
				if e+1 < len(s) && s[e] == sep && isDigit(s[e+1]) || e < len(s) && s[e] == '_' {
					return 0, ""
				}
				if e < len(s) && isDigit(s[e]) {
					return 0, ""
				}
				return e, ymd(year, month, day)
			}
			return 0, ""
		}
		// A month alone only where it cannot be a range of years or a part of a key.
		if sep == '-' && closesNumber(s, e) && (i == 0 || strings.IndexByte(" \t\n([{\"'", s[i-1]) >= 0) {
			return e, ym(year, month)
		}
		return 0, ""
	}
	e, ok := eat(s, j, "年", "년")
	if !ok {
		return 0, ""
	}
	month, m := smallNumber(s, blanks(s, e))
	if m == 0 {
		return 0, ""
	}
	e, ok = eat(s, blanks(s, e)+m, "月", "월")
	if !ok {
		return 0, ""
	}
	if day, d := smallNumber(s, blanks(s, e)); d != 0 {
		if f, ok := eat(s, blanks(s, e)+d, "日", "号", "號", "일"); ok {
			return f, ymd(year, month, day)
		}
	}
	return e, ym(year, month)
}

// yearLast reads 1 May 2024, May 1st, 2024, 1. Mai 2024, May 2024, 01.05.2024 and, where it can be
// read only one way, 31/05/2024; the year starts at i.
func yearLast(s string, i, year int) (start int, value string) {
	if i < 2 {
		return 0, ""
	}
	if sep := s[i-1]; sep == '.' || sep == '/' || sep == '-' {
		if b, n := numberBefore(s, i-1); n != 0 {
			if b < 1 || s[b-1] != sep {
				return 0, ""
			}
			a, first := numberBefore(s, b-1)
			if first == 0 || !opensDate(s, a) || a > 0 && strings.IndexByte("./-", s[a-1]) >= 0 {
				return 0, ""
			}
			second := n
			if sep == '.' {
				return a, ymd(year, second, first)
			}
			switch {
			case first > 12, first == second:
				return a, ymd(year, second, first)
			case second > 12:
				return a, ymd(year, first, second)
			}
			return 0, ""
		}
	}
	e := skipBack(s, i)
	if e == i {
		return 0, ""
	}
	if day, b := ordinalBefore(s, e); day != 0 {
		w := skipBack(s, b)
		if word, a := wordBefore(s, w); w != b {
			if m := monthOf(word); m != 0 {
				return a, ymd(year, m, day)
			}
		}
		return 0, ""
	}
	word, a := wordBefore(s, e)
	if word == "of" || word == "de" || word == "del" {
		e = skipBack(s, a)
		word, a = wordBefore(s, e)
	}
	m := monthOf(word)
	if m == 0 || a > 0 && s[a-1] == '_' {
		return 0, ""
	}
	d := skipBack(s, a)
	if w, b := wordBefore(s, d); w == "of" || w == "de" {
		d = skipBack(s, b)
	}
	if day, b := ordinalBefore(s, d); day != 0 && d < a && opensDate(s, b) {
		return b, ymd(year, m, day)
	}
	return a, ym(year, m)
}

// opensDate reports whether no number or word runs into the date that starts at i.
func opensDate(s string, i int) bool {
	if i == 0 {
		return true
	}
	c := s[i-1]
	if c >= utf8.RuneSelf {
		return opensWord(s, i)
	}
	if isAlnum(c) {
		return false
	}
	// 1.2024-05-01 and 10-2024-05-01 are keys and versions.
	return !(c == '.' || c == '-' || c == ',' || c == '/') || i < 2 || !isDigit(s[i-2])
}

// closesNumber reports whether the number that ends at j is not the start of something longer.
func closesNumber(s string, j int) bool {
	if j >= len(s) {
		return true
	}
	switch c := s[j]; {
	case c >= utf8.RuneSelf:
		r, _ := utf8.DecodeRuneInString(s[j:])
		return !isLatinLike(r)
	case isAlnum(c) || c == '_':
		return false
	case c == '-' || c == '.' || c == ',' || c == '/':
		return j+1 >= len(s) || !isAlnum(s[j+1])
	}
	return true
}

// smallNumber reads the one or two digits at i; n is 0 when there are none or more.
func smallNumber(s string, i int) (value, n int) {
	for i+n < len(s) && isDigit(s[i+n]) {
		if n == 2 {
			return 0, 0
		}
		value = value*10 + int(s[i+n]-'0')
		n++
	}
	return value, n
}

// numberBefore reads the one or two digits that end at i; value is 0 when there are none or more.
func numberBefore(s string, i int) (start, value int) {
	b := i
	for b > 0 && isDigit(s[b-1]) {
		b--
	}
	if i-b < 1 || i-b > 2 {
		return i, 0
	}
	value, _ = smallNumber(s, b)
	return b, value
}

// ordinalBefore reads a day that ends at i, such as 1, 1. or 1st.
func ordinalBefore(s string, i int) (day, start int) {
	e := i
	if e >= 3 {
		switch strings.ToLower(s[e-2 : e]) {
		case "st", "nd", "rd", "th":
			if isDigit(s[e-3]) {
				e -= 2
			}
		}
	}
	b, v := numberBefore(s, e)
	if v == 0 || v > 31 || !opensDate(s, b) {
		return 0, i
	}
	return v, b
}

// wordBefore reads the word that ends at i, in lower case.
func wordBefore(s string, i int) (word string, start int) {
	b := i
	for b > 0 && i-b < 24 {
		r, n := utf8.DecodeLastRuneInString(s[:b])
		if r == utf8.RuneError || !unicode.IsLetter(r) {
			break
		}
		b -= n
	}
	if b > 0 && isDigit(s[b-1]) {
		return "", i
	}
	return strings.ToLower(s[b:i]), b
}

// skipBack passes over at most three separators between the parts of a written date.
func skipBack(s string, i int) int {
	for n := 0; n < 3 && i > 0 && strings.IndexByte(" ,.-/", s[i-1]) >= 0; n++ {
		i--
	}
	return i
}

func blanks(s string, i int) int {
	for n := 0; n < 2 && i < len(s) && s[i] == ' '; n++ {
		i++
	}
	return i
}

func eat(s string, i int, words ...string) (end int, ok bool) {
	i = blanks(s, i)
	for _, w := range words {
		if strings.HasPrefix(s[i:], w) {
			return i + len(w), true
		}
	}
	return i, false
}

func ymd(year, month, day int) string {
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return ""
	}
	if time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Day() != day {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", year, month, day)
}

func ym(year, month int) string {
	if month < 1 || month > 12 {
		return ""
	}
	return fmt.Sprintf("%04d-%02d", year, month)
}

// monthOf returns the number of the month that word names in one of the larger languages written
// with Latin letters, or 0.
func monthOf(word string) int {
	switch word {
	case "january", "jan", "januar", "janvier", "enero", "gennaio", "janeiro", "januari":
		return 1
	case "february", "feb", "februar", "février", "fevrier", "febrero", "febbraio", "fevereiro", "februari":
		return 2
	case "march", "mar", "märz", "mars", "marzo", "março", "maart":
		return 3
	case "april", "apr", "avril", "abril", "aprile":
		return 4
	case "may", "mai", "mayo", "maggio", "maio", "mei":
		return 5
	case "june", "jun", "juni", "juin", "junio", "giugno", "junho":
		return 6
	case "july", "jul", "juli", "juillet", "julio", "luglio", "julho":
		return 7
	case "august", "aug", "août", "aout", "agosto", "augustus":
		return 8
	case "september", "sep", "sept", "septembre", "septiembre", "settembre", "setembro":
		return 9
	case "october", "oct", "oktober", "octobre", "octubre", "ottobre", "outubro":
		return 10
	case "november", "nov", "novembre", "noviembre", "novembro":
		return 11
	case "december", "dec", "dezember", "décembre", "diciembre", "dicembre", "dezembro":
		return 12
	}
	return 0
}
