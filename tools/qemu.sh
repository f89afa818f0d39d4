#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the library and test programs for other machines and runs them under qemu-user.
#   qemu.sh [MACHINE]... [--only digest|conformance]    (all of MACHINES when none is named)
# A table at the end has one row for each machine and program. Programs for i386 run on the
# processor itself where the system lets them: that is tens of times faster.
# What is built with is downloaded (cmake/Dependencies.cmake); NUMPACT_JOBS as in ./dev.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

JOBS=${NUMPACT_JOBS:-$(nproc)}
PACKAGES=(qemu-user googletest)
MACHINES=(aarch64 s390x armhf riscv64 ppc64le i386)
# The conformance files, damaged CVC files, and files that declare more than memory holds.
CONFORMANCE=(conformance_test cvc_test sizes_test)
# Fast tests, and those that compare kernels with scalar code.
TESTS=("${CONFORMANCE[@]}" base_test capi_test capi_arrow_test choose_test corruption_test
  cpcodec_test delta_test float_environment_test latent_test mode_test ranges_test reading_test
  stats_test targets_test writing_test)
# The fast tests of programs that have slow ones too. filter_of PROGRAM
filter_of() {
  case $1 in
    choose_test) echo 'TreeCost*:Joining*:Cutting*' ;;
    reading_test) echo 'Stream*:Append*' ;;
    writing_test) echo 'Wrapped*:ChunkIndex*' ;;
    *) echo '*' ;;
  esac
}

# Sets triple, processor, flags, and runner, the command that starts a program. Notes on how old
# compilers passed arguments are none of ours.
describe() {
  flags=''
  case $1 in
    aarch64) triple=aarch64-linux-gnu processor=aarch64 runner=(qemu-aarch64) ;;
    s390x) triple=s390x-linux-gnu processor=s390x runner=(qemu-s390x) ;;
    armhf)
      triple=arm-linux-gnueabihf processor=armv7-a runner=(qemu-arm)
      flags='-Wno-psabi'
      ;;
    riscv64) triple=riscv64-linux-gnu processor=riscv64 runner=(qemu-riscv64) ;;
    ppc64le) triple=powerpc64le-linux-gnu processor=ppc64le runner=(qemu-ppc64le) ;;
    i386)
      # The x87 unit rounds twice; SSE2 is what every processor has that still runs such programs.
      triple=i686-linux-gnu processor=i686 runner=(qemu-i386)
      flags='-msse2 -mfpmath=sse'
      ;;
    *) echo "qemu.sh: unknown machine $1" >&2; exit 2 ;;
  esac
  runner+=(-L "/usr/$triple")
  local loader=/usr/$triple/lib/ld-linux.so.2
  if [ "$1" = i386 ] && "$loader" --version >/dev/null 2>&1; then
    runner=("$loader" --library-path "/usr/$triple/lib")
  fi
}

configure() {
  local build=$1
  [ ! -e "$build/build.ninja" ] || return 0
  cmake -S . -B "$build" -G Ninja \
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$processor" \
    -DCMAKE_C_COMPILER="$triple-gcc" -DCMAKE_CXX_COMPILER="$triple-g++" \
    -DCMAKE_FIND_ROOT_PATH="/usr/$triple" -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER \
    -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY \
    -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNUMPACT_WERROR=ON \
    -DCMAKE_CXX_FLAGS="$flags" \
    -DNUMPACT_FETCH_DEPENDENCIES=ALWAYS -DNUMPACT_INSTALL=OFF -DNUMPACT_BUILD_CLI=OFF \
    -DNUMPACT_BUILD_BENCH=OFF -DNUMPACT_BUILD_EXAMPLES=OFF -DNUMPACT_BUILD_FUZZ=OFF \
    -DNUMPACT_GTEST_SOURCE=/usr/src/googletest -DINSTALL_GTEST=OFF >"$build.log" 2>&1 ||
    { cat "$build.log" >&2; return 1; }
}

# Adds a row to the table. add_row MACHINE PROGRAM RESULT SECONDS LAST-LINE
add_row() { rows+=("$(printf '%-8s %-24s %-5s %6s  %s' "$@")"); }

run_machine() {
  local build=build/qemu/$1 failed=0 name program started result
  describe "$1"
  mkdir -p build/qemu
  started=$SECONDS
  if ! configure "$build" ||
    ! cmake --build "$build" -j "$JOBS" --target "${programs[@]}" >"$build.log" 2>&1; then
    grep -A8 "FAILED\|error" "$build.log" >&2
    add_row "$1" build FAIL $((SECONDS - started)) "$build.log"
    return 1
  fi
  add_row "$1" build ok $((SECONDS - started)) "$("$triple-g++" --version | head -n 1)"
  for name in "${programs[@]}"; do
    program=$(find "$build/tests" -type f -name "$name" -perm -u+x)
    local arguments=(--gtest_brief=1 "--gtest_filter=$(filter_of "$name")")
    [ "$name" != numpact_digest ] || arguments=(tests/fixtures/digests.txt)
    started=$SECONDS
    result=ok
    "${runner[@]}" "$program" "${arguments[@]}" >"$build.$name.log" 2>&1 ||
      { result=FAIL && failed=1; }
    add_row "$1" "$name" "$result" $((SECONDS - started)) \
      "$(grep -v SKIPPED "$build.$name.log" | tail -n 1)"
    echo "${rows[-1]}"
  done
  return $failed
}

machines=()
programs=(numpact_digest "${TESTS[@]}")
while [ $# -gt 0 ]; do
  case $1 in
    --only)
      case ${2:-} in
        digest) programs=(numpact_digest) ;;
        conformance) programs=("${CONFORMANCE[@]}") ;;
        *) echo "qemu.sh: --only digest or conformance" >&2; exit 2 ;;
      esac
      shift
      ;;
    *) machines+=("$1") ;;
  esac
  shift
done
[ ${#machines[@]} -gt 0 ] || machines=("${MACHINES[@]}")

missing=()
for machine in "${machines[@]}"; do
  describe "$machine"
  command -v "$triple-g++" >/dev/null || missing+=("g++-$triple")
done
for package in "${PACKAGES[@]}"; do
  dpkg-query -W "$package" >/dev/null 2>&1 || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "qemu.sh: install ${missing[*]}" >&2
  exit 1
fi

failed=0
rows=()
for machine in "${machines[@]}"; do run_machine "$machine" || failed=1; done
printf '\n%-8s %-24s %-5s %6s  %s\n' machine program '' seconds 'last line'
printf '%s\n' "${rows[@]}"
exit $failed
