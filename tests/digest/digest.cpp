// SPDX-License-Identifier: Apache-2.0
// Encodes a fixed set of numbers and compares a digest of each file with those stored: the same
// bytes from every instruction set, compiler, machine and number of threads.
//   digest FILE           checks, under every instruction set that this processor has
//   digest --write FILE   stores
#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include "digest/items.hpp"
#include "numpact/cpu.hpp"

namespace numpact::digest {
namespace {

// CRC-64 of ECMA-182, reflected.
std::uint64_t crc64(const std::vector<std::byte>& bytes) {
  static const auto table = [] {
    std::array<std::uint64_t, 256> made{};
    for (std::uint64_t i = 0; i < made.size(); ++i) {
      std::uint64_t crc = i;
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc % 2 ? 0xc96c5795d7870f42u : 0);
      made[i] = crc;
    }
    return made;
  }();
  std::uint64_t crc = ~std::uint64_t{0};
  for (const std::byte byte : bytes) {
    crc = crc >> 8 ^ table[(crc ^ std::to_integer<std::uint64_t>(byte)) & 0xff];
  }
  return ~crc;
}

std::string digest_of(const Item& item) {
  if (!item.error.empty()) return item.error;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%016llx %zu",
                static_cast<unsigned long long>(crc64(item.bytes)), item.bytes.size());
  return text.data();
}

using Digests = std::map<std::string, std::string>;

void add(const std::vector<Item>& items, Digests& digests) {
  for (const Item& item : items) digests[item.name] = digest_of(item);
}

Digests all_digests(Extent extent, unsigned threads) {
  Digests digests;
  add(pco_items(extent, threads), digests);
#ifndef NUMPACT_DIGEST_PCO_ALONE  // where CVC cannot be written
  add(cvc_items(extent, threads), digests);
#endif
  return digests;
}

// Not by streams: the libc++ of WebAssembly has none of files.
bool write(const char* path) {
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) return false;
  for (const auto& [name, digest] : all_digests(Extent::kAll, 1)) {
    std::fprintf(file, "%s: %s\n", name.c_str(), digest.c_str());
  }
  return std::fclose(file) == 0;
}

Digests stored(const char* path) {
  Digests digests;
  std::FILE* const file = std::fopen(path, "r");
  if (file == nullptr) return digests;
  std::array<char, 256> buffer{};
  while (std::fgets(buffer.data(), static_cast<int>(buffer.size()), file) != nullptr) {
    const std::string_view line(buffer.data());
#ifdef NUMPACT_DIGEST_PCO_ALONE
    if (!line.starts_with("pco ")) continue;
#endif
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    const std::size_t end = line.find('\n');
    digests[std::string(line.substr(0, colon))] = line.substr(colon + 2, end - colon - 2);
  }
  std::fclose(file);
  return digests;
}

// The number of differences, which are printed.
int compare(const Digests& expected, const Digests& found, Extent extent,
            std::string_view circumstances) {
  int differences = 0;
  for (const auto& [name, digest] : found) {
    const auto at = expected.find(name);
    const std::string expected_value = at == expected.end() ? "nothing stored" : at->second;
    if (expected_value == digest) continue;
    std::printf("%.*s: %s: %s, expected %s\n", static_cast<int>(circumstances.size()),
                circumstances.data(), name.c_str(), digest.c_str(), expected_value.c_str());
    ++differences;
  }
  if (extent == Extent::kAll && found.size() != expected.size()) ++differences;
  std::printf("%.*s: %zu items, %d differ\n", static_cast<int>(circumstances.size()),
              circumstances.data(), found.size(), differences);
  return differences;
}

int check(const char* path) {
  const Digests expected = stored(path);
  int differences = 0;
  for (const CpuTarget& target : cpu_targets()) {
    if (!target.supported) continue;
    if (!force_cpu_target(target.name).ok()) return 1;
    differences += compare(expected, all_digests(Extent::kAll, 1), Extent::kAll, target.name);
  }
  if (!force_cpu_target("auto").ok()) return 1;
  for (unsigned threads = 2; threads <= 16; ++threads) {
    differences += compare(expected, all_digests(Extent::kThreaded, threads), Extent::kThreaded,
                           std::to_string(threads) + " threads");
  }
  return differences == 0 ? 0 : 1;
}

}  // namespace
}  // namespace numpact::digest

int main(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (argc == 3 && first == "--write") return numpact::digest::write(argv[2]) ? 0 : 1;
  if (argc == 2) return numpact::digest::check(argv[1]);
  std::fprintf(stderr, "usage: digest [--write] FILE\n");
  return 2;
}
