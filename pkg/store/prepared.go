package store

import (
	"context"
	"database/sql"
	"sync"
)

// statements keeps what was compiled for a pool. Compiling a ranked query costs as much as running
// it for a rare word.
type statements struct {
	mu sync.Mutex
	m  map[string]*sql.Stmt
}

// readTx is a read transaction that can use the statements of its pool.
type readTx struct {
	*sql.Tx
	p *pool
}

// repeated returns q in a form that compiles each text of a query once. It is for texts that are
// the same every time, and for queries that are not run again before their rows are closed.
func repeated(q querier) querier {
	if tx, ok := q.(readTx); ok {
		return repeatedTx{tx}
	}
	return q
}

type repeatedTx struct{ readTx }

func (tx repeatedTx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := tx.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

func (tx repeatedTx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	stmt, err := tx.stmt(ctx, query)
	if err != nil {
		return tx.readTx.QueryRowContext(ctx, query, args...) // fails in the same way
	}
	return stmt.QueryRowContext(ctx, args...)
}

func (tx repeatedTx) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	s := &tx.p.stmts
	s.mu.Lock()
	stmt := s.m[query]
	s.mu.Unlock()
	if stmt == nil {
		var err error
		// Not on the connection of the transaction: the pool outlives it.
		if stmt, err = tx.p.db.PrepareContext(ctx, query); err != nil {
			return nil, err
		}
		s.mu.Lock()
		if s.m == nil {
			s.m = make(map[string]*sql.Stmt)
		}
		if old := s.m[query]; old != nil {
			stmt.Close() //nolint:errcheck // another call was faster
			stmt = old
		} else {
			s.m[query] = stmt
		}
		s.mu.Unlock()
	}
	return tx.StmtContext(ctx, stmt), nil
}
