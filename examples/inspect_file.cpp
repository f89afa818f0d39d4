// SPDX-License-Identifier: Apache-2.0
// Says how a file was encoded and what its bytes are spent on, without decoding its numbers.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string>

#include "numpact/inspect.hpp"

namespace {

void print_variable(const numpact::LatentVariableInfo& variable) {
  std::cout << "  " << numpact::to_string(variable.variable) << ": " << variable.stored
            << " latents, " << variable.bins.size() << " bins, " << variable.code_bits
            << " bits of codes, " << variable.offset_bits << " bits of offsets\n";
}

void print(const numpact::FileInfo& info) {
  std::cout << "format " << info.header.format_major << '.' << info.header.format_minor << ", "
            << info.count << " numbers in " << info.file_bytes << " bytes\n";
  for (const numpact::ChunkInfo& chunk : info.chunks) {
    std::cout << numpact::name_of(chunk.type) << ", " << chunk.count << " numbers, mode "
              << chunk.mode_text() << ", delta " << chunk.delta_text() << '\n';
    for (const numpact::LatentVariableInfo& variable : chunk.variables) print_variable(variable);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: inspect_file FILE\n";
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  numpact::FileInfo info;
  const numpact::Status status = numpact::inspect_into(std::as_bytes(std::span(bytes)), info);
  print(info);  // what is sound is there even after an error
  if (status.ok()) return 0;
  std::cerr << status.message() << '\n';
  return 1;
}
