package inbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/embed/static"
	"github.com/openhuman/openhuman-core/internal/inbox"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/store"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("INBOX_TEST_CHILD"); path != "" {
		child(path)
	}
	os.Exit(m.Run())
}

// a desk is a memory that callers may write to.
type desk struct {
	t    *testing.T
	path string
	now  time.Time
	*controller.Controller
	read *store.Store
}

func newDesk(t *testing.T, path string, o policy.Options) *desk {
	t.Helper()
	d := &desk{t: t, path: path, now: time.UnixMilli(1_770_000_000_000)}
	if path == "" {
		d.path = filepath.Join(t.TempDir(), "memory.db")
	}
	p, err := policy.New(o)
	must(t, err)
	d.read = store.Lazy(store.Options{Path: d.path, ReadOnly: true})
	t.Cleanup(func() { must(t, d.read.Close()) })
	d.Controller = controller.New(controller.Options{
		Store: d.read, Policy: p,
		Writer: inbox.New(inbox.Options{
			Path: d.path, Wait: 200 * time.Millisecond, Now: func() time.Time { return d.now },
			Instant: func() (ingest.Model, error) { return static.Load() },
		}),
	})
	return d
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// as is a context of a client.
func as(t *testing.T, client string) context.Context {
	return clientinfo.With(t.Context(), clientinfo.MCP(client))
}

func (d *desk) store(client, title, content string, tags ...string) controller.StoreResult {
	d.t.Helper()
	r, err := d.Store(as(d.t, client), controller.StoreParams{Title: title, Content: content, Tags: tags})
	must(d.t, err)
	return r
}

func (d *desk) ingest(payload string) controller.IngestResult {
	d.t.Helper()
	r, err := d.Ingest(d.t.Context(), controller.IngestParams{Payload: controller.Object(payload)})
	must(d.t, err)
	return r
}

// all are the chunks of the memory, one line each.
func (d *desk) all() []string {
	d.t.Helper()
	page, _, err := d.read.ListChunks(d.t.Context(), store.ListQuery{Limit: 1000})
	must(d.t, err)
	list := []string{}
	for _, c := range page {
		list = append(list, fmt.Sprintf("%s %s %s %d %v: %s", c.SourceKind, c.SourceID, c.Title, c.TimestampMS, c.Tags, c.Content))
	}
	slices.Sort(list)
	return list
}

func document(source, ref, body string) string {
	return fmt.Sprintf(`{"source_kind":"document","source_id":%q,"payload":{"title":"T","body":%q,"modified_at":1714554000000,"source_ref":%q}}`, source, body, ref)
}

// What is stored can be found at once, by words and by meaning, and belongs to who stored it.
func TestStore(t *testing.T) {
	d := newDesk(t, "", policy.Options{})
	if _, err := os.Stat(d.path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the memory was made before anything was written")
	}
	r := d.store("Claude Desktop", "  Boiler\nwarranty ", "The boiler in the cellar is covered until May. Ask @carol.\r\nOr not.", "house", "house", " heating  system")
	if r.DocumentID == "" || len(r.ChunkIDs) != 1 {
		t.Fatalf("%+v", r)
	}
	d.store("", "Tea", "龙井茶在厨房的柜子里。")
	want := []string{
		"document mcp Tea 1770000000000 []: 龙井茶在厨房的柜子里。",
		"document mcp:claude-desktop Boiler warranty 1770000000000 [house heating system]: The boiler in the cellar is covered until May. Ask @carol.\nOr not.",
	}
	if diff := cmp.Diff(want, d.all()); diff != "" {
		t.Error(diff)
	}
	found, err := d.Search(t.Context(), controller.SearchParams{Query: "cellar tag:house"})
	if err != nil || len(found.Chunks) != 1 || found.Chunks[0].ChunkID != r.ChunkIDs[0] {
		t.Errorf("%+v %v", found, err)
	}
	if stats, err := d.read.Stats(t.Context()); err != nil || stats.Vectors != 2 || stats.Files != 0 {
		t.Errorf("%+v %v", stats, err)
	}
	chunk, err := d.GetChunk(t.Context(), controller.GetChunkParams{ChunkID: r.ChunkIDs[0]})
	if err != nil || !slices.ContainsFunc(chunk.Chunk.Entities, func(e controller.EntityRef) bool { return e.EntityID == "handle:carol" }) {
		t.Errorf("%+v %v", chunk, err)
	}
	if files, err := d.read.Files(t.Context(), ""); err != nil || len(files) != 0 {
		t.Errorf("%+v %v", files, err)
	}
}

// The same text is one document, of when it was stored first; another tag is not another document, and
// takes none away.
func TestStoreTwice(t *testing.T) {
	d := newDesk(t, "", policy.Options{})
	first := d.store("a", "Key", "The key is under the mat.", "home")
	before := d.all()
	d.now = d.now.Add(time.Hour)
	if diff := cmp.Diff(first, d.store("a", "Key", "The key is under the mat.", "home")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, d.all()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(first, d.store("a", "Key", "The key is under the mat.", "door")); diff != "" {
		t.Error(diff)
	}
	want := []string{"document mcp:a Key 1770000000000 [home door]: The key is under the mat."}
	if diff := cmp.Diff(want, d.all()); diff != "" {
		t.Error(diff)
	}
	for _, tags := range [][]string{nil, {"door"}, {"door", "home"}} {
		if diff := cmp.Diff(first, d.store("a", "Key", "The key is under the mat.", tags...)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(want, d.all()); diff != "" {
			t.Errorf("%q: %s", tags, diff)
		}
	}
	found, err := d.Search(t.Context(), controller.SearchParams{Query: "mat tag:home"})
	if err != nil || len(found.Chunks) != 1 {
		t.Errorf("%+v %v", found, err)
	}
	for i := range 150 {
		d.store("a", "Key", "The key is under the mat.", fmt.Sprint("tag ", i))
	}
	if found, err = d.Search(t.Context(), controller.SearchParams{Query: "mat"}); err != nil || len(found.Chunks) != 1 || len(found.Chunks[0].Tags) != 30 {
		t.Errorf("%+v %v", found, err)
	}
	// Another title, another text and another client are other documents.
	d.store("a", "Spare key", "The key is under the mat.")
	d.store("a", "Key", "The key is under the pot.")
	d.store("b", "Key", "The key is under the mat.")
	if n := len(d.all()); n != 4 {
		t.Errorf("%d documents", n)
	}
}

func TestLimits(t *testing.T) {
	d := newDesk(t, "", policy.Options{})
	tags := func(n, length int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("%02d", i)+strings.Repeat("é", length-2))
		}
		return list
	}
	words := strings.Repeat("wort ", controller.MaxContentRunes/5)
	for _, c := range []struct {
		name string
		p    controller.StoreParams
		ok   bool
	}{
		{"at every limit", controller.StoreParams{Title: strings.Repeat("é", controller.MaxTitleRunes), Content: words, Tags: tags(controller.MaxTags, controller.MaxTagRunes)}, true},
		{"title", controller.StoreParams{Title: strings.Repeat("é", controller.MaxTitleRunes+1), Content: "x"}, false},
		{"content", controller.StoreParams{Title: "x", Content: words + "é"}, false},
		{"tags", controller.StoreParams{Title: "x", Content: "x", Tags: tags(controller.MaxTags+1, 3)}, false},
		{"tag", controller.StoreParams{Title: "x", Content: "x", Tags: tags(1, controller.MaxTagRunes+1)}, false},
		{"blank", controller.StoreParams{Title: "x", Content: " \n"}, false},
		{"nothing but NUL", controller.StoreParams{Title: "x", Content: "\x00"}, false},
	} {
		r, err := d.Store(as(t, "a"), c.p)
		if (err == nil) != c.ok || err != nil && fault.CodeOf(err) != fault.Invalid || err != nil && fault.HintOf(err) == "" {
			t.Errorf("%s: %v", c.name, err)
		}
		if data, err := json.Marshal(r); err != nil || len(data) > controller.DefaultMaxResultBytes {
			t.Errorf("%s: an answer of %d bytes, %v", c.name, len(data), err)
		}
	}
	// Short paragraphs make many chunks, and the answer names them all.
	r := d.store("a", "headings", strings.Repeat("# a\n\nb\n\n", controller.MaxContentRunes/8))
	if data, err := json.Marshal(r); err != nil || len(data) > controller.DefaultMaxResultBytes {
		t.Errorf("%d chunks: an answer of %d bytes, %v", len(r.ChunkIDs), len(data), err)
	}

	payload := func(size int) string {
		frame := len(document("drive:x", "r", ""))
		return document("drive:x", "r", strings.Repeat("wort ", size/5)[:size-frame])
	}
	if r := d.ingest(payload(controller.MaxPayloadBytes)); r.Documents != 1 || r.Chunks < 100 {
		t.Errorf("%+v", r)
	}
	for _, bad := range []string{payload(controller.MaxPayloadBytes + 1), document("drive:"+strings.Repeat("é", controller.MaxSourceRunes-5), "r", "x")} {
		if _, err := d.Ingest(t.Context(), controller.IngestParams{Payload: controller.Object(bad)}); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%d bytes: %v", len(bad), err)
		}
	}
	d.ingest(document("drive:"+strings.Repeat("é", controller.MaxSourceRunes-6), "r", "x"))
}

func TestIngest(t *testing.T) {
	d := newDesk(t, "", policy.Options{})
	const chat = `{"source_kind":"chat","source_id":"slack:#eng","owner":"o","tags":["work"],"payload":{"platform":"slack","channel_label":"#eng","messages":[{"author":"alice","timestamp":1714554000000,"text":"Deploy at noon."}]}}`
	const mails = `{"source_kind":"email","source_id":"gmail:a@x|b@y","payload":{"provider":"gmail","thread_subject":"Roof","messages":[` +
		`{"from":"a@x.org","to":"b@y.org","subject":"Roof","sent_at":1714554000000,"body":"It leaks.","source_ref":"1"},` +
		`{"from":"b@y.org","to":"a@x.org","subject":"Re: Roof","sent_at":1714554100000,"body":"I will look.","source_ref":"2"}]}}`
	for _, c := range []struct {
		payload string
		want    controller.IngestResult
	}{
		{chat, controller.IngestResult{SourceID: "slack:#eng", Documents: 1, Chunks: 1}},
		{chat, controller.IngestResult{SourceID: "slack:#eng", Unchanged: 1}},
		{mails, controller.IngestResult{SourceID: "gmail:a@x|b@y", Documents: 2, Chunks: 2}},
		{strings.Replace(mails, "I will look.", "Tomorrow.", 1), controller.IngestResult{SourceID: "gmail:a@x|b@y", Documents: 1, Chunks: 1, Unchanged: 1}},
		// A source has one kind only.
		{document("slack:#eng", "canvas", "A canvas."), controller.IngestResult{SourceID: "slack:#eng-document", Documents: 1, Chunks: 1}},
	} {
		if diff := cmp.Diff(c.want, d.ingest(c.payload)); diff != "" {
			t.Error(diff)
		}
	}
	// The members of the line may stand beside the payload.
	beside, err := d.Ingest(t.Context(), controller.IngestParams{
		SourceKind: "document", SourceID: "drive:y", Tags: []string{"x"}, Payload: controller.Object(`{"title":"T","body":"Body.","source_ref":"r"}`),
	})
	if diff := cmp.Diff(controller.IngestResult{SourceID: "drive:y", Documents: 1, Chunks: 1}, beside); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	want := []string{
		"chat slack:#eng #eng 1714554000000 [work]: alice: Deploy at noon.",
		"document drive:y T 1770000000000 [x]: Body.",
		"document slack:#eng-document T 1714554000000 []: A canvas.",
		"email gmail:a@x|b@y Re: Roof 1714554100000 []: Tomorrow.",
		"email gmail:a@x|b@y Roof 1714554000000 []: It leaks.",
	}
	if diff := cmp.Diff(want, d.all()); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{
		`{}`, `{"source_kind":"note","source_id":"x:y","payload":{}}`, `{"source_kind":"chat","payload":{"messages":[{"timestamp":1714554000000,"text":"x"}]}}`,
		`{"source_kind":"document","source_id":"x:y","payload":{"title":"T"}}`, `{"source_kind":"document","source_id":"x:y","payload":[]}`,
		// What would lose a message is refused as a whole.
		strings.Replace(chat, `{"author"`, `{"author":"bob","timestamp":"noon","text":"lost"},{"author"`, 1),
	} {
		if _, err := d.Ingest(t.Context(), controller.IngestParams{Payload: controller.Object(bad)}); fault.CodeOf(err) != fault.Invalid || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if diff := cmp.Diff(want, d.all()); diff != "" {
		t.Error(diff)
	}
}

// Nothing is written where the caller can see nothing, not even to learn whether it is there already.
func TestHiddenSources(t *testing.T) {
	d := newDesk(t, "", policy.Options{DenySources: []string{"slack:#board*", "mcp:b"}})
	open := newDesk(t, d.path, policy.Options{})
	open.ingest(document("slack:#board", "r", "Secret."))
	for _, source := range []string{"slack:#board", "slack:#boardroom"} {
		if _, err := d.Ingest(t.Context(), controller.IngestParams{Payload: controller.Object(document(source, "r", "Secret."))}); fault.CodeOf(err) != fault.Denied {
			t.Errorf("%s: %v", source, err)
		}
	}
	if _, err := d.Store(as(t, "b"), controller.StoreParams{Title: "T", Content: "x"}); fault.CodeOf(err) != fault.Denied {
		t.Error(err)
	}
	d.store("a", "T", "x")
}

// TestFilesTakeNothingAway: what callers have written stays, and stays where it is, whatever files that
// hold the same come and go, and whatever runs.
func TestFilesTakeNothingAway(t *testing.T) {
	d := newDesk(t, "", policy.Options{})
	line := document("drive:x", "r", "Body of the document.")
	d.ingest(line)
	d.store("a", "Key", "The key is under the mat.")
	want := d.all()
	dir := filepath.Join(t.TempDir(), "home")
	must(t, os.Mkdir(dir, 0o700))
	file := filepath.Join(dir, "export.jsonl")
	run := func() {
		t.Helper()
		s, err := store.Open(t.Context(), store.Options{Path: d.path})
		must(t, err)
		_, err = ingest.Run(t.Context(), ingest.Options{Store: s}, []string{dir})
		must(t, errors.Join(err, s.Close()))
	}
	must(t, os.WriteFile(filepath.Join(dir, "own.md"), []byte("Own."), 0o600))
	must(t, os.WriteFile(file, []byte(line+"\n"), 0o600))
	run()
	must(t, os.Remove(file))
	run()
	got := slices.DeleteFunc(d.all(), func(s string) bool { return strings.HasPrefix(s, "document notes:home") })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// The other way round: the file was first.
	other := document("drive:z", "r", "Another body.")
	must(t, os.WriteFile(file, []byte(other+"\n"), 0o600))
	run()
	if r := d.ingest(other); r.Unchanged != 1 {
		t.Errorf("%+v", r)
	}
	must(t, os.Remove(file))
	run()
	if !slices.ContainsFunc(d.all(), func(s string) bool { return strings.Contains(s, "Another body.") }) {
		t.Error("what was written went with a file")
	}
}

// TestForget leaves no trace of a source that a client has written.
func TestForget(t *testing.T) {
	d := newDesk(t, "", policy.Options{})
	d.store("zanzibar client", "Quixotic", "The wolverine sleeps.", "yttrium")
	d.store("a", "Key", "The kestrel flies.")
	s, err := store.Open(t.Context(), store.Options{Path: d.path})
	must(t, err)
	must(t, s.Update(t.Context(), func(tx *store.Tx) error { _, _, err := tx.ForgetSource("mcp:zanzibar-client"); return err }))
	must(t, errors.Join(s.Finish(t.Context()), s.Close(), d.read.Close()))
	file, err := os.ReadFile(d.path)
	must(t, err)
	if !bytes.Contains(file, []byte("kestrel")) {
		t.Error("the rest is gone too")
	}
	for _, word := range []string{"zanzibar", "uixotic", "wolverine", "yttrium"} {
		if bytes.Contains(file, []byte(word)) {
			t.Errorf("%q is still in the file", word)
		}
	}
}

// TestBusy waits for others that write, and says so when it has waited long enough.
func TestBusy(t *testing.T) {
	d := newDesk(t, "", policy.Options{})
	d.store("a", "Key", "The key is under the mat.")
	s, err := store.Open(t.Context(), store.Options{Path: d.path})
	must(t, err)
	defer s.Close()
	hold := func(length time.Duration) (held, done chan struct{}) {
		held, done = make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			if err := s.Update(t.Context(), func(*store.Tx) error { close(held); time.Sleep(length); return nil }); err != nil {
				t.Error(err)
			}
		}()
		return held, done
	}
	held, done := hold(3 * time.Second)
	<-held
	began := time.Now()
	_, err = d.Store(as(t, "a"), controller.StoreParams{Title: "T", Content: "x"})
	if fault.CodeOf(err) != fault.Conflict || !strings.Contains(fault.Message(err), "writing to this memory") || !strings.Contains(fault.HintOf(err), "Try again") {
		t.Errorf("%v", err)
	}
	if took := time.Since(began); took > 2500*time.Millisecond {
		t.Errorf("the answer took %v", took)
	}
	<-done
	held, done = hold(50 * time.Millisecond)
	<-held
	d.store("a", "T", "x")
	<-done
}

// TestBesideAnIngest writes from several clients while a folder is taken in. Everything is there in the
// end.
func TestBesideAnIngest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	p, err := policy.New(policy.Options{Level: policy.Full})
	must(t, err)
	read := store.Lazy(store.Options{Path: path, ReadOnly: true})
	defer read.Close()
	c := controller.New(controller.Options{Store: read, Policy: p, Writer: inbox.New(inbox.Options{Path: path})})
	dir := filepath.Join(t.TempDir(), "home")
	must(t, os.Mkdir(dir, 0o700))
	for i := range 300 {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.md", i)), fmt.Appendf(nil, "# Note %d\n\nMortar for @bob.\n", i), 0o600))
	}
	var all sync.WaitGroup
	all.Go(func() {
		s, err := store.Open(t.Context(), store.Options{Path: path})
		if err == nil {
			limits := ingest.DefaultLimits()
			limits.BatchChunks = 20
			_, err = ingest.Run(t.Context(), ingest.Options{Store: s, Limits: limits}, []string{dir})
			err = errors.Join(err, s.Close())
		}
		if err != nil {
			t.Error(err)
		}
	})
	for client := range 3 {
		all.Go(func() {
			for i := range 8 {
				if _, err := c.Store(as(t, fmt.Sprint("c", client)), controller.StoreParams{Title: fmt.Sprint(i), Content: "What the client knows."}); err != nil {
					t.Errorf("client %d, text %d: %v", client, i, err)
				}
			}
		})
	}
	all.Wait()
	sources, err := read.Sources(t.Context(), nil)
	must(t, err)
	got := map[string]int{}
	for _, s := range sources {
		got[s.SourceID] = s.ChunkCount
	}
	if diff := cmp.Diff(map[string]int{"mcp:c0": 8, "mcp:c1": 8, "mcp:c2": 8, "notes:home": 300}, got); diff != "" {
		t.Error(diff)
	}
	if problems, err := read.Integrity(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("%v %q", err, problems)
	}
}

// child stores texts without end and says each that is stored.
func child(path string) {
	p, err := policy.New(policy.Options{Level: policy.Full})
	if err != nil {
		panic(err)
	}
	c := controller.New(controller.Options{Policy: p, Writer: inbox.New(inbox.Options{Path: path})})
	for i := 0; ; i++ {
		if _, err := c.Store(context.Background(), controller.StoreParams{Title: fmt.Sprint("t", i), Content: fmt.Sprintf("Text number %d of @alice.", i)}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(i)
	}
}

// TestKilled kills a server at random instants. The memory is whole, holds everything that was
// answered, and takes in more.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	self, err := os.Executable()
	must(t, err)
	for round := range 3 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "INBOX_TEST_CHILD="+path)
		out, err := cmd.StdoutPipe()
		must(t, err)
		cmd.Stderr = os.Stderr
		must(t, cmd.Start())
		answered := -1
		for range 5 + 4*round {
			if _, err := fmt.Fscanln(out, &answered); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Duration(round) * 2 * time.Millisecond)
		must(t, cmd.Process.Kill())
		for { // what was answered before the end
			if _, err := fmt.Fscanln(out, &answered); err != nil {
				break
			}
		}
		_ = cmd.Wait()
		d := newDesk(t, path, policy.Options{})
		s, err := store.Open(t.Context(), store.Options{Path: path})
		must(t, err)
		problems, err := s.Integrity(t.Context())
		must(t, errors.Join(err, s.Close()))
		if len(problems) > 0 {
			t.Errorf("after a kill: %q", problems)
		}
		if got := len(d.all()); got < answered+1 {
			t.Errorf("%d texts were answered, and %d are there", answered+1, got)
		}
	}
	newDesk(t, path, policy.Options{}).store("a", "T", "x")
}
