// SPDX-License-Identifier: Apache-2.0
// Encodes a fixed set of numbers and compares a digest of each file with those stored: the same
// bytes from every instruction set, compiler, machine and number of threads.
//   digest FILE           checks, under every instruction set that this processor has
//   digest --write FILE   stores
#include <array>
#include <cstdio>
#include <fstream>
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
  add(cvc_items(extent, threads), digests);
  return digests;
}

bool write(const char* path) {
  std::ofstream file(path);
  for (const auto& [name, digest] : all_digests(Extent::kAll, 1)) {
    file << name << ": " << digest << "\n";
  }
  return file.good();
}

Digests stored(const char* path) {
  std::ifstream file(path);
  Digests digests;
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) digests[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return digests;
}

// The number of differences, which are printed.
int compare(const Digests& expected, const Digests& found, Extent extent,
            std::string_view circumstances) {
  int differences = 0;
  for (const auto& [name, digest] : found) {
    const auto at = expected.find(name);
    const std::string wanted = at == expected.end() ? "nothing stored" : at->second;
    if (wanted == digest) continue;
    std::printf("%.*s: %s: %s, expected %s\n", static_cast<int>(circumstances.size()),
                circumstances.data(), name.c_str(), digest.c_str(), wanted.c_str());
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
