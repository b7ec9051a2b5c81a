-- In which source a file would put a document that it holds: when the first file goes, or its source
-- is forgotten, the document stays with another file, in that one's source.
ALTER TABLE holders ADD COLUMN source INTEGER REFERENCES sources (id) ON DELETE CASCADE;
UPDATE holders SET source = (SELECT d.source FROM documents d WHERE d.id = holders.document);
