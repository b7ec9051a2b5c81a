package mail

import (
	"strings"
	"unicode/utf8"
)

// attribution returns how many lines the introduction of a quote takes ("On Monday, Ann wrote:"), 0
// when l does not begin with one.
func attribution(l []string) int {
	first := strings.TrimSpace(l[0])
	if first == "" || len(first) > 300 || !colonSoon(l) {
		return 0
	}
	if _, ok := cutColon(first); !ok && !startsAttribution(first) {
		return 0
	}
	joined := ""
	for n := 1; n <= 4 && n <= len(l); n++ {
		s := strings.TrimSpace(l[n-1])
		if s == "" || quoted(s) {
			return 0
		}
		if n == 1 {
			joined = s
		} else {
			joined += " " + s
		}
		if len(joined) > 500 {
			return 0
		}
		if c, ok := cutColon(joined); ok {
			if introduces(c) {
				return n
			}
			return 0
		}
	}
	return 0
}

// colonSoon reports whether one of the first four lines ends with a colon: most texts have none, and
// need no closer look.
func colonSoon(l []string) bool {
	for _, s := range l[:min(len(l), 4)] {
		if s == "" {
			return false
		}
		if _, ok := cutColon(s); ok {
			return true
		}
	}
	return false
}

// cutColon takes off the colon that ends an attribution.
func cutColon(s string) (string, bool) {
	for s != "" && (s[len(s)-1] == ' ' || s[len(s)-1] == '*' || s[len(s)-1] == '_') {
		s = s[:len(s)-1]
	}
	if s != "" && s[len(s)-1] >= utf8.RuneSelf {
		s = strings.TrimRight(s, "\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069") // marks of direction
	}
	if r, ok := strings.CutSuffix(s, ":"); ok {
		return strings.TrimSpace(r), true
	}
	if r, ok := strings.CutSuffix(s, "："); ok {
		return strings.TrimSpace(r), true
	}
	return s, false
}

// startsAttribution reports whether a line may be the first of an attribution that goes on.
func startsAttribution(s string) bool {
	l := strings.ToLower(s[:min(len(s), 40)])
	for _, p := range attributionStarts {
		if strings.HasPrefix(l, p) {
			return true
		}
	}
	return digits(s) >= 4 || strings.ContainsRune(s, '@')
}

var attributionStarts = []string{"on ", "am ", "le ", "el ", "il ", "em ", "op ", "den ", "dne ", "w dniu ", "dnia ", "a ", "at ", "in article",
	"в ", "на ", "в сообщении", "在", "於", "于", "vào ", "pada ", "ο ", "στις ", "ב", "في", "le", "quoting "}

// introduces reports whether s, without its colon, names who wrote when.
func introduces(s string) bool {
	if !saysWrote(s) {
		quoting := len(s) > 8 && strings.EqualFold(s[:8], "quoting ") && strings.ContainsRune(s, '@')
		return quoting || dated(s) && strings.ContainsAny(s, "<(")
	}
	return digits(s) >= 3 || strings.ContainsRune(s, '@') || startsAttribution(s) && len(s) < 120 || len(s) < 60
}

// saysWrote reports whether a line says in some language that somebody wrote.
func saysWrote(s string) bool {
	l := " " + strings.ToLower(s) + " "
	for _, v := range []string{" wrote ", " writes ", " said ", " schrieb ", " schreibt ", " geschrieben ", " a écrit ", " écrit ", " escribió ", " escribio ", " ha scritto ", " scrisse ",
		" escreveu ", " schreef ", " het volgende geschreven ", " skrev ", " skrev følgende ", " kirjoitti ", " napsal ", " napsal(a) ", " napísal ", " napísal(a) ", " napisał ", " napisał(a) ", " napisała ", " pisze ",
		" va escriure ", " napisao ", " napisala ", " je napisal ", " написа ", " написал(а) ", " написав(-ла) ",
		" a scris ", " írta ", " yazdı ", " пишет ", " писал ", " написал ", " написав ", " пише ", " wrote on ", " έγραψε ", " viết ", " menulis ", " añadió "} {
		if strings.Contains(l, v) {
			return true
		}
	}
	for _, v := range []string{"写道", "寫道", "写信", "のメール", "さんは書きました", "は書きました", "のメッセージ", "작성", "님이 작성", "כתב", "كتب", "เขียน"} {
		if strings.Contains(s, v) {
			return true
		}
	}
	return false
}

// dated reports whether a line has an address and a date, as the introductions of all languages do.
func dated(s string) bool { return strings.ContainsRune(s, '@') && digits(s) >= 5 }

// strong reports whether an attribution names a date and so cannot be a sentence of the mail.
func strong(l []string) bool {
	s := strings.Join(l, " ")
	return digits(s) >= 5 && (strings.ContainsRune(s, ':') && startsAttribution(s) || strings.ContainsRune(s, '@'))
}

// unmarked reports whether an attribution can stand above a mail that is not marked as quoted: dates and
// addresses that nobody wrote anything at head lists of one's own.
func unmarked(l []string) bool {
	s, _ := cutColon(strings.Join(l, " "))
	return saysWrote(s) || strings.HasSuffix(s, ">") && digits(s) >= 6
}

func digits(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] >= '0' && s[i] <= '9' {
			n++
		}
	}
	return n
}

// dashed returns the words of a line such as "-----Original Message-----" in lower case.
func dashed(s string) string {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, "--") && !strings.HasPrefix(s, "__") && !strings.HasPrefix(s, "==") && !strings.HasPrefix(s, "—") {
		return ""
	}
	w := strings.Trim(s, "-_=— \t*>")
	if w == "" || len(w) > 80 {
		return ""
	}
	return strings.ToLower(w)
}

// originalMark reports whether the line begins an earlier mail.
func originalMark(s string) bool {
	w := dashed(s)
	if w == "" {
		return false
	}
	for _, m := range []string{"original message", "original mail", "original-nachricht", "originalnachricht", "ursprüngliche nachricht", "ursprüngliche mail",
		"urspr. nachricht", "message d'origine", "message d’origine", "message original", "mensaje original", "mensagem original", "messaggio originale", "messaggio originale",
		"oorspronkelijk bericht", "ursprungligt meddelande", "originalmeddelande", "opprinnelig melding", "oprindelig meddelelse", "alkuperäinen viesti",
		"původní zpráva", "oryginalna wiadomość", "wiadomość oryginalna", "eredeti üzenet", "mesaj original", "orijinal mesaj", "исходное сообщение", "оригинальное сообщение",
		"原始邮件", "邮件原件", "原始郵件", "原郵件", "元のメッセージ", "original message", "원본 메시지", "원본메시지", "הודעה מקורית", "reply message", "réponse originale"} {
		if strings.HasPrefix(w, m) {
			return true
		}
	}
	return false
}

// forwardMark returns a number above 0 when l begins with the mark of a forwarded mail.
func forwardMark(l []string) int {
	s, colon := cutColon(strings.TrimSpace(l[0]))
	if s = strings.ToLower(s[:min(len(s), 200)]); colon && (s == "begin forwarded message" || s == "anfang der weitergeleiteten nachricht" || s == "début du message transféré" ||
		s == "inicio del mensaje reenviado" || s == "inizio messaggio inoltrato" || s == "início da mensagem reencaminhada") {
		return 1
	}
	w := dashed(s)
	if w == "" {
		return 0
	}
	for _, m := range []string{"forwarded message", "forwarded by", "forwarded mail", "weitergeleitete nachricht", "message transféré", "mensaje reenviado", "messaggio inoltrato",
		"mensagem encaminhada", "mensagem reencaminhada", "doorgestuurd bericht", "vidarebefordrat meddelande", "videresendt melding", "videresendt meddelelse",
		"přeposlaná zpráva", "wiadomość przekazana", "пересылаемое сообщение", "пересланное сообщение", "转发的邮件", "转发邮件", "轉寄的郵件", "転送メッセージ", "転送されたメール", "전달된 메시지"} {
		if strings.HasPrefix(w, m) {
			return 1
		}
	}
	return 0
}

// The names of the fields that Outlook and others put above an earlier mail, by language.
var (
	fromNames = set("from", "von", "de", "da", "van", "från", "fra", "lähettäjä", "od", "feladó", "kimden", "от", "від", "发件人", "寄件者", "寄件人", "差出人", "送信者", "από", "de la", "expeditor", "šalje", "pošiljatelj", "od koga", "người gửi", "dari", "จาก", "보낸 사람", "보낸사람", "מאת", "من")
	moreNames = set("sent", "date", "to", "cc", "subject", "gesendet", "datum", "an", "betreff", "envoyé", "date", "à", "objet", "enviado", "enviado el", "fecha", "para", "asunto",
		"enviada", "enviada em", "data", "assunto", "inviato", "a", "oggetto", "verzonden", "aan", "onderwerp", "skickat", "till", "ämne", "sendt", "til", "emne", "lähetetty", "vastaanottaja", "aihe",
		"odesláno", "komu", "předmět", "wysłano", "do", "temat", "data", "elküldve", "címzett", "tárgy", "gönderilme", "kime", "konu", "отправлено", "дата", "кому", "тема", "копия",
		"надіслано", "发送时间", "发送日期", "收件人", "抄送", "主题", "傳送", "寄件日期", "收件者", "副本", "主旨", "日期", "送信日時", "日時", "宛先", "件名", "보낸 날짜", "받는 사람", "제목", "날짜", "נשלח", "אל", "נושא", "στάλθηκε", "ημερομηνία", "προς", "θέμα", "κοιν.", "trimis", "către", "subiect", "poslano", "prima", "predmet", "dikirim",
		"kepada", "subjek", "gönderildi", "tarih", "reply-to", "importance")
)

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}
