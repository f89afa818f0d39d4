// SPDX-License-Identifier: Apache-2.0
// Times reading of small pages of the wrapped format, and of pages with Conv1: each by a call of
// its own (decode_page), and all by one call (decode_pages).
//   ./dev bench pages [ROUNDS [TARGET]]
// TARGET: the instruction set, such as avx2.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "numpact/numpact.hpp"

namespace {

constexpr std::size_t kPages = 512;
constexpr std::size_t kConv1Pages = 16;
// Pages of Conv1 are larger: the rounds are divided by this.
constexpr std::size_t kConv1RoundShare = 8;

struct Pages {
  numpact::wrapped::ChunkDecoder decoder;
  std::vector<std::vector<std::byte>> bytes;
  std::vector<numpact::wrapped::PageInput> inputs;
};

template <class T>
Pages encode(const std::vector<T>& numbers, std::size_t page_n, numpact::DeltaSpec delta) {
  numpact::EncodeConfig config;
  config.mode = numpact::ModeSpec::classic();
  config.delta = delta;
  config.paging = numpact::PagingSpec::equal_pages_up_to(page_n);
  const auto encoder =
      numpact::wrapped::ChunkEncoder::create(std::span<const T>(numbers), config).value();
  Pages pages{
      numpact::wrapped::ChunkDecoder::create(encoder.meta().value(), numpact::kNumberTypeOf<T>, {})
          .value(),
      {},
      {}};
  for (std::size_t i = 0; i < encoder.page_count(); ++i) {
    pages.bytes.push_back(encoder.page(i).value());
    pages.inputs.push_back({pages.bytes.back(), encoder.page_n(i)});
  }
  return pages;
}

// Numbers of about 12 bits each, of many bins, or a random walk with such deltas.
Pages make_pages(std::size_t page_n, numpact::DeltaSpec delta) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(0, 1000);
  std::vector<std::int64_t> numbers(kPages * page_n);
  std::int64_t last = 0;
  for (std::int64_t& number : numbers) {
    const auto drawn = static_cast<std::int64_t>(normal(random));
    number = delta == numpact::DeltaSpec::none() ? drawn : last + drawn;
    last = number;
  }
  return encode(numbers, page_n, delta);
}

// The sum of two sines and noise, as of a sensor.
template <class T>
Pages make_conv1_pages(std::size_t page_n, unsigned order) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 5);
  std::vector<T> numbers(kConv1Pages * page_n);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double time = static_cast<double>(i);
    numbers[i] = static_cast<T>(15000 + 8000 * std::sin(time / 40) + 3000 * std::sin(time / 7) +
                                noise(random));
  }
  return encode(numbers, page_n, numpact::DeltaSpec::try_conv1(order));
}

// Nanoseconds of a page, the least of all rounds.
template <class Read>
double time_pages(std::size_t rounds, std::size_t pages, const Read& read) {
  using Clock = std::chrono::steady_clock;
  double best = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const Clock::time_point start = Clock::now();
    read();
    const std::chrono::duration<double, std::nano> passed = Clock::now() - start;
    const double of_page = passed.count() / static_cast<double>(pages);
    best = round == 0 ? of_page : std::min(best, of_page);
  }
  return best;
}

template <class T>
void measure(std::size_t rounds, const Pages& pages, std::size_t page_n, const char* name) {
  const std::size_t count = pages.inputs.size();
  std::vector<T> out(count * page_n);
  numpact::DecodeContext context;
  const double single = time_pages(rounds, count, [&] {
    std::size_t at = 0;
    for (const numpact::wrapped::PageInput& page : pages.inputs) {
      std::size_t size = 0;
      const std::span<T> part = std::span(out).subspan(at, page.count);
      numpact::throw_if_error(
          pages.decoder.decode_page(page.bytes, page.count, part, &context).into(size));
      at += page.count;
    }
  });
  const double together = time_pages(rounds, count, [&] {
    numpact::throw_if_error(pages.decoder.decode_pages(pages.inputs, std::span(out), &context));
  });
  std::printf("%7zu  %-14s %9.0f %13.0f\n", page_n, name, single, together);
}

template <class T>
void measure_conv1(std::size_t rounds, const char* type) {
  for (const std::size_t page_n : {1024, 65536}) {
    for (const unsigned order : {1, 4, 8, 16, 32}) {
      const std::string name = std::string(type) + " conv1 " + std::to_string(order);
      measure<T>(rounds / kConv1RoundShare + 1, make_conv1_pages<T>(page_n, order), page_n,
                 name.c_str());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::size_t rounds = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 400;
    if (argc > 3 || rounds == 0) {
      std::fprintf(stderr, "usage: bench_pages [ROUNDS [TARGET]]\n");
      return 2;
    }
    if (argc > 2) numpact::throw_if_error(numpact::force_cpu_target(argv[2]));
    std::puts(
        "nanoseconds of a page (of i64, if no type is named)\nnumbers  delta          each alone  "
        "all in one call");
    for (const std::size_t page_n : {64, 256, 1024, 4096}) {
      const auto none = numpact::DeltaSpec::none();
      const auto consecutive = numpact::DeltaSpec::try_consecutive(1);
      measure<std::int64_t>(rounds, make_pages(page_n, none), page_n, "none");
      measure<std::int64_t>(rounds, make_pages(page_n, consecutive), page_n, "consecutive 1");
    }
    measure_conv1<std::uint16_t>(rounds, "u16");
    measure_conv1<std::uint32_t>(rounds, "u32");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_pages: %s\n", error.what());
    return 1;
  }
}
