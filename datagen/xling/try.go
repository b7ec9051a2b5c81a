package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/openhuman/openhuman-core/datagen/algebra"
	"github.com/openhuman/openhuman-core/internal/embed/minilm"
	"github.com/openhuman/openhuman-core/internal/embed/static"
	"github.com/openhuman/openhuman-core/internal/embed/xling"
)

// try measures how well the texts of pairs that were not learnt find each other: by the words alone,
// by what the encoder makes of the translation, and by both.
func try(args []string) error {
	pairs, err := readPairs(args[2])
	if err != nil {
		return err
	}
	f, err := pack(args[0], []*entry{{word: "。", count: 1}}, nil, nil, nil)
	if err != nil {
		return err
	}
	if f.Words, err = os.ReadFile(args[1] + ".words.bin"); err != nil {
		return err
	}
	if f.Gloss, err = os.ReadFile(args[1] + ".gloss.bin"); err != nil {
		return err
	}
	stop, err := os.ReadFile(filepath.Join(filepath.Dir(args[3]), args[0]+".stop.txt"))
	if err != nil {
		return err
	}
	f.Stop = string(stop)
	lang, err := xling.Open(f)
	if err != nil {
		return err
	}
	set := xling.NewSet(lang)
	quick, err := static.Load()
	if err != nil {
		return err
	}
	model, err := minilm.Load()
	if err != nil {
		return err
	}
	instant := xling.NewInstant(quick, set)
	both := xling.NewEncoder(model, instant)
	var texts, english, translated []string
	for i, p := range pairs {
		texts, english, translated = append(texts, p.text), append(english, p.english), append(translated, set.Translate(p.text))
		if i < 10 {
			fmt.Println(p.text, "=", translated[i])
		}
	}
	ctx := context.Background()
	want, err := model.Embed(ctx, english)
	if err != nil {
		return err
	}
	center := func(vectors [][]float32) {
		for _, v := range vectors {
			quick.Center(v)
		}
	}
	center(want)
	for _, how := range []string{"words", "translation", "both"} {
		var got [][]float32
		switch how {
		case "words":
			got, err = instant.Embed(ctx, texts)
		case "translation":
			got, err = model.Embed(ctx, translated)
			center(got)
		case "both":
			got, err = both.Embed(ctx, texts)
			center(got)
		}
		if err != nil {
			return err
		}
		fmt.Printf("%-12s", how)
		for _, way := range []string{"to English", "from English"} {
			a, b := got, want
			if way == "from English" {
				a, b = want, got
			}
			r1, r10, sum := 0, 0, 0.0
			for i := range a {
				better, own := 0, algebra.Dot(a[i], b[i])
				for k := range b {
					if algebra.Dot(a[i], b[k]) > own {
						better++
					}
				}
				if better == 0 {
					r1++
				}
				if better < 10 {
					r10++
				}
				sum += own
			}
			n := float64(len(a))
			fmt.Printf("  %s R@1 %.3f R@10 %.3f cosine %.3f", way, float64(r1)/n, float64(r10)/n, sum/n)
		}
		fmt.Println()
	}
	return nil
}
