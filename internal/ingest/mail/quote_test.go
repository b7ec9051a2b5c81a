package mail_test

import (
	"strings"
	"testing"
	"time"

	"github.com/openhuman/openhuman-core/internal/ingest/mail"
)

func TestOwnWords(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing to cut", "Hello Bob,\n\nsee you at ten.\n\nAnn", "Hello Bob,\n\nsee you at ten.\n\nAnn"},
		{"answer above", "I agree.\n\nOn Wed, May 1, 2024 at 10:00 AM Bob <bob@x.org> wrote:\n> Shall we?\n> Bob\n", "I agree."},
		{"attribution over two lines", "I agree.\n\nOn Wed, May 1, 2024 at 10:00 AM Bob Long Name\n<bob@x.org> wrote:\n\n> Shall we?\n", "I agree."},
		{"answer below", "On 1 May 2024, Bob wrote:\n> Long story.\n> \n> Shall we?\n\nYes, at ten.", "> Shall we?\n\nYes, at ten."},
		{"interleaved", "Hi Bob,\n\nOn 1 May 2024, Bob wrote:\n> When?\n\nAt ten.\n\n> Where?\n\nIn the library.\n\n> Bye\n> Bob", "Hi Bob,\n\n> When?\n\nAt ten.\n\n> Where?\n\nIn the library."},
		{"long quote before an answer", "> " + strings.Repeat("line\n> ", 40) + "last question?\nYes.", "> line\n> line\n> line\n> line\n> line\n> last question?\nYes."},
		{"quote only", "> all of this\n> is quoted", "> all of this\n> is quoted"},
		{"attribution and quote only", "On 1 May 2024, Bob wrote:\n> all of this", "> all of this"},
		{"unmarked history", "I agree.\n\nOn Wed, May 1, 2024 at 10:00 AM, Bob <bob@x.org> wrote:\n\nShall we?\nBob", "I agree."},
		{"a sentence with wrote", "On my trip I met Carl who wrote:\n\na poem about the sea.", "On my trip I met Carl who wrote:\n\na poem about the sea."},
		{"a list of one's own", "Please note.\n\nTalk with Bob (bob@x.org) on 2024-05-01 10:00:\n\nthe plan", "Please note.\n\nTalk with Bob (bob@x.org) on 2024-05-01 10:00:\n\nthe plan"},
		{"German", "Einverstanden.\n\nAm 01.05.2024 um 10:00 schrieb Bob:\n> Wollen wir?", "Einverstanden."},
		{"French", "D'accord.\n\nLe 1 mai 2024 à 10:00, Bob <bob@x.org> a écrit :\n> On y va ?", "D'accord."},
		{"Spanish", "De acuerdo.\n\nEl mié, 1 may 2024 a las 10:00, Bob (<bob@x.org>) escribió:\n> ¿Vamos?", "De acuerdo."},
		{"Portuguese", "Concordo.\n\nEm qua., 1 de mai. de 2024 às 10:00, Bob <bob@x.org> escreveu:\n> Vamos?", "Concordo."},
		{"Italian", "Va bene.\n\nIl giorno mer 1 mag 2024 alle ore 10:00 Bob <bob@x.org> ha scritto:\n> Andiamo?", "Va bene."},
		{"Dutch", "Akkoord.\n\nOp wo 1 mei 2024 om 10:00 schreef Bob <bob@x.org>:\n> Gaan we?", "Akkoord."},
		{"Polish", "Zgoda.\n\nW dniu 1.05.2024 o 10:00, Bob napisał(a):\n> Idziemy?", "Zgoda."},
		{"Russian", "Согласен.\n\nср, 1 мая 2024 г. в 10:00, Bob <bob@x.org> пишет:\n> Пойдём?", "Согласен."},
		{"Swedish", "Okej.\n\nDen ons 1 maj 2024 kl 10:00 skrev Bob <bob@x.org>:\n> Ska vi?", "Okej."},
		{"Chinese", "同意。\n\n在 2024年5月1日，Bob 写道：\n> 我们走吗？", "同意。"},
		{"Chinese Gmail", "同意。\n\nBob <bob@x.org> 于2024年5月1日周三 10:00写道：\n> 我们走吗？", "同意。"},
		{"Japanese", "了解です。\n\n2024年5月1日(水) 10:00 Bob <bob@x.org>のメール：\n> 行きますか。", "了解です。"},
		{"Gmail in Japanese", "了解です。\n\n2024年5月1日(水) 10:00 Bob <bob@x.org>:\n> 行きますか。", "了解です。"},
		{"inline pictures", "[cid:image001.png@01D9]\nHello [1]\n[image: logo.png]\n<photo.jpg>\n[not a picture]", "Hello [1]\n[not a picture]"},
		{"Korean", "동의합니다.\n\n2024년 5월 1일 (수) 오전 10:00, Bob <bob@x.org>님이 작성:\n> 갈까요?", "동의합니다."},
		{"Outlook mark", "I agree.\n\n-----Original Message-----\nFrom: Bob\nSent: Wednesday\nTo: Ann\nSubject: Shall we\n\nShall we?", "I agree."},
		{"Outlook mark in German", "Einverstanden.\n\n-----Ursprüngliche Nachricht-----\nVon: Bob\nGesendet: Mittwoch\nAn: Ann\nBetreff: Wollen wir\n\nWollen wir?", "Einverstanden."},
		{"Outlook block", "I agree.\n\n________________________________\nFrom: Bob <bob@x.org>\nSent: Wednesday, May 1, 2024 10:00 AM\nTo: Ann\nSubject: Shall we\n\nShall we?", "I agree."},
		{"Outlook block in bold", "I agree.\n\n*From:* Bob <bob@x.org>\n*Sent:* Wednesday\n*To:* Ann\n*Subject:* Shall we\n\nShall we?", "I agree."},
		{"Outlook block in Chinese", "同意。\n\n发件人: Bob\n发送时间: 2024年5月1日\n收件人: Ann\n主题: 走吗\n\n走吗？", "同意。"},
		{"history only", "-----Original Message-----\nFrom: Bob\nTo: Ann\nSubject: S\n\nShall we?", "-----Original Message-----\nFrom: Bob\nTo: Ann\nSubject: S\n\nShall we?"},
		{"a list that begins with From", "From: the harbour\nVia: the bridge\n\nis how you walk.", "From: the harbour\nVia: the bridge\n\nis how you walk."},
		{"forwarded", "FYI\n\n---------- Forwarded message ---------\nFrom: Carl <carl@x.org>\nDate: Tue\nSubject: Plan\nTo: Ann\n\nThe plan.", "FYI\n\n---------- Forwarded message ---------\nFrom: Carl <carl@x.org>\nDate: Tue\nSubject: Plan\nTo: Ann\n\nThe plan."},
		{"signature", "Hello\n\n-- \nAnn Moreau\nHarbour Works", "Hello"},
		{"signature only", "-- \nAnn Moreau", "--\nAnn Moreau"},
		{"signature above the history", "Hello\n\n-- \nAnn\n\nOn 1 May 2024, Bob wrote:\n> Shall we?", "Hello"},
		{"two dashes far from the end", "Part one\n--\n" + strings.Repeat("line\n", 60), "Part one\n--\n" + strings.TrimSpace(strings.Repeat("line\n", 60))},
		{"phone", "On my way.\n\nSent from my iPhone", "On my way."},
		{"phone in German", "Bin unterwegs.\n\nVon meinem iPhone gesendet", "Bin unterwegs."},
		{"list footer", "Hello list\n\n_______________________________________________\nDev mailing list\ndev@x.org\nhttps://x.org/mailman/listinfo/dev\n", "Hello list"},
		{"Google group", "Hello group\n\n-- \nYou received this message because you are subscribed to the Google Groups \"dev\" group.\nTo unsubscribe from this group, send an email to dev+unsubscribe@googlegroups.com.", "Hello group"},
		{"newsletter", "News of May.\n\nYou get this because you signed up. Unsubscribe here.", "News of May."},
		{"legal notice", "Hello Bob\n\nThis e-mail and any attachments are confidential and intended solely for the addressee. If you have received it in error, please notify the sender and delete it.", "Hello Bob"},
		{"legal notice in German", "Hallo Bob\n\nDiese E-Mail enthält vertrauliche Informationen. Wenn Sie nicht der richtige Adressat sind oder diese E-Mail irrtümlich erhalten haben, informieren Sie bitte den Absender und vernichten Sie diese Mail. Unbefugte Weitergabe ist nicht gestattet.", "Hallo Bob"},
		{"notice after signature after footer", "Hello\n\n-- \nAnn\n\n_______________________________________________\nDev mailing list\ndev@x.org", "Hello"},
		{"notice only", "This e-mail and any attachments are confidential and intended solely for the addressee. If you have received it in error, please notify the sender and delete it.", "This e-mail and any attachments are confidential and intended solely for the addressee. If you have received it in error, please notify the sender and delete it."},
		{"talk about confidentiality", "Please keep this confidential.\n\nAnn", "Please keep this confidential.\n\nAnn"},
		{"printing", "Hello\n\nPlease consider the environment before printing this email.", "Hello"},
		{"empty", "", ""},
	} {
		if got := mail.OwnWords(c.in, mail.Answer); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestForwardedInOutlookStaysWhole(t *testing.T) {
	in := "FYI\n\nFrom: Carl <carl@x.org>\nSent: Tuesday\nTo: Ann\nSubject: Plan\n\nThe plan.\n\nFrom: Dora\nSent: Monday, April 29, 2024 9:00 AM\nTo: Carl\nSubject: Plan\n\nOlder."
	if got, want := mail.OwnWords(in, mail.Forwarded), "FYI\n\nFrom: Carl <carl@x.org>\nSent: Tuesday\nTo: Ann\nSubject: Plan\n\nThe plan."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	d := one(t, strings.Replace(withBody("", in), "Subject: Test", "Subject: FW: Plan", 1))
	if !strings.HasSuffix(d.Body, "The plan.") {
		t.Errorf("got %q", d.Body)
	}
}

// Header lines in a text are the sender's own unless they are surely those of a mail that it answers.
func TestHeaderLinesOfOnesOwn(t *testing.T) {
	for _, c := range []struct {
		name, in string
		answers  bool // whether it holds for an answer too
	}{
		{"a web form", "New request:\n\nFrom: Paul\nTo: Sales\nSubject: lamp\n\nthe text", true},
		{"a web form with a date", "New request:\n\nFrom: Paul Winter\nDate: 3 June 2024\nTo: Sales\nSubject: lamp\n\nthe text", false},
		{"a web form with an address", "New request:\n\nFrom: Paul <paul@x.org>\nTo: Sales\nSubject: lamp\n\nthe text", false},
		{"a web form with rules", "New request:\n\n----------------------------------------\nFrom: Paul <paul@x.org>\nDate: 3 June 2024\nSubject: lamp\n----------------------------------------\nthe text", false},
		{"a rule and no address", "New request:\n\n____________________________\nFrom: Paul\nTo: Sales\nSubject: lamp\n\nthe text", false},
		{"a journey", "The plan:\n\nFrom: Berlin\nTo: Paris\nDate: 3 June\n\nthe text", true},
		{"a journey in German", "Der Plan:\n\nVon: Berlin\nAn: Paris\nBetreff: Reise\n\nder Text", true},
		{"a journey in French", "Le plan :\n\nDe : la gare\nDate : demain\nÀ : la maison\nObjet : voyage\n\nle texte", true},
		{"what to fill in", "Fill in:\n\nFrom: your home address\nSent: the day you leave\nTo: where you go\nSubject: why you go\n\nand send it back.", true},
		{"indented", "The header was:\n\n  From: \"Ian\" <ian@x.org>\n  To: Ann <ann@x.org>\n  Subject: yeah\n\nIt cannot be delivered.", true},
		{"at the top", "From: Paul <paul@x.org>\nTo: Sales\nSubject: lamp\n\nthe text", true},
		{"an excerpt", "Look at this:\n\nOn Wed, May 1, 2024 at 10:00 AM, Bob <bob@x.org> wrote:\n\nShall we?\n\nWhat do you say?", false},
	} {
		if got := mail.OwnWords(c.in, mail.Fresh); got != c.in {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.in)
		}
		if got := one(t, withBody("", c.in)).Body; got != c.in {
			t.Errorf("%s in a mail:\n got %q\nwant %q", c.name, got, c.in)
		}
		if got := mail.OwnWords(c.in, mail.Answer); (got == c.in) != c.answers {
			t.Errorf("%s in an answer:\n got %q", c.name, got)
		}
	}
}

// An answer says in one of several ways that it is one.
func TestAnswers(t *testing.T) {
	const text = "I agree.\n\nFrom: Bob <bob@x.org>\nSent: Wednesday, May 1, 2024 10:00 AM\nTo: Ann\nSubject: Shall we\n\nShall we?"
	for _, subject := range []string{"Re: S", "RE: S", "re[2]: S", "[list] Re: S", "AW: S", "Antw.: S", "SV: S", "回复：S", "回复: S", "Odp: S", "R: S"} {
		if got := one(t, strings.Replace(withBody("", text), "Subject: Test", "Subject: "+subject, 1)).Body; got != "I agree." {
			t.Errorf("%s: got %q", subject, got)
		}
	}
	for _, header := range []string{"In-Reply-To: <0@x.org>\n", "References: <0@x.org>\n"} {
		if got := one(t, withBody(header, text)).Body; got != "I agree." {
			t.Errorf("%s: got %q", header, got)
		}
	}
	for _, subject := range []string{"Test", "Result: S", "Re the plan", "Ref 12: S", "10:00"} {
		if got := one(t, strings.Replace(withBody("", text), "Subject: Test", "Subject: "+subject, 1)).Body; got != text {
			t.Errorf("%s: got %q", subject, got)
		}
	}
	if got := one(t, withBody("", strings.Replace(text, "From:", "________________________________\nFrom:", 1))).Body; got != "I agree." {
		t.Errorf("below Outlook's rule: got %q", got)
	}
}

// What mail programs write in HTML is recognised as what they write in plain text.
func TestHistoryInHTML(t *testing.T) {
	for name, in := range map[string]string{
		"Gmail":              `<div dir="ltr">I agree.</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Wed, May 1, 2024 at 10:00 AM Bob &lt;<a href="mailto:bob@x.org">bob@x.org</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0"><div>Shall we?</div></blockquote></div>`,
		"Thunderbird":        `<p>I agree.</p><div class="moz-cite-prefix">On 5/1/24 10:00, Bob wrote:<br></div><blockquote type="cite" cite="mid:x"><p>Shall we?</p></blockquote>`,
		"Apple Mail":         `<div>I agree.</div><div><br><blockquote type="cite"><div>On 1 May 2024, at 10:00, Bob &lt;bob@x.org&gt; wrote:</div><br><div>Shall we?</div></blockquote></div>`,
		"Outlook":            `<div class=WordSection1><p class=MsoNormal>I agree.<o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p></p><div style='border:none;border-top:solid #E1E1E1 1.0pt'><p class=MsoNormal><b>From:</b> Bob &lt;bob@x.org&gt; <br><b>Sent:</b> Wednesday, May 1, 2024 10:00 AM<br><b>To:</b> Ann<br><b>Subject:</b> Shall we<o:p></o:p></p></div><p class=MsoNormal>Shall we?</p></div>`,
		"Outlook on the web": `<div>I agree.</div><div id="appendonsend"></div><hr style="display:inline-block;width:98%"><div id="divRplyFwdMsg" dir="ltr"><font face="Calibri"><b>Von:</b> Bob<br><b>Gesendet:</b> Mittwoch<br><b>An:</b> Ann<br><b>Betreff:</b> Wollen wir</font></div><div>Wollen wir?</div>`,
		"Yahoo":              `<div>I agree.</div><div class="yahoo_quoted"><div>On Wednesday, May 1, 2024 at 10:00:00 AM GMT+2, Bob &lt;bob@x.org&gt; wrote: </div><div><br></div><div>Shall we?</div></div>`,
	} {
		if got := one(t, withBody("In-Reply-To: <0@x.org>\nContent-Type: text/html; charset=utf-8\n", in)).Body; got != "I agree." {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// Whatever a text looks like, trimming takes linear time.
func TestOwnWordsOfHostileTexts(t *testing.T) {
	for name, in := range map[string]string{
		"quotes and rules":  strings.Repeat("> x\n***\n", 200_000),
		"quotes and blanks": strings.Repeat("> x\n\n\n\n", 200_000),
		"blank lines":       "> x\n" + strings.Repeat("\n", 1_000_000) + "> y\nz",
		"attributions":      strings.Repeat("On 1 May 2024, Bob wrote:\n", 200_000),
		"froms":             strings.Repeat("From: x\n", 300_000),
		"footers":           "text\n\n" + strings.Repeat("unsubscribe\n\n", 200_000),
		"dashes":            "text\n" + strings.Repeat("-- \n", 300_000),
		"depth":             strings.Repeat(">", 1_000_000),
	} {
		start := time.Now()
		if got := mail.OwnWords(in, mail.Answer); strings.TrimSpace(got) == "" {
			t.Errorf("%s: nothing is left", name)
		}
		d := time.Since(start)
		if d > 20*time.Second {
			t.Errorf("%s: took %v", name, d)
		}
	}
}
