package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/demo"
	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"openhuman-core": func() { os.Exit(start()) },
	})
}

// TestScripts runs the program as a process, over a memory of its own in each script.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "../../testdata/script",
		UpdateScripts: golden.Update(),
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("USERPROFILE", env.WorkDir)
			env.Setenv("TMPDIR", filepath.Join(env.WorkDir, "tmp"))
			// What a script cannot write plainly.
			env.Setenv("LONG", strings.Repeat("x", 201))
			env.Setenv("ESCAPE", "notes:\x1b[31mred")
			env.Setenv("TAB", "\t")
			env.Setenv("OPENHUMAN_WORKSPACE", filepath.Join(env.WorkDir, "memory"))
			return os.Mkdir(filepath.Join(env.WorkDir, "tmp"), 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"demo-files": demoFiles,
			"json":       jsonValid,
			"normalise":  normalise,
			"chunk-id":   chunkID,
			"unix-mode":  unixMode,
			"damage":     damage,
		},
	})
}

// demo-files DIR lays the built-in memory out below DIR.
func demoFiles(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: demo-files DIR")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o700))
	_, err := demo.Write(demo.Memory(), dir)
	ts.Check(err)
}

// json stdout|stderr|FILE checks that every line, or else the whole, is JSON.
func jsonValid(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile(args[0])
	if strings.TrimSpace(text) == "" {
		ts.Fatalf("%s is empty", args[0])
	}
	valid := json.Valid([]byte(text))
	if !valid {
		valid = true
		for line := range strings.Lines(text) {
			valid = valid && json.Valid([]byte(line))
		}
	}
	if valid == neg {
		ts.Fatalf("json %s: valid is %v\n%s", args[0], valid, text)
	}
}

var (
	idPattern   = regexp.MustCompile(`\b[0-9a-f]{32}\b`)
	timePattern = regexp.MustCompile(`\b\d+\.\d s\b`)
	sizePattern = regexp.MustCompile(`\b\d+\.\d [KM]B\b`)
)

// normalise stdout FILE writes the last output to FILE with ids, times, sizes and the version
// replaced, so that it can be compared.
func normalise(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: normalise stdout|stderr FILE")
	}
	text := ts.ReadFile(args[0])
	text = strings.ReplaceAll(text, ts.Getenv("WORK"), "$WORK")
	text = idPattern.ReplaceAllString(text, "<id>")
	text = timePattern.ReplaceAllString(text, "<time>")
	text = sizePattern.ReplaceAllString(text, "<size>")
	text = strings.ReplaceAll(text, version, "<version>")
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}

// chunk-id VAR sets VAR to the first chunk id on standard output.
func chunkID(ts *testscript.TestScript, neg bool, args []string) {
	id := idPattern.FindString(ts.ReadFile("stdout"))
	if neg || len(args) != 1 || id == "" {
		ts.Fatalf("no chunk id on stdout")
	}
	ts.Setenv(args[0], id)
}

// unix-mode MODE PATH checks permissions where they mean something.
func unixMode(ts *testscript.TestScript, neg bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := fmt.Sprintf("%o", info.Mode().Perm()); (got == args[0]) == neg && os.PathSeparator == '/' {
		ts.Fatalf("%s has mode %s", args[1], got)
	}
}

// damage FILE overwrites the second half of a file, as a failing disk does.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	info, err := os.Stat(path)
	ts.Check(err)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	ts.Check(err)
	_, err = f.WriteAt(bytes.Repeat([]byte{0xa5}, int(info.Size()/2)), info.Size()/2)
	ts.Check(errors.Join(err, f.Close()))
}

// The version in the program is that of the newest entry of the change log.
func TestVersionIsInChangelog(t *testing.T) {
	log, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)`).FindSubmatch(log)
	if m == nil || string(m[1]) != version {
		t.Errorf("the newest entry is %q, the version is %q", m, version)
	}
}
