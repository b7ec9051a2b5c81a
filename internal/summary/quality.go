package summary

import (
	"strings"
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

// quality weighs a sentence by its form, from 0 for what no summary should hold.
func quality(s string) float64 {
	tokens := text.EstimateTokens(s)
	letters, digits, runes, wide := 0, 0, 0, 0
	for _, r := range s {
		runes++
		switch {
		case r >= 0x2E80 && unicode.IsLetter(r):
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
