#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the command line tool under valgrind: any read of memory that is not there or was never
# written, and any leak, fails. Valgrind knows no AVX-512.
#   valgrind.sh PROGRAM
set -euo pipefail

program=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

checked() {
  echo "numpact $*"
  NUMPACT_TARGET=${NUMPACT_TARGET:-avx2} valgrind --quiet --error-exitcode=99 \
    --leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite \
    "$program" "$@" >"$work/out" 2>"$work/err" ||
    { cat "$work/out" "$work/err" >&2; return 1; }
}

head -c 40000 "$root/samples/aircraft_positions.parquet" >"$work/bytes.raw"
checked compress "$work/bytes.raw" --dtype u8 -o "$work/bytes.pco"
checked decompress "$work/bytes.pco" -o "$work/back.raw"
cmp "$work/bytes.raw" "$work/back.raw"
checked verify "$work/bytes.pco"
checked inspect "$work/bytes.pco"
for type in f64 i32; do
  checked compress "$work/bytes.raw" --dtype $type --level 10 -o "$work/$type.pco"
  checked decompress "$work/$type.pco" -f -o "$work/back.raw"
  cmp "$work/bytes.raw" "$work/back.raw"
done
head -c 3000 "$work/f64.pco" >"$work/cut.pco"
if "$program" verify "$work/cut.pco" >/dev/null 2>&1; then exit 1; fi
echo "valgrind: nothing found"
