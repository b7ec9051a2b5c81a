package slack

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// Day reads one day's file of an export that was unpacked, as browsers do on their own. Names come
// from the lists beside the channel's folder. A reply to a message of another day stays in its day,
// since each file is read for itself. It implements doc.Reader.
type Day struct {
	limits Limits
	memo   *memo
}

var _ doc.Reader = Day{}

// NewDay returns a Day with the product's limits.
func NewDay() Day { return Day{DefaultLimits(), &memo{}} }

// memo spares parsing the same lists for each of thousands of days. It changes no result: it is
// asked by the content of the lists.
type memo struct {
	mu      sync.Mutex
	sum     [sha256.Size]byte
	lists   lists
	rooms   map[string]room
	damaged []string
}

// Name returns the reader's name.
func (Day) Name() string { return "slack-day" }

// Version returns the reader's version.
func (Day) Version() int { return 3 }

// The beginnings of a day's file and of the lists. Whitespace and the order of keys vary.
var (
	dayStart  = regexp.MustCompile(`^\s*\[\s*(\]\s*$|\{)`)
	dayMark   = regexp.MustCompile(`"ts"\s*:\s*"\d{10}\.\d{1,6}"`)
	listMark  = regexp.MustCompile(`^\s*\[\s*\{[^{}\[\]]*"id"\s*:\s*"[UWCGDB][A-Z0-9]+"`)
	emptyDay  = regexp.MustCompile(`^\s*\[\s*\]\s*$`)
	otherList = regexp.MustCompile(`^\s*\[`)
)

// Detect knows a day by its name and by what stands in it, and the lists of an export, which give
// names to the days and no document.
func (Day) Detect(in *doc.Input) int {
	base := path.Base(in.Rel)
	switch {
	case isDayName(base):
		if dayStart.Match(in.Head) && dayMark.Match(in.Head) {
			return 95
		}
		// An empty day, or a broken one beside the lists of an export, is no note.
		if emptyDay.Match(in.Head) || besideLists(in) {
			return 80
		}
	case isList(base):
		if listMark.Match(in.Head) {
			return 95
		}
	case base == "integration_logs.json":
		if otherList.Match(in.Head) && bytes.Contains(in.Head, []byte(`"service_type"`)) {
			return 95
		}
	}
	return 0
}

// besideLists reports whether the lists of an export stand above the folder of in.
func besideLists(in *doc.Input) bool {
	if in.Above == nil {
		return false
	}
	for _, name := range []string{"channels.json", "users.json", "dms.json", "groups.json"} {
		if f, err := in.Above(name); err == nil {
			_ = f.Close()
			return true
		}
	}
	return false
}

func isDayName(base string) bool {
	date, ok := strings.CutSuffix(base, ".json")
	if !ok {
		return false
	}
	_, err := time.Parse(time.DateOnly, date)
	return err == nil
}

// Read emits the day as one document.
func (r Day) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	if err := ctx.Err(); err != nil {
		return doc.Report{}, err
	}
	base := path.Base(in.Rel)
	if !isDayName(base) {
		return doc.Report{Outcome: doc.Skipped, Reason: "A list of a Slack export; it gives names to the days beside it and is no text itself."}, nil
	}
	x := export{limits: r.limits, emit: emit}
	var rooms map[string]room
	var damaged []string
	x.lists, rooms, damaged = r.memo.read(in, r.limits)
	for _, name := range damaged {
		x.troubles.add(name + " is damaged")
	}
	folder := path.Base(path.Dir(in.Rel))
	if folder == "." || folder == "/" {
		folder = in.Root
	}
	room, known := rooms[folder]
	c := x.lists.channel(folder, room, known)
	left := r.limits.TotalBytes
	msgs, err := x.readDay(base, func() (io.ReadCloser, error) {
		f, err := in.Open()
		if err != nil {
			return nil, err
		}
		return &bounded{rc: f, left: r.limits.DayBytes, total: &left}, nil
	})
	if err != nil {
		return doc.Report{}, fmt.Errorf("read a day: %w", err)
	}
	h := newHeld(r.limits.HeldBytes)
	h.alone = true
	date := strings.TrimSuffix(base, ".json")
	if err := x.emitMessages(c, date, date, h.settle(msgs)); err != nil {
		return doc.Report{}, err
	}
	for _, t := range h.orphans() {
		if err := x.emitMessages(c, "thread/"+t.root, date, t.msgs); err != nil {
			return doc.Report{}, err
		}
	}
	return x.report(), nil
}

// read returns the lists beside the folder of in.
func (m *memo) read(in *doc.Input, l Limits) (lists, map[string]room, []string) {
	var all [len(listNames)][]byte
	h := sha256.New()
	for i, name := range listNames {
		all[i] = above(in, name, l.ListBytes)
		fmt.Fprintln(h, name, len(all[i]))
		h.Write(all[i])
	}
	var sum [sha256.Size]byte
	h.Sum(sum[:0])
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rooms == nil || m.sum != sum {
		i := -1
		m.lists, m.damaged = readLists(func(string) (io.ReadCloser, bool) {
			i++
			return io.NopCloser(bytes.NewReader(all[i])), len(all[i]) > 0
		})
		m.rooms, m.sum = m.lists.byFolder(), sum
	}
	return m.lists, m.rooms, m.damaged
}

// above returns what stands in a list, nothing when it is not there or larger than the limit.
func above(in *doc.Input, name string, limit int64) []byte {
	if in.Above == nil {
		return nil
	}
	f, err := in.Above(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil || int64(len(b)) > limit {
		return nil
	}
	return b
}
