package chunk

// A span is one chunk of a body.
type span struct {
	start, end int
	path       *heading
}

// Sizes of packing, in cost.
const (
	stretch  = target * 5 / 4 // a chunk may grow to this rather than leave a crumb
	whole    = target * 2     // a table or block of code is kept whole up to this
	enough   = target / 2     // a chunk of this size ends at the next heading
	crumb    = target / 8     // a last chunk smaller than this joins the one before
	minFirst = target / 4     // a long paragraph fills up a begun chunk when this much room is left
)

// pack cuts s into spans of at most limit bytes that hold all of it but blank lines between them.
func pack(s string, markdown bool, limit int) []span {
	p := packer{s: s, max: limit}
	for _, b := range scan(s, markdown) {
		p.add(b)
	}
	p.flush(len(p.cur))
	return p.spans
}

// packer collects blocks into chunks.
type packer struct {
	s     string
	max   int // bytes a span may have
	spans []span
	cur   []block // the chunk that is being filled
	cost  int     // of cur, with the gaps inside
	last  int     // cost of the last span, to judge whether a crumb fits
}

func (p *packer) add(b block) {
	if b.kind == head && p.cost >= enough {
		p.flush(len(p.cur) - p.trailingHeads())
	}
	limit := target
	switch {
	case p.cost >= enough:
	case b.kind == solid:
		limit = whole
	default:
		limit = stretch
	}
	if p.fits(b, limit) {
		p.push(b)
		return
	}
	if b.end-b.start > p.max || b.cost > whole || b.kind != solid && b.cost > target {
		p.split(b)
		return
	}
	// b begins a chunk, together with the headings right above it when there is room.
	p.flush(len(p.cur) - p.trailingHeads())
	if !p.fits(b, b.cost+stretch-target) {
		p.flush(len(p.cur))
	}
	p.push(b)
}

// gap is the cost of the blank lines between the chunk so far and b.
func (p *packer) gap(b block) int {
	if n := len(p.cur); n > 0 {
		return costASCII * (b.start - p.cur[n-1].end)
	}
	return 0
}

// fits reports whether b can join the chunk without exceeding limit.
func (p *packer) fits(b block, limit int) bool {
	bytes := b.end - b.start
	if len(p.cur) > 0 {
		bytes = b.end - p.cur[0].start
	}
	return p.cost+p.gap(b)+b.cost <= limit && bytes <= p.max
}

func (p *packer) push(b block) {
	p.cost += p.gap(b) + b.cost
	p.cur = append(p.cur, b)
}

// split adds a block that is too large for one chunk, in pieces.
func (p *packer) split(b block) {
	full := func() bool {
		return len(p.cur) > 0 && (p.cost+p.gap(b) > target-minFirst || b.start-p.cur[0].start > p.max/2)
	}
	if full() {
		p.flush(len(p.cur) - p.trailingHeads())
	}
	if full() {
		p.flush(len(p.cur))
	}
	for b.start < b.end {
		room, most := target, p.max
		if len(p.cur) > 0 {
			room -= p.cost + p.gap(b)
			most -= b.start - p.cur[0].start
		}
		n, c := cut(p.s[b.start:b.end], room, most, b.kind != paragraph)
		piece := b
		piece.end, piece.cost = b.start+n, c
		b.start += n
		// The line end at which a piece was cut belongs to no piece.
		for piece.end > piece.start && b.start < b.end && p.s[piece.end-1] == '\n' {
			piece.end--
		}
		if blank(p.s[piece.start:piece.end]) {
			continue
		}
		p.push(piece)
		if b.start < b.end {
			p.flush(len(p.cur))
		}
	}
}

// trailingHeads counts the headings at the end of the chunk, which belong to what follows.
func (p *packer) trailingHeads() int {
	n := 0
	for n < len(p.cur) && p.cur[len(p.cur)-1-n].kind == head {
		n++
	}
	return n
}

// flush makes the first n collected blocks a span.
func (p *packer) flush(n int) {
	if n == 0 {
		return
	}
	first, end := p.cur[0], p.cur[n-1].end
	c := costASCII * (end - first.start)
	if n == len(p.cur) {
		c = p.cost
	}
	if k := len(p.spans) - 1; k >= 0 && c < crumb && p.last+c <= stretch && end-p.spans[k].start <= p.max {
		p.spans[k].end = end
		p.last += c
	} else {
		p.spans = append(p.spans, span{first.start, end, first.path})
		p.last = c
	}
	p.cur = append(p.cur[:0], p.cur[n:]...)
	p.cost = 0
	for i, b := range p.cur {
		if i > 0 {
			p.cost += costASCII * (b.start - p.cur[i-1].end)
		}
		p.cost += b.cost
	}
}
