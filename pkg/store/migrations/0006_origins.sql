-- What a document was before it was cut into chunks, as internal/origin keeps it: empty for what an
-- earlier version has taken in and not read again since.
ALTER TABLE documents ADD COLUMN origin BLOB NOT NULL DEFAULT x'';
