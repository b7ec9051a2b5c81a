-- What a chunk in another language says in English, word by word; most chunks have no row. It is apart
-- from chunk_index so that what looks for the words of a text never meets their translation.
CREATE VIRTUAL TABLE gloss_index USING fts5 (
  gloss,
  content = '', contentless_delete = 1, tokenize = 'ascii'
);

-- The built-in models could make nothing of Chinese and Japanese, and next to nothing of what holds
-- some. These chunks and summaries get their vectors again; all others keep theirs.
CREATE TEMP TABLE reembed AS
SELECT c.id FROM chunks c WHERE c.content GLOB '*[ぁ-ヿ㐀-鿿]*' OR c.context GLOB '*[ぁ-ヿ㐀-鿿]*';
INSERT INTO dead_vectors (vector) SELECT v.id FROM vectors v JOIN models m ON m.id = v.model
WHERE v.chunk IN (SELECT id FROM reembed) AND (m.fingerprint GLOB 'minilm-l6-q4/*' OR m.fingerprint GLOB 'static-minilm/*');
DELETE FROM vectors WHERE id IN (SELECT vector FROM dead_vectors);
DROP TABLE reembed;
UPDATE summaries SET model = '', vector = NULL
WHERE (content GLOB '*[ぁ-ヿ㐀-鿿]*' OR context GLOB '*[ぁ-ヿ㐀-鿿]*') AND model GLOB 'minilm-l6-q4/*';
