// SPDX-License-Identifier: Apache-2.0
// Times calls of the library with warm contexts, for small.py and recipes.py. One JSON object each:
//
//   calls small CALLS FILE...                      nanoseconds of a call, median and 99th
//                                                  percentile, and allocations of a call
//   calls recipe LEVEL LENGTH SERIES ROUNDS FILE   a column in short series, with a choice for each
//                                                  and with one recipe: the fastest round and bytes
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "numpact/numpact.hpp"

namespace {

std::atomic<std::uint64_t> allocations = 0;

void* allocate(std::size_t size, std::size_t align) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* memory = nullptr;
  if (::posix_memalign(&memory, std::max(align, sizeof(void*)), std::max<std::size_t>(size, 1))) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, 16); }
void* operator new(std::size_t size, std::align_val_t align) {
  return allocate(size, static_cast<std::size_t>(align));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kWarmUps = 200;
// One series in this many is in the sample of a recipe, and is not timed.
constexpr std::size_t kSampleOneIn = 8;

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

template <class Call>
void print_calls(const char* name, std::size_t n, const Call& call) {
  for (std::size_t i = 0; i < kWarmUps; ++i) call();
  std::vector<double> times(n);
  const std::uint64_t before = allocations;
  for (double& time : times) {
    const Clock::time_point start = Clock::now();
    call();
    time = nanoseconds_since(start);
  }
  const std::uint64_t made = allocations - before;
  std::sort(times.begin(), times.end());
  std::printf(", \"%s\": {\"median_ns\": %.0f, \"p99_ns\": %.0f, \"allocations\": %.3f}", name,
              times[n / 2], times[n * 99 / 100],
              static_cast<double>(made) / static_cast<double>(n));
}

void time_small(const std::string& path, std::size_t n) {
  const std::vector<std::byte> file = read_file(path);
  numpact::NumberArray numbers = numpact::decompress_any(file).value();
  const numpact::NumberView view = numbers.view();
  const numpact::MutableNumberView out(numbers.type(), numbers.storage().data(), view.count);
  std::printf("{\"count\": %zu, \"bytes\": %zu", view.count, file.size());
  numpact::DecodeContext decode_context;
  print_calls("decode", n,
              [&] { (void)numpact::decompress_into(file, out, {}, &decode_context).value(); });
  std::vector<std::byte> packed(numpact::compress_bound(view.type, view.count));
  numpact::EncodeContext encode_context;
  print_calls("encode", n / 10 + 1,
              [&] { (void)numpact::compress_into(view, packed, {}, &encode_context).value(); });
  std::printf("}\n");
}

struct Series {
  std::vector<numpact::NumberView> timed;
  std::vector<std::byte> sample;  // one after the other
};

// `count` series, evenly spread over the numbers.
Series cut(const numpact::NumberView& numbers, std::size_t length, std::size_t count) {
  Series series;
  const std::size_t size = numpact::size_of(numbers.type);
  const auto* const data = static_cast<const std::byte*>(numbers.data);
  count = std::min(count, numbers.count / length);
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* const at = data + i * (numbers.count / length) / count * length * size;
    if (i % kSampleOneIn == 0) {
      series.sample.insert(series.sample.end(), at, at + length * size);
    } else {
      series.timed.emplace_back(numbers.type, at, length);
    }
  }
  return series;
}

struct Encoder {
  explicit Encoder(const numpact::EncodeConfig& given) : config(given) {}

  void run(const std::vector<numpact::NumberView>& series) {
    bytes = 0;
    const Clock::time_point start = Clock::now();
    for (const numpact::NumberView& one : series) {
      out.resize(numpact::compress_bound(one.type, one.count, config));
      bytes += numpact::compress_into(one, out, config, &context).value();
    }
    best = std::min(best, nanoseconds_since(start));
  }

  numpact::EncodeConfig config;
  numpact::EncodeContext context;
  std::vector<std::byte> out;
  std::size_t bytes = 0;
  double best = std::numeric_limits<double>::infinity();
};

void time_recipe(unsigned level, std::size_t length, std::size_t count, std::size_t rounds,
                 const std::string& path) {
  const numpact::NumberArray numbers = numpact::decompress_any(read_file(path)).value();
  const Series series = cut(numbers.view(), length, count);
  numpact::EncodeConfig config;
  config.level = level;
  numpact::EncodeConfig sampling = config;
  sampling.paging = numpact::PagingSpec::equal_pages_up_to(length);
  const numpact::NumberView sample(numbers.type(), series.sample.data(),
                                   series.sample.size() / numpact::size_of(numbers.type()));
  const Clock::time_point start = Clock::now();
  const numpact::Recipe recipe = numpact::choose_recipe(sample, sampling).value();
  const double choosing = nanoseconds_since(start);
  Encoder chosen(config);
  config.recipe = &recipe;
  Encoder with_recipe(config);
  for (std::size_t i = 0; i < rounds; ++i) {
    chosen.run(series.timed);
    with_recipe.run(series.timed);
  }
  std::printf(
      "{\"series\": %zu, \"recipe\": \"%s\", \"choosing_ns\": %.0f, \"chosen\": {\"ns\": %.0f, "
      "\"bytes\": %zu}, \"with_recipe\": {\"ns\": %.0f, \"bytes\": %zu}}\n",
      series.timed.size(), numpact::to_string(recipe).c_str(), choosing, chosen.best, chosen.bytes,
      with_recipe.best, with_recipe.bytes);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string what = argc > 1 ? argv[1] : "";
    const auto number = [&](int i) { return std::strtoul(argv[i], nullptr, 10); };
    if (what == "small" && argc > 3) {
      for (int i = 3; i < argc; ++i) time_small(argv[i], std::max(1UL, number(2)));
    } else if (what == "recipe" && argc == 7) {
      time_recipe(static_cast<unsigned>(number(2)), number(3), number(4), number(5), argv[6]);
    } else {
      std::fprintf(stderr,
                   "usage: calls small CALLS FILE... | recipe LEVEL LENGTH SERIES ROUNDS "
                   "FILE\n");
      return 2;
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "calls: %s\n", error.what());
    return 1;
  }
}
