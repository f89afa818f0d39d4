// SPDX-License-Identifier: Apache-2.0
// Times reading of small pages of the wrapped format: each by a call of its own (decode_page), and
// all by one call (decode_pages).
//   ./dev bench pages [ROUNDS]
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <span>
#include <vector>

#include "numpact/numpact.hpp"

namespace {

constexpr std::size_t kPages = 512;

struct Pages {
  numpact::wrapped::ChunkDecoder decoder;
  std::vector<std::vector<std::byte>> bytes;
  std::vector<numpact::wrapped::PageInput> inputs;
};

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
  numpact::EncodeConfig config;
  config.mode = numpact::ModeSpec::classic();
  config.delta = delta;
  config.paging = numpact::PagingSpec::equal_pages_up_to(page_n);
  const auto encoder =
      numpact::wrapped::ChunkEncoder::create(std::span<const std::int64_t>(numbers), config)
          .value();
  Pages pages{
      numpact::wrapped::ChunkDecoder::create(encoder.meta().value(), numpact::NumberType::kI64, {})
          .value(),
      {},
      {}};
  for (std::size_t i = 0; i < encoder.page_count(); ++i) {
    pages.bytes.push_back(encoder.page(i).value());
    pages.inputs.push_back({pages.bytes.back(), encoder.page_n(i)});
  }
  return pages;
}

// Nanoseconds of a page, the least of all rounds.
template <class Read>
double time_pages(std::size_t rounds, const Read& read) {
  using Clock = std::chrono::steady_clock;
  double least = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const Clock::time_point start = Clock::now();
    read();
    const std::chrono::duration<double, std::nano> passed = Clock::now() - start;
    const double of_page = passed.count() / static_cast<double>(kPages);
    least = round == 0 ? of_page : std::min(least, of_page);
  }
  return least;
}

void measure(std::size_t rounds, std::size_t page_n, const char* name, numpact::DeltaSpec delta) {
  const Pages pages = make_pages(page_n, delta);
  std::vector<std::int64_t> out(kPages * page_n);
  numpact::DecodeContext context;
  const double single = time_pages(rounds, [&] {
    std::size_t at = 0;
    for (const numpact::wrapped::PageInput& page : pages.inputs) {
      std::size_t size = 0;
      const std::span<std::int64_t> part = std::span(out).subspan(at, page.count);
      numpact::throw_if_error(
          pages.decoder.decode_page(page.bytes, page.count, part, &context).into(size));
      at += page.count;
    }
  });
  const double together = time_pages(rounds, [&] {
    numpact::throw_if_error(pages.decoder.decode_pages(pages.inputs, std::span(out), &context));
  });
  std::printf("%7zu  %-14s %9.0f %13.0f\n", page_n, name, single, together);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::size_t rounds = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 400;
    if (argc > 2 || rounds == 0) {
      std::fprintf(stderr, "usage: bench_pages [ROUNDS]\n");
      return 2;
    }
    std::puts("nanoseconds of a page of i64\nnumbers  delta          each alone  all in one call");
    for (const std::size_t page_n : {64, 128, 256, 512, 1024, 4096}) {
      measure(rounds, page_n, "none", numpact::DeltaSpec::none());
      measure(rounds, page_n, "consecutive 1", numpact::DeltaSpec::try_consecutive(1));
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_pages: %s\n", error.what());
    return 1;
  }
}
