package mail_test

import (
	"testing"

	"github.com/openhuman/openhuman-core/internal/ingest/mail"
)

// TestAttributions: what mail programs of many languages write above the mail that is answered goes with
// it, whether it is quoted or, with a date in it, stands below as it is.
func TestAttributions(t *testing.T) {
	for _, line := range []string{
		// Gmail
		"On Wed, May 1, 2024 at 10:00 AM Bob Tanaka <bob@x.org> wrote:",
		"Am Mi., 1. Mai 2024 um 10:00 Uhr schrieb Bob Tanaka <bob@x.org>:",
		"Le mer. 1 mai 2024 à 10:00, Bob Tanaka <bob@x.org> a écrit :",
		"El mié, 1 may 2024 a las 10:00, Bob Tanaka (<bob@x.org>) escribió:",
		"Em qua., 1 de mai. de 2024 às 10:00, Bob Tanaka <bob@x.org> escreveu:",
		"Il giorno mer 1 mag 2024 alle ore 10:00 Bob Tanaka <bob@x.org> ha scritto:",
		"Op wo 1 mei 2024 om 10:00 schreef Bob Tanaka <bob@x.org>:",
		"Den ons 1 maj 2024 kl 10:00 skrev Bob Tanaka <bob@x.org>:",
		"ons. 1. mai 2024 kl. 10:00 skrev Bob Tanaka <bob@x.org>:",
		"Den ons. 1. maj 2024 kl. 10.00 skrev Bob Tanaka <bob@x.org>:",
		"ke 1. toukok. 2024 klo 10.00 Bob Tanaka (bob@x.org) kirjoitti:",
		"śr., 1 maj 2024 o 10:00 Bob Tanaka <bob@x.org> napisał(a):",
		"st 1. 5. 2024 v 10:00 odesílatel Bob Tanaka <bob@x.org> napsal:",
		"st 1. 5. 2024 o 10:00 Bob Tanaka <bob@x.org> napísal(a):",
		"Bob Tanaka <bob@x.org> ezt írta (időpont: 2024. máj. 1., Sze, 10:00):",
		"mie., 1 mai 2024 la 10:00, Bob Tanaka <bob@x.org> a scris:",
		"ср, 1 мая 2024 г. в 10:00, Bob Tanaka <bob@x.org>:",
		"ср, 1 трав. 2024 р. о 10:00 Bob Tanaka <bob@x.org> пише:",
		"На ср, 1.05.2024 г. в 10:00 Bob Tanaka <bob@x.org> написа:",
		"Στις Τετ 1 Μαΐ 2024 στις 10:00 π.μ., ο/η Bob Tanaka <bob@x.org> έγραψε:",
		"Bob Tanaka <bob@x.org>, 1 May 2024 Çar, 10:00 tarihinde şunu yazdı:",
		"Pada tanggal Rab, 1 Mei 2024 pukul 10.00 Bob Tanaka <bob@x.org> menulis:",
		"Vào Th 4, 1 thg 5, 2024 vào lúc 10:00 Bob Tanaka <bob@x.org> đã viết:",
		"เมื่อ พ. 1 พ.ค. 2024 เวลา 10:00 Bob Tanaka <bob@x.org> เขียนว่า:",
		"\u202bבתאריך יום ד׳, 1 במאי 2024 ב-10:00 מאת \u202aBob Tanaka\u202c\u200f <\u202abob@x.org\u202c\u200f>:\u202c",
		"في الأربعاء، 1 مايو 2024 في 10:00 ص تمت كتابة ما يلي بواسطة \u202aBob Tanaka\u202c\u200f <\u202abob@x.org\u202c\u200f>:",
		"Bob Tanaka <bob@x.org> 于2024年5月1日周三 10:00写道：",
		"Bob Tanaka <bob@x.org> 於 2024年5月1日 週三 上午10:00寫道：",
		"2024年5月1日(水) 10:00 Bob Tanaka <bob@x.org>:",
		"2024년 5월 1일 (수) 오전 10:00, Bob Tanaka <bob@x.org>님이 작성:",
		"El dc., 1 de maig 2024, 10:00, Bob Tanaka <bob@x.org> va escriure:",
		"Dana sri, 1. svi 2024. u 10:00 Bob Tanaka <bob@x.org> napisao je:",
		"V V sre., 1. maj 2024 ob 10:00 je oseba Bob Tanaka <bob@x.org> napisala:",
		// Apple Mail
		"On 1 May 2024, at 10:00, Bob Tanaka <bob@x.org> wrote:",
		"> On 1 May 2024, at 10:00, Bob Tanaka <bob@x.org> wrote:",
		"Am 01.05.2024 um 10:00 schrieb Bob Tanaka <bob@x.org>:",
		"Le 1 mai 2024 à 10:00, Bob Tanaka <bob@x.org> a écrit :",
		"El 1 may 2024, a las 10:00, Bob Tanaka <bob@x.org> escribió:",
		"Il giorno 1 mag 2024, alle ore 10:00, Bob Tanaka <bob@x.org> ha scritto:",
		"No dia 1 de mai de 2024, às 10:00, Bob Tanaka <bob@x.org> escreveu:",
		"Op 1 mei 2024, om 10:00 heeft Bob Tanaka <bob@x.org> het volgende geschreven:",
		"1 maj 2024 kl. 10:00 skrev Bob Tanaka <bob@x.org>:",
		"1 мая 2024 г., в 10:00, Bob Tanaka <bob@x.org> написал(а):",
		"2024年5月1日 10:00，Bob Tanaka <bob@x.org> 写道：",
		"Bob Tanaka <bob@x.org> 於 2024年5月1日 上午10:00 寫道：",
		"2024/05/01 10:00、Bob Tanaka <bob@x.org>のメール:",
		"2024. 5. 1. 오전 10:00, Bob Tanaka <bob@x.org> 작성:",
		// Thunderbird
		"On 01/05/2024 10:00, Bob Tanaka wrote:",
		"Am 01.05.24 um 10:00 schrieb Bob Tanaka:",
		"Le 01/05/2024 à 10:00, Bob Tanaka a écrit :",
		"Il 01/05/2024 10:00, Bob Tanaka ha scritto:",
		"El 1/5/24 a las 10:00, Bob Tanaka escribió:",
		"Em 01/05/2024 10:00, Bob Tanaka escreveu:",
		"Op 01-05-2024 om 10:00 schreef Bob Tanaka:",
		"01.05.2024 10:00, Bob Tanaka пишет:",
		"W dniu 1.05.2024 o 10:00, Bob Tanaka pisze:",
		"Dne 01. 05. 24 v 10:00 Bob Tanaka napsal(a):",
		"2024. 05. 01. 10:00 keltezéssel, Bob Tanaka írta:",
		"On 2024/05/01 10:00, Bob Tanaka wrote:",
		"在 2024/5/1 10:00, Bob Tanaka 写道:",
		"Bob Tanaka 於 2024/5/1 上午 10:00 寫道:",
		"(2024/05/01 10:00), Bob Tanaka wrote:",
		"(2024/05/01 10:00), Bob Tanakaさんは書きました:",
		// others
		"* Bob Tanaka <bob@x.org> [2024-05-01 10:00]:",
		"Quoting Bob Tanaka <bob@x.org>:",
		"Bob Tanaka <bob@x.org> writes:",
		"On Wednesday, 1 May 2024 at 10:00:00 CEST, Bob Tanaka <bob@x.org> wrote:",
		"------- Original Message -------\nOn Wednesday, May 1st, 2024 at 10:00 AM, Bob Tanaka <bob@x.org> wrote:",
		"Sent from my phone\n\nOn Wed, 1 May 2024, 10:00 Bob Tanaka, <bob@x.org> wrote:",
	} {
		if got := mail.OwnWords("I agree with that.\n\n"+line+"\n\n> Shall we go?\n> Bob\n", mail.Answer); got != "I agree with that." {
			t.Errorf("above a quote, %s: %q", line, got)
		}
	}
}

// TestBlocks: what Outlook and its kin write above the mail that is answered.
func TestBlocks(t *testing.T) {
	for _, block := range []string{
		"From: Bob <bob@x.org>\nSent: Wednesday, May 1, 2024 10:00 AM\nTo: Ann\nSubject: Walk",
		"Von: Bob <bob@x.org>\nGesendet: Mittwoch, 1. Mai 2024 10:00\nAn: Ann\nBetreff: Spaziergang",
		"De : Bob <bob@x.org>\nEnvoyé : mercredi 1 mai 2024 10:00\nÀ : Ann\nObjet : Promenade",
		"De: Bob <bob@x.org>\nEnviado: miércoles, 1 de mayo de 2024 10:00\nPara: Ann\nAsunto: Paseo",
		"De: Bob <bob@x.org>\nEnviada em: quarta-feira, 1 de maio de 2024 10:00\nPara: Ann\nAssunto: Passeio",
		"Da: Bob <bob@x.org>\nInviato: mercoledì 1 maggio 2024 10:00\nA: Ann\nOggetto: Passeggiata",
		"Van: Bob <bob@x.org>\nVerzonden: woensdag 1 mei 2024 10:00\nAan: Ann\nOnderwerp: Wandeling",
		"Från: Bob <bob@x.org>\nSkickat: den 1 maj 2024 10:00\nTill: Ann\nÄmne: Promenad",
		"Fra: Bob <bob@x.org>\nSendt: onsdag 1. mai 2024 10:00\nTil: Ann\nEmne: Tur",
		"Lähettäjä: Bob <bob@x.org>\nLähetetty: keskiviikko 1. toukokuuta 2024 10.00\nVastaanottaja: Ann\nAihe: Kävely",
		"Od: Bob <bob@x.org>\nWysłano: środa, 1 maja 2024 10:00\nDo: Ann\nTemat: Spacer",
		"Od: Bob <bob@x.org>\nOdesláno: středa 1. května 2024 10:00\nKomu: Ann\nPředmět: Procházka",
		"Feladó: Bob <bob@x.org>\nElküldve: 2024. május 1. 10:00\nCímzett: Ann\nTárgy: Séta",
		"Kimden: Bob <bob@x.org>\nGönderildi: 1 Mayıs 2024 Çarşamba 10:00\nKime: Ann\nKonu: Yürüyüş",
		"От: Bob <bob@x.org>\nОтправлено: 1 мая 2024 г. 10:00\nКому: Ann\nТема: Прогулка",
		"Από: Bob <bob@x.org>\nΣτάλθηκε: Τετάρτη, 1 Μαΐου 2024 10:00\nΠρος: Ann\nΘέμα: Περίπατος",
		"发件人: Bob <bob@x.org>\n发送时间: 2024年5月1日 10:00\n收件人: Ann\n主题: 散步",
		"寄件者: Bob <bob@x.org>\n寄件日期: 2024年5月1日 10:00\n收件者: Ann\n主旨: 散步",
		"差出人: Bob <bob@x.org>\n送信日時: 2024年5月1日 10:00\n宛先: Ann\n件名: 散歩",
		"보낸 사람: Bob <bob@x.org>\n보낸 날짜: 2024년 5월 1일 10:00\n받는 사람: Ann\n제목: 산책",
		"מאת: Bob <bob@x.org>\nנשלח: יום רביעי 01 מאי 2024 10:00\nאל: Ann\nנושא: טיול",
		"De la: Bob <bob@x.org>\nTrimis: miercuri, 1 mai 2024 10:00\nCătre: Ann\nSubiect: Plimbare",
	} {
		for _, rule := range []string{"", "________________________________\n"} {
			if got := mail.OwnWords("I agree with that.\n\n"+rule+block+"\n\nShall we go?\n\nBob\n", mail.Answer); got != "I agree with that." {
				t.Errorf("%q: %q", block, got)
			}
		}
	}
}
