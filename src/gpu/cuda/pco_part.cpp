// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/pco_part.hpp"

#include <algorithm>

#include "base/alignment.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "gpu/cuda/pco_sums.hpp"
#include "gpu/walk/group.hpp"

namespace numpact::cuda {
namespace {

// Alignment of tables in bytes: whole cache lines and memory segments of the device.
constexpr std::size_t kTableAlignment = 256;

template <class T>
std::size_t size_of_all(const std::vector<T>& values) {
  return values.size() * sizeof(T);
}

// Warps of a multiprocessor that a launch should have before a warp gets more than one task. More
// tasks for each save instructions, more warps hide the latency of the walk: with one task for each
// warp an H100 reached 0.55 of its best speed with 8 warps, 0.83 with 16 (docs/gpu.md, 2^14 and
// 2^13). A judgement from these figures; to be measured with groups.
constexpr std::uint64_t kWantedWarps = 8;

// Of the current device.
std::uint64_t wanted_groups() {
  int device = 0;
  int processors = 0;
  const bool is_known =
      cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) == cudaSuccess;
  // Groups of one task work on every device.
  return is_known ? kWantedWarps * static_cast<unsigned>(processors) : ~std::uint64_t{0};
}

cudaError_t launch_of(NumberType type, const gpu::Launch& launch, cudaStream_t stream) {
  switch (size_of(type)) {
    case 1:
      return gpu::launch_8(launch, stream);
    case 2:
      return gpu::launch_16(launch, stream);
    case 4:
      return gpu::launch_32(launch, stream);
    default:
      return gpu::launch_64(launch, stream);
  }
}

}  // namespace

Status check_output(const ChunkIndex& index, const DeviceNumbers& out) {
  if (index.count() == 0) return {};
  if (index.type() != out.type) {
    return Status(ErrorKind::kTypeMismatch, "the file holds numbers of another type");
  }
  if (out.count < index.count()) {
    return Status(ErrorKind::kOutputTooSmall, "the output holds fewer numbers");
  }
  if (!is_aligned_for(out.data, size_of(out.type))) {
    return Status(ErrorKind::kInvalidArgument, "the output is not aligned to its numbers");
  }
  return {};
}

PcoPart::PcoPart(const DevicePlan& plan, bool is_locked)
    : scratch_bytes_(plan.scratch_bytes),
      input_bytes_(plan.input_bytes),
      first_(plan.first),
      type_(plan.type),
      is_locked_(is_locked) {
  if (is_locked && !plan.checks.empty()) sums_.emplace(plan);
  std::array<std::vector<TaskGroup>, gpu::kTaskKinds> of_kind;
  for (const TaskGroup& group : group_tasks(plan, group_size(plan, wanted_groups()))) {
    const PlannedChunk& chunk = plan.chunks[plan.tasks[group.first].chunk];
    const unsigned kind = gpu::index_of({gpu::has_indices(chunk), gpu::is_serial(chunk)});
    of_kind[kind].push_back(group);
    gpu::ScratchShape& shape = shapes_[kind];
    shape.tasks = std::max(shape.tasks, group.n);
    shape.variables = std::max(shape.variables, gpu::variable_n(chunk));
  }
  for (std::size_t i = 0; i < of_kind.size(); ++i) {
    group_n_[i] = static_cast<std::uint32_t>(of_kind[i].size());
    groups_.insert(groups_.end(), of_kind[i].begin(), of_kind[i].end());
  }
  tables_[kInput] = add(static_cast<std::size_t>(plan.input_bytes), kPlannedReadSlack);
  tables_[kHeads] = add(plan.heads.size(), kPlannedReadSlack);
  tables_[kChunks] = add(size_of_all(plan.chunks), 0);
  tables_[kTasks] = add(size_of_all(plan.tasks), 0);
  tables_[kNodes] = add(size_of_all(plan.nodes), 0);
  tables_[kBins] = add(size_of_all(plan.bins), 0);
  tables_[kEntries] = add(size_of_all(plan.entries), 0);
  tables_[kWeights] = add(size_of_all(plan.weights), 0);
  tables_[kGroups] = add(size_of_all(groups_), 0);
  if (!sums_) return;
  tables_[kSumBlocks] = add(size_of_all(sums_->blocks), 0);
  tables_[kSums] = add(size_of_all(sums_->sums), 0);
}

PcoPart::Table PcoPart::add(std::size_t size, std::size_t slack) {
  const Table table{bytes_, size};
  bytes_ += (size + slack + kTableAlignment - 1) / kTableAlignment * kTableAlignment;
  return table;
}

void PcoPart::add_to(StagedCopy& copy, const DevicePlan& plan,
                     std::span<const std::byte> file) const {
  const auto add = [&]<class T>(TableIndex index, const std::vector<T>& table) {
    copy.add(std::as_bytes(std::span(table)), tables_[index].at);
  };
  if (is_locked_) {
    copy.add_locked_input(plan, file, tables_[kInput].at);
  } else {
    copy.add_input(plan, file, tables_[kInput].at);
  }
  add(kHeads, plan.heads);
  add(kChunks, plan.chunks);
  add(kTasks, plan.tasks);
  add(kNodes, plan.nodes);
  add(kBins, plan.bins);
  add(kEntries, plan.entries);
  add(kWeights, plan.weights);
  add(kGroups, groups_);
  if (!sums_) return;
  add(kSumBlocks, sums_->blocks);
  add(kSums, sums_->sums);
}

Status PcoPart::launch_sums(std::byte* at, gpu::StatusWord* status, std::uint64_t first_task,
                            cudaStream_t stream) const {
  gpu::SumLaunch launch;
  launch.input = at + tables_[kInput].at;
  launch.blocks = reinterpret_cast<const gpu::SumBlock*>(at + tables_[kSumBlocks].at);
  launch.sums = reinterpret_cast<gpu::ChunkSum*>(at + tables_[kSums].at);
  launch.block_n = static_cast<std::uint32_t>(sums_->blocks.size());
  launch.sum_n = static_cast<std::uint32_t>(sums_->sums.size());
  launch.status = status;
  launch.first_task = first_task;
  return status_of(gpu::launch_sums(launch, stream));
}

Status PcoPart::launch(std::byte* at, std::byte* scratch, std::byte* out, gpu::StatusWord* status,
                       std::uint64_t first_task, cudaStream_t stream) const {
  if (sums_) NUMPACT_TRY(launch_sums(at, status, first_task, stream));
  const auto table = [&]<class T>(TableIndex index, const T*& pointer) {
    pointer = reinterpret_cast<const T*>(at + tables_[index].at);
  };
  gpu::Launch launch;
  table(kInput, launch.plan.input);
  table(kHeads, launch.plan.heads);
  table(kChunks, launch.plan.chunks);
  table(kTasks, launch.plan.tasks);
  table(kNodes, launch.plan.nodes);
  table(kBins, launch.plan.bins);
  table(kEntries, launch.plan.entries);
  table(kWeights, launch.plan.weights);
  table(kGroups, launch.groups);
  launch.plan.input_bits = 8 * input_bytes_;
  launch.plan.kind = numpact::kind_of(type_);
  launch.plan.scratch = scratch;
  launch.plan.out = out + first_ * size_of(type_);
  launch.status = status;
  launch.first_task = first_task;
  for (unsigned i = 0; i < gpu::kTaskKinds; ++i) {
    launch.kind = gpu::kind_of_index(i);
    launch.group_n = group_n_[i];
    launch.shape = shapes_[i];
    NUMPACT_TRY(status_of(launch_of(type_, launch, stream)));
    launch.groups += launch.group_n;
  }
  return {};
}

}  // namespace numpact::cuda
