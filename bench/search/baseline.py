"""CPU seconds of one full-text query in Python's sqlite3 over the chunks of the benchmark.

usage: baseline.py DIR < queries   (one FTS5 expression a line; one figure a line comes back)
"""
import os, sqlite3, sys, time

path = os.path.join(sys.argv[1], "baseline.db")
fresh = not os.path.exists(path)
db = sqlite3.connect(path)
if fresh:
    db.execute("CREATE VIRTUAL TABLE f USING fts5(t)")
    with db, open(os.path.join(sys.argv[1], "chunks.txt")) as lines:
        db.executemany("INSERT INTO f(t) VALUES (?)", ((line.rstrip("\n"),) for line in lines))


def ask(query):
    return db.execute("SELECT rowid, t FROM f WHERE f MATCH ? ORDER BY rank LIMIT 10", (query,)).fetchall()


for line in sys.stdin:
    query = line.strip()
    start = time.process_time()
    rows = ask(query)
    n = max(1, int(0.05 / max(time.process_time() - start, 1e-5)))
    best = float("inf")
    for _ in range(5):  # the best of five batches
        start = time.process_time()
        for _ in range(n):
            ask(query)
        best = min(best, (time.process_time() - start) / n)
    print(best, len(rows), flush=True)
