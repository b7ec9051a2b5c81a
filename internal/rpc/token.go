package rpc

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/pkg/fault"
)

// TokenFile is the name of the file that holds the token, in the workspace.
const TokenFile = "core.token"

const tokenBytes = 32

// What a token of the owner's own has at least where other machines can try it.
const (
	leastToken      = 24 // characters
	leastDifference = 8  // different ones
)

// CheckToken returns an Invalid fault when a server on host must not be opened with the token that its
// owner has set, "" for none. A server that is open by mistake should not start.
func CheckToken(host, token string) error {
	const remedy = "Set OPENHUMAN_CORE_TOKEN or [server] token to a long random text, such as `openssl rand -hex 32` prints, or listen on 127.0.0.1."
	different := map[rune]bool{}
	for _, r := range token {
		different[r] = true
	}
	switch {
	case Loopback(host):
		return nil
	case token == "":
		return fault.New(fault.Invalid, "Other machines can reach %s, and no token is set.", strconv.Quote(host)).WithHint(remedy)
	case len(token) < leastToken || len(different) < leastDifference:
		return fault.New(fault.Invalid, "Other machines can reach %s, and the token can be guessed: it needs %d characters, %d different ones among them.",
			strconv.Quote(host), leastToken, leastDifference).WithHint(remedy)
	}
	return nil
}

// Token returns the token that is kept in the workspace, which it makes at the first time. exposed
// reports that other users of the machine could read it; they cannot any more.
func Token(workspace string) (token string, exposed bool, err error) {
	path := filepath.Join(workspace, TokenFile)
	for try := 0; ; try++ {
		token, exposed, err = readToken(path)
		switch {
		case err == nil && token != "":
			return token, exposed, nil
		case errors.Is(err, fs.ErrNotExist):
			if err = makeToken(path); err != nil && !errors.Is(err, fs.ErrExist) {
				return "", false, fault.Wrap(fault.Unavailable, err, "The token cannot be written to %s.", path).
					WithHint("Correct the permissions of the folder, or set OPENHUMAN_CORE_TOKEN.")
			}
		case err != nil:
			return "", false, fault.Wrap(fault.Unavailable, err, "The token in %s cannot be read.", path).
				WithHint("Correct its permissions, or remove it to have a new one made.")
		case try > 0: // empty: perhaps another process is writing it, but not for long
			if try > 20 {
				return "", false, fault.New(fault.Invalid, "There is no token in %s.", path).WithHint("Remove the file to have a new token made.")
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

func readToken(path string) (token string, exposed bool, err error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "", false, err
	case !info.Mode().IsRegular():
		return "", false, errors.New("it is not a regular file")
	case info.Size() > 4096:
		return "", false, errors.New("it is too large for a token")
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(path, 0o600); err != nil {
			return "", false, err
		}
		exposed = true
	}
	data, err := os.ReadFile(path)
	return strings.TrimSpace(string(data)), exposed, err
}

// makeToken writes a new token, unless there is one.
func makeToken(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	raw := make([]byte, tokenBytes)
	if _, err = rand.Read(raw); err == nil {
		_, err = fmt.Fprintln(f, hex.EncodeToString(raw))
	}
	return errors.Join(err, f.Close())
}
