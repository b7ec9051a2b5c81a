package controller

import (
	"context"

	"github.com/openhuman/openhuman-core/pkg/store"
)

// Stats counts what the memory holds, whoever asks: it is for its owner, not for clients.
func (c *Controller) Stats(ctx context.Context) (store.Stats, error) { return c.store.Stats(ctx) }
