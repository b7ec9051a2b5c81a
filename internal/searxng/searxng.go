// Package searxng asks a SearXNG instance that the owner runs or trusts. It contacts the configured
// address and nothing else, waits a bounded time, reads a bounded answer and believes none of it
// unchecked. What may be asked, and by whom, is decided before.
package searxng

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
)

// Options say where the instance is and what a search is like when the caller does not say.
type Options struct {
	BaseURL    string
	MaxResults int
	Language   string
	Timeout    time.Duration // of one search, with everything
}

const (
	maxAnswer    = 4 << 20 // bytes, unpacked
	maxRedirects = 3
	maxHost      = 120 // runes of one that is named
)

// A Client searches one instance. It is safe for concurrent use.
type Client struct {
	o    Options
	base *url.URL
	http *http.Client
}

var _ controller.WebSearcher = (*Client)(nil)

// New returns a client. It contacts nobody.
func New(o Options) (*Client, error) {
	base, err := url.Parse(strings.TrimSpace(o.BaseURL))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		// The address may hold a password, so that it is not repeated.
		return nil, fault.New(fault.Invalid, "searxng.base_url is no http or https address.").WithHint("Write it like http://localhost:8080.")
	}
	base.Path = strings.TrimSuffix(strings.TrimRight(base.Path, "/"), "/search")
	base.RawPath, base.RawQuery, base.Fragment = "", "", ""
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	if o.MaxResults <= 0 {
		o.MaxResults = controller.DefaultK
	}
	c := &Client{o: o, base: base}
	c.http = &http.Client{
		// No proxy from the environment: that would be somebody else to talk to.
		Transport: &http.Transport{
			DialContext:     (&net.Dialer{Timeout: o.Timeout}).DialContext,
			TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
			// A connection of its own for every call: net/http tells the log of the process what comes on
			// one that is idle, and that would be somebody else's text.
			DisableKeepAlives:      true,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if r.URL.Scheme != base.Scheme || !strings.EqualFold(r.URL.Host, base.Host) {
				return &elsewhere{line(r.URL.Scheme+"://"+r.URL.Host, maxHost)}
			}
			if len(via) > maxRedirects {
				return errCircles
			}
			return nil
		},
	}
	return c, nil
}

// errCircles is one redirect after the other.
var errCircles = errors.New("it redirects in circles")

// elsewhere is a redirect that is not followed.
type elsewhere struct{ to string }

func (e *elsewhere) Error() string { return "it redirects elsewhere" }

// Defaults implements [controller.WebSearcher].
func (c *Client) Defaults() (language string, maxResults int) {
	return strings.TrimSpace(c.o.Language), c.o.MaxResults
}

// Close lets go of idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// categories are the names that SearXNG has for ours.
var categories = map[string]string{"web": "general", "news": "news", "images": "images"}

// Search implements [controller.WebSearcher].
func (c *Client) Search(ctx context.Context, q controller.WebQuery) (controller.WebAnswer, error) {
	body, err := c.get(ctx, q)
	if err != nil {
		return controller.WebAnswer{}, err
	}
	a, err := parse(body, q.MaxResults)
	if err != nil {
		return controller.WebAnswer{}, c.nonsense(err)
	}
	return a, nil
}

func (c *Client) address(q controller.WebQuery) string {
	names := []string{}
	for _, name := range q.Categories {
		names = append(names, categories[name])
	}
	if len(names) == 0 {
		names = append(names, categories["web"])
	}
	v := url.Values{"q": {q.Query}, "format": {"json"}, "categories": {strings.Join(names, ",")}}
	if q.Language != "" {
		v.Set("language", q.Language)
	}
	u := c.base.JoinPath("search")
	u.RawQuery = v.Encode()
	return u.String()
}

// get returns the body of the answer to a search.
func (c *Client) get(ctx context.Context, q controller.WebQuery) ([]byte, error) {
	within, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(within, http.MethodGet, c.address(q), nil)
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	// The limiter of SearXNG takes whoever lacks one of these for a robot.
	req.Header.Set("Accept", "application/json, text/html;q=0.5")
	req.Header.Set("Accept-Language", "en")
	req.Header.Set("User-Agent", "openhuman-core")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.noAnswer(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
		return nil, c.refusal(resp)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, c.noAnswer(ctx, err)
	case len(body) > maxAnswer:
		return nil, c.nonsense(fmt.Errorf("it is larger than %d MB", maxAnswer>>20))
	case isPage(resp.Header.Get("Content-Type"), body):
		return nil, fault.New(fault.Unavailable, "%s answers with a web page instead of JSON.", c).
			WithHint("Check that searxng.base_url is the address of SearXNG itself, without a login in front, and that search.formats in its settings.yml lists json.")
	}
	return body, nil
}

// String names the instance in messages: the address may hold a password and a path.
func (c *Client) String() string { return "The SearXNG instance at " + c.base.Host }

// noAnswer is the fault of a search that failed on its way. Errors of net/http hold the whole
// address with what was searched for, so only what is behind it is kept.
func (c *Client) noAnswer(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	say := func(what, hint string, args ...any) error {
		return fault.Wrap(fault.Unavailable, err, "%s %s.", c, what).WithHint(hint, args...)
	}
	var to *elsewhere
	var op *net.OpError
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var dns *net.DNSError
	var netErr net.Error
	switch {
	case errors.As(err, &to):
		return say("redirects to "+to.to+", and the search is not sent there", "If that is the instance, set searxng.base_url to it.")
	case errors.Is(err, errCircles):
		return say("redirects in circles", "Open searxng.base_url in a browser to see where it leads, and set it to the address of SearXNG itself; a proxy in front may have to be told its own address.")
	case errors.As(err, &verification):
		return say("has a certificate that is not trusted", "Check the host name in searxng.base_url and the date, or add the certificate's authority to those that this system trusts.")
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return say("does not speak TLS", "Set searxng.base_url to an address that starts with http://.")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		return say("does not answer within "+c.o.Timeout.String(), "Try again, see whether the instance is well, or raise searxng.timeout_seconds.")
	case errors.As(err, &dns):
		return say("cannot be found: nothing has this name", "Check searxng.base_url.")
	case errors.As(err, &op) && op.Op == "dial":
		return say("cannot be reached", "Start it, or check searxng.base_url.")
	}
	return say("broke off its answer", "Try again; if that does not help, look into the log of the instance.")
}

// refusal is the fault of a status. What the instance says beside it is not repeated: it may quote the
// query.
func (c *Client) refusal(resp *http.Response) error {
	say := func(what, hint string, args ...any) error {
		return fault.New(fault.Unavailable, "%s %s (HTTP %d).", c, what, resp.StatusCode).WithHint(hint, args...)
	}
	switch code := resp.StatusCode; {
	case code == http.StatusForbidden:
		return say("does not give its answers as JSON", "The owner of the instance has to add json to search.formats in its settings.yml (search: formats: [html, json]) and restart it.")
	case code == http.StatusUnauthorized:
		return say("asks for a password", "Write it into searxng.base_url: https://user:password@host.")
	case code == http.StatusNotFound:
		return say("has nothing at this address", "Check searxng.base_url: it is the address of the start page, without /search.")
	case code == http.StatusBadRequest:
		return say("does not take this search", "Leave out language, or give one that the instance offers. If every search fails so, check searxng.base_url: it may have to start with https://.")
	case code == http.StatusTooManyRequests:
		hint := "Wait a minute and search less often. On an instance of one's own the limiter can be turned off (server.limiter in settings.yml)."
		if s := resp.Header.Get("Retry-After"); s != "" {
			if n, err := strconv.Atoi(s); err == nil && n > 0 && n <= 86400 {
				hint = fmt.Sprintf("Try again in %d seconds. On an instance of one's own the limiter can be turned off (server.limiter in settings.yml).", n)
			}
		}
		return say("wants fewer searches", "%s", hint)
	case code >= 500:
		return say("failed", "Try again; if that does not help, look into the log of the instance.")
	}
	return say("does not answer the search", "Check searxng.base_url.")
}

// nonsense is the fault of an answer that cannot be used.
func (c *Client) nonsense(why error) error {
	return fault.New(fault.Unavailable, "The answer of the SearXNG instance at %s cannot be used: %v.", c.base.Host, why).
		WithHint("Check that searxng.base_url is the address of a SearXNG instance.")
}
