package main

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"mime"
	"mime/quotedprintable"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// A corpus makes up mails that look like what people have: threads with quoted history, text beside
// HTML, several languages in their old charsets, the header that a mail collects on its way, and now
// and then an attachment. The same seed gives the same mails.
type corpus struct {
	r       *rand.Rand
	latin   *language
	all     []*language
	people  []string
	threads []*thread
	n       int
	at      time.Time
}

// A language is a vocabulary whose words come up as words do: the second half as often as the first.
type language struct {
	words   []string
	zipf    *rand.Zipf
	gap     string
	charset string
	enc     encoding.Encoding
	share   int // of a hundred mails
}

type thread struct {
	subject string
	ids     []string
	lang    *language
	from    []string
	history string // the last mail as it is quoted
	left    int
}

func newCorpus() *corpus {
	c := &corpus{r: rand.New(rand.NewPCG(2026, 12)), at: time.Date(2015, 1, 5, 8, 0, 0, 0, time.UTC)}
	latin := syllables("b c d f g h l m n p r s t v w br cl dr fr gr pl pr st tr sh th", "a e i o u ea ou ai")
	german := append(syllables("b d f g h k l m n r s t w sch st pf", "a e i o u ä ö ü ei au"), latin[:200]...)
	for _, l := range []*language{
		{words: latin, gap: " ", charset: "utf-8", share: 62},
		{words: german, gap: " ", charset: "iso-8859-1", enc: charmap.ISO8859_1, share: 12},
		{words: german, gap: " ", charset: "windows-1252", enc: charmap.Windows1252, share: 10},
		{words: syllables("б в г д ж к л м н п р с т х ч", "а е и о у я ы ю"), gap: " ", charset: "koi8-r", enc: charmap.KOI8R, share: 8},
		{words: pictures("会议数据文件问题系统用户时间工作计划项目报告合同服务市场产品客户价格订单公司"), charset: "gb18030", enc: simplifiedchinese.GB18030, share: 4},
		{words: pictures("会議資料確認予定変更連絡お願いします明日午後場所担当者報告書送付"), charset: "iso-2022-jp", enc: japanese.ISO2022JP, share: 4},
	} {
		// What is said often is short.
		rank := make(map[string]float64, len(l.words))
		for _, w := range l.words {
			rank[w] = float64(len(w)) * (0.5 + c.r.Float64())
		}
		slices.SortStableFunc(l.words, func(a, b string) int { return cmp.Compare(rank[a], rank[b]) })
		l.zipf = rand.NewZipf(c.r, 1.15, 8, uint64(len(l.words)-1))
		c.all = append(c.all, l)
	}
	c.latin = c.all[0]
	for i := range 600 {
		first, last := c.latin.words[3*i], c.latin.words[3*i+1]
		c.people = append(c.people, fmt.Sprintf("%s %s <%s.%s@%s.example>", title(first), title(last), first, last, c.latin.words[3*(i%40)+2]))
	}
	return c
}

// syllables makes words of one to four syllables, some 40,000 of them.
func syllables(onsets, vowels string) []string {
	on, vo := strings.Fields(onsets), strings.Fields(vowels)
	r := rand.New(rand.NewPCG(7, uint64(len(onsets))))
	seen := map[string]bool{}
	var out []string
	for len(out) < 40_000 {
		var b strings.Builder
		for range 1 + r.IntN(4) {
			b.WriteString(on[r.IntN(len(on))])
			b.WriteString(vo[r.IntN(len(vo))])
		}
		if r.IntN(2) == 0 {
			b.WriteString(on[r.IntN(len(on))])
		}
		if w := b.String(); !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out
}

// pictures makes words of one to three of the given characters.
func pictures(chars string) []string {
	all := []rune(chars)
	r := rand.New(rand.NewPCG(9, uint64(len(all))))
	var out []string
	for range 5000 {
		w := make([]rune, 1+r.IntN(3))
		for i := range w {
			w[i] = all[r.IntN(len(all))]
		}
		out = append(out, string(w))
	}
	return out
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (c *corpus) word(l *language) string { return l.words[l.zipf.Uint64()] }

// sentence appends some words and a full stop.
func (c *corpus) sentence(b *strings.Builder, l *language) {
	for i := range 5 + c.r.IntN(16) {
		w := c.word(l)
		if i == 0 {
			r := []rune(w)
			w = strings.ToUpper(string(r[:1])) + string(r[1:])
		} else {
			b.WriteString(l.gap)
		}
		b.WriteString(w)
		switch {
		case c.r.IntN(90) == 0:
			fmt.Fprintf(b, " %d", c.r.IntN(20_000))
		case c.r.IntN(400) == 0:
			fmt.Fprintf(b, " https://%s.example/%s/%d", c.word(c.latin), c.word(c.latin), c.r.IntN(10_000))
		}
	}
	if l.gap == "" {
		b.WriteString("。")
		return
	}
	b.WriteString(". ")
}

// text is what somebody writes: a few paragraphs, folded at about 72 characters.
func (c *corpus) text(l *language) string {
	var out strings.Builder
	paragraphs := 1 + c.r.IntN(4)
	if c.r.IntN(25) == 0 {
		paragraphs += 12 // a newsletter, a report
	}
	for range paragraphs {
		var b strings.Builder
		for range 1 + c.r.IntN(6) {
			c.sentence(&b, l)
		}
		out.WriteString(fold(strings.TrimSpace(b.String()), l.gap))
		out.WriteString("\n\n")
	}
	return strings.TrimRight(out.String(), "\n")
}

func fold(s, gap string) string {
	var b strings.Builder
	if gap == "" {
		for i, r := range []rune(s) {
			if i > 0 && i%36 == 0 {
				b.WriteByte('\n')
			}
			b.WriteRune(r)
		}
		return b.String()
	}
	width := 0
	for i, w := range strings.Fields(s) {
		switch {
		case i == 0:
		case width+len(w) > 72:
			b.WriteByte('\n')
			width = 0
		default:
			b.WriteByte(' ')
		}
		b.WriteString(w)
		width += len(w) + 1
	}
	return b.String()
}

func quote(s string) string { return "> " + strings.ReplaceAll(s, "\n", "\n> ") }

// thread returns one that goes on, or a new one.
func (c *corpus) thread() *thread {
	if len(c.threads) > 0 && c.r.IntN(10) < 7 {
		i := c.r.IntN(len(c.threads))
		t := c.threads[i]
		if t.left--; t.left == 0 {
			c.threads[i] = c.threads[len(c.threads)-1]
			c.threads = c.threads[:len(c.threads)-1]
		}
		return t
	}
	pick := c.r.IntN(100)
	lang := c.latin
	for _, l := range c.all {
		if pick -= l.share; pick < 0 {
			lang = l
			break
		}
	}
	var subject strings.Builder
	for range 2 + c.r.IntN(5) {
		subject.WriteString(c.word(lang) + lang.gap)
	}
	t := &thread{subject: strings.TrimSpace(subject.String()), lang: lang, left: 1 + c.r.IntN(8)}
	for range 2 + c.r.IntN(4) {
		t.from = append(t.from, c.people[c.r.IntN(len(c.people))])
	}
	c.threads = append(c.threads, t)
	return t
}

// next returns another mail, its sender's address and its date.
func (c *corpus) next() (mail []byte, sender string, at time.Time) {
	t := c.thread()
	c.n++
	c.at = c.at.Add(time.Duration(1+c.r.IntN(240)) * time.Minute)
	from := t.from[c.r.IntN(len(t.from))]
	name, address, _ := strings.Cut(strings.TrimSuffix(from, ">"), " <")
	id := fmt.Sprintf("<%08x.%d@%s.example>", c.r.Uint32(), c.n, c.latin.words[c.r.IntN(40)])

	own := c.text(t.lang)
	signature := ""
	if c.r.IntN(3) == 0 {
		signature = "\n\n-- \n" + name + "\n" + title(c.word(c.latin)) + " Ltd, " + c.word(c.latin)
	}
	text := own
	if t.history != "" && c.r.IntN(10) < 8 {
		text += "\n\n" + t.history
	}
	text += signature + "\n"
	t.history = fmt.Sprintf("On %s, %s wrote:\n%s", c.at.Format("Mon, Jan 2, 2006 at 15:04"), from, quote(cutLines(text, 120)))

	var b bytes.Buffer
	c.header(&b, t, id, from, name, address)
	t.ids = append(t.ids, id)
	c.body(&b, t.lang, text)
	return b.Bytes(), address, c.at
}

func cutLines(s string, n int) string {
	l := strings.SplitN(strings.TrimRight(s, "\n"), "\n", n+1)
	return strings.Join(l[:min(len(l), n)], "\n")
}

// header writes what a mail has collected when it arrives.
func (c *corpus) header(b *bytes.Buffer, t *thread, id, from, name, address string) {
	date := c.at.Format(time.RFC1123Z)
	host := c.latin.words[c.r.IntN(40)]
	key := make([]byte, 256)
	for i := range key {
		key[i] = byte(c.r.Uint32())
	}
	signed := base64.StdEncoding.EncodeToString(key)
	fmt.Fprintf(b, "Return-Path: <%s>\nDelivered-To: me@home.example\n", address)
	for i := range 2 + c.r.IntN(3) {
		fmt.Fprintf(b, "Received: from mx%d.%s.example (mx%d.%s.example [192.0.2.%d])\n\tby mail%d.home.example with ESMTPS id %x\n\tfor <me@home.example>; %s\n",
			i, host, i, host, c.r.IntN(250), i, c.r.Uint64(), date)
	}
	fmt.Fprintf(b, "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=%s.example; s=s1;\n\th=from:to:subject:date:message-id; bh=%s;\n\tb=%s\n\t %s\n\t %s\n",
		host, signed[:44], signed[44:140], signed[140:236], signed[236:])
	fmt.Fprintf(b, "Authentication-Results: home.example; spf=pass smtp.mailfrom=%s; dkim=pass header.d=%s.example\nX-Spam-Status: No, score=-2.1\n", address, host)
	fmt.Fprintf(b, "Message-ID: %s\nDate: %s\nFrom: %s <%s>\nTo: Me Myself <me@home.example>", id, date, name, address)
	for _, p := range t.from {
		if c.r.IntN(2) == 0 {
			b.WriteString(",\n\t" + p)
		}
	}
	subject := t.subject
	if len(t.ids) > 0 {
		subject = "Re: " + subject
		fmt.Fprintf(b, "\nIn-Reply-To: %s\nReferences: %s", t.ids[len(t.ids)-1], strings.Join(t.ids, "\n\t"))
	}
	label := t.lang.charset
	raw := encode(subject, t.lang.enc)
	fmt.Fprintf(b, "\nSubject: %s\nMIME-Version: 1.0\nUser-Agent: Mutt/2.2\n", mime.BEncoding.Encode(label, string(raw)))
}

func encode(s string, e encoding.Encoding) []byte {
	if e == nil {
		return []byte(s)
	}
	out, err := encoding.ReplaceUnsupported(e.NewEncoder()).String(s)
	if err != nil {
		return []byte(s)
	}
	return []byte(out)
}

// body writes the text, mostly beside HTML, and now and then an attachment.
func (c *corpus) body(b *bytes.Buffer, l *language, text string) {
	attached := c.r.IntN(25) == 0
	if attached {
		b.WriteString("Content-Type: multipart/mixed; boundary=\"mixed=_x\"\n\n--mixed=_x\n")
	}
	switch how := c.r.IntN(20); {
	case how < 3:
		c.part(b, l, "html", c.newsletter(text))
	case how < 12:
		b.WriteString("Content-Type: multipart/alternative; boundary=\"alt=_x\"\n\n--alt=_x\n")
		c.part(b, l, "plain", text)
		b.WriteString("--alt=_x\n")
		c.part(b, l, "html", page(text))
		b.WriteString("--alt=_x--\n")
	default:
		c.part(b, l, "plain", text)
	}
	if !attached {
		return
	}
	b.WriteString("--mixed=_x\n")
	if c.r.IntN(4) == 0 {
		var table strings.Builder
		for i := range 60 {
			fmt.Fprintf(&table, "%d,%s,%s,%d\n", i, c.word(c.latin), c.word(c.latin), c.r.IntN(9000))
		}
		b.WriteString("Content-Type: text/csv; name=table.csv\nContent-Disposition: attachment; filename=table.csv\n\n" + table.String())
	} else {
		b.WriteString("Content-Type: image/jpeg; name=photo.jpg\nContent-Disposition: attachment; filename=photo.jpg\nContent-Transfer-Encoding: base64\n\n")
		picture := make([]byte, 20_000+c.r.IntN(80_000))
		for i := range picture {
			picture[i] = byte(c.r.Uint32())
		}
		lines(b, picture)
	}
	b.WriteString("--mixed=_x--\n")
}

// part writes one text in one of the encodings that are in use.
func (c *corpus) part(b *bytes.Buffer, l *language, sub, text string) {
	raw := encode(text, l.enc)
	fmt.Fprintf(b, "Content-Type: text/%s; charset=%s\n", sub, l.charset)
	switch how := c.r.IntN(10); {
	case l.charset == "iso-2022-jp":
		b.WriteString("Content-Transfer-Encoding: 7bit\n\n")
		b.Write(raw)
	case how < 4:
		b.WriteString("Content-Transfer-Encoding: quoted-printable\n\n")
		w := quotedprintable.NewWriter(b)
		w.Write(raw) //nolint:errcheck // a buffer takes everything
		w.Close()    //nolint:errcheck // as above
	case how < 6:
		b.WriteString("Content-Transfer-Encoding: base64\n\n")
		lines(b, raw)
	default:
		b.WriteString("Content-Transfer-Encoding: 8bit\n\n")
		b.Write(raw)
	}
	b.WriteString("\n")
}

// lines writes base64 in lines of 76 characters.
func lines(b *bytes.Buffer, raw []byte) {
	s := base64.StdEncoding.EncodeToString(raw)
	for len(s) > 76 {
		b.WriteString(s[:76] + "\n")
		s = s[76:]
	}
	b.WriteString(s + "\n")
}

// page is text as the HTML that mail programs make of it.
func page(text string) string {
	text = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
	var b strings.Builder
	b.WriteString("<html><head><meta http-equiv=\"Content-Type\" content=\"text/html\"><style>p.MsoNormal{margin:0cm;font-size:11.0pt;" +
		"font-family:\"Calibri\",sans-serif;} a{color:#0563C1;text-decoration:underline;}</style></head><body lang=EN><div class=WordSection1>\n")
	for p := range strings.SplitSeq(text, "\n\n") {
		b.WriteString("<p class=MsoNormal><span style='font-size:11.0pt;color:#1F497D'>" + strings.ReplaceAll(p, "\n", "<br>\n") + "</span></p>\n")
	}
	b.WriteString("<img src=\"https://track.example/o.gif\" width=1 height=1></div></body></html>\n")
	return b.String()
}

// newsletter is text as shops and papers send it: tables in tables, styles everywhere, links with long
// addresses.
func (c *corpus) newsletter(text string) string {
	text = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html><head><title>News</title><style type=\"text/css\">\n")
	for i := range 40 {
		fmt.Fprintf(&b, "@media only screen and (max-width:%dpx){.col-%d{width:100%%!important;padding:%dpx 0!important;}}\n", 320+i, i, i)
	}
	b.WriteString("</style></head><body bgcolor=\"#ffffff\"><div style=\"display:none;max-height:0;overflow:hidden\">&zwnj;&nbsp;&zwnj;&nbsp;</div>\n")
	for i, p := range strings.Split(text, "\n\n") {
		fmt.Fprintf(&b, "<table width=\"600\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\" align=\"center\"><tr><td class=\"col-%d\" style=\"padding:12px;"+
			"font-family:Arial,Helvetica,sans-serif;font-size:14px;line-height:20px;color:#333333;\"><table width=\"100%%\"><tr><td valign=\"top\">"+
			"<img src=\"https://cdn.shop.example/p/%d.png\" width=\"120\" height=\"80\" alt=\"\"></td><td><p style=\"margin:0 0 10px 0\">%s</p>"+
			"<a href=\"https://click.shop.example/f/a/%x%x/%x\" style=\"color:#1155cc;text-decoration:none\">%s</a></td></tr></table></td></tr></table>\n",
			i, c.r.IntN(9999), p, c.r.Uint64(), c.r.Uint64(), c.r.Uint64(), c.word(c.latin))
	}
	b.WriteString("</body></html>\n")
	return b.String()
}
