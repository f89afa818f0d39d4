#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of a build of the preset coverage, then reports lines covered, of the code that
# decodes and of all, into build/coverage/report.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=build/coverage
report=$build/report
# Sources that read bytes of other writers. Encoders in the same folders are left out.
decoding=(src/bits/bit_reader.hpp src/base/load.hpp 'src/pco/ans/decode.*' 'src/pco/delta/.*'
  'src/pco/latent/latent_(decoder|tables).*' 'src/pco/latent/(unpack|walk).*'
  'src/pco/meta/.*' 'src/pco/mode/(modes_kernel|dict|float_.*|int_mult)\..*'
  'src/pco/page/page_decoder.*' 'src/pco/standalone/(chunk_scanner|file_walker|frame).*'
  'src/pco/standalone/(head_scan|parallel_walker).*' 'src/json/.*'
  'src/cvc/header/(frame|parse).*'
  'src/cvc/file/(check|codes|gather|loader|read_rows|records|targets|verify)\..*'
  'src/cvc/compression/pco_(decode|payload).*'
  'src/pco/trailer/.*'
  'src/api/(cvc_reader|decompress|describe|inspect|random_access|range_read)\.cpp'
  'src/api/(source|span_checksums|stream_reader|trailer|trailer_use|verify|wrapped)\.cpp')

find $build -name '*.gcda' -delete
status=0
ctest --test-dir $build -LE '^slow$' -j "${NUMPACT_JOBS:-$(nproc)}" -Q --timeout 900 \
  -O $build/ctest.log || { status=1; tail -n 20 $build/ctest.log >&2; }

mkdir -p $report
filters=()
for path in "${decoding[@]}"; do filters+=(--filter "$path"); done
gcov=(gcovr --root . --object-directory "$build" --exclude-throw-branches
  --gcov-ignore-parse-errors -j "${NUMPACT_JOBS:-$(nproc)}" "$build")
"${gcov[@]}" --filter 'src/' --json $report/all.json
gcovr --root . --add-tracefile $report/all.json --html-details $report/index.html >/dev/null
gcovr --root . --add-tracefile $report/all.json "${filters[@]}" --txt $report/decoding.txt
cat $report/decoding.txt
echo "all of src: $(gcovr --root . --add-tracefile $report/all.json | grep '^TOTAL')"
exit $status
