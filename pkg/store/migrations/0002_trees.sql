-- The summary trees. All of it is made from the chunks and can be made again.

-- How far the tree of a source is: it is sealed when both numbers are equal and the sealer is the
-- one that is asked for. A source without a row has no tree yet.
CREATE TABLE trees (
  source  INTEGER PRIMARY KEY REFERENCES sources (id) ON DELETE CASCADE,
  changes INTEGER NOT NULL DEFAULT 0,  -- grows with every change of the source's chunks
  sealed  INTEGER NOT NULL DEFAULT -1, -- changes, as of the last complete sealing
  sealer  TEXT NOT NULL DEFAULT ''     -- what sealed it
) STRICT;

-- A node above chunks. A summary goes as soon as a chunk under it does. Its text stands last.
CREATE TABLE summaries (
  id          INTEGER PRIMARY KEY,
  summary_id  TEXT NOT NULL UNIQUE,
  source      INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
  level       INTEGER NOT NULL,  -- 1 is over chunks
  parent      INTEGER,           -- summaries.id; NULL at the top
  ordinal     INTEGER,           -- its place among the children of its parent
  first_ms    INTEGER NOT NULL,
  last_ms     INTEGER NOT NULL,
  chunks      INTEGER NOT NULL,  -- how many are under it
  token_count INTEGER NOT NULL,
  provisional INTEGER NOT NULL,  -- made in place of a summariser that did not answer
  maker       TEXT NOT NULL,     -- what wrote the text
  model       TEXT NOT NULL DEFAULT '', -- fingerprint of what made the vector
  vector      BLOB,              -- as internal/vector packs it
  entities    TEXT NOT NULL,     -- JSON: the entities mentioned most, with counts
  citations   TEXT NOT NULL,     -- JSON: for each line of the content, where it stands
  title       TEXT NOT NULL,
  context     TEXT NOT NULL,
  content     TEXT NOT NULL
) STRICT;
CREATE INDEX summaries_source ON summaries (source, level, first_ms);
CREATE INDEX summaries_parent ON summaries (parent, ordinal) WHERE parent IS NOT NULL;

CREATE TABLE summary_chunks (
  chunk   INTEGER PRIMARY KEY, -- chunks.id
  summary INTEGER NOT NULL,    -- summaries.id, of level 1
  ordinal INTEGER NOT NULL
) STRICT;
CREATE INDEX summary_chunks_summary ON summary_chunks (summary, ordinal);

-- An index of their own, so that what looks for chunks never meets a summary.
CREATE VIRTUAL TABLE summary_index USING fts5 (
  head, body, extra,
  content = '', contentless_delete = 1, tokenize = 'ascii'
);
