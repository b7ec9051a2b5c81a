package controller

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/openhuman/openhuman-core/pkg/fault"
)

// TopEntities returns the entities that most chunks mention.
func (c *Controller) TopEntities(ctx context.Context, p TopEntitiesParams) (TopEntitiesResult, error) {
	res := TopEntitiesResult{Entities: []EntityRow{}}
	k, err := limit(p.K)
	if err != nil {
		return res, err
	}
	kind := strings.ToLower(strings.TrimSpace(p.Kind))
	if kind != "" && !slices.Contains(EntityKinds, kind) {
		return res, fault.New(fault.Invalid, "There is no entity kind %q.", shorten(p.Kind, 80)).
			WithHint("The kinds are %s.", strings.Join(EntityKinds, ", "))
	}
	scope := c.scope(ctx)
	top, err := c.store.TopEntities(ctx, kind, k, scope)
	if err != nil {
		return res, err
	}
	for _, e := range top {
		e.EntityRef = c.servedEntity(ctx, e.EntityRef)
		res.Entities = append(res.Entities, EntityRow{EntityID: e.EntityID, Kind: e.Kind, Surface: e.Surface, Count: e.Count})
	}
	if len(top) == 0 {
		empty, err := c.emptyHint(ctx)
		if err != nil {
			return res, err
		}
		res.Hint = empty
		if empty == "" && kind != "" {
			res.Hint = fmt.Sprintf("Nothing of the kind %s is mentioned anywhere. Ask without a kind to see what is.", kind)
		}
	}
	res.Entities, res.Truncated = fitList(res.Entities, "entities", c.maxBytes)
	res.Hint = hints(res.Truncated.hint(), res.Hint)
	return res, nil
}

// emptyHint says how to fill the memory when the caller can see nothing in it, and "" otherwise.
func (c *Controller) emptyHint(ctx context.Context) (string, error) {
	sources, err := c.store.Sources(ctx, c.scope(ctx))
	if err != nil || len(sources) > 0 {
		return "", err
	}
	return emptyHint, nil
}
