"""Reads the text column of a parquet file with DuckDB."""

import duckdb

import job

asked = job.read()
connection = duckdb.connect(config={"threads": asked["threads"]})
file = asked["path"]("corpus.parquet")


def value(query):
    return connection.execute(query, [file]).fetchone()[0]


if asked["check"]:
    total = value("select md5(string_agg(md5(text), '' order by file_row_number)) from read_parquet(?, file_row_number = true)")
    with open(asked["out"](".md5"), "w") as out:
        out.write(total)
seconds = job.repeat(asked, lambda: value("select sum(strlen(text)) from read_parquet(?)"))
job.answer(duckdb.__version__, read=seconds)
