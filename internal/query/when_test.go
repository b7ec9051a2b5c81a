package query_test

import (
	"testing"
	"time"

	"github.com/openhuman/openhuman-core/internal/query"
)

func TestWhen(t *testing.T) {
	now := time.Date(2024, 5, 15, 10, 0, 0, 0, time.UTC) // a Wednesday
	for question, want := range map[string]string{
		"what happened in August 2023":      "2023-08-01 2023-09-01",
		"who came on 5 July 2022?":          "2022-07-05 2022-07-06",
		"on July 5th, 2022":                 "2022-07-05 2022-07-06",
		"the end of Sept. of 2022":          "2022-09-01 2022-10-01",
		"standup of 2024-09-02":             "2024-09-02 2024-09-03",
		"invoices of 2024/3":                "2024-03-01 2024-04-01",
		"what did we plant in March":        "2024-03-01 2024-04-01",
		"what did we plant in June?":        "2023-06-01 2023-07-01",
		"booked for 6 March":                "2024-03-06 2024-03-07",
		"Who called on the 1st of December": "2023-12-01 2023-12-02",
		"what did I promise yesterday":      "2024-05-14 2024-05-15",
		"the call of last night":            "2024-05-14 2024-05-15",
		"notes of the day before yesterday": "2024-05-13 2024-05-14",
		"what is new today?":                "2024-05-15 2024-05-16",
		"decisions of last week":            "2024-05-06 2024-05-13",
		"mails this week":                   "2024-05-13 2024-05-20",
		"who visited last month":            "2024-04-01 2024-05-01",
		"where did we go last year":         "2023-01-01 2024-01-01",

		"三月我们种了什么":     "2024-03-01 2024-04-01",
		"十一月的会议":       "2023-11-01 2023-12-01",
		"去年三月的旅行":      "2023-03-01 2023-04-01",
		"去年的旅行":        "2023-01-01 2024-01-01",
		"3月5日谁打来电话":    "2024-03-05 2024-03-06",
		"三月二十三号的航班":    "2024-03-23 2024-03-24",
		"2022年7月5日的合同": "2022-07-05 2022-07-06",
		"２０２２年７月の契約":   "2022-07-01 2022-08-01",
		"二〇二二年十月签了什么":  "2022-10-01 2022-11-01",
		"令和5年3月の会議":    "2023-03-01 2023-04-01",
		"令和元年十二月":      "2019-12-01 2020-01-01",
		"昨年の3月に何があった?": "2023-03-01 2023-04-01",
		"昨日の打ち合わせ":     "2024-05-14 2024-05-15",
		"一昨日の電話":       "2024-05-13 2024-05-14",
		"前天谁来过":        "2024-05-13 2024-05-14",
		"上周讨论了什么":      "2024-05-06 2024-05-13",
		"先週の議事録":       "2024-05-06 2024-05-13",
		"上个月的账单":       "2024-04-01 2024-05-01",
		"先々月の請求書":      "2024-03-01 2024-04-01",
		"おととしの写真":      "2022-01-01 2023-01-01",
		"一昨年のことを教えて":   "2022-01-01 2023-01-01",

		"in 2024-13": "", "in 2024": "", "tax return for 2022": "", "": "", "the march of progress": "", "may I ask": "",
		"30 February 2024": "2024-02-01 2024-03-01", "三个月的假期": "", "3か月の休み": "", "5 apples": "", "version 2024.77": "",
	} {
		span, ok := query.When(question, now)
		got := ""
		if ok {
			got = span.From.Format(time.DateOnly) + " " + span.Until.Format(time.DateOnly)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}

func TestSpanFit(t *testing.T) {
	now := time.Date(2024, 5, 15, 10, 0, 0, 0, time.UTC)
	day := func(s string) time.Time {
		at, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return at.Add(time.Hour)
	}
	for _, c := range []struct {
		question       string
		best, some, no string
	}{
		{"on 5 March 2024", "2024-03-05", "2024-03-28", "2024-04-05"},
		{"in March 2024", "2024-03-31", "", "2024-04-01"},
		{"去年", "", "2023-07-01", "2024-01-01"},
	} {
		span, ok := query.When(c.question, now)
		if !ok {
			t.Fatalf("%q names no time", c.question)
		}
		if c.best != "" && span.Fit(day(c.best)) != 1 {
			t.Errorf("%q: %s fits by %v", c.question, c.best, span.Fit(day(c.best)))
		}
		if c.some != "" {
			if fit := span.Fit(day(c.some)); fit <= 0 || fit >= 1 {
				t.Errorf("%q: %s fits by %v", c.question, c.some, fit)
			}
		}
		if fit := span.Fit(day(c.no)); fit != 0 {
			t.Errorf("%q: %s fits by %v", c.question, c.no, fit)
		}
	}
}

func TestSpanAlone(t *testing.T) {
	now := time.Date(2024, 5, 15, 10, 0, 0, 0, time.UTC)
	for question, want := range map[string]bool{
		"what happened yesterday?": true, "yesterday": true, "what did I write in March": true, "notes of 2024-03-05": true,
		"last week": true, "昨天我们做了什么": true, "昨日は何をしましたか": true, "昨日何があった?": true, "3月5日的笔记": true,
		"who visited in March": false, "the boiler last week": false, "去年的旅行": false, "昨日の打ち合わせ": false,
	} {
		if span, ok := query.When(question, now); !ok || span.Alone != want {
			t.Errorf("%q: %v %v", question, span.Alone, ok)
		}
	}
}
