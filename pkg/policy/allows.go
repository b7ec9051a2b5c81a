package policy

import "context"

// Allows reports whether the caller in ctx may run the operation, without that being a call.
func (p *Policy) Allows(ctx context.Context, a Access, names ...string) bool {
	switch {
	case p.Hidden(ctx, names...):
		return false
	case a == Read:
		return p == nil || p.o.Withhold == nil
	}
	return a == Act && p != nil && p.o.Withhold == nil && p.o.Level != ReadOnly
}
