-- What a person's memory is made of. Times are milliseconds since 1970 in UTC.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID, STRICT;

CREATE TABLE sources (
  id        INTEGER PRIMARY KEY,
  source_id TEXT NOT NULL UNIQUE,
  kind      TEXT NOT NULL CHECK (kind IN ('chat', 'email', 'document')),
  owner     TEXT NOT NULL DEFAULT '',
  tags      TEXT NOT NULL DEFAULT '[]',
  chunks    INTEGER NOT NULL DEFAULT 0 -- how many chunks it has
) STRICT;

-- Names of authors and lists of tags, each written once: a filter on them is decided here, in Go,
-- with the rules for letters that SQLite does not know.
CREATE TABLE authors (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE tagsets (
  id   INTEGER PRIMARY KEY,
  tags TEXT NOT NULL UNIQUE -- JSON array of strings
) STRICT;

-- One item of a source: a mail, a day of a channel, a file.
CREATE TABLE documents (
  id           INTEGER PRIMARY KEY,
  source       INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
  identity     TEXT NOT NULL UNIQUE,
  source_ref   TEXT NOT NULL DEFAULT '',
  title        TEXT NOT NULL DEFAULT '',
  author       TEXT NOT NULL DEFAULT '',
  timestamp_ms INTEGER NOT NULL,
  tags         TEXT NOT NULL DEFAULT '[]',
  hash         BLOB NOT NULL
) STRICT;
CREATE INDEX documents_source ON documents (source);

-- The unit that is searched, ranked and read. The content stands last, so that the rest of a row is
-- read without it.
CREATE TABLE chunks (
  id           INTEGER PRIMARY KEY,
  chunk_id     TEXT NOT NULL UNIQUE,
  document     INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  source       INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
  ordinal      INTEGER NOT NULL,
  timestamp_ms INTEGER NOT NULL,
  author       INTEGER NOT NULL, -- authors.id
  tags         INTEGER NOT NULL, -- tagsets.id
  token_count  INTEGER NOT NULL,
  index_sum    INTEGER NOT NULL, -- checksum of its index row, which cannot be read back
  source_ref   TEXT NOT NULL DEFAULT '',
  title        TEXT NOT NULL DEFAULT '',
  context      TEXT NOT NULL DEFAULT '',
  content      TEXT NOT NULL
) STRICT;
CREATE INDEX chunks_document ON chunks (document, ordinal);
CREATE INDEX chunks_time ON chunks (timestamp_ms DESC, chunk_id);
CREATE INDEX chunks_source ON chunks (source, timestamp_ms DESC, chunk_id);
CREATE INDEX chunks_author ON chunks (author);

-- Tokens are made by internal/text, so the index needs no tokenizer that knows scripts: 'ascii'
-- takes every byte above 127 as part of a token.
CREATE VIRTUAL TABLE chunk_index USING fts5 (
  head, body, extra,
  content = '', contentless_delete = 1, tokenize = 'ascii'
);

-- Terms that stand in a large share of all chunks, with that number, as of the last count.
CREATE TABLE common_terms (
  term TEXT PRIMARY KEY,
  df   INTEGER NOT NULL
) WITHOUT ROWID, STRICT;

CREATE TABLE entities (
  id        INTEGER PRIMARY KEY,
  entity_id TEXT NOT NULL UNIQUE, -- <kind>:<value>
  kind      TEXT NOT NULL,
  -- A person written in several ways: the entity that stands for all of them, NULL for itself.
  canonical INTEGER REFERENCES entities (id) ON DELETE SET NULL,
  -- Distinct chunks that mention it or an entity that it stands for: the sum of entity_counts.
  chunks    INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX entities_canonical ON entities (canonical) WHERE canonical IS NOT NULL;
CREATE INDEX entities_top ON entities (kind, chunks DESC, entity_id) WHERE chunks > 0;

-- The written forms of an entity.
CREATE TABLE forms (
  id      INTEGER PRIMARY KEY,
  entity  INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  surface TEXT NOT NULL,
  UNIQUE (entity, surface)
) STRICT;

-- No foreign keys here: a chunk has many mentions, and pkg/store removes them with their counts.
CREATE TABLE mentions (
  form  INTEGER NOT NULL, -- forms.id
  chunk INTEGER NOT NULL, -- chunks.id
  count INTEGER NOT NULL,
  PRIMARY KEY (form, chunk)
) WITHOUT ROWID, STRICT;
CREATE INDEX mentions_chunk ON mentions (chunk);

-- What would be too slow to count at every read, by source, so that sources that a caller may not
-- see can be left out: distinct chunks of an entity (with those it stands for), mentions of a form.
CREATE TABLE entity_counts (
  entity INTEGER NOT NULL, -- entities.id
  source INTEGER NOT NULL, -- sources.id
  chunks INTEGER NOT NULL,
  PRIMARY KEY (entity, source)
) WITHOUT ROWID, STRICT;

CREATE TABLE form_counts (
  form     INTEGER NOT NULL, -- forms.id
  source   INTEGER NOT NULL, -- sources.id
  mentions INTEGER NOT NULL,
  PRIMARY KEY (form, source)
) WITHOUT ROWID, STRICT;

-- What the structure of a document states: this address or handle is this person.
CREATE TABLE person_links (
  document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  kind     TEXT NOT NULL CHECK (kind IN ('email', 'handle')),
  value    TEXT NOT NULL,
  person   TEXT NOT NULL,
  PRIMARY KEY (document, kind, value, person)
) WITHOUT ROWID, STRICT;

-- Files that were looked at, so that an unchanged one costs a stat and every one has an outcome.
CREATE TABLE files (
  id          INTEGER PRIMARY KEY,
  path        TEXT NOT NULL UNIQUE,
  root        TEXT NOT NULL,
  size        INTEGER NOT NULL,
  mtime_ns    INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  complete    INTEGER NOT NULL,
  outcome     TEXT NOT NULL,
  reason      TEXT NOT NULL DEFAULT '',
  ingested_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX files_root ON files (root);

-- Which files hold a document; it goes when the last one goes.
CREATE TABLE holders (
  file     INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
  document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  PRIMARY KEY (file, document)
) WITHOUT ROWID, STRICT;
CREATE INDEX holders_document ON holders (document);

-- Embeddings. A model is known by a fingerprint of its weights; a change of it re-embeds.
CREATE TABLE models (
  id          INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL UNIQUE,
  dims        INTEGER NOT NULL
) STRICT;

-- The number of a vector is never used again and grows with every one that is written, so that who
-- has read up to one can ask for what came after. As for mentions, pkg/store removes vectors with
-- their chunk: a cascade would make every removal write out the index rows that are being gathered.
CREATE TABLE vectors (
  id    INTEGER PRIMARY KEY AUTOINCREMENT,
  chunk INTEGER NOT NULL, -- chunks.id
  model INTEGER NOT NULL, -- models.id
  part  INTEGER NOT NULL, -- a chunk longer than the model's window has several
  data  BLOB NOT NULL     -- as internal/vecset packs it; empty: the model can make nothing of the text
) STRICT;
CREATE UNIQUE INDEX vectors_chunk ON vectors (chunk, model, part);

-- Vectors that are gone although the image, which meta names, may hold them.
CREATE TABLE dead_vectors (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  vector INTEGER NOT NULL -- vectors.id as it was
) STRICT;
