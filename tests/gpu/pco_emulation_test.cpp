// SPDX-License-Identifier: Apache-2.0
// Runs the kernels for GPUs on the CPU, lane by lane: plans of any file give the numbers of the
// decoder, in either order of lanes, and refuse what it refuses.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "base/internal.hpp"
#include "cvc/compression/pco_payload.hpp"
#include "gpu/cvc/pages_grid.hpp"
#include "gpu/emulation/emulate.hpp"
#include "gpu/pco_files.hpp"
#include "gpu/plan/device_plan.hpp"
#include "numpact/cvc.hpp"
#include "numpact/wrapped.hpp"
#include "support/distributions.hpp"
#include "support/fixtures.hpp"
#include "support/small_files.hpp"

namespace numpact::testing {
namespace {

constexpr std::uint64_t kNoBound = ~std::uint64_t{0};

struct Decoded {
  Status status;
  Numbers numbers;
  std::size_t plans = 0;
  std::size_t tasks = 0;
};

// Decodes by plans of at most `max_plan_bytes` bytes.
Decoded emulated(ByteSpan file, NumberType type, gpu::LaneOrder order = gpu::LaneOrder::kUpwards,
                 std::uint64_t max_plan_bytes = kNoBound, const DecodeConfig& config = {}) {
  Decoded decoded;
  ChunkIndex index;
  decoded.status = ChunkIndex::build(file, config).into(index);
  decoded.numbers = zeros(type, decoded.status.ok() ? index.count() : 0);
  auto* const out = decoded.numbers.storage().data();
  DevicePlanner planner(file, index);
  while (decoded.status.ok() && !planner.is_at_end()) {
    DevicePlan plan;
    decoded.status = planner.next(max_plan_bytes, config).into(plan);
    if (!decoded.status.ok()) break;
    const gpu::Emulation run = gpu::emulate(plan, file, out + plan.first * size_of(type), order);
    EXPECT_FALSE(run.lanes_diverged);
    decoded.status = run.status;
    ++decoded.plans;
    decoded.tasks += plan.tasks.size();
  }
  return decoded;
}

void expect_decodes(ByteSpan file, const Numbers& numbers) {
  for (const gpu::LaneOrder order : {gpu::LaneOrder::kUpwards, gpu::LaneOrder::kDownwards}) {
    const Decoded decoded = emulated(file, numbers.type(), order);
    ASSERT_OK(decoded.status);
    ASSERT_TRUE(same_numbers(decoded.numbers, numbers));
  }
}

TEST(PcoEmulation, FilesOfReleasesAndMadeOnes) {
  for (const Fixture& fixture : good_fixtures()) {
    SCOPED_TRACE(fixture.name);
    expect_decodes(fixture.file, fixture.numbers);
    expect_decodes(with_restarts(fixture.file, 8), fixture.numbers);
  }
}

TEST(PcoEmulation, FileWithoutNumbersHasNoPlan) {
  const Bytes file = read_file(fixture_path(std::string(kTypelessEmpty) + ".pco"));
  ChunkIndex index;
  ASSERT_OK(ChunkIndex::build(file).into(index));
  DevicePlanner planner(file, index);
  EXPECT_TRUE(planner.is_at_end());
  DevicePlan plan;
  ASSERT_OK(planner.next(kNoBound).into(plan));
  EXPECT_TRUE(plan.tasks.empty());
}

class PcoEmulationOf : public ::testing::TestWithParam<NumberType> {};

TEST_P(PcoEmulationOf, EveryModeDeltaAndCount) {
  const NumberType type = GetParam();
  Random random(4100 + static_cast<std::uint64_t>(type));
  for (const ModeSpec& mode : mode_specs(type)) {
    for (const DeltaSpec& delta : delta_specs(type)) {
      for (const std::size_t n : {1, 3, 33, 256, 257, 1000, 1536}) {
        EncodeConfig config;
        config.mode = mode;
        config.delta = delta;
        config.level = random.one_in(3) ? 12 : 3;
        if (!random.one_in(3)) config.trailer = TrailerSpec::restarts(random.one_in(2) ? 8 : 9);
        const Numbers numbers = make_numbers(random.pick(distribution_names()), type, n, random);
        const Bytes file = compressed(numbers, config);
        const auto order = random.one_in(2) ? gpu::LaneOrder::kUpwards : gpu::LaneOrder::kDownwards;
        const Decoded decoded = emulated(file, type, order);
        ASSERT_OK(decoded.status) << n;
        ASSERT_TRUE(same_numbers(decoded.numbers, numbers)) << n;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, PcoEmulationOf, ::testing::ValuesIn(kNumberTypes),
                         [](const auto& of) { return std::string(name_of(of.param)); });

TEST(PcoEmulation, RestartPointsCutPagesIntoTasks) {
  Random random(5);
  const Numbers numbers = make_numbers("walk", NumberType::kI64, 10'000, random);
  EncodeConfig config;
  config.delta = DeltaSpec::try_consecutive(2);
  const Bytes plain = compressed(numbers, config);
  EXPECT_EQ(emulated(plain, NumberType::kI64).tasks, 1u);
  const Decoded divided = emulated(with_restarts(plain, 10), NumberType::kI64);
  EXPECT_EQ(divided.tasks, 10u);
  EXPECT_TRUE(same_numbers(divided.numbers, numbers));
}

TEST(PcoEmulation, BoundedTablesMakeSeveralPlans) {
  Random random(6);
  const Numbers numbers = make_numbers("walk", NumberType::kU32, 6'000, random);
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(700);
  config.trailer = TrailerSpec::restarts(8);
  const Bytes file = compressed(numbers, config);
  const Decoded one_each = emulated(file, NumberType::kU32, gpu::LaneOrder::kUpwards, 1);
  ASSERT_OK(one_each.status);
  EXPECT_EQ(one_each.plans, 9u);
  EXPECT_TRUE(same_numbers(one_each.numbers, numbers));
  EXPECT_EQ(emulated(file, NumberType::kU32).plans, 1u);
}

TEST(PcoEmulation, LimitsHold) {
  Random random(7);
  const Numbers numbers = make_numbers("walk", NumberType::kU32, 6'000, random);
  const Bytes file = compressed(numbers);
  ChunkIndex index;
  ASSERT_OK(ChunkIndex::build(file).into(index));
  DecodeConfig config;
  config.limits.max_output_bytes = 4 * 6'000 - 1;
  EXPECT_KIND(DevicePlanner(file, index).next(kNoBound, config), kLimitExceeded);
  config = {};
  config.limits.max_memory = 64;
  EXPECT_KIND(DevicePlanner(file, index).next(kNoBound, config), kLimitExceeded);
  EXPECT_OK(DevicePlanner(file, index).next(kNoBound));
}

TEST(PcoEmulation, FilesThatAreRefused) {
  for (const std::string& name : names_in("made/refused")) {
    SCOPED_TRACE(name);
    const Bytes file = read_file(fixture_path("made/refused/" + name + ".pco"));
    FileHeader header;
    (void)read_header(file).into(header).ok();
    const NumberType type = header.number_type.value_or(NumberType::kU32);
    Numbers numbers;
    const Status expected = decompress_any(file).into(numbers);
    const Status got = emulated(file, type).status;
    EXPECT_STREQ(to_string(got.kind()), to_string(expected.kind())) << got.message();
  }
}

// A modified file is refused by both, or gives the same numbers. `./dev mutants` tries more.
TEST(PcoEmulation, MutantsAreReadLikeByTheDecoder) {
  const int rounds = std::getenv("NUMPACT_FULL") != nullptr ? 3'000 : 12;
  Random random(8);
  std::vector<std::string> names = conformance_names();
  for (const std::string& name : names_in("made")) names.push_back("made/" + name);
  for (const std::string& name : names) {
    const Bytes file = read_file(fixture_path(name + ".pco"));
    for (int round = 0; round < rounds; ++round) {
      Bytes mutant = file;
      for (std::size_t edits = 1 + random.below(3); edits > 0; --edits) {
        mutant[random.below(mutant.size())] ^= static_cast<std::byte>(1 + random.below(255));
      }
      FileHeader header;
      if (!read_header(mutant).into(header).ok() || !header.number_type) continue;
      Numbers numbers;
      DecodeConfig config;
      config.limits.max_numbers = 50'000;
      const Status expected = decompress_any(mutant, config).into(numbers);
      const Decoded got =
          emulated(mutant, *header.number_type, gpu::LaneOrder::kUpwards, kNoBound, config);
      ASSERT_EQ(got.status.ok(), expected.ok())
          << name << " round " << round << ": " << got.status.message() << " / "
          << expected.message();
      if (expected.ok()) {
        ASSERT_TRUE(same_numbers(got.numbers, numbers)) << name << " round " << round;
      }
    }
  }
}

// The pages of a CVC slice hold its rows, for any limit of a plan.
TEST(PcoEmulation, SlicesOfCollections) {
  constexpr std::uint64_t kRows = 9'000;
  constexpr std::uint64_t kDimension = 5;
  Random random(10);
  std::vector<float> values(kRows * kDimension);
  // Dimensions of different distributions are stored separately.
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t d = i % kDimension;
    values[i] = static_cast<float>(random.below(5 + 1000 * d)) / static_cast<float>(16 << d);
  }
  cvc::WriteConfig config;
  config.compression = cvc::Compression::kPco;
  config.chunk_rows = kRows;
  Bytes file;
  cvc::Writer writer = cvc::Writer::create(file, config).value();
  throw_if_error(writer.append({cvc::Dtype::kFloat32, values.data(), kRows, kDimension}));
  writer.finish().value();
  const cvc::Reader reader = cvc::Reader::create(file).value();
  cvc::StoredSlice slice;
  ASSERT_OK(reader.stored_slice(0, 0).into(slice));
  for (const auto& [first, rows] : {std::pair{0u, 9000u}, {17u, 1u}, {4000u, 200u}, {5u, 0u}}) {
    for (const std::uint64_t max_plan_bytes : {std::uint64_t{1}, std::uint64_t{30'000}, kNoBound}) {
      SlicePlanner planner(slice, first, rows);
      std::uint64_t expected = 0;
      std::uint64_t plans = 0;
      while (!planner.is_at_end()) {
        SlicePlan made;
        ASSERT_OK(planner.next(max_plan_bytes).into(made));
        const auto& [plan, pages] = made;
        ASSERT_EQ(pages.size(), plan.tasks.size());
        ASSERT_EQ(plan.type, NumberType::kF32);
        ++plans;
        std::vector<float> got(plan.count);
        ASSERT_OK(gpu::emulate(plan, slice.bytes, got.data()).status);
        for (const PlannedPage& page : pages) {
          for (std::uint64_t row = 0; row < page.rows; ++row) {
            const std::uint64_t at = page.first_row + row;
            if (at >= first && at < first + rows) expected += page.dimensions;
            for (std::uint64_t d = 0; d < page.dimensions; ++d) {
              ASSERT_EQ(got[page.first + row * page.dimensions + d],
                        values[at * kDimension + page.first_dimension + d]);
            }
          }
        }
      }
      EXPECT_EQ(expected, rows * kDimension);
      if (max_plan_bytes == 1 && rows > 0) {
        EXPECT_GE(plans, kDimension);
      } else if (max_plan_bytes == kNoBound) {
        EXPECT_EQ(plans, 1u);
      }
    }
  }
  EXPECT_KIND(SlicePlanner(slice, 8'000, 1'001).next(kNoBound), kInvalidArgument);
}

// A payload of pco that numpact's writer does not produce: small groups, spans and pages.
struct SmallGrid {
  cvc::PcoGrid grid{NumberType::kF32, 450, 9, 4, 80, 40};
  std::vector<float> values;
  Bytes payload;
};

SmallGrid small_grid(const DeltaSpec& delta) {
  SmallGrid made;
  const cvc::PcoGrid& grid = made.grid;
  Random random(11);
  for (std::uint64_t i = 0; i < grid.rows * grid.dimension; ++i) {
    // The last group is much smaller than the others, so that it fits into a plan with their last
    // pages.
    const bool is_last = i % grid.dimension + 1 == grid.dimension;
    made.values.push_back(is_last ? 1.0f : static_cast<float>(random.below(1 + random.below(60))));
  }
  Bytes index;
  Bytes data;
  const auto add = [&](std::span<const std::byte> bytes) {
    index.resize(index.size() + 2);
    cvc::write_pco_entry(static_cast<std::uint32_t>(bytes.size()), 2, &index[index.size() - 2]);
    data.insert(data.end(), bytes.begin(), bytes.end());
  };
  for (std::uint64_t group = 0; group < grid.groups(); ++group) {
    for (std::uint64_t row = 0; row < grid.rows; row += grid.span_rows) {
      std::vector<float> numbers;
      std::vector<std::size_t> sizes;
      for (std::uint64_t r = row; r < std::min(row + grid.span_rows, grid.rows); ++r) {
        const std::uint64_t first = group * grid.group;
        const std::uint64_t width = grid.group_dimensions(group);
        for (std::uint64_t d = first; d < first + width; ++d) {
          numbers.push_back(made.values[r * grid.dimension + d]);
        }
        if ((r - row) % grid.page_rows == 0) sizes.push_back(0);
        sizes.back() += width;
      }
      EncodeConfig config;
      config.paging = PagingSpec::exact(sizes);
      config.delta = delta;
      const auto encoder =
          wrapped::ChunkEncoder::create(from_values(numbers).view(), config).value();
      Bytes buffer(10'000);
      std::size_t written = 0;
      EXPECT_OK(encoder.write_meta(buffer).into(written));
      add({buffer.data(), written});
      for (std::size_t page = 0; page < sizes.size(); ++page) {
        EXPECT_OK(encoder.write_page(page, buffer).into(written));
        add({buffer.data(), written});
      }
    }
  }
  made.payload.resize(cvc::kPcoHeadBytes);
  cvc::write_pco_head(grid, 2, made.payload.data());
  made.payload.insert(made.payload.end(), index.begin(), index.end());
  made.payload.insert(made.payload.end(), data.begin(), data.end());
  return made;
}

// For any limit the pages of a plan are a grid, and are copied to their rows.
// `step`: from one limit to the next.
void expect_grids(const DeltaSpec& delta, std::uint64_t step, std::size_t different_plans) {
  const SmallGrid made = small_grid(delta);
  const std::uint64_t dimension = made.grid.dimension;
  cvc::StoredSlice slice;
  slice.compression = cvc::Compression::kPco;
  slice.bytes = made.payload;
  slice.rows = made.grid.rows;
  slice.dimension = dimension;
  std::set<std::uint64_t> counts;
  for (const cvc::RowRange rows : {cvc::RowRange{0, 450}, {35, 390}, {95, 5}, {449, 1}}) {
    for (std::uint64_t max_plan_bytes = 1; max_plan_bytes < 50'000;
         max_plan_bytes += max_plan_bytes / 6 + step) {
      std::vector<float> out(rows.count * dimension, -1.0f);
      SlicePlanner planner(slice, rows.first, rows.count);
      std::uint64_t plans = 0;
      while (!planner.is_at_end()) {
        SlicePlan planned;
        ASSERT_OK(planner.next(max_plan_bytes).into(planned));
        const auto& [plan, pages] = planned;
        if (pages.empty()) continue;
        ++plans;
        std::vector<float> numbers(plan.count);
        ASSERT_OK(gpu::emulate(plan, slice.bytes, numbers.data()).status);
        std::vector<std::uint64_t> firsts;
        firsts.reserve(pages.size());
        for (const PlannedPage& page : pages) firsts.push_back(page.first);
        gpu::PagesGrid grid = gpu::grid_of(
            pages, rows, {reinterpret_cast<std::byte*>(out.data()), dimension, sizeof(float)});
        ASSERT_EQ(pages.size() % grid.pages_of_group, 0u);
        grid.numbers = numbers.data();
        grid.firsts = firsts.data();
        for (std::uint64_t tile = 0; tile < gpu::tiles_of(grid); ++tile) {
          for (std::uint32_t thread = 0; thread < gpu::kTileThreads; ++thread) {
            gpu::put_tile<gpu::Kept<std::uint32_t>>(grid, tile, thread);
          }
        }
      }
      counts.insert(plans);
      for (std::size_t i = 0; i < out.size(); ++i) {
        ASSERT_EQ(out[i], made.values[rows.first * dimension + i]) << max_plan_bytes << " " << i;
      }
    }
  }
  EXPECT_GT(counts.size(), different_plans);
}

TEST(PcoEmulation, PlansOfSlicesAreGrids) { expect_grids(DeltaSpec::automatic(), 1'000, 4); }

// Pages of a chunk are decoded in groups, also those with Lookback.
TEST(PcoEmulation, PlansOfSlicesWithLookbackAreGrids) {
  expect_grids(DeltaSpec::try_lookback(), 15'000, 2);
}

// Every restart point is compared with the final state of the task before it.
TEST(PcoEmulation, RestartPointsThatLieAreFound) {
  Random random(9);
  for (const DeltaSpec& delta : {DeltaSpec::none(), DeltaSpec::try_consecutive(1),
                                 DeltaSpec::try_consecutive(3), DeltaSpec::try_conv1(2)}) {
    const Numbers numbers = make_numbers("walk", NumberType::kI32, 1'500, random);
    EncodeConfig config;
    config.mode = ModeSpec::classic();
    config.delta = delta;
    config.trailer = TrailerSpec::restarts(8);
    const Bytes file = compressed(numbers, config);
    ChunkIndex index;
    ASSERT_OK(ChunkIndex::build(file).into(index));
    DevicePlan plan;
    ASSERT_OK(DevicePlanner(file, index).next(kNoBound).into(plan));
    Numbers out = zeros(NumberType::kI32, 1'500);
    const auto run = [&] { return gpu::emulate(plan, file, out.storage().data()).status; };
    ASSERT_OK(run());
    ASSERT_GT(plan.tasks.size(), 2u);
    const std::uint64_t bits = plan.tasks[1].head - plan.tasks[0].head;
    ASSERT_GT(bits, 0u);
    for (std::size_t i = 1; i < plan.tasks.size(); ++i) {
      std::byte& byte = plan.heads[static_cast<std::size_t>(plan.tasks[i].head / 8)];
      byte ^= std::byte{1};
      const Status status = run();
      EXPECT_KIND(status, kCorrupt);
      byte ^= std::byte{1};
      PlannedTask& before = plan.tasks[i - 1];
      ++before.end;
      EXPECT_KIND(run(), kCorrupt);
      --before.end;
    }
  }
}

}  // namespace
}  // namespace numpact::testing
