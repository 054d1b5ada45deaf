# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# Sourced by the other commands of this folder; leaves the caller in the repository's root.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

# shellcheck disable=SC2034  # all lists are for the sourcing script
BUILD_PACKAGES=(
  g++ cmake ninja-build pkg-config python3
  libdnnl-dev libboost-dev libboost-filesystem-dev libspdlog-dev catch2 libcli11-dev
  nlohmann-json3-dev libdw-dev opencl-c-headers
)
# Only the tests need these.
# shellcheck disable=SC2034
TEST_PACKAGES=(
  clang clang-format clang-tidy binutils ccache shellcheck
  pocl-opencl-icd mesa-opencl-icd oclgrind ocl-icd-opencl-dev opencl-headers
  python3-venv
)
# The benchmarks count instructions with the one, and compare allocations with the other.
# shellcheck disable=SC2034
BENCH_PACKAGES=(valgrind libmimalloc2.0)

say() { printf '\n== %s\n' "$*"; }

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# install_missing <Debian package>...: calls apt-get only if something is missing.
install_missing() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "Not Debian or Ubuntu: these packages, or what they hold, must be there already: $*"
    return 0
  fi

  local package missing=()
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
      missing+=("$package")
  done
  [ "${#missing[@]}" -gt 0 ] || return 0

  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "as root: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing: ${missing[*]}"
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# The tests compile kernels for GPUs; NVRTC does so without one. It lies where all builds find it.
install_nvrtc() {
  [ -x build/nvrtc/bin/pip ] || python3 -m venv build/nvrtc
  build/nvrtc/bin/pip install -q --disable-pip-version-check 'nvidia-cuda-nvrtc-cu12==12.9.*'
}

# configure_and_build <preset>
configure_and_build() {
  cmake --preset "$1"
  cmake --build --preset "$1"
}
