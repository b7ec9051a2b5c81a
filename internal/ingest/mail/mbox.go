package mail

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// MaxMessage is how much of one message is held in memory and read. What a longer message has beyond
// it, which is nearly always the end of an attachment, is passed over.
const MaxMessage = 32 << 20

// lineBuffer is the size of the reader's buffer; longer lines come in pieces.
const lineBuffer = 256 << 10

// A splitter cuts an mbox into messages, whichever of the dialects mboxo, mboxrd, mboxcl and mboxcl2
// it is in.
type splitter struct {
	r  *bufio.Reader
	at io.ReaderAt // for looking where a Content-Length ends; may be nil

	offset   int64 // of the next byte of r
	limit    int
	postmark string // the separator line that was read last
	pending  bool   // postmark belongs to the next message
	begin    int64  // offset of that line
	done     bool
}

func newSplitter(r io.Reader, at io.ReaderAt, limit int) *splitter {
	return &splitter{r: bufio.NewReaderSize(r, lineBuffer), at: at, limit: limit}
}

// A rawMessage is one message of an mbox. Data is valid until the next call of next.
type rawMessage struct {
	Postmark string // the separator line without its line end
	Offset   int64  // of the separator line
	Data     []byte
	Cut      bool // it was longer than the limit
}

// next returns the next message, using buf for its data; io.EOF after the last.
func (s *splitter) next(buf []byte) (rawMessage, error) {
	var m rawMessage
	data := buf[:0]
	inHeader, blank, lineStart := true, true, true
	contentLength := int64(-1)
	skipTo := int64(-1) // no separator before this offset
	started := s.pending
	if s.pending {
		m.Postmark, m.Offset, s.pending = s.postmark, s.begin, false
	}
	for !s.done {
		at := s.offset
		line, err := s.r.ReadSlice('\n')
		s.offset += int64(len(line))
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			s.done = true
			if !errors.Is(err, io.EOF) {
				m.Data = data
				return m, err
			}
		}
		whole := err == nil || s.done
		separator := lineStart && at >= skipTo && line0(line) == 'F' && isPostmark(line)
		if separator {
			line = bytes.Clone(line) // looking ahead moves the buffer
			separator = blank && s.headerFollows() || !blank && s.mailFollows()
		}
		if separator {
			if started {
				s.postmark, s.begin, s.pending = string(bytes.TrimRight(line, "\r\n")), at, true
				m.Data = trimBlankLine(data)
				return m, nil
			}
			started = true
			m.Postmark, m.Offset = string(bytes.TrimRight(line, "\r\n")), at
			lineStart, blank = whole, false
			continue
		}
		if !started {
			// Blank lines before the first separator are not a message; anything else is one that lost its
			// separator.
			if len(bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))) == 0 {
				lineStart, blank = whole, true
				continue
			}
			started, m.Offset = true, at
		}
		empty := lineStart && len(bytes.TrimRight(line, "\r\n")) == 0
		if inHeader && lineStart {
			switch {
			case empty:
				inHeader = false
				if contentLength > 0 && s.separatorAt(s.offset+contentLength) {
					skipTo = s.offset + contentLength
				}
			case len(line) > 15 && (line[0] == 'C' || line[0] == 'c') && contentLength < 0:
				if name, v, ok := bytes.Cut(line, []byte{':'}); ok && strings.EqualFold(string(name), "content-length") {
					if n, err := strconv.ParseInt(string(bytes.TrimSpace(v)), 10, 64); err == nil {
						contentLength = n
					}
				}
			}
		}
		if lineStart && !inHeader && line0(line) == '>' && quotedFrom(line) {
			line = line[1:]
		}
		room := s.limit - len(data)
		kept := line[:min(len(line), room)]
		if n := len(data) + len(kept); n > cap(data) {
			data = append(make([]byte, 0, max(n, min(s.limit, max(2*n, 64<<10)))), data...)
		}
		data = append(data, kept...)
		m.Cut = m.Cut || len(line) > room
		blank, lineStart = empty, whole
	}
	m.Data = trimBlankLine(data)
	if !started {
		return m, io.EOF
	}
	return m, nil
}

func line0(b []byte) byte {
	if len(b) == 0 {
		return 0
	}
	return b[0]
}

// quotedFrom reports whether line is ">From ", ">>From " and so on.
func quotedFrom(line []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(line[:min(len(line), 64)], ">"), []byte("From "))
}

// trimBlankLine removes the blank line that stands before a separator.
func trimBlankLine(b []byte) []byte {
	if bytes.HasSuffix(b, []byte("\n\r\n")) {
		return b[:len(b)-2]
	}
	if bytes.HasSuffix(b, []byte("\n\n")) {
		return b[:len(b)-1]
	}
	return b
}

// headerFollows reports whether what comes next can begin a message: a header field, a blank line
// or the end.
func (s *splitter) headerFollows() bool {
	next, _ := s.r.Peek(512)
	line, _ := cutLine(next)
	trimmed := bytes.TrimRight(line, "\r\n")
	if len(trimmed) == 0 || bytes.HasPrefix(trimmed, []byte(">From ")) {
		return true
	}
	_, _, ok := splitField(trimmed)
	return ok
}

// mailFollows reports whether what comes next is more than the words of a text: some programs forget the blank
// line before a separator.
func (s *splitter) mailFollows() bool {
	next, _ := s.r.Peek(16 << 10)
	h, _ := parseHeader(next)
	seen := map[string]bool{}
	for _, f := range h.fields {
		switch f.name {
		case "from", "date", "message-id", "received", "return-path", "to", "subject":
			seen[f.name] = true
		}
	}
	return len(seen) >= 3 && (seen["received"] || seen["return-path"] || seen["message-id"])
}

// separatorAt reports whether the message ends at off, as a right Content-Length says.
func (s *splitter) separatorAt(off int64) bool {
	if s.at == nil {
		return false
	}
	var b [300]byte
	n, err := s.at.ReadAt(b[:], off)
	got := bytes.TrimLeft(b[:n], "\r\n")
	if len(got) == 0 {
		return n > 0 || errors.Is(err, io.EOF) && s.endsAt(off)
	}
	line, _ := cutLine(got)
	return isPostmark(line)
}

// endsAt reports whether off is the very end of the file.
func (s *splitter) endsAt(off int64) bool {
	var b [1]byte
	n, _ := s.at.ReadAt(b[:], off-1)
	return n == 1
}

// isPostmark reports whether line is a separator: "From ", perhaps an address, and a date with
// weekday, month, day, time and year. A sentence that begins with "From " has not all of them.
func isPostmark(line []byte) bool {
	if len(line) < 24 || len(line) > 1000 || !bytes.HasPrefix(line, []byte("From ")) {
		return false
	}
	f := strings.Fields(string(line[5:]))
	for i := 0; i < len(f) && i < 6; i++ {
		if !weekday(f[i]) {
			continue
		}
		var month, day, clock, year bool
		for _, w := range f[i+1 : min(len(f), i+8)] {
			w = strings.Trim(w, ",")
			switch {
			case monthNumber(strings.ToLower(w)) > 0:
				month = true
			case strings.Count(w, ":") > 0 && w[0] >= '0' && w[0] <= '9':
				clock = true
			case len(w) == 4 && (w[:2] == "19" || w[:2] == "20") && strings.Trim(w, "0123456789") == "":
				year = true
			case len(w) <= 2 && strings.Trim(w, "0123456789") == "":
				day = true
			}
		}
		return month && day && clock && year
	}
	return false
}

func weekday(s string) bool {
	switch strings.ToLower(strings.TrimSuffix(s, ",")) {
	case "mon", "tue", "wed", "thu", "fri", "sat", "sun":
		return true
	}
	return false
}

// postmarkParts returns the sender and the date of a separator line, "" for what it lacks.
func postmarkParts(line string) (sender, date string) {
	f := strings.Fields(strings.TrimPrefix(line, "From "))
	for i, w := range f {
		if weekday(w) {
			if i > 0 {
				sender = f[0]
			}
			return sender, strings.Join(f[i+1:], " ")
		}
	}
	return "", ""
}

// Mbox reads mailbox files of any size, among them Gmail's Takeout, one message at a time.
type Mbox struct {
	// Files read the attachments: of each the one that is surest of it.
	Files []doc.Reader
}

// Name implements doc.Reader.
func (Mbox) Name() string { return "mbox" }

// Version implements doc.Reader.
func (b Mbox) Version() int { return 5 + versions(b.Files) }

// Detect implements doc.Reader: a separator line with a header below it.
func (Mbox) Detect(in *doc.Input) int {
	head := trimStart(in.Head)
	line, rest := cutLine(head)
	if !isPostmark(line) {
		return 0
	}
	if next, _ := cutLine(rest); len(bytes.TrimSpace(next)) > 0 && !bytes.HasPrefix(next, []byte(">From ")) {
		if _, _, ok := splitField(bytes.TrimRight(next, "\r\n")); !ok {
			return 0
		}
	}
	return 95
}

// Read implements doc.Reader.
func (b Mbox) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	f, err := in.Open()
	if err != nil {
		return doc.NotOpened(err), nil
	}
	defer f.Close()
	return readMbox(ctx, in, newSplitter(f, f, MaxMessage), b.Files, emit)
}

// readMbox emits the messages of s.
func readMbox(ctx context.Context, in *doc.Input, s *splitter, files []doc.Reader, emit doc.Emit) (doc.Report, error) {
	var tally tally
	var buf []byte
	where := place(in.Rel, true)
	for {
		if err := ctx.Err(); err != nil {
			return doc.Report{}, err
		}
		m, err := s.next(buf)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			tally.broken = "reading the mailbox stopped before its end: " + err.Error()
			if len(m.Data) == 0 {
				break
			}
		}
		if cap(m.Data) > cap(buf) {
			buf = m.Data
		}
		msg := parse(m.Data, m.Cut)
		sender, date := postmarkParts(m.Postmark)
		o := origin{rel: in.Rel, place: "#byte=" + strconv.FormatInt(m.Offset, 10), sender: sender, date: date, modTime: in.ModTime, in: where}
		if msg.thrown(o) {
			tally.thrown++
			continue
		}
		d, bad := msg.document(o)
		if stop, err := tally.take(d, bad, emit); stop {
			return doc.Report{}, err
		}
		if err := msg.attachments(ctx, d, files, &tally, emit); err != nil {
			return doc.Report{}, err
		}
		if tally.broken != "" {
			break
		}
	}
	return tally.report("the mailbox"), nil
}

// A tally counts what became of the messages of one file.
type tally struct {
	emitted, empty, flawed int
	flaw                   string // the first one
	sealedMails            int
	sealed                 string // the first one
	thrown                 int    // were in the trash or in spam
	broken                 string
}

func (t *tally) take(d *doc.Document, bad defect, emit doc.Emit) (stop bool, err error) {
	if bad.flaw != "" {
		if t.flawed++; t.flaw == "" {
			t.flaw = bad.flaw
		}
	}
	if bad.sealed != "" {
		if t.sealedMails++; t.sealed == "" {
			t.sealed = bad.sealed
		}
	}
	if d == nil {
		t.empty++
		return false, nil
	}
	t.emitted++
	if err := emit(d); err != nil {
		return true, err
	}
	return false, nil
}

func (t *tally) report(what string) doc.Report {
	switch {
	case t.broken != "" && t.emitted == 0:
		return doc.Report{Outcome: doc.Failed, Reason: t.broken}
	case t.broken != "":
		return doc.Report{Outcome: doc.Partial, Reason: t.broken}
	case t.flawed == 1:
		return doc.Report{Outcome: doc.Partial, Reason: t.flaw, Whole: true}
	case t.flawed > 1:
		return doc.Report{Outcome: doc.Partial, Reason: strconv.Itoa(t.flawed) + " mails could not be read in full; the first: " + t.flaw, Whole: true}
	case t.emitted == 0 && t.empty == 0 && t.thrown > 0:
		return doc.Report{Outcome: doc.Skipped, Reason: "everything in it is in the trash or in spam, which is left out"}
	case t.emitted == 0 && t.sealed != "":
		return doc.Report{Outcome: doc.NoText, Reason: t.sealed}
	case t.emitted == 0:
		return doc.Report{Outcome: doc.NoText, Reason: "there is no text in " + what}
	}
	// Sealed mail is no failure: everything that can ever be read without the key has been.
	var notes []string
	switch {
	case t.sealedMails == 1:
		notes = append(notes, t.sealed+", only what stands around it")
	case t.sealedMails > 1:
		notes = append(notes, strconv.Itoa(t.sealedMails)+" mails are encrypted or sealed; only what stands around that is read")
	}
	switch {
	case t.thrown == 1:
		notes = append(notes, "1 mail in the trash or in spam was left out")
	case t.thrown > 1:
		notes = append(notes, strconv.Itoa(t.thrown)+" mails in the trash or in spam were left out")
	}
	return doc.Report{Outcome: doc.OK, Reason: strings.Join(notes, "; ")}
}

// trimStart removes a byte order mark and blank lines.
func trimStart(b []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(bytes.TrimLeft(b, "\r\n"), []byte("\xef\xbb\xbf")), "\r\n")
}
