package ingest_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// fake reads files that begin with its word.
type fake struct {
	word string
	kind doc.Kind
}

func (f fake) Name() string { return strings.ToLower(f.word) }
func (fake) Version() int   { return 1 }

func (f fake) Detect(in *doc.Input) int {
	if !strings.HasPrefix(string(in.Head), f.word+"\n") {
		return 0
	}
	if strings.Contains(string(in.Head), "!detect") {
		panic("detect")
	}
	return 99
}

func (f fake) Read(_ context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	r, err := in.Open()
	if err != nil {
		return doc.Report{Outcome: doc.Failed, Reason: err.Error()}, nil
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		return doc.Report{Outcome: doc.Failed, Reason: err.Error()}, nil
	}
	for l := range strings.SplitSeq(strings.TrimPrefix(string(b), f.word+"\n"), "\n") {
		if l == "!panic" {
			panic("read")
		}
		key, text, ok := strings.Cut(l, " ")
		if !ok {
			continue
		}
		d := &doc.Document{Kind: f.kind, Key: in.Rel + "#" + key, Title: key, Time: when}
		if id, ok := strings.CutPrefix(key, "*"); ok {
			d.GlobalKey = id
		}
		if id, ok := strings.CutPrefix(key, "^"); ok {
			d.SourceID, d.Key, d.Longest = "drive:overlaps", id, true
		}
		if f.kind == doc.KindChat {
			d.Messages = []doc.Message{{Author: doc.Person{Name: "Ada"}, Time: when, Text: text}}
		} else {
			d.Body = text
		}
		if err := emit(d); err != nil {
			return doc.Report{}, fmt.Errorf("emit: %w", err)
		}
	}
	return doc.Report{Outcome: doc.OK}, nil
}
