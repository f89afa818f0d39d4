// SPDX-License-Identifier: Apache-2.0
// Decodes, and no more: a linker that collects garbage leaves the encoder out.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <numpact/pco.hpp>

namespace {

// The numbers 1, 2 and 3 as u8, in mode Classic without delta encoding.
constexpr unsigned char kFile[] = {0x70, 0x63, 0x6f, 0x21, 0x03, 0x0a, 0xc1, 0x04, 0x01, 0x0a,
                                   0x02, 0x00, 0x00, 0x00, 0x10, 0x00, 0x08, 0x10, 0x24, 0x00};

}  // namespace

int main() {
  const std::span<const std::byte> file = std::as_bytes(std::span(kFile));
  const std::vector<std::uint8_t> numbers = numpact::decompress<std::uint8_t>(file).value();
  std::printf("%zu numbers\n", numbers.size());
  return numbers == std::vector<std::uint8_t>{1, 2, 3} ? 0 : 1;
}
