# Runs after the lines of docs/python.md, in the same folder: what they read must agree, to the last
# digit, and the hub's own library must read what infbench writes for the hub.
import json, re
import yaml
from huggingface_hub import HfApi, ModelCard, snapshot_download
from huggingface_hub._eval_results import parse_eval_result_entries

key = ["trial", "benchmark", "task", "side", "measure", "query"]


def rows(frame):
    frame = frame.with_columns(pl.col("side").fill_null(""))
    return {tuple(row[:-1]): row[-1] for row in frame.select(key + ["value"]).iter_rows()}


def same(what, one, other):
    assert one == other, f"{what}: {len(one)} and {len(other)} values, " + str([(k, one[k], other.get(k)) for k in one if one[k] != other.get(k)][:3])


want = rows(scores)
assert len(want) > 1000 and values["seed"].dtype == pl.Int64 and values["value"].dtype == pl.Float64
same("parquet and scores.jsonl", want, rows(values))
same("parquet with pandas and scores.jsonl", want, rows(pl.from_pandas(pd.read_parquet("values/values.parquet"))))
same("CSV and scores.jsonl", want, rows(pl.from_pandas(table)))
assert vectors.shape == similar.shape[:1] + (64,) and vectors.dtype == np.float32 and np.allclose(np.diag(similar), 1, atol=1e-5)

# A ranking that went through polars has the values of the original one.
mine = rows(pl.read_ndjson("runs/mine/scores.jsonl", infer_schema_length=None).with_columns(trial=pl.lit(trial), side=pl.lit("")))
same("rankings", {k: v for k, v in want.items() if k[0] == trial and k[1] == "mini-bright"}, mine)

# Event files: the curve of train.jsonl, and the means of the values.
f32 = lambda v: float(np.float32(v))
seen = 0
for (system, seed, id), part in values.group_by("system", "seed", "trial"):
    name = re.sub(r"[^A-Za-z0-9._-]", "-", system).strip(".-")
    events = EventAccumulator(f"events/demo/{name}-seed-{seed}", size_guidance={"scalars": 0}).Reload()
    folder = pathlib.Path("runs/demo/trials", id)
    steps = [json.loads(line) for line in open(folder / "train.jsonl")] if (folder / "train.jsonl").exists() else []
    tags = set(events.Tags()["scalars"])
    for tag in ["loss", "grad_norm", "lr"] if steps else []:
        seen += 1
        assert [(e.step, e.value) for e in events.Scalars("train/" + tag)] == [(s["step"], f32(s[tag])) for s in steps], (system, tag)
    for (benchmark, task, side, measure), slot in part.group_by("benchmark", "task", "side", "measure"):
        tag = "/".join(x for x in (benchmark, task, side, measure) if x)
        (event,) = events.Scalars(tag)
        assert event.step == (steps[-1]["step"] if steps else 0) and abs(event.value - slot["value"].mean()) < 1e-6, (system, tag)
        tags.remove(tag)
    assert all(tag.startswith("train/") for tag in tags), tags
assert seen >= 6, seen

# Model cards and results, as the hub's library reads them.
model = pathlib.Path("runs/demo/trials", trial, "model")
card = ModelCard.load(model / "README.md")
assert card.data.library_name == "sentence-transformers" and card.data.training["loss"] == "uni(P)" and card.data.prompts["query"]
for file in pathlib.Path("index").glob("*.yaml"):
    assert ModelCard(f"---\n{file.read_text()}---\n").data.eval_results, file
for file in pathlib.Path("results").glob("*.yaml"):
    assert parse_eval_result_entries(yaml.safe_load(file.read_text())), file
pushed = pathlib.Path(snapshot_download("me/ours"))
got = ModelCard.load(pushed / "README.md").data.eval_results
means = {f"{t}/{s}/{m}": v for t, s, m, v in means.filter(pl.col("system") == "uni(P)").select("task", "side", "measure", "value").iter_rows()}
assert len(got) == len(means), (len(got), len(means))
for r in got:
    measure, _, side = r.metric_name.partition(" ")
    task = r.dataset_name.removesuffix(" (default)").partition(".")[2]
    assert abs(r.metric_value - means[f"{task}/{side}/{measure}"]) < 1e-6, r
HfApi().create_repo("me/theirs")
HfApi().upload_folder(folder_path=model, repo_id="me/theirs")
theirs = pathlib.Path(snapshot_download("me/theirs"))
files = lambda dir: {str(f.relative_to(dir)): f.read_bytes() for f in dir.rglob("*") if f.is_file() and f.name not in ("README.md", ".gitattributes")}
assert files(pushed) == files(theirs) == files(model), (files(pushed).keys(), files(theirs).keys(), files(model).keys())
print("python: all agree")
