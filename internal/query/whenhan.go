package query

import (
	"strings"
	"time"
)

const (
	hanDigits = `[〇零一二三四五六七八九十]`
	hanPast   = `今年|本年|去年|昨年|上年|前年|一昨年|おととし`
	hanYear   = `((?:19|20)\d\d|[一二][〇零九]` + hanDigits + `{2}|(?:令和|平成)(?:\d{1,2}|` + hanDigits + `{1,3}|元))\s*年`
)

var (
	// A month may follow a year that is written out or counted from today; a day may follow a month.
	// What counts months, as 三个月 and 3か月 do, has another character in between.
	hanDate = late(`(?:` + hanYear + `|(` + hanPast + `))?\s*[的の]?\s*(\d{1,2}|` + hanDigits +
		`{1,2})\s*月(?:份)?[的の]?(?:\s*(\d{1,2}|` + hanDigits + `{1,3})\s*[日号號])?`)
	// hanAnything is what asks for whatever there is: what was done, written, what happened.
	hanAnything = late(`^(?:我们|我|都|做|过|了|写|发生|有|什么|哪些|的|事情|事|笔记|日记|記錄|记录|何|が|を|に|は|の|も|した|しました|書いた|あった|ありました|か|こと|出来事|メモ|日記)*$`)
	hanPastYear = late(hanPast)
)

// hanBack are words for a time that counts from today, those before that others are a part of.
var hanBack = []struct {
	words string
	unit  byte
	n     int
}{
	{"一昨日 おととい 前天", 'd', 2}, {"昨日 昨天 昨晚 昨夜 昨晩 きのう", 'd', 1}, {"今日 今天 きょう", 'd', 0},
	{"上上周 上上週 先々週", 'w', 2}, {"上周 上週 上星期 上礼拜 上禮拜 先週", 'w', 1}, {"这周 這週 本周 本週 这星期 這星期 今週", 'w', 0},
	{"上上个月 上上個月 先々月", 'm', 2}, {"上个月 上個月 上月 先月", 'm', 1}, {"这个月 這個月 本月 今月", 'm', 0},
}

// hanWhen is When for Chinese and Japanese; loc is where the time stands.
func hanWhen(s string, now time.Time) (span Span, loc []int, ok bool) {
	if loc = hanDate().FindStringSubmatchIndex(s); loc != nil {
		part := func(i int) string { return group(s, loc, i) }
		year := hanYearNumber(part(1))
		if past := part(2); past != "" {
			year = now.Year() - yearsBack(past)
		}
		if span, ok := dated(year, hanNumber(part(3)), hanNumber(part(4)), now); ok {
			return span, loc, true
		}
	}
	for _, b := range hanBack {
		for w := range strings.FieldsSeq(b.words) {
			if at := strings.Index(s, w); at >= 0 {
				return back(b.unit, b.n, now), []int{at, at + len(w)}, true
			}
		}
	}
	if loc = hanPastYear().FindStringIndex(s); loc != nil {
		return yearOf(now.Year()-yearsBack(s[loc[0]:loc[1]]), now), loc, true
	}
	return Span{}, nil, false
}

func yearsBack(s string) int {
	switch s {
	case "去年", "昨年", "上年":
		return 1
	case "前年", "一昨年", "おととし":
		return 2
	}
	return 0
}

// hanYearNumber reads a year of four digits or of a Japanese era; 0: there is none.
func hanYearNumber(s string) int {
	for era, before := range map[string]int{"令和": 2018, "平成": 1988} {
		if rest, ok := strings.CutPrefix(s, era); ok {
			if rest == "元" {
				return before + 1
			}
			return before + hanNumber(rest)
		}
	}
	return hanNumber(s)
}

// hanNumber reads a number up to 99 as it is said, such as 二十三, or digit by digit, such as 二〇二三.
func hanNumber(s string) int {
	if n := number(s); n > 0 {
		return n
	}
	n, tens := 0, 0
	for _, r := range s {
		if r == '十' {
			tens, n = 10*max(n, 1), 0
			continue
		}
		d := strings.Index("〇一二三四五六七八九", string(r)) / len("一")
		n = 10*n + max(d, 0)
	}
	return tens + n
}
