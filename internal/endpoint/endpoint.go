// Package endpoint asks models that somebody else serves, over HTTP: Ollama, or anything that speaks
// OpenAI's interface. It sends to the one address that it is given and nowhere else, it waits a
// bounded time, and it believes nothing that comes back unchecked. What to ask, and what to do
// without an answer, is the caller's.
package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/pkg/fault"
)

// An API is the interface that an endpoint speaks.
type API string

// The interfaces.
const (
	Ollama API = "ollama"
	OpenAI API = "openai"
)

// Options say which model to ask, and where.
type Options struct {
	API     API
	BaseURL string // empty: where Ollama listens, or OpenAI's own
	Model   string
	Key     string
	Timeout time.Duration // of one attempt; 0: a minute
	// Attempts is how often a call is tried that fails for a reason that may pass; 0: 3.
	Attempts int
	// Pause waits between attempts; nil: for the time given, or until the context ends.
	Pause func(ctx context.Context, d time.Duration) error
}

const (
	defaultOllama = "http://localhost:11434"
	defaultOpenAI = "https://api.openai.com/v1"

	maxAnswer = 16 << 20 // bytes; vectors of a batch, written out
	firstWait = 500 * time.Millisecond
	maxWait   = 20 * time.Second
)

// A Client asks one model. It is safe for concurrent use.
type Client struct {
	o    Options
	base *url.URL
	http *http.Client
}

// New returns a client. It contacts nobody.
func New(o Options) (*Client, error) {
	if o.BaseURL == "" {
		o.BaseURL = defaultOllama
		if o.API == OpenAI {
			o.BaseURL = defaultOpenAI
		}
	}
	base, err := url.Parse(strings.TrimRight(o.BaseURL, "/"))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fault.New(fault.Invalid, "The base_url of the %s endpoint is no http or https address.", o.API)
	}
	if o.API != Ollama && o.API != OpenAI {
		return nil, fault.New(fault.Invalid, "There is no interface %q.", o.API)
	}
	if strings.TrimSpace(o.Model) == "" {
		return nil, fault.New(fault.Invalid, "The %s provider needs the name of a model.", o.API).
			WithHint("Set model in the same section, such as %s.", map[API]string{Ollama: "nomic-embed-text or llama3.2", OpenAI: "text-embedding-3-small or gpt-4o-mini"}[o.API])
	}
	if o.Timeout <= 0 {
		o.Timeout = time.Minute
	}
	if o.Attempts <= 0 {
		o.Attempts = 3
	}
	if o.Pause == nil {
		o.Pause = pause
	}
	return &Client{o: o, base: base, http: &http.Client{
		// A redirect to another host would hand the text to somebody nobody has chosen.
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if r.URL.Host != via[0].URL.Host || r.URL.Scheme != via[0].URL.Scheme || len(via) > 3 {
				return errors.New("it sends the request elsewhere")
			}
			return nil
		},
	}}, nil
}

// Name names the model and how it is asked, the same for the same model wherever it is served.
func (c *Client) Name() string { return string(c.o.API) + ":" + c.o.Model }

// Close lets go of idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// url returns the address of a call. A base with a path of its own is taken to hold the version.
func (c *Client) url(path string) string {
	base := c.base.String()
	if c.o.API == OpenAI && c.base.Path == "" {
		base += "/v1"
	}
	return base + path
}

// call sends a request and decodes the answer into out. Failures that may pass are tried again. The
// error is a fault: Invalid when the endpoint will not take this request, Unavailable otherwise.
func (c *Client) call(ctx context.Context, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode a request: %w", err)
	}
	wait := firstWait
	for attempt := 1; ; attempt++ {
		after, again, err := c.try(ctx, path, body, out)
		if err == nil || !again || attempt == c.o.Attempts || ctx.Err() != nil {
			return err
		}
		if err := c.o.Pause(ctx, min(max(wait, after), maxWait)); err != nil {
			return err
		}
		wait *= 2
	}
}

// try makes one attempt. again says that another one may help, after that it should wait so long.
func (c *Client) try(ctx context.Context, path string, body []byte, out any) (after time.Duration, again bool, err error) {
	within, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(within, http.MethodPost, c.url(path), bytes.NewReader(body))
	if err != nil {
		return 0, false, fmt.Errorf("make a request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if c.o.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.o.Key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, true, c.noAnswer(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
		after, again := retry(resp)
		return after, again, c.refusal(resp.StatusCode)
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return 0, true, c.noAnswer(ctx, err)
	}
	if len(answer) > maxAnswer {
		return 0, false, c.nonsense("it is larger than %d MB", maxAnswer>>20)
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return 0, false, c.nonsense("it is not the JSON of the %s interface", c.o.API)
	}
	return 0, false, nil
}

// retry tells whether the same request may succeed later.
func retry(resp *http.Response) (after time.Duration, again bool) {
	switch resp.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err != nil || seconds < 0 || seconds > 3600 {
			seconds = 0
		}
		return time.Duration(seconds) * time.Second, true
	}
	return 0, false
}

// noAnswer is the fault of a call that failed on its way. The text of errors of net/http holds the
// whole address, so only what is behind it is kept.
func (c *Client) noAnswer(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		err = op.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %s", c.o.Timeout)
	}
	f := fault.Wrap(fault.Unavailable, err, "The %s endpoint at %s does not answer.", c.o.API, c.base.Host)
	if c.o.API == Ollama {
		return f.WithHint("Start it with: ollama serve. Or set provider to builtin.")
	}
	return f.WithHint("Check base_url, or set provider to builtin.")
}

// refusal is the fault of a status. What the endpoint says beside it may hold the text that it was
// sent, so that is not repeated.
func (c *Client) refusal(status int) error {
	say := func(code fault.Code, what, hint string) error {
		return fault.New(code, "The %s endpoint at %s %s (HTTP %d).", c.o.API, c.base.Host, what, status).WithHint("%s", hint)
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return say(fault.Unavailable, "does not accept the key", "Check api_key.")
	case http.StatusNotFound:
		hint := "Check model and base_url."
		if c.o.API == Ollama {
			hint = "Get the model with: ollama pull " + c.o.Model
		}
		return say(fault.Unavailable, "does not know the model "+strconv.Quote(c.o.Model)+" or the address", hint)
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return say(fault.Invalid, "does not take the request", "Check that the model is of the right kind, and how much text it takes.")
	case http.StatusTooManyRequests:
		return say(fault.Unavailable, "wants fewer requests", "Try again later.")
	}
	return say(fault.Unavailable, "failed", "Look into its log.")
}

// nonsense is the fault of an answer that cannot be used.
func (c *Client) nonsense(format string, args ...any) error {
	return fault.New(fault.Unavailable, "The answer of the %s endpoint at %s cannot be used: %s.", c.o.API, c.base.Host, fmt.Sprintf(format, args...)).
		WithHint("Check that base_url and model are right.")
}
