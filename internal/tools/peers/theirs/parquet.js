// Reads the text column of a parquet file with DuckDB.
'use strict';

const fs = require('fs');
const path = require('path');
const {DuckDBInstance, version} = require('@duckdb/node-api');

async function main(dir) {
  const job = JSON.parse(fs.readFileSync(path.join(dir, 'job.json'), 'utf8'));
  const file = path.join(dir, 'corpus.parquet').replaceAll("'", "''");
  const instance = await DuckDBInstance.create(':memory:', {threads: String(job.threads)});
  const connection = await instance.connect();
  const value = async (query) => (await connection.runAndReadAll(query)).getRows()[0][0];
  if (process.env.PEERS_CHECK) {
    const sum = await value(`select md5(string_agg(md5(text), '' order by file_row_number)) from read_parquet('${file}', file_row_number = true)`);
    fs.writeFileSync(path.join(dir, 'parquet_duckdb.md5'), sum);
  }
  const read = [];
  for (let i = 0; i < job.warm + job.timed; i++) {
    const start = process.hrtime.bigint();
    await value(`select sum(strlen(text)) from read_parquet('${file}')`);
    if (i >= job.warm) {
      read.push(Number(process.hrtime.bigint() - start) / 1e9);
    }
  }
  console.log('peers: ' + JSON.stringify({seconds: {read}, version: version()}));
}

main(process.argv[2]).catch((fault) => {
  console.error(fault);
  process.exit(1);
});
