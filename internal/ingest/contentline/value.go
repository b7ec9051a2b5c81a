package contentline

import "strings"

// Text undoes the escapes of a text value.
func Text(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n', 'N':
			b.WriteByte('\n')
		case ',', ';', ':', '\\', '"':
			b.WriteByte(s[i])
		default: // a path of Windows that nobody escaped
			b.WriteByte('\\')
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// Fields splits a value at a separator that is not escaped, and undoes the escapes of each part.
func Fields(s string, separator byte) []string {
	var out []string
	start := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case separator:
			out = append(out, Text(s[start:i]))
			start = i + 1
		}
	}
	return append(out, Text(s[start:]))
}
