#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build into a moved prefix, then builds and runs a program that uses it.
#   run.sh BUILD_DIR [cmake|cuda|pkgconfig|static|shared|subdirectory|subdirectory_whole]...
#   (cmake, pkgconfig and subdirectory when none is named)
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cxx=${CXX:-c++}
generator=(-G "$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$build/CMakeCache.txt")")

# The prefix moves after the install: nothing in it may know where it was.
install_moved() {
  [ -d "$work/prefix" ] && return
  cmake --install "$build" --prefix "$work/first" >"$work/install.log" ||
    { cat "$work/install.log"; return 1; }
  mv "$work/first" "$work/prefix"
  check_run_paths
  [ ! -e "$work/prefix/bin/numpact" ] || "$work/prefix/bin/numpact" --version
}

# Nothing that is installed looks for libraries in the tree that was built, or, by an empty entry,
# in the working folder.
check_run_paths() {
  command -v readelf >/dev/null || return 0
  local source file paths
  source=$(cd "$here/../.." && pwd)
  find "$work/prefix" -type f | while read -r file; do
    # readelf fails for files of other kinds, which have no run path.
    paths=$({ readelf -d "$file" 2>/dev/null || true; } | sed -nE 's/.*R(UN)?PATH.*\[(.*)\]/\2/p')
    [ -n "$paths" ] || continue
    case ":$paths:" in
      *::* | *":$source"* | *":$build"*) echo "the run path of $file is $paths"; return 1 ;;
    esac
  done
}

configure_and_run() {
  cmake -S "$here/project" -B "$work/$1" "${generator[@]}" -DCMAKE_CXX_COMPILER="$cxx" "${@:2}"
  cmake --build "$work/$1" --target consumer
  "$work/$1/consumer"
}

way_cmake() {
  install_moved
  configure_and_run cmake -DCMAKE_PREFIX_PATH="$work/prefix"
}

# Where the build has CUDA.
way_cuda() {
  install_moved
  configure_and_run cuda -DCMAKE_PREFIX_PATH="$work/prefix" -DCONSUMER_CUDA=ON
}

way_pkgconfig() {
  install_moved
  local pc
  pc=$(find "$work/prefix" -name numpact.pc)
  PKG_CONFIG_PATH=$(dirname "$pc")
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046  # the flags are words
  "$cxx" -std=c++20 "$here/project/main.cpp" -o "$work/bare" $(pkg-config --cflags --libs numpact)
  LD_LIBRARY_PATH=$(pkg-config --variable=libdir numpact) "$work/bare"
  if ! grep -q libhwy "$pc" && ldd "$work/bare" | grep libhwy; then
    echo "the program needs Highway, but only its headers are used here"
    return 1
  fi
  # C++17 gets one line that says what is wrong, and then no others.
  # shellcheck disable=SC2046
  if "$cxx" -std=c++17 -fsyntax-only "$here/project/main.cpp" $(pkg-config --cflags numpact) \
      2>"$work/cxx17"; then
    echo "C++17 compiles what needs C++20"
    return 1
  fi
  grep -q 'numpact needs C++20' "$work/cxx17"
  [ "$(grep -c 'error:' "$work/cxx17")" -le 2 ] || { cat "$work/cxx17"; return 1; }
}

# A program that needs no library at run time, and one that only decodes: without the encoder.
way_static() {
  install_moved
  local pc
  pc=$(find "$work/prefix" -name numpact.pc)
  PKG_CONFIG_PATH=$(dirname "$pc")
  export PKG_CONFIG_PATH
  # Where Highway is linked, it has to be there as a static library, which Debian does not have.
  if ! grep -q libhwy "$pc" || [ -e "$("$cxx" -print-file-name=libhwy.a)" ]; then
    # shellcheck disable=SC2046  # the flags are words
    "$cxx" -std=c++20 -static "$here/project/main.cpp" -o "$work/static" \
      $(pkg-config --static --cflags --libs numpact)
    "$work/static"
  else
    echo "no static Highway here: no program was linked with -static"
  fi
  # shellcheck disable=SC2046
  "$cxx" -std=c++20 -O1 -Wl,--gc-sections "$here/project/decode_only.cpp" -o "$work/decode_only" \
    $(pkg-config --cflags --libs numpact)
  "$work/decode_only"
  local kept
  # To a file: nm would be cut short by a grep that has seen enough.
  nm -C "$work/decode_only" >"$work/symbols"
  kept=$(grep -E 'numpact::(ChoiceSession|encode_chosen|encode_chunk|try_lookback)' \
    "$work/symbols" || true)
  [ -z "$kept" ] || { echo "a program that decodes has: $kept"; return 1; }
}

# A shared library exports what headers declare, under the version of its soname, and no more.
way_shared() {
  cmake -S "$here/../.." -B "$work/shared" "${generator[@]}" -DCMAKE_CXX_COMPILER="$cxx" \
    -DBUILD_SHARED_LIBS=ON -DNUMPACT_BUILD_TESTS=OFF -DNUMPACT_CUDA=OFF \
    -DNUMPACT_BUILD_BENCH=OFF -DNUMPACT_BUILD_EXAMPLES=OFF -DNUMPACT_BUILD_FUZZ=OFF
  cmake --build "$work/shared" --target numpact numpact_cli
  local foreign library
  library=$(find "$work/shared" -name libnumpact.so)
  # The loader takes an empty entry of a run path for the working folder.
  if readelf -d "$work/shared/cli/numpact" "$library" | grep -E 'R(UN)?PATH.*(\[:|::|:\])'; then
    return 1
  fi
  "$work/shared/cli/numpact" --version
  nm -D --defined-only "$library" | awk '{ print $NF }' >"$work/exports"
  grep -q '_ZN7numpact.*@@NUMPACT_' "$work/exports"
  # The functions of C are those of the list that tests/capi compares.
  grep -oE '^numpact_[a-z0-9_]+' "$here/../capi/symbols.txt" >"$work/c_functions"
  foreign=$(c++filt <"$work/exports" | grep -vE '(^|for )numpact::|^NUMPACT_' |
    sed 's/@@NUMPACT_.*//' | grep -vxFf "$work/c_functions" || true)
  [ -z "$foreign" ] || { echo "exported, but not declared: $foreign"; return 1; }
  "$cxx" -std=c++20 -DNUMPACT_SHARED -I "$here/../../include" "$here/project/main.cpp" \
    -o "$work/linked" "$library" -Wl,-rpath,"$(dirname "$library")"
  "$work/linked"
}

# As a part of another project, whose program links the library of the build folder.
way_subdirectory() {
  local options=(-DNUMPACT_SOURCE_DIR="$here/../.." -DCMAKE_BUILD_TYPE=Debug)
  if [ ! -e "$build/src/libnumpact.a" ]; then
    way_subdirectory_whole
    return
  fi
  cmake -S "$here/project" -B "$work/configured" "${generator[@]}" \
    -DCMAKE_CXX_COMPILER="$cxx" "${options[@]}"
  configure_and_run subdirectory "${options[@]}" -DNUMPACT_PREBUILT="$build"
}

# The same with a library of its own.
way_subdirectory_whole() {
  configure_and_run whole -DNUMPACT_SOURCE_DIR="$here/../.." -DCMAKE_BUILD_TYPE=Debug
}

for way in "${@:-cmake pkgconfig subdirectory}"; do
  for one in $way; do
    "way_$one"
    echo "consume $one: ok"
  done
done
