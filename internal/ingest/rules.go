package ingest

import (
	"bytes"
	"io/fs"
	"strings"
)

// Reasons for leaving a file out by its name.
const (
	reasonIgnored      = "left out by "
	reasonHidden       = "hidden file"
	reasonHiddenDir    = "hidden folder"
	reasonSecret       = "looks like a file of secrets"
	reasonPrivateKey   = "holds a private key"
	reasonOwn          = "belongs to the memory itself"
	reasonMailIndex    = "index file of the mail folder"
	reasonDelivering   = "mail that is still being delivered"
	reasonLinkInside   = "symbolic link; what it leads to is taken in where it stands"
	reasonLinkOutside  = "symbolic link to a path outside the folder"
	reasonLinkBroken   = "symbolic link that leads nowhere"
	reasonNotRegular   = "not a regular file"
	reasonInstalled    = "folder of installed packages"
	reasonBrowser      = "profile of a browser, with its passwords and cookies"
	reasonCache        = "folder that says of itself that it is a cache"
	reasonTooDeep      = "too many folders deep"
	reasonEmpty        = "empty file"
	reasonBinaryNamed  = "named like text, but its content is binary"
	reasonUnknownKind  = "not a kind of file that is taken in"
	reasonChangedWhile = "changed while it was read; the next run reads it again"
)

// secretNames are names, in lower case and without a leading dot, of files that hold credentials.
var secretNames = map[string]bool{
	"netrc": true, "_netrc": true, "npmrc": true, "pypirc": true, "pgpass": true, "htpasswd": true,
	"git-credentials": true, "credentials": true, "credentials.json": true, "credentials.csv": true,
	"secrets.json": true, "secrets.yaml": true, "secrets.yml": true, "secrets.toml": true, "secrets.env": true,
	"key3.db": true, "key4.db": true, "logins.json": true, "signons.sqlite": true, "cookies.sqlite": true, "login data": true, "cookies": true,
	"passwords.txt": true, "passwords.csv": true, "passwords.json": true, "chrome passwords.csv": true,
	"wallet.dat": true, "keystore.json": true, "core.token": true,
}

// secretSuffixes are endings of such names.
var secretSuffixes = []string{
	".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".kdb", ".ppk", ".ovpn", ".agekey", ".1pux", ".mobileprovision",
	".keychain", ".keychain-db", ".keyring", ".bks", ".psafe3", ".bitwarden", ".wallet",
}

// secret reports whether the name of a file says that it holds credentials.
func secret(name string) bool {
	name = strings.ToLower(name)
	n := strings.TrimPrefix(name, ".")
	if secretNames[n] || name == ".env" || strings.HasPrefix(name, ".env.") || strings.HasPrefix(n, "client_secret") && strings.HasSuffix(n, ".json") {
		return true
	}
	for _, s := range secretSuffixes {
		if strings.HasSuffix(n, s) {
			return true
		}
	}
	for _, s := range []string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"} { // and copies such as id_rsa.old
		if strings.HasPrefix(n, s) && !strings.HasSuffix(n, ".pub") {
			return true
		}
	}
	return strings.HasSuffix(n, ".env")
}

// installed says why a folder holds what programs have put there and nobody has written, "" when it
// may be a person's. A name that people use as well, such as vendor, needs a sign inside.
func installed(name string, list []fs.DirEntry) string {
	switch name {
	case "node_modules", "bower_components", "__pycache__", "site-packages":
		return reasonInstalled
	}
	if browserProfile(list) {
		return reasonBrowser
	}
	for _, de := range list {
		switch de.Name() {
		case "CACHEDIR.TAG":
			return reasonCache
		case "pyvenv.cfg":
			return reasonInstalled
		case "modules.txt", "autoload.php":
			if name == "vendor" {
				return reasonInstalled
			}
		}
	}
	return ""
}

// browserProfile reports whether a folder is where a browser keeps what it knows of its user. That of a
// mail program looks like one of Firefox, but has mail.
func browserProfile(list []fs.DirEntry) bool {
	has := func(names ...string) bool {
		n := 0
		for _, de := range list {
			for _, name := range names {
				if de.Name() == name {
					n++
				}
			}
		}
		return n == len(names)
	}
	return has("key4.db", "prefs.js") && !has("Mail") && !has("ImapMail") || has("Login Data", "Preferences") || has("Local State", "Default")
}

// privateKey reports whether a file begins with a private key, whatever it is called.
func privateKey(head []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, " \t\r\n\xef\xbb\xbf"), []byte("\n"))
	return bytes.HasPrefix(line, []byte("-----BEGIN ")) && bytes.Contains(line, []byte("PRIVATE KEY")) ||
		bytes.HasPrefix(line, []byte("PuTTY-User-Key-File-")) || bytes.HasPrefix(line, []byte("AGE-SECRET-KEY-"))
}

// magics tell kinds of files that are not taken in by their first bytes.
var magics = []struct {
	at    int
	bytes string
	what  string
}{
	{0, "PK\x03\x04", "a zip archive or an office document"},
	{0, "PK\x05\x06", "an empty zip archive"},
	{0, "\x1f\x8b", "a gzip archive"},
	{0, "BZh", "a bzip2 archive"},
	{0, "\xfd7zXZ\x00", "an xz archive"},
	{0, "(\xb5/\xfd", "a zstd archive"},
	{0, "7z\xbc\xaf\x27\x1c", "a 7z archive"},
	{0, "Rar!\x1a\x07", "a rar archive"},
	{257, "ustar", "a tar archive"},
	{0, "\x89PNG\r\n\x1a\n", "a picture"},
	{0, "\xff\xd8\xff", "a picture"},
	{0, "GIF8", "a picture"},
	{8, "WEBP", "a picture"},
	{4, "ftyp", "a video or picture"},
	{0, "OggS", "a sound file"},
	{0, "ID3", "a sound file"},
	{0, "fLaC", "a sound file"},
	{8, "WAVE", "a sound file"},
	{0, "\x1aE\xdf\xa3", "a video"},
	{0, "SQLite format 3\x00", "an SQLite database"},
	{0, "mozLz40\x00", "a packed backup of Firefox (bookmarks can be exported as HTML or JSON)"},
	{0, "\x7fELF", "a program"},
	{0, "MZ", "a program"},
	{0, "\xcf\xfa\xed\xfe", "a program"},
	{0, "!BDN", "Outlook's store of mail (which can be exported as mbox or .eml)"},
	{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old office document"},
}

// textNames are endings that promise text.
var textNames = []string{".md", ".markdown", ".mdx", ".txt", ".text", ".eml", ".mbox", ".jsonl", ".json", ".csv", ".log", ".org", ".rst"}

// unknownReason says why no reader takes a file.
func unknownReason(name string, head []byte) string {
	lower := strings.ToLower(name)
	what := ""
	for _, m := range magics {
		if len(head) >= m.at+len(m.bytes) && string(head[m.at:m.at+len(m.bytes)]) == m.bytes {
			what = m.what
			break
		}
	}
	if strings.HasSuffix(lower, ".msg") && strings.HasPrefix(what, "an old office") {
		what = "a mail saved by Outlook (which can be saved as .eml)" // the same container
	}
	if later(what) {
		return what + notYet
	}
	for _, s := range textNames {
		if strings.HasSuffix(lower, s) {
			return reasonBinaryNamed
		}
	}
	if what != "" {
		return what + " is " + reasonUnknownKind
	}
	return "binary file: " + reasonUnknownKind
}

// later reports whether a kind is one with text in it, that a later version takes in.
func later(what string) bool {
	return strings.Contains(what, "archive") || strings.Contains(what, "office")
}
