package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/datagen/onnx"
)

func TestOwnProse(t *testing.T) {
	dir := t.TempDir()
	for _, part := range []string{"noun", "verb", "adj"} {
		// As in WordNet: a head of licence lines, then lemma, senses, pointers, senses met in texts.
		lines := "  1 licence\nseen" + part + " n 1 2 @ ~ 1 1 00000001\nunseen n 1 0 1 0 00000002\ntwo_words n 1 0 1 1 00000003\n"
		if err := os.WriteFile(filepath.Join(dir, "index."+part), []byte(lines), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := ownProse(dir, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(out, "\n")
	if len(out) != corpusProse || strings.ContainsAny(all, "{}=#") || strings.Contains(all, "unseen") ||
		strings.Contains(all, "two_words") || !strings.Contains(all, "seenverb") {
		t.Errorf("%d sentences, the first %q", len(out), out[:3])
	}
}

func TestONNXRefusesBroken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.onnx")
	// A model with a graph with one initializer: name "w", raw data of 4 bytes, dims [1].
	tensor := []byte{0x08, 1, 0x42, 1, 'w', 0x4a, 4, 0, 0, 0x80, 0x3f}
	graph := append([]byte{0x2a, byte(len(tensor))}, tensor...)
	model := append([]byte{0x3a, byte(len(graph))}, graph...)
	if err := os.WriteFile(path, model, 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := onnx.Load(path)
	if err != nil || got["w"] == nil || got["w"].Floats()[0] != 1 || got["w"].Dims[0] != 1 {
		t.Fatalf("%v, %v", got, err)
	}
	for n := 1; n < len(model); n++ {
		if err := os.WriteFile(path, model[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := onnx.Load(path); err == nil {
			t.Errorf("loaded %d of %d bytes", n, len(model))
		}
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"vocab"}, {"nothing", "a", "b"}} {
		if err := run(args); err == nil || !strings.Contains(err.Error(), "usage") {
			t.Errorf("%q: %v", args, err)
		}
	}
}
