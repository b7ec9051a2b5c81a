package entity

import "strings"

// Digits of a telephone number.
const (
	fewestDigits  = 7
	mostDigits    = 15
	decidingDigit = 9 // as many from the end as tell numbers apart, whatever their beginning
)

// PhoneValue returns "tel:" and the last digits of a telephone number, or "" when s is none. What differs
// in how a number is written in its own country and abroad stands at its beginning, so that
// "0170 1234567" and "+49 170 1234567" are one.
func PhoneValue(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.Index(s, " ext"); i >= 0 {
		s = s[:i]
	}
	if s == "" || len(s) > 60 {
		return ""
	}
	digits := make([]byte, 0, len(s))
	for i, r := range s {
		switch {
		case r >= '0' && r <= '9':
			if len(digits) > mostDigits {
				return ""
			}
			digits = append(digits, byte(r))
		case r == '+' && len(digits) == 0:
		case strings.ContainsRune(" -./()\u00a0\u202f\u2010\u2011\u2012\u2013", r):
		case i == 0 && (r == '\u202a' || r == '\u200e'), r == '\u202c', r == '\u202a': // marks of direction around it
		default:
			return ""
		}
	}
	national := strings.TrimLeft(string(digits), "0")
	if len(national) < fewestDigits || len(digits) > mostDigits+2 {
		return ""
	}
	return "tel:" + national[max(0, len(national)-decidingDigit):]
}
