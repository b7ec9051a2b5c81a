//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/openhuman/openhuman-core/internal/demo"
)

// The program and a memory made by it, shared by all tests.
var program, workspace string

func TestMain(m *testing.M) {
	code, err := prepare(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(code)
}

func prepare(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "openhuman-e2e-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "openhuman-core")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	build := exec.Command("go", "build", "-o", program, "../cmd/openhuman-core")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build: %w\n%s", err, out)
	}
	files := filepath.Join(dir, "files")
	if err := os.Mkdir(files, 0o700); err != nil {
		return 0, err
	}
	paths, err := demo.Write(demo.Memory(), files)
	if err != nil {
		return 0, err
	}
	// A blank in the path, as people have.
	workspace = filepath.Join(dir, "my memory")
	ingest := command(context.Background(), append([]string{"ingest"}, paths...)...)
	if out, err := ingest.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("ingest: %w\n%s", err, out)
	}
	return m.Run(), nil
}

// command is the program over the shared memory. It starts in the root folder, as some clients do.
func command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, program, args...)
	c.Env = append(os.Environ(), "OPENHUMAN_WORKSPACE="+workspace)
	c.Dir = filepath.VolumeName(workspace) + string(filepath.Separator)
	c.WaitDelay = 5 * time.Second
	return c
}

// pipe runs mcp over input and returns what it wrote.
func pipe(t *testing.T, input string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	c := command(t.Context(), append([]string{"mcp"}, args...)...)
	var out, errs bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = bytes.NewBufferString(input), &out, &errs
	err = c.Run()
	return out.String(), errs.String(), err
}
