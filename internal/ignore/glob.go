package ignore

// A glob is a pattern in parts.
type glob []part

type partKind int

const (
	exact  partKind = iota // these bytes
	any1                   // one byte that is no slash
	many                   // any bytes but slashes
	deep                   // any bytes
	levels                 // nothing, or any bytes up to a slash and that slash: "**/"
	class                  // one byte of a set, never a slash
)

type part struct {
	kind partKind
	text string
	set  *[256]bool
}

// compileGlob reads a pattern. never says that it matches nothing.
func compileGlob(p string) (g glob, never bool) {
	literal := func(b string) {
		if n := len(g); n > 0 && g[n-1].kind == exact {
			g[n-1].text += b
			return
		}
		g = append(g, part{kind: exact, text: b})
	}
	for i := 0; i < len(p); {
		switch p[i] {
		case '\\':
			if i+1 == len(p) {
				return nil, true
			}
			literal(p[i+1 : i+2])
			i += 2
		case '?':
			g = append(g, part{kind: any1})
			i++
		case '*':
			end := i
			for end < len(p) && p[end] == '*' {
				end++
			}
			whole := end-i >= 2 && (i == 0 || p[i-1] == '/')
			switch {
			case whole && end == len(p):
				g = append(g, part{kind: deep})
			case whole && p[end] == '/':
				g = append(g, part{kind: levels})
				end++
			case whole && p[end] == '\\' && end+1 < len(p) && p[end+1] == '/':
				g = append(g, part{kind: deep})
			default:
				g = append(g, part{kind: many})
			}
			i = end
		case '[':
			set, end, ok := compileClass(p, i+1)
			if !ok {
				return nil, true
			}
			g = append(g, part{kind: class, set: set})
			i = end
		default:
			literal(p[i : i+1])
			i++
		}
	}
	return g, false
}

// compileClass reads what follows a bracket and returns where it ends.
func compileClass(p string, i int) (set *[256]bool, end int, ok bool) {
	set = new([256]bool)
	negated := false
	if i < len(p) && (p[i] == '!' || p[i] == '^') {
		negated = true
		i++
	}
	// one reads a byte that may be escaped.
	one := func() (byte, bool) {
		if p[i] == '\\' {
			i++
		}
		if i >= len(p) {
			return 0, false
		}
		b := p[i]
		i++
		return b, true
	}
	for first := true; ; first = false {
		if i >= len(p) {
			return nil, 0, false
		}
		if p[i] == ']' && !first {
			i++
			break
		}
		if p[i] == '[' && i+1 < len(p) && p[i+1] == ':' {
			if named, after, closed := namedClass(p, i+2); closed {
				if named == nil {
					return nil, 0, false
				}
				for b := range 256 {
					set[b] = set[b] || named(byte(b))
				}
				i = after
				continue
			}
		}
		low, ok := one()
		if !ok {
			return nil, 0, false
		}
		high := low
		if i+1 < len(p) && p[i] == '-' && p[i+1] != ']' {
			i++
			if high, ok = one(); !ok {
				return nil, 0, false
			}
		}
		set[low] = true // also in a range that runs backwards
		for b := int(low); b <= int(high); b++ {
			set[b] = true
		}
	}
	if negated {
		for b := range set {
			set[b] = !set[b]
		}
	}
	set['/'] = false
	return set, i, true
}

// namedClass reads the rest of "[:alpha:]". closed says that it is one; the function is nil when there
// is none of the name.
func namedClass(p string, i int) (in func(byte) bool, after int, closed bool) {
	end := i
	for end < len(p) && p[end] != ']' {
		end++
	}
	if end >= len(p) || end == i || p[end-1] != ':' {
		return nil, 0, false
	}
	return asciiClass(p[i : end-1]), end + 1, true
}

func asciiClass(name string) func(byte) bool {
	lower := func(b byte) bool { return 'a' <= b && b <= 'z' }
	upper := func(b byte) bool { return 'A' <= b && b <= 'Z' }
	digit := func(b byte) bool { return '0' <= b && b <= '9' }
	alnum := func(b byte) bool { return lower(b) || upper(b) || digit(b) }
	graph := func(b byte) bool { return '!' <= b && b <= '~' }
	switch name {
	case "lower":
		return lower
	case "upper":
		return upper
	case "digit":
		return digit
	case "alpha":
		return func(b byte) bool { return lower(b) || upper(b) }
	case "alnum":
		return alnum
	case "blank":
		return func(b byte) bool { return b == ' ' || b == '\t' }
	case "space":
		return func(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' }
	case "cntrl":
		return func(b byte) bool { return b < ' ' || b == 127 }
	case "graph":
		return graph
	case "print":
		return func(b byte) bool { return b == ' ' || graph(b) }
	case "punct":
		return func(b byte) bool { return graph(b) && !alnum(b) }
	case "xdigit":
		return func(b byte) bool { return digit(b) || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F' }
	}
	return nil
}

// match reports whether the whole of s is what g means. It keeps the set of places in s that the parts
// so far can have led to, so that the time is bounded by the product of both lengths.
func (g glob) match(s string) bool {
	at := make([]bool, len(s)+1)
	next := make([]bool, len(s)+1)
	at[0] = true
	for _, p := range g {
		clear(next)
		some := false
		for i, here := range at {
			if !here {
				continue
			}
			switch p.kind {
			case exact:
				if n := i + len(p.text); n <= len(s) && s[i:n] == p.text {
					next[n], some = true, true
				}
			case any1:
				if i < len(s) && s[i] != '/' {
					next[i+1], some = true, true
				}
			case class:
				if i < len(s) && p.set[s[i]] {
					next[i+1], some = true, true
				}
			case many:
				some = true
				for n := i; ; n++ {
					next[n] = true
					if n == len(s) || s[n] == '/' || n > i && at[n] {
						break // from there on it is marked, or will be
					}
				}
			case deep:
				some = true
				for n := i; n <= len(s); n++ {
					next[n] = true
				}
			case levels:
				some = true
				next[i] = true
				for n := i; n < len(s); n++ {
					if s[n] == '/' {
						next[n+1] = true
					}
				}
			}
			if p.kind == deep {
				break // the first place leads to all the others
			}
		}
		if !some {
			return false
		}
		at, next = next, at
	}
	return at[len(s)]
}
