// Tokenises texts one by one with HuggingFace's tokenizers.
'use strict';

const fs = require('fs');
const path = require('path');
const {Tokenizer} = require('tokenizers');

const models = ['WordPiece', 'BPE', 'Unigram'];

async function main(dir) {
  const job = JSON.parse(fs.readFileSync(path.join(dir, 'job.json'), 'utf8'));
  const texts = fs.readFileSync(path.join(dir, 'texts.txt'), 'utf8').replace(/\n$/, '').split('\n');
  const seconds = {};
  for (const model of models) {
    const tokenizer = Tokenizer.fromFile(path.join(dir, model + '.json'));
    const encodings = new Array(texts.length);
    seconds[model] = [];
    for (let i = 0; i < job.warm + job.timed; i++) {
      const start = process.hrtime.bigint();
      for (let k = 0; k < texts.length; k++) {
        encodings[k] = await tokenizer.encode(texts[k]);
      }
      if (i >= job.warm) {
        seconds[model].push(Number(process.hrtime.bigint() - start) / 1e9);
      }
    }
    if (process.env.PEERS_CHECK) {
      fs.writeFileSync(path.join(dir, 'tokenize_rust.' + model), JSON.stringify(encodings.map((e) => e.getIds())));
    }
  }
  const version = require('tokenizers/package.json').version;
  console.log('peers: ' + JSON.stringify({seconds, version}));
}

main(process.argv[2]).catch((fault) => {
  console.error(fault);
  process.exit(1);
});
