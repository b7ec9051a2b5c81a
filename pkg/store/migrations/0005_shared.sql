-- What a file says of a document that it holds, which is served to whom the source that the document is
-- in is hidden.
ALTER TABLE holders ADD COLUMN source_ref TEXT NOT NULL DEFAULT '';
ALTER TABLE holders ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';

-- Nobody has kept that until now: the files are read again.
UPDATE files SET complete = 0 WHERE id IN (
  SELECT h.file FROM holders h JOIN documents d ON d.id = h.document WHERE h.source <> d.source
);
