// Writes internal/embed/minilm/testdata/reference.json: the vectors onnxruntime computes from the
// unconverted model, the mean over at most 256 tokens at unit length.
//   node vectors.js MODEL.onnx TOKENS.json OUT          (needs onnxruntime-node 1.21)
const fs = require('fs');
const ort = require('onnxruntime-node');

async function main([model, tokens, out]) {
  const session = await ort.InferenceSession.create(model, { intraOpNumThreads: 1 });
  const cases = [];
  for (const { text, ids: all } of JSON.parse(fs.readFileSync(tokens))) {
    const ids = all.length > 256 ? [...all.slice(0, 255), 102] : all;
    const tensor = (values) => new ort.Tensor('int64', BigInt64Array.from(values), [1, ids.length]);
    const { last_hidden_state: h } = await session.run({
      input_ids: tensor(ids.map(BigInt)), attention_mask: tensor(ids.map(() => 1n)), token_type_ids: tensor(ids.map(() => 0n)),
    });
    const sum = new Float64Array(384);
    h.data.forEach((x, i) => { sum[i % 384] += x; });
    const size = Math.hypot(...sum);
    cases.push(JSON.stringify({ text, tokens: ids.length, vector: Array.from(sum, (x) => Math.round((x / size) * 1e4) / 1e4) }));
  }
  fs.writeFileSync(out, `[\n${cases.join(',\n')}\n]\n`);
}

main(process.argv.slice(2)).then(() => process.exit(0), (e) => { console.error(e); process.exit(1); });
