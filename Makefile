# Everything a developer runs. `make check` is what CI runs, step by step.
#
# It needs Go, make and a C compiler. Tools are pinned in tools.mod, apart from
# go.mod so that users of the module do not inherit them; `go tool` builds them
# on first use.

SHELL         := bash
.SHELLFLAGS   := -eu -o pipefail -c
MAKEFLAGS     += --no-builtin-rules
.DEFAULT_GOAL := help

# The caller's GOFLAGS stay, and these come after them. A go.work file above
# must not change what is checked.
export GOFLAGS := $(strip $(shell go env GOFLAGS 2>/dev/null) -mod=readonly -buildvcs=false)
export GOWORK  := off

tool       := go tool -modfile=tools.mod
lint       := $(tool) golangci-lint
FUZZTIME   ?= 2s
COUNT      ?= 6
# Packages in which goroutines meet, as far as they exist.
concurrent := $(wildcard mailbox transcript model agent subagent leader session gateway)

.PHONY: help check tidy-check format-check vet lint test docs fuzz-short fix tidy fuzz soak bench build need-go need-cc

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The steps run one after the other, also under make -j.
check: need-go need-cc ## all that CI runs, in the same order
	@for step in tidy-check format-check vet lint test docs fuzz-short; do \
		echo "== $$step"; \
		$(MAKE) --no-print-directory $$step || { echo "make check: $$step found something" >&2; exit 1; }; \
	done; echo "make check: all is well"

# The tools' module is tidied in a folder of its own: beside our packages their
# imports would count as the tools' own.
tidy-check: need-go ## go.mod and tools.mod name what is used, no more
	@go mod tidy -diff
	@dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; \
		cp tools.mod "$$dir/go.mod"; cp tools.sum "$$dir/go.sum"; \
		go -C "$$dir" mod tidy -diff

tidy: need-go ## write go.mod and tools.mod anew
	@go mod tidy
	@dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; \
		cp tools.mod "$$dir/go.mod"; cp tools.sum "$$dir/go.sum"; \
		go -C "$$dir" mod tidy; \
		cp "$$dir/go.mod" tools.mod; cp "$$dir/go.sum" tools.sum

# gofumpt alone, for all files. The order of imports is one of the linters as well;
# here it would take four times as long.
format-check: need-go ## Go files are as `make fix` would write them
	@$(lint) fmt --diff -E gofumpt || { echo "run make fix" >&2; exit 1; }

fix: need-go ## format all Go files
	@$(lint) fmt

vet: need-go ## go vet
	@go vet ./...

lint: need-go ## the linters and formatters of .golangci.yml
	@$(lint) run

# The race detector lets each program that ends sleep for a second, in which goroutines
# that are left may race; ours are waited for.
test: export GORACE ?= atexit_sleep_ms=20
test: need-go need-cc ## all tests, in random order, with the race detector; the load test without too
	@CGO_ENABLED=1 go test -race -shuffle=on -count=1 ./...
	@go test -count=1 -run TestManyTasks ./gateway/streams

docs: need-go ## the examples in the documents and their links are those of the code
	@go test -count=1 ./internal/docs

fuzz-short: need-go ## each fuzz target for FUZZTIME (2 s)
	@.ci/fuzz $(FUZZTIME)

fuzz: need-go ## each fuzz target for 60 s
	@.ci/fuzz --keep 60s

soak: need-go need-cc ## the packages with goroutines a hundred times (hours)
	@CGO_ENABLED=1 TROUPE_SOAK=1 go test -race -shuffle=on -count=100 -timeout=6h $(addprefix ./,$(addsuffix /...,$(concurrent)))
	@CGO_ENABLED=1 TROUPE_SOAK=1 go test -race -count=1 -run TestKilledRunResumes ./cmd/troupe
	@TROUPE_SOAK=1 go test -count=1 -v -run TestManyTasks ./gateway/streams

bench: need-go ## benchmarks; make bench OLD=FILE compares with an earlier bin/bench.txt
	@mkdir -p bin
	@go test -run '^$$' -bench . -benchmem -count $(COUNT) ./... | tee bin/bench.txt
	@$(tool) benchstat $(OLD) bin/bench.txt

# The commit is stamped in where git answers.
build: need-go ## bin/troupe
	@vcs=false; ! git rev-parse HEAD >/dev/null 2>&1 || vcs=auto; \
		go build -buildvcs=$$vcs -trimpath -o bin/ ./cmd/troupe

need-go:
	@command -v go >/dev/null || { echo "make: Go is missing; see https://go.dev/dl" >&2; exit 1; }

need-cc: need-go
	@cc=$$(go env CC); command -v "$${cc%% *}" >/dev/null || { \
		echo "make: the C compiler $$cc is missing; the race detector needs one (Debian: apt-get install gcc libc6-dev)" >&2; exit 1; }
