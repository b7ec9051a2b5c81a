package xling

// Data are the files that are part of the program.
func Data() map[string][]byte {
	out := map[string][]byte{}
	for _, f := range files() {
		out[f.Name+" words"], out[f.Name+" glosses"] = f.Words, f.Gloss
	}
	return out
}

// Reopen opens all languages anew.
func Reopen() error {
	for _, f := range files() {
		if _, err := Open(f); err != nil {
			return err
		}
	}
	return nil
}

// Simplified is a text in simplified characters.
func (s *Set) Simplified(t string) string { return s.simplified(t) }

// Words are the words of a text in other languages, as they are cut.
func (s *Set) Words(t string) (list []string) {
	s.visit(t, visitor{
		word:  func(_ *Language, _ int32, written []byte) { list = append(list, string(written)) },
		other: func(string) { list = append(list, "") },
	})
	return list
}
