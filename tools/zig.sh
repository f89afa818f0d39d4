#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds for other systems with the compiler and the system libraries of zig, which comes as a
# Python package.
#   zig.sh static [TARGET]...   the command as one static program; what can run here is tested
#   zig.sh link [TARGET]...     library, shared library and command are compiled and linked only
#   zig.sh compilers TARGET     makes the compilers of a target and prints their folder
# NUMPACT_JOBS as in ./dev; NUMPACT_PYTHON names the Python that makes the venv. A table at the end
# has one row for each target and program.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

JOBS=${NUMPACT_JOBS:-$(nproc)}
ROOT=$PWD/build/zig
# Its clang is as new as its headers; another version may warn of other things.
ZIG_VERSION=0.17.1
STATIC_TARGETS=(x86_64-linux-musl aarch64-linux-musl)
# macOS: std::pmr is in the system's libc++ from 14.0 on; zig links its own, so that any would do.
LINK_TARGETS=(x86_64-macos.14.0 aarch64-macos.14.0 x86_64-freebsd aarch64-freebsd)
# Threads of musl have stacks of 128 KiB: these show that decoding and encoding fit, and the last
# one how much they use.
TESTS=(conformance_test reading_test writing_test capi_test cvc_test stack_test)
# What is linked only, nobody runs.
QUICK=(-DCMAKE_BUILD_TYPE=MinSizeRel -DCMAKE_CXX_FLAGS_MINSIZEREL=-O1 -DNUMPACT_SIMD_TARGETS=avx2)

need_zig() {
  local wanted="ziglang==$ZIG_VERSION"
  [ "$(cat "$ROOT/wanted" 2>/dev/null)" = "$wanted" ] && return
  mkdir -p "$ROOT"
  "${NUMPACT_PYTHON:-python3}" -m venv "$ROOT/venv"
  "$ROOT/venv/bin/python" -m pip install -q --disable-pip-version-check "$wanted"
  echo "$wanted" >"$ROOT/wanted"
}

# The options that take libstdc++ of Debian's GCC in place of zig's libc++: nanobind and its package
# throw exceptions through each other, which libc++ does not allow. The standard library is linked
# into each program, and the unwinder is the one that all share. What the library needs of systems
# newer than the target is defined here: random bytes, and whether a program has one thread.
# Sets compile_options and link_options.
use_libstdcxx() {
  local gcc=$1-linux-gnu-g++ folder=$2 path
  command -v "$gcc" >/dev/null || { echo "zig.sh: $gcc is not installed" >&2; return 1; }
  mkdir -p "$folder/include/sys"
  echo 'static const char __libc_single_threaded = 0;' >"$folder/include/sys/single_threaded.h"
  cat >"$folder/newer.c" <<'END'
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#pragma GCC visibility push(hidden)
char __libc_single_threaded;
int getentropy(void *out, size_t size) {
  FILE *const file = fopen("/dev/urandom", "rb");
  const size_t got = file ? fread(out, 1, size, file) : 0;
  if (file) fclose(file);
  if (got == size) return 0;
  errno = EIO;
  return -1;
}
uint32_t arc4random(void) {
  uint32_t number = 0;
  if (getentropy(&number, sizeof number) != 0) __builtin_trap();
  return number;
}
END
  "$folder/cc" -O2 -fPIC -c "$folder/newer.c" -o "$folder/newer.o"
  compile_options="-nostdinc++ -I$folder/include"
  for path in $("$gcc" -x c++ -E -v /dev/null 2>&1 | grep '^ .*/c++/'); do
    compile_options+=" -I$(realpath "$path")"
  done
  link_options="-nostdlib++ $folder/newer.o $("$gcc" -print-file-name=libstdc++.a)"
  link_options+=" $(realpath "$("$gcc" -print-file-name=libgcc_s.so.1)")"
  link_options+=" -Wl,--allow-shlib-undefined"
}

# Writes cc, c++, ar and ranlib for a target. Undefined behaviour is not trapped: other verbs look
# for it.
make_compilers() {
  local folder=$ROOT/bin/$1 zig="$ROOT/venv/bin/python -m ziglang" name
  local compile_options='' link_options=''
  need_zig
  mkdir -p "$folder"
  for name in cc c++; do
    printf '#!/bin/sh\nexec %s %s -target %s -fno-sanitize=undefined "$@"\n' "$zig" $name "$1" \
      >"$folder/$name"
  done
  for name in ar ranlib; do
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$zig" $name >"$folder/$name"
  done
  chmod +x "$folder"/*
  case $1 in *-linux-gnu*) ;; *) return ;; esac
  use_libstdcxx "${1%%-*}" "$folder"
  cat >"$folder/c++" <<END
#!/bin/sh
links=yes
for word; do
  case \$word in -c | -S | -E | -M | -MM | -fsyntax-only | -v | --version) links= ;; esac
done
set -- $compile_options "\$@"
[ -z "\$links" ] || set -- "\$@" $link_options
exec $zig c++ -target $1 -fno-sanitize=undefined "\$@"
END
}

# Sets system and processor, by CMake's names, and emulator: what comes before a program that runs
# here.
describe() {
  emulator=()
  processor=${1%%-*}
  case $1 in
    x86_64-linux-*) system=Linux ;;
    aarch64-linux-*) system=Linux emulator=(qemu-aarch64) ;;
    *-macos*) system=Darwin ;;
    *-freebsd*) system=FreeBSD ;;
    *) echo "zig.sh: unknown target $1" >&2; exit 2 ;;
  esac
}

# configure TARGET FOLDER [OPTION]...
configure() {
  local folder=$ROOT/bin/$1 build=$2
  make_compilers "$1"
  shift 2
  mkdir -p "$build"
  # Nothing of this machine is found: all that is linked is fetched. CMake asks for a tool of macOS
  # that changes installed libraries; nothing is installed.
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_SYSTEM_NAME="$system" -DCMAKE_SYSTEM_PROCESSOR="$processor" \
    -DCMAKE_C_COMPILER="$folder/cc" -DCMAKE_CXX_COMPILER="$folder/c++" \
    -DCMAKE_AR="$folder/ar" -DCMAKE_RANLIB="$folder/ranlib" \
    -DCMAKE_FIND_ROOT_PATH="$ROOT/nothing" -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER \
    -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY \
    -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY -DNUMPACT_FETCH_DEPENDENCIES=ALWAYS \
    -DCMAKE_INSTALL_NAME_TOOL="$(command -v true)" \
    -DNUMPACT_INSTALL=OFF -DNUMPACT_BUILD_BENCH=OFF -DNUMPACT_BUILD_EXAMPLES=OFF \
    -DNUMPACT_BUILD_FUZZ=OFF -DNUMPACT_ARROW=OFF -DNUMPACT_BENCH_PEERS=OFF "$@" \
    >"$build/configure.log" 2>&1 || { tail -n 20 "$build/configure.log" >&2; return 1; }
}

rows=()
# add_row TARGET WHAT RESULT NOTE
add_row() {
  rows+=("$(printf '%-20s %-18s %-7s %s' "$@")")
  echo "${rows[-1]}"
}

# build TARGET FOLDER NAME...: adds a row for each that was built.
build() {
  local target=$1 build=$2 started=$SECONDS
  shift 2
  if cmake --build "$build" -j "$JOBS" --target "$@" >"$build/build.log" 2>&1; then
    add_row "$target" "$1" linked "$((SECONDS - started)) s"
    return
  fi
  grep -A8 'FAILED\|error' "$build/build.log" >&2 || true
  add_row "$target" "$1" FAIL "$build/build.log"
  return 1
}

# What the program itself says of it: no loader is asked for.
is_static() { ! readelf -l "$1" | grep -q INTERP; }

run_static() {
  local target=$1 build=$ROOT/$1 name program note failed=0
  describe "$target"
  configure "$target" "$build" -DNUMPACT_GTEST_SOURCE=/usr/src/googletest -DINSTALL_GTEST=OFF \
    -DCMAKE_EXE_LINKER_FLAGS=-static -DNUMPACT_BUILD_CPCODEC=OFF || return 1
  build "$target" "$build" numpact_cli || return 1
  program=$build/cli/numpact
  if ! is_static "$program"; then
    add_row "$target" numpact FAIL "asks for a loader"
    return 1
  fi
  add_row "$target" numpact static "$(stat -c %s "$program") bytes, $program"
  if ! python3 tools/static_check.py "${emulator[@]}" "$program" >"$build/check.log" 2>&1; then
    cat "$build/check.log" >&2
    add_row "$target" numpact FAIL "$build/check.log"
    failed=1
  else
    add_row "$target" numpact run "$(tail -n 1 "$build/check.log")"
  fi
  build "$target" "$build" "${TESTS[@]}" || return 1
  for name in "${TESTS[@]}"; do
    note=$build/$name.log
    program=$(find "$build/tests" -type f -name "$name" -perm -u+x)
    if "${emulator[@]}" "$program" --gtest_brief=1 >"$note" 2>&1; then
      add_row "$target" "$name" run "$(grep -v SKIPPED "$note" | tail -n 1)"
    else
      add_row "$target" "$name" FAIL "$note"
      failed=1
    fi
  done
  return $failed
}

run_link() {
  local target=$1 build=$ROOT/$1 failed=0
  describe "$target"
  configure "$target" "$build" -DNUMPACT_BUILD_TESTS=OFF "${QUICK[@]}" &&
    build "$target" "$build" numpact_cli || failed=1
  configure "$target" "$build-shared" -DNUMPACT_BUILD_TESTS=OFF -DNUMPACT_BUILD_CLI=OFF \
    -DBUILD_SHARED_LIBS=ON "${QUICK[@]}" &&
    build "$target" "$build-shared" numpact || failed=1
  return $failed
}

verb=${1:-}
[ $# -eq 0 ] || shift
targets=("$@")
failed=0
case $verb in
  compilers)
    describe "$1"
    make_compilers "$1"
    echo "$ROOT/bin/$1"
    exit
    ;;
  static) [ $# -gt 0 ] || targets=("${STATIC_TARGETS[@]}") ;;
  link) [ $# -gt 0 ] || targets=("${LINK_TARGETS[@]}") ;;
  *) sed -n '3,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
for target in "${targets[@]}"; do
  if [ "$verb" = static ]; then
    run_static "$target" || failed=1
  else
    run_link "$target" || failed=1
  fi
done
printf '\n%-20s %-18s %-7s %s\n' target program result ''
printf '%s\n' "${rows[@]}"
exit $failed
