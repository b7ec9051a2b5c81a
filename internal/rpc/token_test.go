package rpc_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/openhuman/openhuman-core/internal/rpc"
	"github.com/openhuman/openhuman-core/pkg/fault"
)

func TestTokenIsMadeOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "workspace")
	var wg sync.WaitGroup
	tokens := make([]string, 20)
	for i := range tokens {
		wg.Go(func() {
			token, exposed, err := rpc.Token(dir)
			if err != nil || exposed {
				t.Errorf("%v, exposed %v", err, exposed)
			}
			tokens[i] = token
		})
	}
	wg.Wait()
	for _, token := range tokens {
		if token != tokens[0] || len(token) != 64 {
			t.Fatalf("tokens %q", tokens)
		}
	}
	if other, _, err := rpc.Token(t.TempDir()); err != nil || other == tokens[0] {
		t.Errorf("another workspace has the same token, or %v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	path := filepath.Join(dir, rpc.TokenFile)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	token, exposed, err := rpc.Token(dir)
	if err != nil || !exposed || token != tokens[0] {
		t.Errorf("a file that others could read: %q %v %v", token, exposed, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("it stays open: %v %v", info.Mode(), err)
	}
}

func TestTokenOfTheOwner(t *testing.T) {
	write := func(text string) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, rpc.TokenFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	if token, _, err := rpc.Token(write(" chosen by hand\r\n")); token != "chosen by hand" || err != nil {
		t.Errorf("%q %v", token, err)
	}
	for name, dir := range map[string]string{"empty": write("\n"), "huge": write(strings.Repeat("x", 5000))} {
		if token, _, err := rpc.Token(dir); fault.CodeOf(err) == "" || fault.HintOf(err) == "" {
			t.Errorf("%s: %q %v", name, token, err)
		}
	}
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, rpc.TokenFile), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := rpc.Token(folder); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("a folder: %v", err)
	}
	if _, _, err := rpc.Token(filepath.Join(write("x"), rpc.TokenFile)); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("a workspace that is a file: %v", err)
	}
}

// TestCheckToken: what only this machine can try may be anything, and elsewhere it has to be long.
func TestCheckToken(t *testing.T) {
	const long = "0123456789abcdef01234567"
	for _, c := range []struct {
		host, token, says string
	}{
		{"127.0.0.1", "", ""}, {"localhost", "x", ""}, {"[::1]", "x", ""}, {"localhost.", "", ""}, {"127.0.0.2", "x", ""},
		{"0.0.0.0", "", "no token is set"}, {"::", "x", "can be guessed"}, {"192.168.1.7", long[:23], "can be guessed"},
		{"0.0.0.0", strings.Repeat("ab", 40), "can be guessed"}, {"host.example", long, ""}, {"0.0.0.0", long, ""}, {"localhost.example", "x", "can be guessed"},
	} {
		err := rpc.CheckToken(c.host, c.token)
		switch {
		case c.says == "" && err != nil, c.says != "" && (fault.CodeOf(err) != fault.Invalid || !strings.Contains(fault.Message(err), c.says)):
			t.Errorf("%s with %q: %v", c.host, c.token, err)
		case err != nil && (!strings.Contains(fault.HintOf(err), "OPENHUMAN_CORE_TOKEN") || c.token != "" && strings.Contains(fault.Message(err), `"`+c.token+`"`)):
			t.Errorf("%s with %q: %s", c.host, c.token, fault.Message(err))
		}
	}
}
