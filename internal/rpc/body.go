package rpc

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// linger is how long the rest of a body that nobody wants is waited for, once its request has been
// answered: a connection that is cut while its caller still writes may lose the answer.
const linger = 500 * time.Millisecond

// awaitBody has a request with a body be the last one of its connection, until somebody reads the body:
// otherwise net/http reads it to its end before it lets an answer go, whether it comes or not. What it
// returns is called when the request is answered.
func awaitBody(w http.ResponseWriter, r *http.Request) (answered func()) {
	if r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		return func() {}
	}
	w.Header().Set("Connection", "close")
	control := http.NewResponseController(w)
	// Not every ResponseWriter has a connection with a clock; the server's own ones do.
	_ = control.SetReadDeadline(time.Now().Add(bodyTimeout))
	return func() {
		if w.Header().Get("Connection") != "" {
			_ = control.SetReadDeadline(time.Now().Add(linger))
		}
	}
}

// read reads a body that is neither too large nor too slow.
func (s *Server) read(w http.ResponseWriter, r *http.Request) ([]byte, *refusal) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(min(s.limits.Request, bodyTimeout)))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.limits.Body))
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		_ = control.SetReadDeadline(time.Time{})
		w.Header().Del("Connection")
		return body, nil
	case errors.As(err, &tooLarge):
		return nil, &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("The body has more than %d bytes.", tooLarge.Limit), "too large"}
	}
	// Nothing more can be read from this connection.
	w.Header().Set("Connection", "close")
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, &refusal{http.StatusRequestTimeout, "The body did not arrive in time.", "too slow"}
	}
	return nil, &refusal{http.StatusBadRequest, "The body is broken off, or not in the form that its headers say.", "broken body"}
}
