// Command mail measures what it costs to make mail searchable.
//
//	go run ./bench/mail [-mails 20000] [-rounds 3] [-profile FILE]
//
// takes a Maildir that it makes up in with "openhuman-core ingest --no-embed", "notmuch new" and "mu
// index" in turn, each from nothing, and prints the processor time that each took with its children;
// the bound is a ratio below 1 to both. No mail has a PDF or an office file attached, which only the
// first reads.
//
//	go run ./bench/mail -mbox 2GB
//
// takes one mailbox file of that size in and prints the peak of memory (bound 300 MB) and the
// throughput of every tenth (bound 15 % around the mean).
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/bench/internal/harness"
)

func main() {
	var o options
	size := flag.String("mbox", "", "take in one mailbox file of this size, such as 2GB, instead")
	flag.IntVar(&o.mails, "mails", 20_000, "mails in the Maildir")
	flag.IntVar(&o.rounds, "rounds", 3, "how often each program runs")
	flag.StringVar(&o.binary, "binary", "", "the program, when it is built already")
	flag.StringVar(&o.dir, "dir", "", "keep the mails here, and use those that are there")
	flag.StringVar(&o.profile, "profile", "", "write a CPU profile of taking the Maildir in to this file, and measure nothing else")
	flag.Parse()
	if err := run(context.Background(), o, *size); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type options struct {
	mails, rounds        int
	binary, dir, profile string
}

func run(ctx context.Context, o options, mbox string) error {
	scratch, err := os.MkdirTemp("", "bench-mail")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if o.dir == "" {
		o.dir = scratch
	}
	if o.binary == "" && o.profile == "" {
		o.binary = filepath.Join(scratch, "openhuman-core")
		build := exec.CommandContext(ctx, "go", "build", "-o", o.binary, "./cmd/openhuman-core")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("build the program: %w", err)
		}
	}
	if mbox != "" {
		n, err := bytesOf(mbox)
		if err != nil {
			return err
		}
		return measureMbox(ctx, o, scratch, n)
	}
	maildir := filepath.Join(o.dir, "mail")
	if err := makeMaildir(maildir, o.mails); err != nil {
		return err
	}
	if o.profile != "" {
		return profileRun(ctx, o.profile, filepath.Join(scratch, "memory.db"), maildir)
	}
	return compare(ctx, o, scratch, maildir)
}

// bytesOf reads a size such as 2GB.
func bytesOf(s string) (int64, error) {
	unit := int64(1)
	for _, u := range []struct {
		name string
		n    int64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if rest, ok := strings.CutSuffix(s, u.name); ok {
			s, unit = rest, u.n
			break
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("a size is a number with GB, MB or kB")
	}
	return n * unit, nil
}

// makeMaildir writes n mails to dir unless they are there.
func makeMaildir(dir string, n int) error {
	cur := filepath.Join(dir, "cur")
	if names, err := os.ReadDir(cur); err == nil && len(names) == n {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for _, sub := range []string{"cur", "new", "tmp"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return err
		}
	}
	c := newCorpus()
	for i := range n {
		mail, _, at := c.next()
		name := fmt.Sprintf("%d.M%dP1.host:2,%s", at.Unix(), i, []string{"S", "RS", "FS"}[i%3])
		if err := os.WriteFile(filepath.Join(cur, name), mail, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// A contender is a program that makes a Maildir searchable from nothing.
type contender struct {
	name    string
	install string // the Debian package
	prepare func(home, maildir string) error
	command func(home, maildir string) *exec.Cmd
	check   func(home, maildir string) *exec.Cmd // prints how many mails it has
	tidy    func(maildir string) error
}

func contenders(ctx context.Context, o options) []contender {
	notmuch := func(home string, args ...string) *exec.Cmd {
		c := exec.CommandContext(ctx, "notmuch", args...)
		c.Env = append(os.Environ(), "NOTMUCH_CONFIG="+filepath.Join(home, "config"))
		return c
	}
	return []contender{
		{
			name: "openhuman-core",
			command: func(home, maildir string) *exec.Cmd {
				return exec.CommandContext(ctx, o.binary, "ingest", "--no-embed", "--workspace", home, maildir)
			},
			check: func(home, _ string) *exec.Cmd {
				return exec.CommandContext(ctx, o.binary, "sources", "--workspace", home)
			},
		},
		{
			name: "notmuch", install: "notmuch",
			prepare: func(home, maildir string) error {
				text := "[database]\npath=" + maildir + "\n[user]\nname=Me\nprimary_email=me@home.example\n[new]\ntags=inbox;\n"
				return os.WriteFile(filepath.Join(home, "config"), []byte(text), 0o600)
			},
			command: func(home, _ string) *exec.Cmd { return notmuch(home, "new", "--quiet", "--no-hooks") },
			check:   func(home, _ string) *exec.Cmd { return notmuch(home, "count", "*") },
			tidy:    func(maildir string) error { return os.RemoveAll(filepath.Join(maildir, ".notmuch")) },
		},
		{
			name: "mu", install: "maildir-utils",
			prepare: func(home, maildir string) error {
				return exec.CommandContext(ctx, "mu", "init", "--quiet", "--muhome="+home, "--maildir="+maildir).Run()
			},
			command: func(home, _ string) *exec.Cmd {
				return exec.CommandContext(ctx, "mu", "index", "--quiet", "--muhome="+home)
			},
			check: func(home, _ string) *exec.Cmd {
				return exec.CommandContext(ctx, "mu", "find", "--muhome="+home, "--format=plain", "--fields=i", "")
			},
		},
	}
}

// compare runs the programs in turn and prints what they took.
func compare(ctx context.Context, o options, scratch, maildir string) error {
	all := contenders(ctx, o)
	var missing []string
	all = slices.DeleteFunc(all, func(c contender) bool {
		if c.install == "" {
			return false
		}
		if _, err := exec.LookPath(c.name); err != nil {
			missing = append(missing, c.install)
			return true
		}
		return false
	})
	if len(missing) > 0 {
		fmt.Printf("not compared with what is not installed: apt-get install %s\n", strings.Join(missing, " "))
	}
	files, size, err := warm(maildir)
	if err != nil {
		return err
	}
	fmt.Printf("%d mails, %.1f MB\n", files, float64(size)/1e6)
	times := map[string][]float64{}
	for round := range o.rounds {
		for _, c := range all {
			home := filepath.Join(scratch, fmt.Sprintf("%s-%d", c.name, round))
			seconds, err := c.run(home, maildir)
			if err != nil {
				return err
			}
			times[c.name] = append(times[c.name], seconds)
		}
	}
	own := times[all[0].name]
	for _, c := range all[1:] {
		ratios := make([]float64, len(own))
		for i := range ratios {
			ratios[i] = own[i] / times[c.name][i]
		}
		slices.Sort(ratios)
		fmt.Printf("ratio of openhuman-core to %-8s %.2f (%.2f to %.2f), bound 1\n", c.name, ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1])
	}
	return nil
}

// warm reads everything once, so that nobody waits for the disk.
func warm(maildir string) (files int, size int64, err error) {
	names, err := os.ReadDir(filepath.Join(maildir, "cur"))
	if err != nil {
		return 0, 0, err
	}
	for _, n := range names {
		b, err := os.ReadFile(filepath.Join(maildir, "cur", n.Name()))
		if err != nil {
			return 0, 0, err
		}
		size += int64(len(b))
	}
	return len(names), size, nil
}

// run runs the program once over a home of its own and returns its seconds of processor time.
func (c *contender) run(home, maildir string) (float64, error) {
	if err := os.MkdirAll(home, 0o700); err != nil {
		return 0, err
	}
	defer os.RemoveAll(home)
	if c.prepare != nil {
		if err := c.prepare(home, maildir); err != nil {
			return 0, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	cmd := c.command(home, maildir)
	var messages strings.Builder
	cmd.Stderr = &messages
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%s: %w: %s", c.name, err, messages.String())
	}
	wall := time.Since(begin)
	st := cmd.ProcessState
	cpu := st.UserTime() + st.SystemTime()
	out, err := c.check(home, maildir).Output()
	if err != nil {
		return 0, fmt.Errorf("%s does not tell what it has: %w", c.name, err)
	}
	fmt.Printf("%-15s cpu %6.2f s (user %.2f, system %.2f)  wall %6.2f s  peak %s  index %.1f MB  has %s\n", c.name, cpu.Seconds(),
		st.UserTime().Seconds(), st.SystemTime().Seconds(), wall.Seconds(), harness.Peak(st), float64(c.indexed(home, maildir))/1e6, has(string(out)))
	if c.tidy != nil {
		return cpu.Seconds(), c.tidy(maildir)
	}
	return cpu.Seconds(), nil
}

// has is the number that a program says, or of the lines that it prints.
func has(out string) string {
	out = strings.TrimSpace(out)
	if l := strings.Count(out, "\n") + 1; l > 10 {
		return strconv.Itoa(l)
	}
	l := strings.Split(out, "\n")
	return strings.Join(strings.Fields(l[len(l)-1]), " ")
}

// indexed is the size of what the program has written.
func (c *contender) indexed(home, maildir string) (n int64) {
	dirs := []string{home}
	if c.tidy != nil {
		dirs = append(dirs, filepath.Join(maildir, ".notmuch"))
	}
	for _, d := range dirs {
		// What cannot be looked at is not counted; the number is for information.
		_ = filepath.WalkDir(d, func(_ string, e os.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				n += info.Size()
			}
			return nil
		})
	}
	return n
}
