// Command datagen makes the data files of the embedding models from what they are derived from. It
// is run by hand, once per change of a source; README.md beside it says how.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/openhuman/openhuman-core/internal/embed/wordpiece"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "datagen:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	steps := map[string]struct {
		usage string
		args  int
		run   func(args []string) error
	}{
		"vocab":   {"VOCAB.txt OUT", 2, packVocab},
		"minilm":  {"MODEL.onnx OUT", 2, packMiniLM},
		"corpus":  {"WORDNET-FOLDER OUT", 2, corpus},
		"teacher": {"CORPUS OUT", 2, teacher},
		"static":  {"CORPUS TEACHER OUT", 3, distil},
	}
	if len(args) > 0 {
		if s, ok := steps[args[0]]; ok && len(args)-1 == s.args {
			return s.run(args[1:])
		}
	}
	var usage []string
	for name, s := range steps {
		usage = append(usage, "datagen "+name+" "+s.usage)
	}
	return fmt.Errorf("usage:\n%s", strings.Join(usage, "\n"))
}

// packVocab packs a vocabulary, one token a line, for lookup in place.
func packVocab(args []string) error {
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	packed, err := wordpiece.Pack(strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"))
	if err != nil {
		return err
	}
	return os.WriteFile(args[1], packed, 0o644)
}
