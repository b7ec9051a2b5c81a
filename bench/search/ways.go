package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/bench/internal/harness"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/store"
)

var errNothing = errors.New("nothing found")

// controllerCPU asks the controller, in another process of this program.
func controllerCPU(dir string) func(context.Context, []string, int) (time.Duration, error) {
	return func(ctx context.Context, queries []string, n int) (time.Duration, error) {
		cmd := exec.CommandContext(ctx, os.Args[0], "-dir", dir, "-ask", strconv.Itoa(n))
		cmd.Stdin, cmd.Stderr = strings.NewReader(strings.Join(queries, "\n")), os.Stderr
		if err := cmd.Run(); err != nil {
			return 0, err
		}
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
	}
}

// askController is what that process does.
func askController(ctx context.Context, dir string, in io.Reader, n int) error {
	var queries []string
	for lines := bufio.NewScanner(in); lines.Scan(); {
		queries = append(queries, lines.Text())
	}
	st, err := store.Open(ctx, store.Options{Path: filepath.Join(dir, "memory.db"), ReadOnly: true})
	if err != nil {
		return err
	}
	defer st.Close()
	c := controller.New(controller.Options{Store: st})
	for i := range n {
		res, err := c.Search(ctx, controller.SearchParams{Query: queries[i%len(queries)]})
		if err != nil {
			return err
		}
		if len(res.Chunks) == 0 {
			return errNothing
		}
	}
	return nil
}

// stdioCPU asks the built program.
func stdioCPU(binary, dir string, atOnce bool) func(context.Context, []string, int) (time.Duration, error) {
	return func(ctx context.Context, queries []string, n int) (time.Duration, error) {
		s, err := harness.Start(ctx, binary, dir)
		if err != nil {
			return 0, err
		}
		arguments := make([]any, n)
		for i := range arguments {
			arguments[i] = controller.SearchParams{Query: queries[i%len(queries)]}
		}
		if err = search(s, arguments, atOnce); err != nil {
			_, e := s.End()
			return 0, errors.Join(err, e)
		}
		return s.End()
	}
}

func search(s *harness.Server, arguments []any, atOnce bool) error {
	found := func(text string) error {
		if !strings.HasPrefix(text, `{"chunks":[{`) {
			return fmt.Errorf("%w: %.200s", errNothing, text)
		}
		return nil
	}
	if atOnce {
		return s.Pipeline("memory.search", arguments, found)
	}
	for _, a := range arguments {
		text, err := s.Call("memory.search", a)
		if err == nil {
			err = found(text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
