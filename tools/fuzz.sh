#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the fuzz targets of build/fuzz; ./dev fuzz and ./dev fuzz-minimize have built them.
#   fuzz.sh run TARGET|all [SECONDS] [-- LIBFUZZER ARGS]
#   fuzz.sh minimize [TARGET ...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

BUILD=build/fuzz
WORK=$BUILD/inputs       # all that was found worth keeping
STORED=$BUILD/stored     # fuzz/corpus/TARGET.bin, unpacked
FINDINGS=$BUILD/findings # inputs that ended a target
LOG=fuzz/LOG.md
MAX_INPUTS=200           # of a stored corpus
MAX_BYTES=250000

export ASAN_OPTIONS=${ASAN_OPTIONS:-quarantine_size_mb=32:detect_stack_use_after_return=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

targets() { find $BUILD/fuzz -maxdepth 1 -name 'fuzz_*' -type f -executable -printf '%f\n' |
  sed 's/^fuzz_//' | sort; }

need_target() {
  [ -x "$BUILD/fuzz/fuzz_$1" ] || {
    echo "no target $1; there are: $(targets | xargs)" >&2
    exit 2
  }
}

# How long inputs may get: what is chosen by an input is made of little.
max_len() {
  case $1 in
    *_raw | json_header | cli_inputs) echo 4096 ;;
    *) echo 1024 ;;
  esac
}

prepare() {
  mkdir -p "$WORK/$1" "$FINDINGS"
  rm -rf "${STORED:?}/$1" && mkdir -p "$STORED/$1"
  [ ! -e "fuzz/corpus/$1.bin" ] || python3 fuzz/archive.py unpack "fuzz/corpus/$1.bin" "$STORED/$1"
  [ -d "$BUILD/seeds" ] || python3 fuzz/seeds.py "$BUILD/seeds"
  mkdir -p "$BUILD/seeds/$1"
}

# The last number behind a word in a log of libFuzzer.
last_of() { grep -oE "$2[: ]+[0-9]+" "$1" | tail -1 | grep -oE '[0-9]+$' || echo 0; }

note_run() {
  local target=$1 log=$2 seconds=$3 findings=$4
  if [ ! -e $LOG ]; then
    printf '%s\n' "<!-- SPDX""-License-Identifier: Apache-2.0 -->" '# Runs of the fuzz targets' '' \
      'A line for each run, by ./dev fuzz. Edges are those of the library that were reached.' '' \
      '| date | target | runs | seconds | edges | inputs kept | findings |' \
      '| --- | --- | ---: | ---: | ---: | ---: | ---: |' >$LOG
  fi
  printf '| %s | %s | %s | %s | %s | %s | %s |\n' "$(date -u +%F)" "$target" \
    "$(last_of "$log" stat::number_of_executed_units)" "$seconds" "$(last_of "$log" cov)" \
    "$(find "$WORK/$target" -type f | wc -l)" "$findings" >>$LOG
}

run_one() {
  local target=$1 seconds=$2 log start=$SECONDS status=0 dictionary=() before after
  shift 2
  need_target "$target"
  prepare "$target"
  [ "$target" != json_header ] && [ "$target" != cvc_raw ] || dictionary=(-dict=fuzz/json.dict)
  log=$(mktemp)
  before=$(find $FINDINGS -name "$target-*" | wc -l)
  # The entropic schedule takes half of the time where an input reaches thousands of edges.
  "$BUILD/fuzz/fuzz_$target" "$WORK/$target" "$STORED/$target" "$BUILD/seeds/$target" \
    -entropic=0 -max_total_time="$seconds" -max_len="$(max_len "$target")" -timeout=10 \
    -rss_limit_mb=1500 \
    -malloc_limit_mb=64 -artifact_prefix="$FINDINGS/$target-" -print_final_stats=1 -verbosity=1 \
    "${dictionary[@]}" "$@" 2>"$log" || status=$?
  after=$(find $FINDINGS -name "$target-*" | wc -l)
  note_run "$target" "$log" $((SECONDS - start)) $((after - before))
  tail -1 $LOG
  if [ $status -ne 0 ]; then
    grep -vE '^#[0-9]+' "$log" | grep -E -A12 'not so|ERROR|SUMMARY|runtime error|artifact' |
      head -40 >&2
  fi
  rm -f "$log"
  return $status
}

run() {
  local name=${1:-} seconds=60 failed=0 target
  [ -n "$name" ] || {
    targets
    return
  }
  shift
  if [ $# -gt 0 ] && [ "$1" != -- ]; then
    seconds=$1
    shift
  fi
  [ "${1:-}" != -- ] || shift
  if [ "$name" != all ]; then
    run_one "$name" "$seconds" "$@"
    return
  fi
  for target in $(targets); do run_one "$target" "$seconds" "$@" || failed=1; done
  return $failed
}

# The smallest set of inputs with the same coverage, the small ones first, up to the limits.
minimize_one() {
  local target=$1 merged
  need_target "$target"
  prepare "$target"
  merged=$(mktemp -d)
  "$BUILD/fuzz/fuzz_$target" -merge=1 -timeout=10 -rss_limit_mb=1500 "$merged" \
    "$STORED/$target" "$WORK/$target" "$BUILD/seeds/$target" 2>/dev/null
  python3 fuzz/archive.py pack "fuzz/corpus/$target.bin" "$merged" --max-inputs $MAX_INPUTS \
    --max-bytes $MAX_BYTES
  rm -rf "$merged"
}

minimize() {
  local target all
  mapfile -t all < <(targets)
  [ $# -gt 0 ] || set -- "${all[@]}"
  for target in "$@"; do minimize_one "$target"; done
}

verb=${1:-run}
[ $# -eq 0 ] || shift
case $verb in
  run) run "$@" ;;
  minimize) minimize "$@" ;;
  *) exit 2 ;;
esac
