// SPDX-License-Identifier: Apache-2.0
// Whole pages through the public API: one bin of several widths (offsets, no codes), values of
// their own bins (codes, no offsets), and bins that have both, with and without a delta.
#include <bit>
#include <cstdint>
#include <vector>

#include "kernel_stages.hpp"
#include "numpact/pco.hpp"

namespace numpact::bench {
namespace {

constexpr std::size_t kN = std::size_t{1} << 14;

template <class T>
void decode(benchmark::State& state, const std::vector<T>& numbers, const EncodeConfig& config) {
  const std::vector<std::byte> file = compress(std::span<const T>(numbers), config).value();
  std::vector<T> out(numbers.size());
  DecodeContext context;
  measure(
      state, numbers.size(), [] {},
      [&] { decompress_into(std::span(file), std::span(out), {}, &context).value(); });
  state.counters["bits"] =
      static_cast<double>(file.size()) * 8 / static_cast<double>(numbers.size());
}

EncodeConfig classic(unsigned level, DeltaSpec delta) {
  EncodeConfig config;
  config.level = level;
  config.mode = ModeSpec::classic();
  config.delta = delta;
  return config;
}

template <class T>
std::vector<T> uniform(unsigned bits) {
  Random random;
  std::vector<T> numbers(kN);
  for (T& number : numbers) number = static_cast<T>(random.next() >> (64 - bits));
  return numbers;
}

// 16 values far apart, equally likely.
template <class T>
std::vector<T> values() {
  Random random;
  std::vector<T> numbers(kN);
  for (T& number : numbers) {
    number = static_cast<T>((random.next() >> 60) << (8 * sizeof(T) - 5));
  }
  return numbers;
}

// Every size of number about as often as the next: some tens of bins, each with offsets.
template <class T>
std::vector<T> sizes() {
  Random random;
  std::vector<T> numbers(kN);
  for (T& number : numbers) {
    const std::uint64_t bits = 1 + (random.next() >> 40) % (8 * sizeof(T) - 2);
    number = static_cast<T>(random.next() >> (64 - bits));
  }
  return numbers;
}

template <class T>
void add(const char* stage, const std::string& parameter, std::vector<T> numbers,
         EncodeConfig config) {
  const std::string name = stage_name(stage, sizeof(T), parameter);
  benchmark::RegisterBenchmark(name.c_str(),
                               [numbers = std::move(numbers), config](benchmark::State& state) {
                                 decode(state, numbers, config);
                               });
}

template <class T>
void add_stages() {
  for (const unsigned bits : {1u, 4u, 8u, 12u, 16u, 20u, 24u, 32u, 40u, 48u, 64u}) {
    if (bits > 8 * sizeof(T)) break;
    add("page_offsets", std::to_string(bits), uniform<T>(bits), classic(0, DeltaSpec::none()));
  }
  add("page_codes", "", values<T>(), classic(8, DeltaSpec::none()));
  add("page_both", "", sizes<T>(), classic(8, DeltaSpec::none()));
  add("page_both", "consecutive=1", sizes<T>(), classic(8, DeltaSpec::try_consecutive(1)));
}

}  // namespace

void register_page_stages() {
  add_stages<std::uint8_t>();
  add_stages<std::uint16_t>();
  add_stages<std::uint32_t>();
  add_stages<std::uint64_t>();
}

}  // namespace numpact::bench
