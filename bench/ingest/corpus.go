package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Bounds that the product has set itself for the corpus below, in seconds of CPU of the whole process.
const (
	notes      = 2000
	coldBound  = 3.0
	againBound = 0.3
)

// corpus writes about 8 MB of Markdown notes to dir, the same ones every time.
func corpus(dir string) error {
	r := rand.New(rand.NewPCG(2026, 11))
	people := []string{"Alice Moreau", "Bob Tanaka", "Carla Núñez", "Dmitri Orlov", "Erika Schmidt", "Faisal Khan", "Grace Liu"}
	topics := []string{"budget", "kitchen", "migration", "planning", "garden", "marathon", "tax", "onboarding", "incident", "trip"}
	words := strings.Fields("the a of to and in for with on that this from by about after before while estimate invoice deadline server cluster index " +
		"query window vendor recipe flour water oven paint tile quarter forecast headcount latency packet memory cache lock rollback alert " +
		"dashboard train flight hotel ticket museum beach doctor prescription policy premium claim teacher chapter novel poem soil seed tomato")
	sentence := func(b *strings.Builder) {
		for i := range 8 + r.IntN(14) {
			w := words[r.IntN(len(words))]
			if i == 0 {
				w = strings.ToUpper(w[:1]) + w[1:]
			} else {
				b.WriteByte(' ')
			}
			b.WriteString(w)
		}
		b.WriteString(". ")
	}
	for i := range notes {
		var b strings.Builder
		topic := topics[r.IntN(len(topics))]
		fmt.Fprintf(&b, "---\ntitle: %s %04d\ntags: [%s, home]\ndate: 202%d-%02d-%02d\n---\n\n# %s %04d\n", topic, i, topic, 3+r.IntN(4), 1+r.IntN(12), 1+r.IntN(28), topic, i)
		for s := range 2 + r.IntN(4) {
			fmt.Fprintf(&b, "\n## Section %d\n\n", s+1)
			for range 8 + r.IntN(8) {
				sentence(&b)
			}
			fmt.Fprintf(&b, "\n\n- %s met %s about PRJ-%d for €%d\n- see [[%s notes]] and https://example.com/%s/%d\n",
				people[r.IntN(len(people))], people[r.IntN(len(people))], 1000+i, 10+r.IntN(9000), topic, topic, i)
		}
		if i%20 == 0 {
			fmt.Fprintf(&b, "\n今天和团队讨论了数据库迁移方案，编号PRJ-%d。\n", i)
		}
		path := filepath.Join(dir, topic, fmt.Sprintf("%s-%04d.md", topic, i))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			return err
		}
	}
	return nil
}
