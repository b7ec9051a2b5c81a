package controller

import (
	"context"
	"strings"
)

// ListSources returns the sources of the memory, the most recently active first.
func (c *Controller) ListSources(ctx context.Context, p ListSourcesParams) (ListSourcesResult, error) {
	res := ListSourcesResult{Sources: []SourceRow{}}
	sources, err := c.store.Sources(ctx, c.scope(ctx))
	if err != nil {
		return res, err
	}
	for _, s := range sources {
		res.Sources = append(res.Sources, SourceRow{
			SourceID: s.SourceID, DisplayName: displayName(s.SourceID, p.UserEmailHint), SourceKind: s.Kind,
			ChunkCount: s.ChunkCount, MostRecentMS: s.MostRecentMS,
		})
	}
	if len(sources) == 0 {
		res.Hint = emptyHint
	}
	res.Sources, res.Truncated = fitList(res.Sources, "sources", c.maxBytes)
	res.Hint = hints(res.Truncated.hint(), res.Hint)
	return res, nil
}

// displayName is what people call a source: what follows the platform in its id, and for a
// conversation its parties, without the user if that leaves anybody.
func displayName(sourceID, userEmail string) string {
	_, name, ok := strings.Cut(sourceID, ":")
	if !ok || strings.Trim(name, "| ") == "" {
		return sourceID
	}
	if !strings.Contains(name, "|") {
		return name
	}
	var parties, others []string
	userEmail = strings.TrimSpace(userEmail)
	for _, p := range strings.Split(name, "|") {
		if p = strings.TrimSpace(p); p == "" {
			continue
		}
		parties = append(parties, p)
		if !strings.EqualFold(p, userEmail) {
			others = append(others, p)
		}
	}
	if len(others) > 0 && len(others) < len(parties) {
		return strings.Join(others, ", ")
	}
	return strings.Join(parties, " ↔ ")
}
