// SPDX-License-Identifier: Apache-2.0
#include "gpu/emulation/emulate.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <vector>

#include "base/internal.hpp"
#include "base/load.hpp"
#include "gpu/walk/group.hpp"

namespace numpact::gpu {
namespace {

// The words of a little-endian device, with the slack that may be read behind the end. Its contents
// must not matter, so it is filled with a pattern.
std::vector<std::uint32_t> to_words(std::span<const std::byte> bytes) {
  constexpr std::byte kSlackByte{0xa5};
  std::vector<std::uint32_t> words((bytes.size() + kPlannedReadSlack) / 4);
  std::vector<std::byte> padded(bytes.begin(), bytes.end());
  padded.resize(words.size() * 4, kSlackByte);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = load_le<std::uint32_t>(padded.data() + 4 * i);
  }
  return words;
}

// Memory before a page that nothing may access: on a GPU reading behind the shared memory of a
// block is an error, too. It is not initialised there: a pattern shows reads before writes.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t used = (bytes + page - 1) / page * page;
    mapped_ = used + page;
    void* const memory =
        ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<std::byte*>(memory);
    if (::mprotect(memory_ + used, page, PROT_NONE) != 0) throw std::bad_alloc();
    data_ = memory_ + used - bytes;
    std::memset(data_, 0xa5, bytes);
  }
  ~SharedMemory() { ::munmap(memory_, mapped_); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::size_t mapped_ = 0;
  std::byte* memory_ = nullptr;
  std::byte* data_ = nullptr;
};

template <class L, class P, DeltaOrder kDeltaOrder>
bool run_group(Fibers& fibers, const PlanView& view, const TaskGroup& group, WarpReport& report) {
  const ScratchShape shape{group.n, variable_n(view.chunks[view.tasks[group.first].chunk])};
  using Shared = Scratch<L, kDeltaOrder>;
  const SharedMemory memory(Shared::bytes(shape));
  const Shared scratch(memory.data(), shape);
  return fibers.run([&](unsigned lane) {
    EmulatedWarp warp(fibers, lane, group.first, report);
    GroupDecoder<L, P, kDeltaOrder, EmulatedWarp>(warp, view, group, scratch).run();
  });
}

template <class L>
bool run_group(Fibers& fibers, const PlanView& view, const TaskGroup& group, WarpReport& report) {
  const PlannedChunk& chunk = view.chunks[view.tasks[group.first].chunk];
  if (has_indices(chunk)) {
    return is_serial(chunk)
               ? run_group<L, std::uint32_t, DeltaOrder::kSerial>(fibers, view, group, report)
               : run_group<L, std::uint32_t, DeltaOrder::kParallel>(fibers, view, group, report);
  }
  return is_serial(chunk) ? run_group<L, L, DeltaOrder::kSerial>(fibers, view, group, report)
                          : run_group<L, L, DeltaOrder::kParallel>(fibers, view, group, report);
}

}  // namespace

bool emulate_group(const PlanView& view, unsigned bits, const TaskGroup& group, LaneOrder order,
                   WarpReport& report) {
  thread_local Fibers upwards(LaneOrder::kUpwards);
  thread_local Fibers downwards(LaneOrder::kDownwards);
  Fibers& fibers = order == LaneOrder::kUpwards ? upwards : downwards;
  return visit_latent(
      bits, [&](auto latent) { return run_group<decltype(latent)>(fibers, view, group, report); });
}

Emulation emulate(const DevicePlan& plan, std::span<const std::byte> file, void* out,
                  LaneOrder order, std::uint32_t max_group) {
  const std::vector<std::uint32_t> words = to_words(file.subspan(
      static_cast<std::size_t>(plan.input_begin), static_cast<std::size_t>(plan.input_bytes)));
  const std::vector<std::uint32_t> heads = to_words(plan.heads);
  std::vector<std::uint64_t> scratch(plan.scratch_bytes / 8 + 1);
  PlanView view;
  view.chunks = plan.chunks.data();
  view.tasks = plan.tasks.data();
  view.nodes = plan.nodes.data();
  view.bins = plan.bins.data();
  view.entries = plan.entries.data();
  view.weights = plan.weights.data();
  view.heads = heads.data();
  view.input = words.data();
  view.input_bits = 8 * plan.input_bytes;
  view.kind = kind_of(plan.type);
  view.scratch = reinterpret_cast<std::byte*>(scratch.data());
  view.out = out;
  Emulation result;
  for (const TaskGroup& group : group_tasks(plan, max_group)) {
    WarpReport report;
    if (!emulate_group(view, latent_bits(plan.type), group, order, report)) {
      result.lanes_diverged = true;
      return result;
    }
    for (std::uint32_t i = 0; i < group.n; ++i) {
      if (!result.status.ok()) continue;
      result.status = plan.status_of(group.first + i, report.failures[i]);
    }
    for (std::size_t i = 0; i < report.steps.size(); ++i) result.steps[i] += report.steps[i];
  }
  return result;
}

}  // namespace numpact::gpu
