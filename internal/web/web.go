// Package web is the page that the HTTP server shows at /: a shell of HTML, CSS and JavaScript that is
// part of the program, asks nobody but the server it came from, and holds nothing of the memory. What
// it shows it gets from /rpc, with the token that its user enters, as every other client does.
package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed page
var page embed.FS

// policy lets the page run its own scripts and ask its own server, and nothing else: no inline script
// or style, no frame, no form that goes anywhere, no text that is made into markup.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

type file struct {
	kind, tag string
	data      []byte
}

// Handler serves the page and its files, and elsewhere answers with missing.
func Handler(missing http.Handler) http.Handler {
	files := load()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := files[r.URL.Path]
		if !ok {
			missing.ServeHTTP(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", f.kind)
		h.Set("Content-Security-Policy", policy)
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cache-Control", "no-cache") // ask each time, and take what has not changed
		h.Set("ETag", f.tag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.data))
	})
}

// load reads the files by the path under which they are served.
func load() map[string]file {
	kinds := map[string]string{
		".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
	}
	files := map[string]file{}
	err := fs.WalkDir(page, "page", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := page.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		at := strings.TrimPrefix(name, "page")
		if at == "/index.html" {
			at = "/"
		}
		files[at] = file{kinds[path.Ext(name)], `"` + hex.EncodeToString(sum[:12]) + `"`, data}
		return nil
	})
	if err != nil {
		panic("web: " + err.Error()) // what is embedded can be read
	}
	return files
}
