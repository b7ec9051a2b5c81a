package vecset

import "strings"

// Space names the vectors that those of a fingerprint compare with: behind a "+" a fingerprint may say
// what its model was extended with, such as other languages in the same space.
func Space(fingerprint string) string {
	space, _, _ := strings.Cut(fingerprint, "+")
	return space
}
