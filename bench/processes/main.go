// Command processes measures what ten servers over one memory of 200,000 chunks take together, each
// after one memory.recall: the sum of their proportional set sizes, in which what they share counts
// once. It needs Linux and fails when the bound is missed.
//
//	go run ./bench/processes -binary bin/openhuman-core [-dir DIR]
//
// The memory stays in DIR and is used again; without -dir it is made in a folder that is removed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/bench/internal/harness"
	"github.com/openhuman/openhuman-core/internal/embed/minilm"
	"github.com/openhuman/openhuman-core/internal/embed/static"
	"github.com/openhuman/openhuman-core/internal/vecindex"
	"github.com/openhuman/openhuman-core/internal/vecset"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "processes:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("processes", flag.ContinueOnError)
	binary := flags.String("binary", "bin/openhuman-core", "the built program")
	dir := flags.String("dir", "", "folder for the memory, kept")
	chunks := flags.Int("chunks", 200_000, "how many chunks")
	servers := flags.Int("servers", 10, "how many servers")
	bound := flags.Int("bound", 500, "how many megabytes they may take together")
	if err := flags.Parse(args); err != nil {
		return err
	}
	path, done, err := harness.Memory(ctx, *dir, *chunks, build)
	if err != nil {
		return err
	}
	defer done()
	var all []*harness.Server
	defer func() {
		for _, s := range all {
			s.End() //nolint:errcheck // how it ends is measured elsewhere
		}
	}()
	for range *servers {
		s, err := harness.Start(ctx, *binary, path)
		if err != nil {
			return err
		}
		all = append(all, s)
		if _, err := s.Call("memory.recall", controller.RecallParams{Query: "Who repaired the heating?"}); err != nil {
			return err
		}
	}
	var sum, private int
	for _, s := range all {
		pss, own, err := memory(s.Pid())
		if err != nil {
			return err
		}
		sum, private = sum+pss, private+own
	}
	fmt.Printf("%d servers over %d chunks: %d MB together, of that %d MB their own\n", *servers, *chunks, sum>>10, private>>10)
	if sum>>10 > *bound {
		return fmt.Errorf("that is more than %d MB", *bound)
	}
	return nil
}

var (
	subjects = strings.Fields("Alice Bob Carla Dmitri Erika Faisal Grace Hiro Ines Jon Kim Lena Mateo Noor Olga Pavel")
	verbs    = strings.Fields("moved cancelled booked repaired sold planned painted forgot measured discussed signed postponed")
	objects  = strings.Fields("boiler garden invoice holiday contract kitchen bicycle server dentist piano budget roof passport deposit tenant recipe")
)

// build makes a memory whose chunks have vectors: most as by the encoder, some instant. The encoder
// would take hours, so that all are made by the instant model; only their number matters here.
func build(ctx context.Context, dir string, chunks int) error {
	s, err := store.Open(ctx, store.Options{Path: filepath.Join(dir, "memory.db")})
	if err != nil {
		return err
	}
	defer s.Close()
	instant, err := static.Load()
	if err != nil {
		return err
	}
	encoder, err := minilm.Load()
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(1, 2))
	for at := 0; at < chunks; {
		var recs []store.DocumentRecord
		for n := 0; n < 1000 && at < chunks; {
			var texts []storetest.Text
			for range 10 {
				var b strings.Builder
				for range 6 {
					fmt.Fprintf(&b, "%s %s the %s of %s on day %d. ", subjects[r.IntN(len(subjects))], verbs[r.IntN(len(verbs))],
						objects[r.IntN(len(objects))], subjects[r.IntN(len(subjects))], r.IntN(5000))
				}
				texts = append(texts, storetest.Text{Content: b.String(), TimeMS: int64(at)})
				at, n = at+1, n+1
			}
			rec := storetest.Doc(fmt.Sprint("notes:", at/20_000), "document", strconv.Itoa(at), texts...)
			contents := make([]string, len(rec.Chunks))
			for i := range rec.Chunks {
				contents[i] = rec.Chunks[i].Content
			}
			vectors, err := instant.Embed(ctx, contents)
			if err != nil {
				return err
			}
			rec.VectorModel = store.VectorModel{Fingerprint: encoder.Fingerprint(), Dims: minilm.Dims}
			if at%200 == 0 {
				rec.VectorModel.Fingerprint = instant.Fingerprint()
			}
			for i, v := range vectors {
				rec.Chunks[i].Vector = vecset.Pack(v)
			}
			recs = append(recs, rec)
		}
		err := s.Update(ctx, func(tx *store.Tx) error {
			for _, rec := range recs {
				if _, _, err := tx.PutDocument(rec); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return errors.Join(s.Finish(ctx), vecindex.Refresh(ctx, s, time.Now()))
}

// memory returns how many kilobytes a server takes, what it shares counted in part, and how many
// nobody else has.
func memory(pid int) (pss, private int, err error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) != 3 || f[2] != "kB" {
			continue
		}
		n, err := strconv.Atoi(f[1])
		if err != nil {
			return 0, 0, err
		}
		switch f[0] {
		case "Pss:":
			pss = n
		case "Private_Clean:", "Private_Dirty:":
			private += n
		}
	}
	if pss == 0 {
		return 0, 0, errors.New("no Pss in smaps_rollup")
	}
	return pss, private, nil
}
