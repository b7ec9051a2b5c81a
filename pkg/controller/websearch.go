package controller

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/pkg/fault"
)

// A WebSearcher asks a search engine that the owner has chosen. Implementations are safe for
// concurrent use, and their failures are faults.
type WebSearcher interface {
	Search(ctx context.Context, q WebQuery) (WebAnswer, error)
	// Defaults are used where a call does not say.
	Defaults() (language string, maxResults int)
}

// WebQuery is one web search.
type WebQuery struct {
	Query      string
	Categories []string // of WebCategories; none: web
	Language   string   // "": whatever the engine prefers
	MaxResults int
}

// WebAnswer is what a search engine answers with.
type WebAnswer struct {
	Results []WebResult
	Note    string // one sentence on what is missing, or ""
}

// A WebResult is one row of a web search.
type WebResult struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
	Source  string `json:"source"` // the engine
}

// SearXNGSearchParams are the arguments of searxng_search.
type SearXNGSearchParams struct {
	Query      string   `json:"query"`
	Categories []string `json:"categories,omitempty"`
	Language   string   `json:"language,omitempty"`
	MaxResults *int     `json:"max_results,omitempty"`
}

// WebSearchParams are the arguments of tools_web_search.
type WebSearchParams struct {
	Query      string `json:"query"`
	MaxResults *int   `json:"max_results,omitempty"`
}

// WebSearchResult is the answer of searxng_search and tools_web_search.
type WebSearchResult struct {
	Query     string      `json:"query"`
	Results   []WebResult `json:"results"`
	Truncated *Truncated  `json:"truncated,omitempty"`
	Hint      string      `json:"hint,omitempty"`
}

// WebCategories lists what can be searched for in the web.
var WebCategories = []string{"web", "news", "images"}

const (
	// MaxWebResults is how many rows a web search returns at most.
	MaxWebResults = 50
	// maxWebQueryRunes bounds the words of a web search; engines cut or refuse longer ones.
	maxWebQueryRunes = 500
	maxLanguageRunes = 20
	// minSnippetRunes is how short snippets get before rows are left out.
	minSnippetRunes = 80
)

// noWeb is the fault of a web search that nothing is configured for.
func noWeb() *fault.Error {
	return fault.New(fault.Unavailable, "Web search is off: no SearXNG instance is enabled.").
		WithHint("The owner can turn it on: set enabled = true and base_url under [searxng] in config.toml, or OPENHUMAN_SEARXNG_ENABLED=true and OPENHUMAN_SEARXNG_BASE_URL, and restart. The memory itself is searched with memory.search.")
}

// WebSearch asks the configured web search, which is SearXNG.
func (c *Controller) WebSearch(ctx context.Context, p WebSearchParams) (WebSearchResult, error) {
	return c.SearXNGSearch(ctx, SearXNGSearchParams{Query: p.Query, MaxResults: p.MaxResults})
}

// SearXNGSearch asks the owner's SearXNG instance. Nothing of the memory goes there but what the
// caller puts into the query.
func (c *Controller) SearXNGSearch(ctx context.Context, p SearXNGSearchParams) (WebSearchResult, error) {
	res := WebSearchResult{Query: strings.TrimSpace(p.Query), Results: []WebResult{}}
	if c.web == nil {
		return res, noWeb()
	}
	q, err := c.webQuery(p)
	if err != nil {
		return res, err
	}
	found, err := c.web.Search(ctx, q)
	c.watch.webDone(c.now(), err)
	if err != nil {
		return res, err
	}
	res.Results, res.Hint = list(found.Results), found.Note
	if len(res.Results) == 0 && res.Hint == "" {
		res.Hint = "The search engine found nothing. Try fewer or other words, or another language."
	}
	c.fitWeb(&res)
	return res, nil
}

// webQuery checks the arguments of a web search and fills in what they leave out.
func (c *Controller) webQuery(p SearXNGSearchParams) (WebQuery, error) {
	language, most := c.web.Defaults()
	q := WebQuery{Query: strings.TrimSpace(p.Query), Language: language, MaxResults: most}
	if q.Query == "" {
		return q, fault.New(fault.Invalid, "The query is empty.").WithHint("Give the words to look for in the web.")
	}
	if n := utf8.RuneCountInString(q.Query); n > maxWebQueryRunes {
		return q, fault.New(fault.Invalid, "The query has %d characters.", n).WithHint("It may have %d; leave out what is not needed.", maxWebQueryRunes)
	}
	for _, category := range p.Categories {
		name := strings.ToLower(strings.TrimSpace(category))
		if name == "general" { // what SearXNG itself calls it
			name = "web"
		}
		if !slices.Contains(WebCategories, name) {
			return q, fault.New(fault.Invalid, "There is no category %q.", shorten(category, 80)).WithHint("The categories are %s.", strings.Join(WebCategories, ", "))
		}
		if !slices.Contains(q.Categories, name) {
			q.Categories = append(q.Categories, name)
		}
	}
	if given := strings.TrimSpace(p.Language); given != "" {
		if !isLanguage(given) {
			return q, fault.New(fault.Invalid, "%q is no language.", shorten(given, 80)).WithHint("Give a code such as en, de or zh-CN, or all, or leave it out.")
		}
		q.Language = given
	}
	if p.MaxResults != nil {
		if *p.MaxResults < 1 {
			return q, fault.New(fault.Invalid, "max_results is %d.", *p.MaxResults).WithHint("It is the number of rows, from 1 to %d.", MaxWebResults)
		}
		q.MaxResults = *p.MaxResults
	}
	q.MaxResults = min(q.MaxResults, MaxWebResults)
	return q, nil
}

// isLanguage reports whether s has the form of a language code, or of the words that stand for one.
func isLanguage(s string) bool {
	if len(s) > maxLanguageRunes {
		return false
	}
	for i, part := range strings.Split(strings.ReplaceAll(s, "_", "-"), "-") {
		if len(part) < 2 || len(part) > 8 || strings.ContainsFunc(part, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9')
		}) {
			return false
		}
	}
	return true
}

// fitWeb makes a web search small enough for one answer: snippets shrink, then rows are left out.
func (c *Controller) fitWeb(res *WebSearchResult) {
	const roomForNote = 300
	if jsonSize(res) <= c.maxBytes {
		return
	}
	total, whole := len(res.Results), make([]string, len(res.Results))
	for i, r := range res.Results {
		whole[i] = r.Snippet
	}
	note := res.Hint
	for n := MaxPreviewRunes; n >= minSnippetRunes; n /= 2 {
		kept := 0
		for i := range res.Results {
			if res.Results[i].Snippet = shorten(whole[i], n); res.Results[i].Snippet == whole[i] {
				kept++
			}
		}
		if jsonSize(res)+roomForNote <= c.maxBytes {
			res.Truncated = &Truncated{Field: "snippet", Shown: kept, Total: total}
			res.Hint = hints("Snippets were shortened to keep the answer small.", note)
			return
		}
	}
	fixed := jsonSize(WebSearchResult{Query: res.Query, Results: []WebResult{}, Hint: note})
	res.Results, res.Truncated = fitList(res.Results, "results", max(c.maxBytes-fixed, 0))
	res.Hint = hints(res.Truncated.hint(), note)
}
