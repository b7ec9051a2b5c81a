package main

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/pkg/controller"
)

// A conversation is a chat with questions about it and the turns that answer them.
type conversation struct {
	ID    string `json:"sample_id"`
	Turns map[string]struct {
		Session int    `json:"session"`
		Text    string `json:"text"`
	} `json:"turns"`
	Questions []struct {
		Question string `json:"question"`
		Evidence []struct {
			Session int    `json:"session"`
			Text    string `json:"text"`
		} `json:"evidence"`
	} `json:"questions"`
}

// evidence is how much of what answers the questions came back.
type evidence struct {
	questions                              int
	at1000, at2000, session5, mrr, seconds float64
}

func (e *evidence) add(o evidence) {
	e.questions += o.questions
	e.at1000 += o.at1000
	e.at2000 += o.at2000
	e.session5 += o.session5
	e.mrr += o.mrr
	e.seconds += o.seconds
}

const (
	mostRead   = 16_000 // characters that are read of an answer
	tellsApart = 30     // shorter turns stand in many sessions
)

func normal(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// measureConversation asks every question of the conversation at path, NAME.questions.json, whose
// text is NAME.jsonl.
func measureConversation(ctx context.Context, m models, stage, tool, path string) (sum evidence, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return sum, err
	}
	var c conversation
	if err := json.Unmarshal(data, &c); err != nil {
		return sum, err
	}
	mem, err := newMemory(ctx, m, stage, strings.TrimSuffix(path, ".questions.json")+".jsonl")
	if err != nil {
		return sum, err
	}
	defer mem.Close()
	type turn struct {
		text    string
		session int
	}
	var turns []turn
	for _, t := range c.Turns {
		if n := normal(t.Text); len(n) >= tellsApart {
			turns = append(turns, turn{n, t.Session})
		}
	}
	for _, q := range c.Questions {
		rows, took, err := mem.ask(ctx, tool, q.Question, 50)
		if err != nil {
			return sum, err
		}
		one := evidence{questions: 1, seconds: took.Seconds()}
		var bodies []string
		for size := 0; len(rows) > 0 && size <= mostRead; rows = rows[1:] {
			r, err := mem.GetChunk(ctx, controller.GetChunkParams{ChunkID: rows[0].ChunkID})
			if err != nil {
				return sum, err
			}
			bodies = append(bodies, normal(r.Chunk.Content))
			size += len(r.Chunk.Content)
		}
		for i, tokens := range []int{1000, 2000} {
			room := 4 * tokens
			var read strings.Builder
			for _, b := range bodies {
				if room <= 0 {
					break
				}
				read.WriteString("\n" + b[:min(len(b), room)])
				room -= len(b)
			}
			for _, e := range q.Evidence {
				if strings.Contains(read.String(), normal(e.Text)) {
					*[]*float64{&one.at1000, &one.at2000}[i] += 1 / float64(len(q.Evidence))
				}
			}
		}
		var wanted, seen []int
		for _, e := range q.Evidence {
			if !slices.Contains(wanted, e.Session) {
				wanted = append(wanted, e.Session)
			}
		}
		for i, b := range bodies {
			for _, e := range q.Evidence {
				if one.mrr == 0 && strings.Contains(b, normal(e.Text)) {
					one.mrr = 1 / float64(i+1)
				}
			}
			var of []int
			for _, t := range turns {
				if !slices.Contains(of, t.session) && !slices.Contains(seen, t.session) && strings.Contains(b, t.text) {
					of = append(of, t.session)
				}
			}
			slices.Sort(of)
			seen = append(seen, of...)
		}
		for _, s := range seen[:min(5, len(seen))] {
			if slices.Contains(wanted, s) {
				one.session5 += 1 / float64(len(wanted))
			}
		}
		sum.add(one)
	}
	return sum, nil
}

func (e evidence) mean() evidence {
	n := float64(e.questions)
	return evidence{e.questions, e.at1000 / n, e.at2000 / n, e.session5 / n, e.mrr / n, e.seconds / n}
}

func (e evidence) took() time.Duration { return time.Duration(e.seconds * float64(time.Second)) }
