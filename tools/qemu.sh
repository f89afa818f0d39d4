#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the library and test programs for other machines and runs them under qemu-user.
#   qemu.sh [aarch64|s390x|armhf]... [--only digest|conformance]    (all three when none is named)
# What is built with is downloaded (cmake/Dependencies.cmake); NUMPACT_JOBS as in ./dev.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

JOBS=${NUMPACT_JOBS:-$(nproc)}
PACKAGES=(qemu-user googletest)
# The conformance files, damaged CVC files, and files that declare more than memory holds.
CONFORMANCE=(conformance_test cvc_test sizes_test)
# Fast tests, and those that compare kernels with scalar code.
TESTS=("${CONFORMANCE[@]}" base_test choose_test corruption_test delta_test
  float_environment_test latent_test mode_test reading_test stats_test writing_test)
# The fast tests of programs that have slow ones too. filter_of PROGRAM
filter_of() {
  case $1 in
    choose_test) echo 'TreeCost*:Joining*:Cutting*' ;;
    reading_test) echo 'Stream*:Append*' ;;
    writing_test) echo 'Wrapped*:ChunkIndex*' ;;
    *) echo '*' ;;
  esac
}

# Sets triple, processor, emulator, and flags: notes on how old compilers passed arguments are none
# of ours.
describe() {
  flags=''
  case $1 in
    aarch64) triple=aarch64-linux-gnu processor=aarch64 emulator=qemu-aarch64 ;;
    s390x) triple=s390x-linux-gnu processor=s390x emulator=qemu-s390x ;;
    armhf)
      triple=arm-linux-gnueabihf processor=armv7-a emulator=qemu-arm
      flags='-Wno-psabi'
      ;;
    *) echo "qemu.sh: unknown machine $1" >&2; exit 2 ;;
  esac
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

run_machine() {
  local build=build/qemu/$1 failed=0 name program
  describe "$1"
  mkdir -p build/qemu
  configure "$build" || return 1
  cmake --build "$build" -j "$JOBS" --target "${programs[@]}" >"$build.log" 2>&1 ||
    { grep -A8 "FAILED\|error" "$build.log" >&2; return 1; }
  for name in "${programs[@]}"; do
    program=$(find "$build/tests" -type f -name "$name" -perm -u+x)
    local arguments=(--gtest_brief=1 "--gtest_filter=$(filter_of "$name")")
    [ "$name" != numpact_digest ] || arguments=(tests/fixtures/digests.txt)
    if "$emulator" -L "/usr/$triple" "$program" "${arguments[@]}" >"$build.$name.log" 2>&1; then
      echo "ok    $1 $name: $(grep -v SKIPPED "$build.$name.log" | tail -n 1)"
    else
      echo "FAIL  $1 $name: $build.$name.log"
      failed=1
    fi
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
[ ${#machines[@]} -gt 0 ] || machines=(aarch64 s390x armhf)

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
for machine in "${machines[@]}"; do run_machine "$machine" || failed=1; done
exit $failed
