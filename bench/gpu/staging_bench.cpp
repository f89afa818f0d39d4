// SPDX-License-Identifier: Apache-2.0
// The host's part of decoding Pco files on a GPU, which needs no GPU: metadata, checksums and
// copies to the memory from which a device would copy, compared with a plain copy of the same bytes
// by the same threads. Run by bench/gpu.py: bench_gpu_staging THREADS FILE...
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "base/internal.hpp"
#include "gpu/plan/stage_files.hpp"
#include "numpact/file_access.hpp"
#include "numpact/numpact.hpp"

namespace numpact::bench {
namespace {

constexpr int kRounds = 25;
constexpr int kWarmUps = 2;  // not counted

// As in the decoder.
constexpr std::size_t kPartBytes = std::size_t{1} << 24;
constexpr std::size_t kSegmentBytes = kPartBytes / 4 * 5;
constexpr std::size_t kRingBytes = 4 * kSegmentBytes;
constexpr std::size_t kTableAlignment = 256;
constexpr std::size_t kPortionBytes = std::size_t{1} << 19;  // of the plain copy

// Ordinary memory in place of pinned memory, used in turn.
class RingSink final : public PartSink {
 public:
  RingSink() : ring_(kRingBytes) {}

  Status begin(const StagedPart& part, std::span<const std::byte> file, StagedCopy& copy) override {
    std::size_t at = 0;
    const auto reserve = [&](std::size_t bytes) {
      const std::size_t begin = at;
      at += (bytes + kTableAlignment - 1) / kTableAlignment * kTableAlignment;
      return begin;
    };
    const auto add = [&]<class T>(const std::vector<T>& table) {
      const auto bytes = std::as_bytes(std::span(table));
      copy.add(bytes, reserve(bytes.size()));
    };
    const DevicePlan& plan = part.plan;
    const auto input = static_cast<std::size_t>(plan.input_bytes);
    copy.add_input(plan, file, reserve(input + kPlannedReadSlack));
    add(plan.heads);
    add(plan.chunks);
    add(plan.tasks);
    add(plan.nodes);
    add(plan.bins);
    add(plan.entries);
    add(plan.weights);
    return {};
  }
  Status buffer(std::size_t bytes, std::size_t, std::byte*& at) override {
    at = take(bytes);
    return {};
  }
  Status send(const std::byte*, std::size_t, std::size_t) override { return {}; }
  Status end(const StagedPart&) override { return {}; }

  std::byte* take(std::size_t bytes) {
    if (bytes > ring_.size() - next_) next_ = 0;
    std::byte* const at = ring_.data() + next_;
    next_ += (bytes + kTableAlignment - 1) / kTableAlignment * kTableAlignment;
    return at;
  }

 private:
  std::vector<std::byte> ring_;
  std::size_t next_ = 0;
};

void copy_plainly(std::span<const std::byte> file, const TaskPool& pool, RingSink& ring) {
  for (std::size_t at = 0; at < file.size(); at += kPartBytes) {
    const auto part = file.subspan(at, std::min(kPartBytes, file.size() - at));
    std::byte* const to = ring.take(part.size());
    pool.run((part.size() + kPortionBytes - 1) / kPortionBytes, [&](std::size_t i) {
      const auto portion = part.subspan(i * kPortionBytes);
      std::memcpy(to + i * kPortionBytes, portion.data(), std::min(kPortionBytes, portion.size()));
    });
  }
}

// Of all threads, which other programs on the machine delay less than they delay the work.
struct Seconds {
  std::vector<double> real;
  std::vector<double> cpu;

  void add(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t cpu_begin = std::clock();
    work();
    cpu.push_back(static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC);
    real.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
};

double median(std::vector<double> values) {
  values.erase(values.begin(), values.begin() + kWarmUps);
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure(const char* path, unsigned threads) {
  MappedFile mapped;
  throw_if_error(MappedFile::open(path).into(mapped));
  const std::vector<std::byte> file(mapped.bytes().begin(), mapped.bytes().end());
  const auto index = ChunkIndex::build(file).value();
  RingSink ring;
  StagedPlans memory;
  const TaskPool pool(threads, nullptr);
  const DecodeConfig config;
  Seconds copies;
  Seconds stagings;
  Seconds plans;
  for (int i = 0; i < kWarmUps + kRounds; ++i) {
    copies.add([&] { copy_plainly(file, pool, ring); });
    stagings.add([&] {
      StagedFile staged{file, &index, {}};
      throw_if_error(
          stage_files({&staged, 1}, {kPartBytes, kSegmentBytes}, config, pool, memory, ring));
      throw_if_error(staged.status);
    });
    plans.add([&] {
      DevicePlanner planner(file, index);
      while (!planner.is_at_end()) {
        throw_if_error(
            planner.next_into(memory.now.plan, kPartBytes, config, PlannedChecksums::kListed));
      }
    });
  }
  const double gb = static_cast<double>(file.size()) / 1e9;
  std::printf(
      "{\"file\": \"%s\", \"bits\": %.2f, \"threads\": %u, \"memcpy_gb_s\": %.2f, "
      "\"staging_gb_s\": %.2f, \"ratio\": %.3f, \"cpu_ratio\": %.3f, "
      "\"plan_gb_s\": %.2f}\n",
      path, 8.0 * static_cast<double>(file.size()) / static_cast<double>(index.count()), threads,
      gb / median(copies.real), gb / median(stagings.real),
      median(copies.real) / median(stagings.real), median(copies.cpu) / median(stagings.cpu),
      gb / median(plans.real));
  std::fflush(stdout);
}

}  // namespace
}  // namespace numpact::bench

int main(int argc, char** argv) {
  const unsigned threads = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 1;
  for (int i = 2; i < argc; ++i) {
    try {
      numpact::bench::measure(argv[i], threads);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", argv[i], error.what());
      return 1;
    }
  }
  return 0;
}
