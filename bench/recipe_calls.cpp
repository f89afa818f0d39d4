// SPDX-License-Identifier: Apache-2.0
// Encodes a column in short series with a choice for each and with one recipe, for recipes.py:
// recipe_calls LEVEL LENGTH SERIES ROUNDS FILE
//
// Prints one JSON object: nanoseconds of the fastest round and bytes of all series both ways, and
// the recipe with the time to choose it. Contexts are warm.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "numpact/numpact.hpp"

namespace {

// One series in this many is in the sample, and is not timed.
constexpr std::size_t kSampleOneIn = 8;

using Clock = std::chrono::steady_clock;

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
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
    const std::size_t first = i * (numbers.count / length) / count * length;
    const std::byte* const at = data + first * size;
    if (i % kSampleOneIn == 0) {
      series.sample.insert(series.sample.end(), at, at + length * size);
    } else {
      series.timed.emplace_back(numbers.type, at, length);
    }
  }
  return series;
}

struct Round {
  double nanoseconds = std::numeric_limits<double>::infinity();
  std::size_t bytes = 0;
};

class Encoder {
 public:
  explicit Encoder(const numpact::EncodeConfig& config) : config_(config) {}

  void run(const std::vector<numpact::NumberView>& series) {
    Round round{0, 0};
    const Clock::time_point start = Clock::now();
    for (const numpact::NumberView& one : series) {
      out_.resize(numpact::compress_bound(one.type, one.count, config_));
      round.bytes += numpact::compress_into(one, out_, config_, &context_).value();
    }
    round.nanoseconds = nanoseconds_since(start);
    if (round.nanoseconds < best_.nanoseconds) best_ = round;
  }
  const Round& best() const { return best_; }

 private:
  numpact::EncodeConfig config_;
  numpact::EncodeContext context_;
  std::vector<std::byte> out_;
  Round best_;
};

void measure(unsigned level, std::size_t length, std::size_t count, std::size_t rounds,
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
      series.timed.size(), numpact::to_string(recipe).c_str(), choosing, chosen.best().nanoseconds,
      chosen.best().bytes, with_recipe.best().nanoseconds, with_recipe.best().bytes);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 6) {
      std::fprintf(stderr, "usage: recipe_calls LEVEL LENGTH SERIES ROUNDS FILE\n");
      return 2;
    }
    const auto number = [&](int i) { return std::strtoul(argv[i], nullptr, 10); };
    measure(static_cast<unsigned>(number(1)), number(2), number(3), number(4), argv[5]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "recipe_calls: %s\n", error.what());
    return 1;
  }
}
