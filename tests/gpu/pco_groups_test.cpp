// SPDX-License-Identifier: Apache-2.0
// Groups of tasks that a warp decodes together: any number of tasks of any length, groups in which
// some tasks fail, and lanes that would diverge.
#include <gtest/gtest.h>

#include <cstring>

#include "base/internal.hpp"
#include "gpu/emulation/emulate.hpp"
#include "gpu/plan/device_plan.hpp"
#include "support/distributions.hpp"
#include "support/fixtures.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

constexpr std::uint64_t kUnbounded = ~std::uint64_t{0};

// A file and its only plan.
struct Planned {
  Bytes file;
  Numbers numbers;
  DevicePlan plan;

  Numbers decoded(gpu::Emulation& run, gpu::LaneOrder order = gpu::LaneOrder::kUpwards,
                  std::uint32_t max_group = kMaxGroupTasks) const {
    Numbers out = zeros(numbers.type(), numbers.count());
    run = gpu::emulate(plan, file, out.storage().data(), order, max_group);
    EXPECT_FALSE(run.lanes_diverged);
    return out;
  }
};

Planned planned(const Numbers& numbers, const EncodeConfig& config) {
  Planned made{compressed(numbers, config), numbers, {}};
  ChunkIndex index;
  EXPECT_OK(ChunkIndex::build(made.file).into(index));
  EXPECT_OK(DevicePlanner(made.file, index).next(kUnbounded).into(made.plan));
  return made;
}

TEST(PcoGroups, AreConsecutiveTasksOfOneChunk) {
  DevicePlan plan;
  std::uint32_t chunk = 0;
  for (const std::size_t tasks : {1, 8, 9, 3, 17}) {
    PlannedTask task;
    task.chunk = chunk++;
    plan.tasks.insert(plan.tasks.end(), tasks, task);
  }
  std::vector<std::uint32_t> sizes;
  std::uint32_t next = 0;
  for (const TaskGroup& group : group_tasks(plan, 8)) {
    EXPECT_EQ(group.first, next);
    next += group.n;
    EXPECT_EQ(plan.tasks[group.first].chunk, plan.tasks[next - 1].chunk);
    sizes.push_back(group.n);
  }
  EXPECT_EQ(next, plan.tasks.size());
  EXPECT_EQ(sizes, (std::vector<std::uint32_t>{1, 8, 5, 4, 3, 6, 6, 5}));
  EXPECT_EQ(group_tasks(plan, 1).size(), plan.tasks.size());
  EXPECT_TRUE(group_tasks(DevicePlan(), 8).empty());
}

TEST(PcoGroups, GrowWithTheTasksOfAPlan) {
  DevicePlan plan;
  EXPECT_EQ(group_size(plan, 100), 1u);
  plan.tasks.resize(399);
  EXPECT_EQ(group_size(plan, 100), 3u);
  EXPECT_EQ(group_size(plan, kUnbounded), 1u);
  EXPECT_EQ(group_size(plan, 1), kMaxGroupTasks);
  EXPECT_EQ(group_size(plan, 0), kMaxGroupTasks);
}

// Chunks of 1,400 numbers have six tasks, the last of which is short.
TEST(PcoGroups, OfEverySizeInBothOrders) {
  Random random(21);
  for (const NumberType type : {NumberType::kI32, NumberType::kF64}) {
    for (const ModeSpec& mode : mode_specs(type)) {
      for (const DeltaSpec& delta : delta_specs(type)) {
        EncodeConfig config;
        config.mode = mode;
        config.delta = delta;
        config.paging = PagingSpec::equal_pages_up_to(1'400);
        config.trailer = TrailerSpec::restarts(8);
        const auto& names = distribution_names();
        const Planned made = planned(make_numbers(random.pick(names), type, 2'700, random), config);
        const auto max_group = static_cast<std::uint32_t>(1 + random.below(kMaxGroupTasks));
        for (const auto order : {gpu::LaneOrder::kUpwards, gpu::LaneOrder::kDownwards}) {
          gpu::Emulation run;
          const Numbers out = made.decoded(run, order, max_group);
          ASSERT_OK(run.status) << max_group;
          ASSERT_TRUE(same_numbers(out, made.numbers)) << max_group;
        }
      }
    }
  }
}

TEST(PcoGroups, OfOneToEightTasks) {
  Random random(22);
  EncodeConfig config;
  config.delta = DeltaSpec::try_consecutive(2);
  config.trailer = TrailerSpec::restarts(8);
  const Planned made =
      planned(make_numbers("walk", NumberType::kI64, 256 * 15 + 7, random), config);
  ASSERT_EQ(made.plan.tasks.size(), 16u);
  for (std::uint32_t max_group = 1; max_group <= kMaxGroupTasks; ++max_group) {
    gpu::Emulation run;
    EXPECT_TRUE(
        same_numbers(made.decoded(run, gpu::LaneOrder::kDownwards, max_group), made.numbers));
    EXPECT_OK(run.status);
    const auto batches = [&](gpu::Step step) { return run.steps[static_cast<std::size_t>(step)]; };
    EXPECT_EQ(batches(gpu::Step::kTasks), 16u);
    EXPECT_EQ(batches(gpu::Step::kBatches), (16 + max_group - 1) / max_group);
  }
}

// A task that fails is reported with its number, and the others of its group are decoded.
TEST(PcoGroups, TasksFailAlone) {
  Random random(23);
  EncodeConfig config;
  config.mode = ModeSpec::classic();
  config.delta = DeltaSpec::none();
  config.trailer = TrailerSpec::restarts(9);
  const Planned made = planned(make_numbers("walk", NumberType::kU16, 4'096, random), config);
  ASSERT_EQ(made.plan.tasks.size(), 8u);
  for (std::size_t failing = 0; failing < 8; ++failing) {
    for (const bool is_truncated : {false, true}) {
      Planned damaged = made;
      PlannedTask& task = damaged.plan.tasks[failing];
      if (is_truncated) {
        task.first = 8 * made.plan.input_bytes + 1;
      } else {
        ++task.end;
      }
      gpu::Emulation run;
      const Numbers out = damaged.decoded(run);
      EXPECT_EQ(run.status.kind(), is_truncated ? ErrorKind::kTruncated : ErrorKind::kCorrupt);
      const auto* const got = static_cast<const std::byte*>(out.data());
      const auto* const expected = static_cast<const std::byte*>(made.numbers.data());
      for (std::size_t i = 0; i < 8; ++i) {
        if (i == failing && is_truncated) continue;
        EXPECT_EQ(std::memcmp(got + 1024 * i, expected + 1024 * i, 1024), 0) << failing << " " << i;
      }
      // The lowest one is reported.
      damaged.plan.tasks[0].first = 8 * made.plan.input_bytes + 1;
      (void)damaged.decoded(run);
      EXPECT_KIND(run.status, kTruncated);
    }
  }
}

// All lanes call what synchronises a quad, because it is one instruction of the warp.
TEST(PcoGroups, LanesThatDivergeAreFound) {
  const auto converges = [](auto body) {
    gpu::Fibers fibers(gpu::LaneOrder::kUpwards);
    gpu::WarpReport report;
    return fibers.run([&](unsigned lane) {
      gpu::EmulatedWarp warp(fibers, lane, 0, report);
      body(warp, lane);
    });
  };
  EXPECT_TRUE(converges([](auto& warp, unsigned lane) {
    EXPECT_EQ(warp.quad_sum(lane), 4 * (lane / 4 * 4) + 6);
    EXPECT_EQ(warp.quad_or(1u << lane), 0xfu << lane / 4 * 4);
    EXPECT_EQ(warp.max(lane), 31u);
    EXPECT_EQ(warp.plus_below(lane, 4), lane < 4 ? lane : 2 * lane - 4);
  }));
  EXPECT_FALSE(converges([](auto& warp, unsigned lane) {
    if (lane != 5) warp.quad_or(1);
  }));
  EXPECT_FALSE(converges([](auto& warp, unsigned lane) {
    if (lane / 4 != 3) warp.quad_or(1);
    warp.sync();
  }));
  EXPECT_FALSE(converges([](auto& warp, unsigned lane) {
    if (lane < 16) warp.quad_or(1);
  }));
  EXPECT_FALSE(converges([](auto& warp, unsigned lane) {
    if (lane < 31) warp.sync();
  }));
}

}  // namespace
}  // namespace numpact::testing
