// Command openhuman-core keeps one person's memory (notes, mail, chats) in a local store and serves
// it, read-only, to MCP clients over stdio. This package holds the command line: flags, wiring, and
// what people see. What the commands do is in pkg and internal.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ())
	stop()
	os.Exit(code)
}

// run is the whole program: it returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, environ: environ}
	root := newRoot(a)
	root.SetArgs(args)
	return a.exit(ctx, root.ExecuteContext(ctx))
}
