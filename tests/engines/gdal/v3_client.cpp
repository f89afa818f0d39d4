// SPDX-License-Identifier: Apache-2.0
// The calls that GDAL's codec for Zarr v3 makes of libcpcodec, which is told the bytes of the chunk
// where the binding counts numbers.
//
// v3_client FILE DTYPE COUNT: decodes a file into a chunk of COUNT numbers and prints the result.
// v3_client --bytes FILE DTYPE COUNT: the same by the function whose capacity is in bytes.
#include <cpcodec.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

// The binding may write as many numbers as the chunk has bytes: 8 times its size.
constexpr std::size_t kMaxWidth = 8;
constexpr unsigned char kGuard = 0xa5;

std::size_t width_of(unsigned char dtype) {
  switch (dtype) {
    case PCO_TYPE_U8:
    case PCO_TYPE_I8:
      return 1;
    case PCO_TYPE_U16:
    case PCO_TYPE_I16:
    case PCO_TYPE_F16:
      return 2;
    case PCO_TYPE_U32:
    case PCO_TYPE_I32:
    case PCO_TYPE_F32:
      return 4;
    default:
      return kMaxWidth;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool in_bytes = argc > 1 && std::strcmp(argv[1], "--bytes") == 0;
  if (argc - (in_bytes ? 1 : 0) != 4) return 2;
  char** const arguments = argv + (in_bytes ? 2 : 1);
  std::ifstream stream(arguments[0], std::ios::binary);
  const std::vector<char> file((std::istreambuf_iterator<char>(stream)), {});
  const auto dtype = static_cast<unsigned char>(std::atoi(arguments[1]));
  const std::size_t expected = std::strtoull(arguments[2], nullptr, 10) * width_of(dtype);
  // The memory behind the chunk is ours, so that what GDAL would lose shows as lost guard bytes.
  std::vector<unsigned char> memory(expected * kMaxWidth + kMaxWidth, kGuard);
  std::size_t written = 0;
  const auto decode = in_bytes ? pco_standalone_simple_decompress_into_bytes
                               : pco_standalone_simple_decompress_into;
  const PcoError error = decode(file.data(), file.size(), dtype, memory.data(), expected, &written);
  bool is_guarded = true;
  for (std::size_t i = expected; i < memory.size(); ++i) is_guarded &= memory[i] == kGuard;
  const bool is_whole = error == PcoSuccess && written * width_of(dtype) == expected;
  std::printf("%s %s\n",
              error != PcoSuccess ? "error"
              : is_whole          ? "whole"
                                  : "wrong count",
              is_guarded ? "inside" : "overrun");
  if (is_whole) std::fwrite(memory.data(), 1, expected, stderr);
  return 0;
}
