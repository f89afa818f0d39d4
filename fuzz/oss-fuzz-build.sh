#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets as OSS-Fuzz asks for it: compilers and flags from $CXX, $CXXFLAGS and
# $LIB_FUZZING_ENGINE, programs, corpora and dictionaries to $OUT. Needs cmake, ninja, libhwy-dev,
# libdeflate-dev and libgtest-dev.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=${WORK:-/tmp}/numpact-fuzz
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_COMPILER="$CXX" \
  -DCMAKE_CXX_FLAGS="$CXXFLAGS" -DNUMPACT_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" \
  -DNUMPACT_BUILD_FUZZ=ON -DNUMPACT_BUILD_TESTS=OFF -DNUMPACT_BUILD_CLI=OFF \
  -DNUMPACT_BUILD_BENCH=OFF -DNUMPACT_BUILD_EXAMPLES=OFF -DNUMPACT_PCH=OFF -DNUMPACT_INSTALL=OFF
cmake --build "$build"

for program in "$build"/fuzz/fuzz_*; do
  if [ ! -f "$program" ] || [ ! -x "$program" ]; then continue; fi
  target=${program##*/fuzz_}
  cp "$program" "$OUT/"
  if [ -e "fuzz/corpus/$target.bin" ]; then
    python3 fuzz/archive.py unpack "fuzz/corpus/$target.bin" "$build/inputs/$target"
    (cd "$build/inputs/$target" && zip -q -r "$OUT/fuzz_${target}_seed_corpus.zip" .)
  fi
done
for target in json_header cvc_raw; do cp fuzz/json.dict "$OUT/fuzz_$target.dict"; done
