#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the WebAssembly modules and the JavaScript package, build/wasm/package and the same as one
# file, build/wasm/numpact-VERSION.tgz, and tests them in Node and wasmtime. Highway is fetched
# (cmake/Dependencies.cmake): before 1.1 it has no vectors of double for WebAssembly.
#   wasm.sh build | test [NODE ARGS] | browser
# browser: opens remote files by a page of its own in Chromium, and tries the page "Try it" of the
# site, which ./dev docs builds.
# NUMPACT_JOBS as in ./dev.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

JOBS=${NUMPACT_JOBS:-$(nproc)}
BUILD=$PWD/build/wasm
PACKAGE=$BUILD/package
# What engines with SIMD have, too. The scalar modules run in all of them.
SIMD_FLAGS=(-msimd128 -mbulk-memory -mnontrapping-fptoint)
OPT_FLAGS=(--enable-sign-ext --enable-mutable-globals)
SIMD_OPT_FLAGS=(--enable-simd --enable-bulk-memory --enable-nontrapping-float-to-int)

# configure NAME FLAGS...
configure() {
  local folder=$BUILD-$1
  shift
  [ ! -e "$folder/build.ninja" ] || return 0
  mkdir -p build
  cmake -S . -B "$folder" -G Ninja -DCMAKE_TOOLCHAIN_FILE=cmake/toolchains/wasi.cmake \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O2 -DNDEBUG" \
    -DCMAKE_CXX_FLAGS="$*" -DNUMPACT_WERROR=ON -DNUMPACT_PCH=OFF \
    -DNUMPACT_EXCEPTIONS=OFF -DNUMPACT_LIBDEFLATE=OFF -DNUMPACT_FETCH_DEPENDENCIES=ALWAYS \
    -DNUMPACT_BUILD_WASM=ON -DNUMPACT_INSTALL=OFF \
    >"$folder.log" 2>&1 || { cat "$folder.log" >&2; rm -rf "$folder"; return 1; }
}

# build_modules NAME SUFFIX OPTIMIZER FLAGS...
build_modules() {
  local name=$1 suffix=$2 module
  shift 2
  cmake --build "$BUILD-$name" -j "$JOBS" \
    --target numpact_wasm numpact_wasm_decode numpact_wasm_digest >"$BUILD-$name.log" 2>&1 ||
    { cat "$BUILD-$name.log" >&2; return 1; }
  for module in numpact numpact-decode; do
    wasm-opt -O3 "${OPT_FLAGS[@]}" "$@" -o "$PACKAGE/$module$suffix.wasm" \
      "$BUILD-$name/integrations/js/$module.wasm"
  done
  cp "$BUILD-$name/integrations/js/digest.wasm" "$BUILD-$name/digest.wasm"
}

sizes() {
  local path
  printf '%-28s %10s %10s\n' module bytes gzipped
  for path in "$PACKAGE"/*.wasm; do
    printf '%-28s %10d %10d\n' "$(basename "$path")" "$(stat -c %s "$path")" \
      "$(gzip -9 -c "$path" | wc -c)"
  done
}

# The form of npm pack: what npm install takes, and the same bytes each time.
pack() {
  local version
  version=$(sed -n "s/.*\"version\": \"\(.*\)\".*/\1/p" "$PACKAGE/package.json")
  rm -f "$BUILD"/*.tgz
  tar --create --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner \
    --transform "s,^\./,package/," --directory "$PACKAGE" --file - . |
    gzip -9n >"$BUILD/numpact-$version.tgz"
}

build() {
  mkdir -p "$PACKAGE"
  configure simd "${SIMD_FLAGS[@]}"
  configure scalar
  build_modules simd '' "${SIMD_OPT_FLAGS[@]}"
  build_modules scalar -scalar
  cp integrations/js/*.js integrations/js/*.d.ts integrations/js/package.json \
    integrations/js/README.md "$PACKAGE"
  pack
  sizes
}

# check_types FILE LIBRARIES: compiles a program that uses the declarations.
check_types() {
  tsc --noEmit --strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --target es2022 \
    --module esnext --moduleResolution node --lib "$2" "tests/wasm/$1"
}

run_tests() {
  export NUMPACT_JS=$PACKAGE NUMPACT_JS_FILES=$BUILD/files NUMPACT_WASM_BUILD=$BUILD
  export NUMPACT_FIXTURES=$PWD/tests/fixtures
  .venv/bin/python tests/wasm/make_files.py "$NUMPACT_JS_FILES"
  check_types types.ts es2022
  check_types types.ts es2022,webworker
  check_types types_dom.ts es2022,dom,dom.iterable
  node --test "$@" tests/wasm/*.test.mjs
  .venv/bin/python -m pytest -q tests/wasm/check_wasmtime.py
}

run_in_browser() {
  .venv/bin/python tests/wasm/check_browser.py "$PACKAGE" "$BUILD/files"
  .venv/bin/python tools/docs/check_try.py build/site "$BUILD/files" "$BUILD/screenshots"
}

verb=${1:-}
[ $# -eq 0 ] || shift
case $verb in
  build) build ;;
  test) run_tests "$@" ;;
  browser) run_in_browser ;;
  *) sed -n '3,9p' "$0" >&2; exit 2 ;;
esac
