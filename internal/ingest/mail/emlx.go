package mail

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// emlx splits off the first line of Apple Mail's files, which tells how long the mail is.
func emlx(b []byte) (n int, rest []byte) {
	line, after := cutLine(b)
	s := strings.TrimSpace(string(line[:min(len(line), 20)]))
	if s == "" || len(after) == 0 {
		return 0, b
	}
	n, err := strconv.Atoi(s)
	if err != nil || n <= 0 {
		return 0, b
	}
	return n, after
}

// Bits of the number "flags" in the property list behind the mail.
const (
	appleDeleted = 1 << 1
	appleFlagged = 1 << 4
	appleDraft   = 1 << 6
	appleJunk    = 1 << 24
	appleNotJunk = 1 << 25
)

// appleFlags reads the property list that Apple Mail puts behind a mail.
func appleFlags(list []byte) flags {
	n := plistNumber(list, "flags")
	f := flags{deleted: n&appleDeleted != 0, flagged: n&appleFlagged != 0, draft: n&appleDraft != 0, junk: n&appleJunk != 0 && n&appleNotJunk == 0}
	if at := plistNumber(list, "date-received"); at > 0 {
		f.received = time.Unix(at, 0).UTC()
	}
	return f
}

// plistNumber returns the number that follows a key in a property list in XML, 0 where there is none.
func plistNumber(list []byte, key string) int64 {
	_, rest, ok := bytes.Cut(list, []byte("<key>"+key+"</key>"))
	if !ok {
		return 0
	}
	rest = bytes.TrimLeft(rest, " \t\r\n")
	for _, kind := range []string{"<integer>", "<real>"} {
		if v, ok := bytes.CutPrefix(rest, []byte(kind)); ok {
			v, _, _ = bytes.Cut(v[:min(len(v), 40)], []byte("<"))
			whole, _, _ := strings.Cut(strings.TrimSpace(string(v)), ".")
			n, err := strconv.ParseInt(whole, 10, 64)
			if err != nil {
				return 0
			}
			return n
		}
	}
	return 0
}
