// SPDX-License-Identifier: Apache-2.0
#include "gpu/emulation/emulate.hpp"

#include <cstring>
#include <memory>
#include <vector>

#include "base/internal.hpp"
#include "base/load.hpp"
#include "gpu/walk/task.hpp"

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

template <class L, class P, DeltaOrder kDeltaOrder>
bool run_task(Fibers& fibers, const PlanView& view, const PlannedTask& task,
              PlannedFailure& failure) {
  const auto scratch = std::make_unique<Scratch<L, kDeltaOrder>>();
  // Shared memory is not initialised on a GPU: a pattern shows reads before writes.
  std::memset(static_cast<void*>(scratch.get()), 0xa5, sizeof *scratch);
  return fibers.run([&](unsigned lane) {
    EmulatedWarp warp(fibers, lane, failure);
    TaskDecoder<L, P, kDeltaOrder, EmulatedWarp>(warp, view, task, *scratch).run();
  });
}

template <class L>
bool run_task(Fibers& fibers, const PlanView& view, const PlannedTask& task,
              PlannedFailure& failure) {
  const PlannedChunk& chunk = view.chunks[task.chunk];
  if (has_indices(chunk)) {
    return is_serial(chunk)
               ? run_task<L, std::uint32_t, DeltaOrder::kSerial>(fibers, view, task, failure)
               : run_task<L, std::uint32_t, DeltaOrder::kParallel>(fibers, view, task, failure);
  }
  return is_serial(chunk) ? run_task<L, L, DeltaOrder::kSerial>(fibers, view, task, failure)
                          : run_task<L, L, DeltaOrder::kParallel>(fibers, view, task, failure);
}

}  // namespace

bool emulate_task(const PlanView& view, unsigned bits, std::uint32_t task, LaneOrder order,
                  PlannedFailure& failure) {
  thread_local Fibers upwards(LaneOrder::kUpwards);
  thread_local Fibers downwards(LaneOrder::kDownwards);
  Fibers& fibers = order == LaneOrder::kUpwards ? upwards : downwards;
  return visit_latent(bits, [&](auto latent) {
    return run_task<decltype(latent)>(fibers, view, view.tasks[task], failure);
  });
}

Emulation emulate(const DevicePlan& plan, std::span<const std::byte> file, void* out,
                  LaneOrder order) {
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
  for (std::uint32_t i = 0; i < plan.tasks.size(); ++i) {
    PlannedFailure failure = PlannedFailure::kNone;
    const bool is_converged = emulate_task(view, latent_bits(plan.type), i, order, failure);
    if (!is_converged) {
      result.lanes_diverged = true;
      return result;
    }
    if (result.status.ok()) result.status = plan.status_of(i, failure);
  }
  return result;
}

}  // namespace numpact::gpu
