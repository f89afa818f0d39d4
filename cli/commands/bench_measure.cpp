// SPDX-License-Identifier: Apache-2.0
#include "commands/bench_measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <span>

#include "failure.hpp"
#include "formats/table.hpp"
#include "numpact/inspect.hpp"
#include "numpact/pco.hpp"
#include "report/inspect_report.hpp"

namespace numpact::cli {
namespace {

// Returns the best time of `rounds` calls after one warm-up call.
template <class Function>
double best_seconds(int rounds, Function&& function) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  for (int round = -1; round < rounds; ++round) {
    const Clock::time_point start = Clock::now();
    function();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (round >= 0) best = std::min(best, seconds);
  }
  return best;
}

void grow(std::vector<std::byte>& memory, std::size_t size) {
  if (memory.size() < size) memory.resize(size);
}

bool same_bytes(std::span<const std::byte> a, const void* b) {
  return a.empty() || std::memcmp(a.data(), b, a.size()) == 0;
}

}  // namespace

Bench::Bench(const EncodeConfig& config, int rounds, unsigned threads)
    : config_(config), rounds_(rounds) {
  config_.threads = threads;
  decode_config_.threads = threads;
}

PcoTiming Bench::measure_pco(const NumberView& numbers, unsigned level) {
  EncodeConfig config = config_;
  config.level = level;
  return measure_pco(numbers, config);
}

PcoTiming Bench::measure_pco(const NumberView& numbers, const EncodeConfig& config) {
  PcoTiming result;
  Timing& timing = result.timing;
  grow(packed_, compress_bound(numbers.type, numbers.count, config));
  unpacked_.resize((bytes_of(numbers).size() + 7) / 8);

  std::size_t size = 0;
  timing.compress_seconds = best_seconds(rounds_, [&] {
    check(compress_into(numbers, packed_, config, &encode_context_).into(size), "");
  });
  const std::span<const std::byte> file = std::span(packed_).first(size);
  timing.bytes = size;

  const MutableNumberView out(numbers.type, unpacked_.data(), numbers.count);
  std::size_t count = 0;
  Status status;
  timing.decompress_seconds = best_seconds(rounds_, [&] {
    status = decompress_into(file, out, decode_config_, &decode_context_).into(count);
  });
  timing.exact =
      status.ok() && count == numbers.count && same_bytes(bytes_of(numbers), unpacked_.data());

  FileInfo info;
  if (inspect_into(file, info).ok()) {
    result.mode = common_mode(info);
    result.delta = common_delta(info);
  }
  return result;
}

Timing Bench::measure_peer(ByteCodec& peer, const NumberView& numbers) {
  Timing timing;
  const std::span<const std::byte> raw = bytes_of(numbers);
  const std::size_t bound = peer.bound(raw.size());
  if (bound == 0 && !raw.empty()) return timing;
  unpacked_.resize((raw.size() + 7) / 8);
  const std::span<std::byte> out = std::as_writable_bytes(std::span(unpacked_)).first(raw.size());
  std::span<const std::byte> packed = raw;
  if (peer.compresses()) {
    grow(packed_, bound);
    timing.compress_seconds =
        best_seconds(rounds_, [&] { timing.bytes = peer.compress(raw, packed_); });
    packed = std::span(packed_).first(timing.bytes);
  }
  std::size_t size = 0;
  timing.decompress_seconds = best_seconds(rounds_, [&] { size = peer.decompress(packed, out); });
  timing.exact = size == raw.size() && same_bytes(raw, out.data());
  return timing;
}

}  // namespace numpact::cli
