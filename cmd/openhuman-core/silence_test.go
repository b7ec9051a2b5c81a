package main

import (
	"io"
	"log"
	"os"
	"testing"
)

// TestLogOfTheProcessIsSilent: net/http tells it what servers answer, which must not come to stderr.
func TestLogOfTheProcessIsSilent(t *testing.T) {
	args, stdout := os.Args, os.Stdout
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		os.Args, os.Stdout = args, stdout
		log.SetOutput(os.Stderr)
		_ = null.Close()
	}()
	os.Args, os.Stdout = []string{"openhuman-core", "version"}, null
	if status := start(); status != 0 {
		t.Fatalf("status %d", status)
	}
	if log.Writer() != io.Discard {
		t.Error("the log of the process goes somewhere")
	}
}
