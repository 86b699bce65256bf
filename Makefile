# The two commands a newcomer needs: make demo, make test.

# GoMLX's pure Go backend has vector kernels for amd64 behind this experiment;
# without it training takes about twice as long.
ARCH := $(shell go env GOARCH)
ifeq ($(ARCH),amd64)
export GOEXPERIMENT := simd
endif
# Vector kernels need it at run time (see bench/simd.go); tests do not restart
# themselves as the command does.
TESTENV := GODEBUG=asyncpreemptoff=1

BIN := bin/infbench

.PHONY: all build demo demo-seeds test bench lint assets fmt clean

all: build

build: assets
	@mkdir -p bin
	go build -o $(BIN) ./bench

# The whole main job on one machine: train 11 losses, evaluate them and the
# baselines on the generated benchmarks, report. Again: does nothing.
demo: build
	$(BIN) sweep bench/experiments/demo.yaml

# The demo's claims on other training seeds and other generated worlds.
demo-seeds: build
	$(BIN) sweep bench/experiments/demo-seeds.yaml

test: assets
	$(TESTENV) go test ./...

bench:
	$(TESTENV) go test -run '^$$' -bench . -benchmem ./...

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "gofmt: the files above are not formatted"; exit 1; }
	go vet ./...
	go tool staticcheck ./...

fmt:
	gofmt -w .

# The ECharts script, from the Go module cache, checked against its SHA-256.
# Reports come out without it too, with static charts.
assets:
	@go run ./reports/fetchassets

clean:
	rm -rf bin runs
