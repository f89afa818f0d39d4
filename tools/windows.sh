#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the library, its DLL, the command and the tests for Windows by mingw-w64, runs them under
# wine, each program once, and prints one table.
#   windows.sh [NAME ...]    only these test programs; dll: the DLL; cli: the command
# What is built with is downloaded (cmake/Dependencies.cmake); NUMPACT_JOBS as in ./dev. Kernels are
# compiled for the baseline (SSE2) and AVX2, which saves half of the time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

JOBS=${NUMPACT_JOBS:-$(nproc)}
BUILD=build/windows
GCC=x86_64-w64-mingw32-gcc-posix
OBJDUMP=x86_64-w64-mingw32-objdump
# Differences of systems first, then what computes bytes.
TESTS=(platform_test numpact_digest conformance_test capi_test capi_arrow_test cvc_test
  reading_test ranges_test sizes_test base_test mode_test float_environment_test targets_test
  corruption_test errors_test writing_test)
# The command by its files: what it reads and writes, and how it fails.
CLI_TESTS=(test_cli.py test_cli_golden.py test_cli_usage.py test_cli_trailer.py test_cvc_files.py
  test_npy_headers.py test_untrusted_headers.py
  test_cli_append_tables.py::test_append_and_overwrite_leave_nothing_beside_the_folder
  test_cli_append_tables.py::test_concurrent_appends_of_text_lose_nothing
  test_cli_append_tables.py::test_readers_keep_the_files_that_an_append_replaces)
# Seconds that a program may take: one that hangs ends then.
MAX_SECONDS=400

export WINEPREFIX=$PWD/$BUILD/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='
WINE=$(command -v wine64 || ls /usr/lib/wine/wine64 2>/dev/null) || {
  echo "windows.sh: install wine64" >&2
  exit 1
}
WINESERVER=$(command -v wineserver64 || ls /usr/lib/wine/wineserver64 2>/dev/null) || {
  echo "windows.sh: no wineserver64 beside $WINE" >&2
  exit 1
}

# configure FOLDER OPTION...
configure() {
  local folder=$1
  shift
  [ ! -e "$folder/build.ninja" ] || return 0
  mkdir -p build
  cmake -S . -B "$folder" -G Ninja --toolchain cmake/toolchains/mingw.cmake \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE='-O2 -DNDEBUG' -DNUMPACT_WERROR=ON \
    -DNUMPACT_SIMD_TARGETS=avx2 -DNUMPACT_FETCH_DEPENDENCIES=ALWAYS -DNUMPACT_INSTALL=OFF \
    -DNUMPACT_ARROW=OFF -DNUMPACT_BUILD_BENCH=OFF -DNUMPACT_BENCH_PEERS=OFF \
    -DNUMPACT_BUILD_EXAMPLES=OFF -DNUMPACT_BUILD_FUZZ=OFF -DNUMPACT_CUDA=OFF "$@" \
    >"$folder.log" 2>&1 || { cat "$folder.log" >&2; return 1; }
}

# compile FOLDER TARGET...
compile() {
  local folder=$1
  shift
  cmake --build "$folder" -j "$JOBS" --target "$@" >"$folder.log" 2>&1 ||
    { grep -A8 'FAILED\|error' "$folder.log" >&2; return 1; }
}

# All that is requested at once, which keeps every processor busy. What fails does so again, and is
# reported, where it is needed.
compile_ahead() {
  local targets=() name
  for name in "$@"; do
    case $name in
      dll) ;;
      cli) targets+=(numpact_cli) ;;
      *) targets+=("$name") ;;
    esac
  done
  [ ${#targets[@]} -eq 0 ] ||
    cmake --build "$BUILD" -j "$JOBS" --target "${targets[@]}" -- -k 0 >"$BUILD.log" 2>&1 || true
}

# row NAME CASES PASSED SKIPPED MILLISECONDS
row() {
  printf '%-24s %7s %7s %7s %8s\n' "$1" "$2" "$3" "$4" "$(($5 / 1000)).$(($5 / 100 % 10))"
}

# The number in the last line of a log that has the pattern. count LOG PATTERN
count() {
  { grep -oE "$2" "$1" || true; } | grep -oE '[0-9]+' | head -n 1
}

run_test() {
  local name=$1 log=$BUILD/$1.log start status=0 program arguments=(--gtest_brief=1)
  compile "$BUILD" "$name" || return 1
  program=$(find "$BUILD/tests" -name "$name.exe")
  [ "$name" != numpact_digest ] || arguments=(tests/fixtures/digests.txt)
  start=$(date +%s%3N)
  timeout $MAX_SECONDS "$WINE" "$program" "${arguments[@]}" >"$log" 2>&1 </dev/null || status=$?
  local taken=$(($(date +%s%3N) - start)) cases passed skipped
  if [ "$name" = numpact_digest ]; then
    row "$name" 1 $((status == 0)) 0 "$taken"
  else
    cases=$(count "$log" '[0-9]+ tests? from .* ran')
    passed=$(count "$log" 'PASSED +\] [0-9]+')
    skipped=$(count "$log" 'SKIPPED +\] [0-9]+ tests?')
    row "$name" "${cases:-0}" "${passed:-0}" "${skipped:-0}" "$taken"
  fi
  [ $status -eq 0 ] || { tail -n 20 "$log"; return 1; }
}

# Programs in C, and the names that the DLL exports.
run_dll() {
  local folder=$BUILD-dll name start missing
  # Its kernels are those of the programs above.
  configure "$folder" -DBUILD_SHARED_LIBS=ON -DNUMPACT_BUILD_TESTS=OFF -DNUMPACT_BUILD_CLI=OFF \
    -DNUMPACT_SIMD_TARGETS=scalar || return 1
  compile "$folder" numpact || return 1
  $OBJDUMP -p "$folder/src/libnumpact.dll" | sed -n 's/.*\] \([A-Za-z_]\w*\)$/\1/p' |
    sort >"$folder/exports"
  missing=$(sort tests/capi/symbols.txt | comm -23 - "$folder/exports")
  [ -z "$missing" ] || { echo "the DLL does not export $missing"; return 1; }
  for name in column_in_c arrow_in_c table_in_c; do
    $GCC -std=c99 -Wall -Wextra -Werror -DNUMPACT_SHARED -Iinclude examples/$name.c \
      -o "$folder/src/$name.exe" "$folder/src/libnumpact.dll.a" || return 1
    start=$(date +%s%3N)
    "$WINE" "$folder/src/$name.exe" >"$folder/$name.log" 2>&1 ||
      { cat "$folder/$name.log"; return 1; }
    row "$name (DLL)" 1 1 0 $(($(date +%s%3N) - start))
  done
  grep -q '^100000 numbers in [0-9]* bytes' "$folder/column_in_c.log"
}

run_cli() {
  local start log=$BUILD/cli.log status=0 files=()
  compile "$BUILD" numpact_cli || return 1
  # Paths of this system are those of drive Z:, on which the working folder is.
  printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$WINE" "$PWD/$BUILD/cli/numpact.exe" >"$BUILD/numpact"
  chmod +x "$BUILD/numpact"
  for name in "${CLI_TESTS[@]}"; do files+=("tests/cli/$name"); done
  start=$(date +%s%3N)
  NUMPACT_CLI=$PWD/$BUILD/numpact NUMPACT_ONLY_CLI=1 NUMPACT_WINE=1 \
    timeout $MAX_SECONDS .venv/bin/python -m pytest -q -n "$JOBS" -m 'not slow' "${files[@]}" \
    >"$log" 2>&1 || status=$?
  local passed failed skipped
  passed=$(count "$log" '[0-9]+ passed') failed=$(count "$log" '[0-9]+ failed')
  skipped=$(count "$log" '[0-9]+ skipped')
  row 'numpact.exe (pytest)' $((${passed:-0} + ${failed:-0})) "${passed:-0}" "${skipped:-0}" \
    $(($(date +%s%3N) - start))
  [ $status -eq 0 ] || { grep '^FAILED' "$log" || tail -n 20 "$log"; return 1; }
}

names=("$@")
[ ${#names[@]} -gt 0 ] || names=("${TESTS[@]}" dll cli)
configure $BUILD -DNUMPACT_GTEST_SOURCE=/usr/src/googletest -DINSTALL_GTEST=OFF
mkdir -p "$WINEPREFIX"
# Without clients wine ends its services after some seconds, and the next program starts them anew.
# They would keep its standard error open, and whoever reads that to its end would wait for them.
"$WINESERVER" -p
trap '"$WINESERVER" -k || true' EXIT
"$WINE" wineboot -i >/dev/null 2>&1 || true
failed=0
started=$SECONDS
compile_ahead "${names[@]}"
echo "built in $((SECONDS - started)) s"
printf '%-24s %7s %7s %7s %8s\n' program cases passed skipped seconds
for name in "${names[@]}"; do
  case $name in
    dll) run_dll || failed=1 ;;
    cli) run_cli || failed=1 ;;
    *) run_test "$name" || failed=1 ;;
  esac
done
exit $failed
