#!/usr/bin/env bash
# Builds the mock, the harness and every driver, runs the suites, writes RESULTS.md.
#   ./run.sh            everything (about 25 minutes on two cores)
#   ./run.sh quick      one run of each, N up to 100
#   ./run.sh build      build only
#   ./run.sh report     only rewrite RESULTS.md from results/*.jsonl
# Further words go to the harness, for example:
#   ./run.sh some -suites team,latency -drivers floor-goopenai,troupe -n 1,100
set -euo pipefail
cd "$(dirname "$0")"

build() {
  mkdir -p bin results
  go build -o bin/mockllm ./mockllm
  go build -o bin/harness ./harness
  for d in floor troupe eino trpc adk; do (cd "drivers/$d" && go build -o "../../bin/$d" .); done
}

# Only loopback exists while the drivers run, so that no framework can call home.
# Without the right to make a network namespace the run goes on without that guard.
fenced() {
  if unshare -n true 2>/dev/null; then
    unshare -n bash -c 'ip link set lo up && exec "$@"' _ "$@"
  else
    echo "run.sh: no network namespace here; running without the loopback fence" >&2
    "$@"
  fi
}

what=${1:-all}
[ $# -gt 0 ] && shift
case $what in
build) build ;;
report) bin/harness report "$@" ;;
quick)
  build
  fenced bin/harness -n 1,10,100 -runs 1 -suites team,latency,idle -out results/quick.jsonl "$@"
  bin/harness report -raw results/quick.jsonl  -out results/QUICK.md
  ;;
some)
  build
  fenced bin/harness -out results/some.jsonl "$@"
  bin/harness report -raw results/some.jsonl  -out results/SOME.md
  ;;
all)
  build
  fenced bin/harness -out results/raw.jsonl "$@"
  bin/harness report
  ;;
*)
  sed -n '2,9p' "$0"
  exit 2
  ;;
esac
