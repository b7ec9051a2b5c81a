// Command openhuman-core keeps one person's memory (notes, mail, chats) in a local store and serves
// it, read-only, to MCP clients over stdio. This package holds the command line: flags, wiring, and
// what people see. What the commands do is in pkg and internal.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(start()) }

// start runs the program on the streams and the environment of the process.
func start() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first signal asks; a second one ends the program whatever it is doing.
	context.AfterFunc(ctx, stop)
	stdout := os.Stdout
	// Whoever prints by habit, in whatever package, must not break the protocol.
	os.Stdout = os.Stderr
	// Nothing here uses that log, but net/http does: it quotes what servers answer.
	log.SetOutput(io.Discard)
	return run(ctx, os.Args[1:], os.Stdin, stdout, os.Stderr, os.Environ())
}

// run is the whole program: it returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, environ: environ}
	root := newRoot(a)
	root.SetArgs(args)
	return a.exit(ctx, root.ExecuteContext(ctx))
}
