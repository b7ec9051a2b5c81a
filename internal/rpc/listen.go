package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/netutil"

	"github.com/openhuman/openhuman-core/pkg/fault"
)

const (
	headerTimeout = 5 * time.Second
	bodyTimeout   = 20 * time.Second
	writeTimeout  = 30 * time.Second
	idleTimeout   = 2 * time.Minute
	headerBytes   = 32 << 10
	// stopGrace is how long the end of the server waits for calls that run.
	stopGrace = 10 * time.Second
)

// Listen opens the port. A host that callers elsewhere can reach is for whoever calls to have weighed.
func Listen(ctx context.Context, host string, port int) (net.Listener, error) {
	address := net.JoinHostPort(unbracketed(host), strconv.Itoa(port))
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	var dns *net.DNSError
	switch {
	case err == nil:
		return l, nil
	case inUse(err):
		return nil, fault.Wrap(fault.Conflict, err, "Port %d on %s is in use by another program, or by another openhuman-core.", port, host).
			WithHint("End that program, or choose another port: --port, OPENHUMAN_CORE_PORT or [server] port in config.toml.")
	case errors.Is(err, syscall.EACCES):
		return nil, fault.Wrap(fault.Invalid, err, "This user may not listen on port %d.", port).WithHint("Choose a port above 1023.")
	case errors.As(err, &dns), errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, fault.Wrap(fault.Invalid, err, "This machine has no address %s.", host).WithHint("Use 127.0.0.1, or an address of this machine.")
	}
	return nil, fmt.Errorf("listen on %s: %w", address, err)
}

// URL is where a server on l is found under the name host.
func URL(host string, l net.Listener) string {
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return "http://" + net.JoinHostPort(unbracketed(host), port)
}

// unbracketed returns an address of IPv6 as net wants it.
func unbracketed(host string) string {
	if in, found := strings.CutPrefix(host, "["); found {
		return strings.TrimSuffix(in, "]")
	}
	return host
}

// inUse knows the number that Windows has for it as well.
func inUse(err error) bool {
	const windowsInUse = syscall.Errno(10048)
	return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, windowsInUse)
}

// Loopback reports whether only this machine can reach a server on host.
func Loopback(host string) bool {
	ip, err := netip.ParseAddr(hostOf(host))
	return hostOf(host) == localhost || err == nil && ip.IsLoopback()
}

// Serve answers on l until ctx ends; then it takes no more requests, lets those that run end, and
// returns nil.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    headerBytes,
		// What it logs quotes what callers send.
		ErrorLog: stdlog.New(io.Discard, "", 0),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(netutil.LimitListener(l, s.limits.Connections)) }()
	select {
	case err := <-failed:
		s.Close()
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	closed := make(chan struct{})
	go func() { // ends the streams, for which Shutdown would wait
		defer close(closed)
		s.Close()
	}()
	err := server.Shutdown(grace)
	if err != nil {
		_ = server.Close() // what has not ended by now is cut off
	}
	select {
	case <-closed:
	case <-grace.Done():
	}
	return nil
}
