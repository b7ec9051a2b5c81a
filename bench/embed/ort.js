// Encodes for bench/embed with onnxruntime: reads lines "TOKENS RUNS", answers the shortest time in ms.
const ort = require('onnxruntime-node');
const readline = require('readline');

async function main() {
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential' };
  const session = await ort.InferenceSession.create(process.argv[2], options);
  console.log('ready');
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [n, runs] = line.split(' ').map(Number);
    const tensor = (f) => new ort.Tensor('int64', BigInt64Array.from({ length: n }, (_, i) => BigInt(f(i))), [1, n]);
    const feeds = { input_ids: tensor((i) => (i ? (i < n - 1 ? 2051 : 102) : 101)), attention_mask: tensor(() => 1), token_type_ids: tensor(() => 0) };
    let best = Infinity;
    for (let i = 0; i < runs; i++) {
      const t = process.hrtime.bigint();
      await session.run(feeds);
      best = Math.min(best, Number(process.hrtime.bigint() - t) / 1e6);
    }
    console.log(best);
  }
}

main().catch((e) => { console.error(e); process.exit(1); });
