package chunk

import "strings"

// A block is a run of lines that belongs together: a paragraph, a heading, a list item, a table.
type block struct {
	start, end int // in the body, without the last line end
	cost       int
	kind       blockKind
	path       *heading // the headings it stands under; for a heading, those above it
}

type blockKind uint8

const (
	paragraph blockKind = iota
	lines               // its lines stand for themselves: list items, quotes
	solid               // kept whole when it fits: code, a table
	head                // a heading, kept with what follows
)

// A heading is one step of a heading path.
type heading struct {
	level  int
	text   string
	parent *heading
}

// texts lists the path from the top.
func (h *heading) texts() []string {
	n := 0
	for p := h; p != nil; p = p.parent {
		n++
	}
	if n == 0 {
		return nil
	}
	out := make([]string, n)
	for p := h; p != nil; p = p.parent {
		n--
		out[n] = p.text
	}
	return out
}

// above returns the part of the path that a heading of this level stands under.
func (h *heading) above(level int) *heading {
	for h != nil && h.level >= level {
		h = h.parent
	}
	return h
}

// scan finds the blocks of s. Every byte of s that is in no block is a blank line or a line end.
func scan(s string, markdown bool) []block {
	blocks := make([]block, 0, 8+len(s)/256)
	var path *heading
	open := false // the last block is a paragraph that the next line may continue
	add := func(b block) {
		b.path = path
		blocks = append(blocks, b)
		open = false
	}
	for i := 0; i < len(s); {
		end, next := lineEnd(s, i)
		line := s[i:end]
		if blank(line) {
			open = false
			i = next
			continue
		}
		indent := leading(line)
		t := line[indent:]
		switch {
		case markdown && indent < 4 && fence(t) != "":
			end, next = fenced(s, next, fence(t), end)
			add(block{start: i, end: end, kind: solid})
		case t[0] == '|' && markdown:
			for next < len(s) {
				e, n := lineEnd(s, next)
				if l := s[next:e]; !strings.HasPrefix(l[leading(l):], "|") {
					break
				}
				end, next = e, n
			}
			add(block{start: i, end: end, kind: solid})
		case markdown && indent < 4 && atx(t) > 0:
			level := atx(t)
			path = path.above(level)
			add(block{start: i, end: end, kind: head})
			if text := clip(oneLine(strings.Trim(t, "# \t")), 120); text != "" {
				path = &heading{level: level, text: text, parent: path}
			}
		case markdown && open && setext(t) > 0 && oneLineBlock(s, blocks[len(blocks)-1], i):
			b := &blocks[len(blocks)-1]
			level := setext(t)
			path = path.above(level)
			b.kind, b.path, b.end = head, path, end
			path = &heading{level: level, text: clip(oneLine(s[b.start:i]), 120), parent: path}
			open = false
		case listItem(t) || t[0] == '>':
			// Quotes run on, list items begin anew.
			if last := len(blocks) - 1; open && t[0] == '>' && blocks[last].kind == lines && s[blocks[last].start] == '>' {
				blocks[last].end = end
				break
			}
			add(block{start: i, end: end, kind: lines})
			open = true
		case open:
			blocks[len(blocks)-1].end = end
		default:
			add(block{start: i, end: end, kind: paragraph})
			open = true
		}
		i = next
	}
	for i := range blocks {
		b := &blocks[i]
		b.cost = cost(s[b.start:b.end])
	}
	return blocks
}

// lineEnd returns where the line at i ends and where the next begins.
func lineEnd(s string, i int) (end, next int) {
	n := strings.IndexByte(s[i:], '\n')
	if n < 0 {
		return len(s), len(s)
	}
	return i + n, i + n + 1
}

func blank(line string) bool { return leading(line) == len(line) }

// leading counts the blanks and tabs that a line begins with.
func leading(line string) int {
	i := 0
	for i < len(line) && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r') {
		i++
	}
	return i
}

// fence returns the run of marks that opens a block of code, or "".
func fence(t string) string {
	if t[0] != '`' && t[0] != '~' {
		return ""
	}
	n := 0
	for n < len(t) && t[n] == t[0] {
		n++
	}
	if n < 3 || t[0] == '`' && strings.Contains(t[n:], "`") {
		return ""
	}
	return t[:n]
}

// fenced finds the end of a block of code whose first line ends at end.
func fenced(s string, next int, mark string, end int) (int, int) {
	for next < len(s) {
		e, n := lineEnd(s, next)
		t := strings.Trim(s[next:e], " \t\r")
		if !blank(s[next:e]) {
			end = e
		}
		next = n
		if strings.HasPrefix(t, mark) && strings.Trim(t, mark[:1]) == "" {
			break
		}
	}
	return end, next
}

// atx returns the level of a heading line such as "## Plan", or 0.
func atx(t string) int {
	n := 0
	for n < len(t) && t[n] == '#' {
		n++
	}
	if n == 0 || n > 6 || n < len(t) && t[n] != ' ' && t[n] != '\t' {
		return 0
	}
	return n
}

// setext returns the level of a line that underlines a heading, or 0.
func setext(t string) int {
	t = strings.TrimRight(t, " \t\r")
	switch {
	case t == "":
	case strings.Trim(t, "=") == "":
		return 1
	case len(t) > 1 && strings.Trim(t, "-") == "":
		return 2
	}
	return 0
}

// oneLineBlock reports whether b is a paragraph of the one line just above i.
func oneLineBlock(s string, b block, i int) bool {
	return b.kind == paragraph && b.end == i-1 && !strings.Contains(s[b.start:b.end], "\n")
}

// listItem reports whether a line begins with a list mark.
func listItem(t string) bool {
	switch t[0] {
	case '-', '*', '+':
		return len(t) > 1 && (t[1] == ' ' || t[1] == '\t')
	}
	if strings.HasPrefix(t, "• ") {
		return true
	}
	n := 0
	for n < len(t) && t[n] >= '0' && t[n] <= '9' {
		n++
	}
	return n > 0 && n < 10 && n+1 < len(t) && (t[n] == '.' || t[n] == ')') && t[n+1] == ' '
}
