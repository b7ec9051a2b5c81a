package summary

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/text"
)

// poor is the weight of what is only taken when there is nothing better.
const poor = 0.3

// longest is how many tokens a sentence of a summary has at most.
const longest = 110

// openings are how greetings, thanks, signatures and footers begin, folded.
var openings = []string{
	"hi ", "hi,", "hi!", "hey", "hello", "dear ", "good morning", "good afternoon", "good evening", "greetings", "happy new year",
	"thanks", "thank you", "many thanks", "thx", "cheers", "best regards", "kind regards", "warm regards", "regards", "sincerely",
	"best wishes", "all the best", "yours ", "talk soon", "see you", "have a nice", "have a great", "have a good", "hope this helps",
	"hope you are", "hope you're", "i hope this email", "i hope you", "let me know if you have any", "please let me know if you have",
	"looking forward to hearing", "sent from my", "get outlook for", "unsubscribe", "click here", "view in browser", "view this email",
	"view online", "you are receiving this", "you received this", "to unsubscribe", "manage your preferences", "update your preferences",
	"this email and any", "this message and any", "this e-mail", "confidential", "all rights reserved", "copyright", "privacy policy",
	"terms of service", "do not reply", "please do not reply", "ok", "okay", "sure", "yes", "no problem", "sounds good", "lol", "haha",
	"你好", "您好", "大家好", "早上好", "下午好", "晚上好", "谢谢", "多谢", "感谢", "祝好", "此致", "敬礼", "顺颂", "好的", "收到", "哈哈", "嗯", "再见", "辛苦了",
	"お世話になって", "お世話になり", "お疲れ様", "おはよう", "こんにちは", "こんばんは", "よろしくお願い", "宜しくお願い", "ありがとう", "承知しました",
	"了解です", "了解しました", "はい", "失礼します", "失礼いたします", "以上、よろしく", "敬具", "拝啓",
}

// vague are words that say little whatever they are said of, folded.
var vague = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`able actually agree always amazing anyway anything awesome away awful back bad beautiful best better big bit bring
		call came care check come comes coming cool course day days definitely different easy end enjoy enjoyed ever every everyone everything
		exactly excited exciting fantastic feel feeling feels felt find fine forward found fun gave getting give glad goes going gonna good got
		great guess guys happen happened happy hard hear heard help hope hoping idea important incredible inspiring interesting keep kept kind knew
		know known last left let life like liked little long look looking looks lot lots love loved lovely made make makes making maybe mean means
		moment much need needed needs never new next nice nothing often okay old one ones people person pretty probably proud put quick quite
		really right said saw say saying says see seeing seem seems seen share shared sharing show shows small someone something sometimes soon
		sorry sound sounds start started still stuff super support sure take taken takes taking talk talking tell thank thanks thing things think
		thinking thought time times today together tomorrow took totally tried true truly try trying two understand use used using usually
		view wait want wanted wants way ways well went whole without wonderful wondering work worked working world worth wow yeah year years yep
		yes yesterday yet`) {
		m[w] = true
	}
	return m
})

// telling counts the words that say something: not stop-words, not vague, of Chinese and the like two
// characters as one.
func telling(folded string) (n int) {
	wide := 0
	for w := range strings.FieldsFuncSeq(folded, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		first, _ := utf8.DecodeRuneInString(w)
		switch {
		case first >= 0x2E80:
			wide += utf8.RuneCountInString(w)
		case len(w) < 2 || text.IsStopWord(w) || vague()[w]:
		default:
			n++
		}
	}
	return n + wide/2
}

// quality weighs a sentence by its form, from 0 for what no summary should hold.
func quality(s string) float64 {
	tokens := text.EstimateTokens(s)
	letters, digits, runes, wide := 0, 0, 0, 0
	for _, r := range s {
		runes++
		switch {
		case isWide(r):
			letters, wide = letters+1, wide+1
		case unicode.IsLetter(r) || r == ' ':
			letters++
		case unicode.IsDigit(r):
			digits++
		}
	}
	if letters == 0 && digits == 0 {
		return 0
	}
	w := 1.0
	folded := text.Fold(s)
	for _, o := range openings {
		if !strings.HasPrefix(folded, o) {
			continue
		}
		rest := folded[len(o):]
		if next, _ := utf8.DecodeRuneInString(rest); rest != "" && unicode.IsLetter(next) && next < 0x2E80 && o[len(o)-1] < utf8.RuneSelf && o[len(o)-1] != ' ' {
			continue // the beginning of a longer word
		}
		// Real news may follow a greeting in one sentence.
		if tokens < 12 || utf8.RuneCountInString(rest) < 60 && wide == 0 || wide > 0 && utf8.RuneCountInString(rest) < 20 {
			w *= 0.1
		} else {
			w *= 0.7
		}
		break
	}
	switch words := strings.Count(s, " ") + 1; {
	case wide > 0 && wide*3 > runes:
		if runes < 8 {
			w *= 0.3
		}
	case words < 3:
		w *= 0.15
	case words < 5:
		w *= 0.5
	}
	// Somebody who is enthusiastic or agrees says little else.
	switch n := telling(folded); {
	case n == 0:
		w *= 0.25
	case n < 4:
		w *= 0.4 + 0.15*float64(n)
	}
	if strings.HasSuffix(s, "!") || strings.HasSuffix(s, "！") {
		w *= 0.7
	}
	if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") { // a remark of the program that wrote it
		w *= 0.6
	}
	switch {
	case tokens > longest:
		w *= 0.1
	case tokens > 70:
		w *= 0.7
	}
	if share := float64(letters) / float64(runes); share < 0.5 {
		w *= 0.2
	} else if share < 0.7 {
		w *= 0.6
	}
	if strings.Contains(s, "http://") || strings.Contains(s, "https://") {
		w *= 0.7
	}
	if strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") {
		w *= 0.7
	}
	if strings.HasSuffix(s, ":") || strings.HasSuffix(s, "：") {
		w *= 0.5
	}
	if digits > 0 && digits*3 < runes { // an amount, a date, a version
		w *= 1.15
	}
	return w
}
