//go:build race

package controller_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain makes properties be tried on fewer cases where everything runs many times slower, unless
// the command line says on how many.
func TestMain(m *testing.M) {
	flag.Set("rapid.checks", "10") //nolint:errcheck // rapid defines it
	os.Exit(m.Run())
}
