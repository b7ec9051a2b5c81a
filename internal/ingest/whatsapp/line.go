package whatsapp

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/ingest/talk"
)

// A stamp is the date and time before a message, as it is written. The order of the date's numbers is
// a matter of the whole file.
type stamp struct {
	nums          [3]int
	wide          [3]bool // written with four digits
	hour, min, s  int
	half          half
	dot           bool // the date's numbers are parted by full stops
	bracket, dash bool
}

// A half is a half of the day.
type half int

const (
	whole half = iota // 24 hours
	am
	pm
)

// The words for the halves of a day, in lower case and without blanks and full stops. Each language has
// its own, before or after the time.
var halves = sync.OnceValue(func() map[string]half {
	return map[string]half{
		"am": am, "pm": pm, "a": am, "p": pm,
		"上午": am, "早上": am, "凌晨": am, "清晨": am, "午前": am, "下午": pm, "晚上": pm, "傍晚": pm, "午後": pm, "中午": pm, "夜晚": pm,
		"오전": am, "오후": pm,
		"ص": am, "م": pm, "صباحًا": am, "مساءً": pm, "صباحا": am, "مساء": pm,
		"قظ": am, "بظ": pm, "قبلازظهر": am, "بعدازظهر": pm,
		"πμ": am, "μμ": pm,
		"पूर्वाह्न": am, "अपराह्न": pm, "मपू": am, "मउ": pm,
		"முற்பகல்": am, "பிற்பகல்": pm, "முப": am, "பிப": pm,
		"ก่อนเที่ยง": am, "หลังเที่ยง": pm,
		"öö": am, "ös": pm,
		"vorm": am, "nachm": pm,
		"de": am, "du": pm, // Hungarian
		"fm": am, "em": pm, // Swedish
		"ap": am, "ip": pm, // Finnish
		"sa": am, "ch": pm, // Vietnamese
		"pg": am, "ptg": pm, // Malay
		"пробед": am, "слобед": pm, "пробяд": am, "дп": am, "пп": pm, "прпопол": am, "попол": pm,
		"преподне": am, "поподне": pm, "прије": am, "после": pm,
		"dop": am, "odp": pm, "dopo": am, "popo": pm, "dopoludnia": am, "popoludní": pm,
		"mattina": am, "pomeriggio": pm, "damanhã": am, "datarde": pm, "danoite": pm, "damadrugada": am,
		"paradite": am, "pasdite": pm, "eparadites": am, "epasdites": pm,
		"priekšpusdienā": am, "pēcpusdienā": pm, "priešpiet": am, "popiet": pm,
		"asubuhi": am, "mchana": pm, "jioni": pm, "usiku": pm,
		"լուսաբաց": am, "לפנהצ": am, "אחהצ": pm,
	}
})

// maxStamp bounds the stamp of a message, in bytes, which is far longer than any.
const maxStamp = 160

// A cursor goes over the beginning of a line and sees no marks of direction.
type cursor struct {
	s  string
	at int
}

func (c *cursor) peek() rune {
	for c.at < len(c.s) && c.at < maxStamp {
		r, n := utf8.DecodeRuneInString(c.s[c.at:])
		if !talk.Mark(r) {
			return r
		}
		c.at += n
	}
	return -1
}

func (c *cursor) next() rune {
	r := c.peek()
	if r >= 0 {
		c.at += utf8.RuneLen(r)
		if r == utf8.RuneError {
			c.at = min(len(c.s), c.at)
		}
	}
	return r
}

// blanks passes over white space and reports whether there was any.
func (c *cursor) blanks() bool {
	any := false
	for unicode.IsSpace(c.peek()) {
		c.next()
		any = true
	}
	return any
}

// number reads up to four digits of any script.
func (c *cursor) number() (n, width int) {
	for width < 5 {
		d := digit(c.peek())
		if d < 0 {
			break
		}
		n = 10*n + d
		width++
		c.next()
	}
	return n, width
}

// digit returns the value of a decimal digit of any script, -1 for other characters.
func digit(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return int(r - '0')
	case r < 0x660:
		return -1
	}
	for _, x := range unicode.Nd.R16 {
		if r >= rune(x.Lo) && r <= rune(x.Hi) {
			return int(r-rune(x.Lo)) % 10
		}
	}
	return -1
}

// parse reads the stamp of a line and returns where the text behind it begins; ok is false when the line
// begins no message.
func parse(line string) (st stamp, rest string, ok bool) {
	c := cursor{s: line}
	c.blanks()
	if c.peek() == '[' {
		c.next()
		st.bracket = true
		c.blanks()
	}
	if !c.date(&st) {
		return st, "", false
	}
	// A comma, a word such as "klo" or "à", a word for the half of the day, each or none.
	before := c.words()
	if before == "" && c.peek() < 0 {
		return st, "", false
	}
	if !c.time(&st) {
		return st, "", false
	}
	st.half = halfOf(before)
	switch {
	case st.bracket:
		after := c.words()
		if c.next() != ']' {
			return st, "", false
		}
		if st.half == whole {
			st.half = halfOf(after)
		}
	default:
		after, found := c.untilDash()
		if !found {
			return st, "", false
		}
		if st.half == whole {
			st.half = halfOf(after)
		}
		st.dash = true
	}
	if st.half != whole && st.hour > 12 || st.hour > 23 || st.min > 59 || st.s > 60 {
		return st, "", false
	}
	rest = c.s[c.at:]
	// One blank belongs to the stamp; a mark of direction behind it says something.
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, " "), "\u00a0")
	return st, rest, true
}

// date reads three numbers with separators.
func (c *cursor) date(st *stamp) bool {
	for i := range 3 {
		n, width := c.number()
		if width == 0 || width > 4 || width == 3 {
			return false
		}
		st.nums[i], st.wide[i] = n, width == 4
		if i == 2 {
			break
		}
		seps := 0
		for {
			switch r := c.peek(); {
			case r == '/' || r == '-' || r == '.' || r == '年' || r == '月' || r == '년' || r == '월':
				st.dot = st.dot || r == '.'
				seps++
				if seps > 1 {
					return false
				}
				c.next()
				continue
			case unicode.IsSpace(r):
				c.next()
				continue
			}
			break
		}
		if seps == 0 {
			return false
		}
	}
	// What may stand right behind a date: the full stop of Korean and Hungarian, "г.", 日 and 일.
	for {
		switch c.peek() {
		case '.', '日', '일', 'г', 'р':
			c.next()
			continue
		}
		return true
	}
}

// time reads hours, minutes and perhaps seconds.
func (c *cursor) time(st *stamp) bool {
	var width int
	if st.hour, width = c.number(); width == 0 || width > 2 {
		return false
	}
	if r := c.next(); r != ':' && r != '.' && r != '٫' && r != '时' && r != '時' && r != '시' {
		return false
	}
	c.blanks()
	if st.min, width = c.number(); width != 2 {
		return false
	}
	save := c.at
	if r := c.peek(); r == ':' || r == '.' {
		c.next()
		if st.s, width = c.number(); width != 2 {
			c.at, st.s = save, 0
		}
	}
	return true
}

// words reads what stands between numbers, up to the next digit, bracket or end.
func (c *cursor) words() string {
	var b strings.Builder
	for n := 0; n < 40; n++ {
		r := c.peek()
		if r < 0 || digit(r) >= 0 || r == ']' || r == '[' {
			break
		}
		b.WriteRune(c.next())
	}
	return b.String()
}

// untilDash reads up to a dash between blanks.
func (c *cursor) untilDash() (words string, found bool) {
	var b strings.Builder
	for n := 0; n < 30; n++ {
		blank := c.blanks()
		r := c.next()
		switch {
		case r < 0 || digit(r) >= 0 || r == ':':
			return "", false
		case (r == '-' || r == '–' || r == '—') && blank:
			if next := c.peek(); next < 0 || unicode.IsSpace(next) {
				return b.String(), true
			}
			return "", false
		}
		if blank {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return "", false
}

// halfOf finds a word for a half of the day in what stands around a time.
func halfOf(s string) half {
	if strings.TrimSpace(s) == "" {
		return whole
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '.' || r == ',' || r == '،' || r == '\'' || r == '"' || r == '״' || r == '’' || talk.Mark(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
	return halves()[s]
}

// clock returns the hour of a day of 24 hours.
func (st stamp) clock() int {
	switch {
	case st.half == am && st.hour == 12:
		return 0
	case st.half == pm && st.hour < 12:
		return st.hour + 12
	}
	return st.hour
}

// split parts what stands behind a stamp into who wrote and what; ok is false for a line that is
// nobody's.
func split(rest string) (author, text string, ok bool) {
	i := strings.Index(rest, ": ")
	if i < 0 {
		if before, found := strings.CutSuffix(rest, ":"); found { // an empty first line
			return cleanAuthor(before), "", before != ""
		}
		return "", "", false
	}
	if i == 0 || i > 200 {
		return "", "", false
	}
	return cleanAuthor(rest[:i]), rest[i+2:], true
}

// cleanAuthor drops the marks around a name and the tilde before that of somebody who is no contact.
func cleanAuthor(s string) string {
	s = talk.Name(s)
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(s, "~"), "\u00a0"))
}
