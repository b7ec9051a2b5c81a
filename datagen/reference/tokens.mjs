// Writes internal/embed/wordpiece/testdata/tokens.json: what the model's own tokenizer makes of texts.
//   node tokens.mjs MINILM-FOLDER TEXTS.json OUT        (needs @huggingface/tokenizers 0.2)
import fs from 'fs';
import { Tokenizer } from '@huggingface/tokenizers';

const [folder, texts, out] = process.argv.slice(2);
const read = (name) => JSON.parse(fs.readFileSync(name));
const tokenizer = new Tokenizer(read(`${folder}/tokenizer.json`), read(`${folder}/tokenizer_config.json`));
const cases = read(texts).map((text) => JSON.stringify({ text, ids: tokenizer.encode(text).ids.map(Number) }));
fs.writeFileSync(out, `[\n${cases.join(',\n')}\n]\n`);
