package ingest_test

import (
	"encoding/base64"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"

	"github.com/openhuman/openhuman-core/internal/ingest"
)

// TestPeopleInHan: people and organisations of mails and chats in Chinese and Japanese come from the
// structure, in whatever encoding; tags of notes are topics.
func TestPeopleInHan(t *testing.T) {
	word := func(name string, e encoding.Encoding, s string) string {
		b, err := e.NewEncoder().Bytes([]byte(s))
		must(t, err)
		return "=?" + name + "?B?" + base64.StdEncoding.EncodeToString(b) + "?="
	}
	gb := func(s string) string { return word("GB2312", simplifiedchinese.GBK, s) }
	jis := func(s string) string { return word("ISO-2022-JP", japanese.ISO2022JP, s) }
	utf := func(s string) string { return word("UTF-8", encoding.Nop, s) }
	mail := func(from, org, to, subject, body string) string {
		return "From: " + from + "\nOrganization: " + org + "\nTo: " + to + "\nSubject: " + subject +
			"\nMessage-ID: <" + base64.RawURLEncoding.EncodeToString([]byte(body))[:12] + "@example.com>\nDate: Wed, 1 May 2024 10:00:00 +0800\n" +
			"Content-Type: text/plain; charset=utf-8\n\n" + body + "\n"
	}
	dir, s := folder(t, "home", map[string]string{
		"zh.eml":                    mail(gb("王小丽")+" <xiaoli@example.com>", gb("北京大学"), utf("老王")+" <wang@example.com>", gb("周六搬家"), "搬家公司周六早上八点到。"),
		"ja.eml":                    mail(jis("田中 太郎")+" <tanaka@example.jp>", jis("山田工業株式会社"), utf("佐藤花子")+" <sato@example.jp>", jis("見積書の件"), "見積書は来週の月曜日に届きます。"),
		"WhatsApp Chat with 家人.txt": "2024/5/1 09:12 - 李娜: 奶奶的生日在六月\n2024/5/1 09:13 - 张伟: 好的，我订饭店 #生日\n2024/5/1 09:15 - 李娜: 订二十个人的 ＃聚餐＃七点\n",
		"搬家.md":                     "---\ntags: [办公室]\n---\n# 清单\n\n今天#搬家 要做的事 #话题# 见 #项目/新办公室\n",
		"引越.md":                     "# 引っ越し\n\n荷物を運ぶ。 #引越し #東京/事務所\n",
	}), open(t)
	run(t, ingest.Options{Store: s}, dir)
	top, err := s.TopEntities(t.Context(), "", 100, nil)
	must(t, err)
	var got []string
	for _, e := range top {
		got = append(got, e.EntityID)
	}
	slices.Sort(got)
	want := []string{
		"email:sato@example.jp", "email:tanaka@example.jp", "email:wang@example.com", "email:xiaoli@example.com",
		"hashtag:引越し", "hashtag:搬家", "hashtag:東京/事務所", "hashtag:生日", "hashtag:聚餐", "hashtag:话题", "hashtag:项目/新办公室",
		"organization:北京大学", "organization:山田工業",
		"person:佐藤花子", "person:张伟", "person:李娜", "person:王小丽", "person:田中太郎", "person:老王",
		"topic:办公室", "topic:引越し", "topic:搬家", "topic:東京/事務所", "topic:生日", "topic:聚餐", "topic:话题", "topic:项目/新办公室",
	}
	slices.Sort(want)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
