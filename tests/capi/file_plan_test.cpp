// SPDX-License-Identifier: Apache-2.0
// Plans of the C interface for appending and repair: after every step, and in the middle of every
// write, the old numbers or all can be read.
#include <gtest/gtest.h>

#include <cstring>

#include "numpact/numpact.h"
#include "numpact/numpact.hpp"
#include "support/distributions.hpp"

namespace numpact::testing {
namespace {

Numbers joined(const Numbers& first, const Numbers& second) {
  Numbers all = first;
  all.storage().insert(all.storage().end(), raw(second).begin(), raw(second).end());
  return all;
}

numpact_type c_type(const Numbers& numbers) { return static_cast<numpact_type>(numbers.type()); }

class Plan {
 public:
  // The plan, or null with the error.
  static Plan append(ByteSpan file, const Numbers& numbers,
                     const numpact_encode_options* options = nullptr) {
    Plan made;
    made.status_ =
        numpact_file_plan_append(nullptr, file.data(), file.size(), c_type(numbers), numbers.data(),
                                 numbers.count(), options, &made.plan_, nullptr);
    return made;
  }
  static Plan repair(ByteSpan file) {
    Plan made;
    made.status_ =
        numpact_file_plan_repair(nullptr, file.data(), file.size(), &made.plan_, nullptr);
    return made;
  }
  Plan(Plan&& other) noexcept
      : plan_(std::exchange(other.plan_, nullptr)), status_(other.status_) {}
  ~Plan() { numpact_file_plan_destroy(plan_); }

  numpact_status status() const { return status_; }
  std::uint64_t count() const { return numpact_file_plan_count(plan_); }
  std::size_t commit() const { return numpact_file_plan_commit_step(plan_); }
  std::vector<numpact_file_step> steps(bool is_undo = false) const {
    std::vector<numpact_file_step> all(numpact_file_plan_step_count(plan_, is_undo));
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].struct_size = sizeof all[i];
      EXPECT_EQ(numpact_file_plan_step(plan_, is_undo, i, &all[i], nullptr), NUMPACT_OK);
    }
    numpact_file_step none = {};
    none.struct_size = sizeof none;
    EXPECT_EQ(numpact_file_plan_step(plan_, is_undo, all.size(), &none, nullptr),
              NUMPACT_INVALID_ARGUMENT);
    return all;
  }

 private:
  Plan() = default;
  numpact_file_plan* plan_ = nullptr;
  numpact_status status_ = NUMPACT_OK;
};

// Carries out the first `size` bytes of a write.
void write(const numpact_file_step& step, std::size_t size, Bytes& file) {
  if (file.size() < step.offset + size) file.resize(step.offset + size);
  if (size > 0) std::memcpy(file.data() + step.offset, step.bytes, size);
}

void run(const numpact_file_step& step, Bytes& file) {
  if (step.kind == NUMPACT_STEP_RESIZE) file.resize(step.offset);
  if (step.kind == NUMPACT_STEP_WRITE) write(step, step.size, file);
}

void expect_sound(ByteSpan file, const Numbers& numbers) {
  EXPECT_TRUE(same_numbers(decompressed(file), numbers));
  EXPECT_TRUE(verify(file).value().is_sound());
}

TEST(FilePlans, EveryMomentCanBeRead) {
  Random random(994);
  const Numbers first = make_numbers("walk", NumberType::kI32, 500, random);
  const Numbers more = make_numbers("walk", NumberType::kI32, 400, random);
  for (const TrailerSpec& trailer :
       {TrailerSpec::none(), TrailerSpec::index(), TrailerSpec::restarts(8)}) {
    EncodeConfig config;
    config.trailer = trailer;
    const Bytes before = compressed(first, config);
    const Plan plan = Plan::append(before, more);
    ASSERT_EQ(plan.status(), NUMPACT_OK);
    EXPECT_EQ(plan.count(), 900u);
    const std::vector<numpact_file_step> steps = plan.steps();
    ASSERT_LT(plan.commit(), steps.size());
    EXPECT_EQ(steps[plan.commit()].size, 1u);
    Bytes file = before;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      SCOPED_TRACE(i);
      const Numbers readable = i <= plan.commit() ? first : joined(first, more);
      if (steps[i].kind == NUMPACT_STEP_WRITE) {
        for (std::size_t size = 0; size < steps[i].size; ++size) {
          Bytes cut = file;
          write(steps[i], size, cut);
          ASSERT_TRUE(same_numbers(decompressed(cut), readable)) << size;
        }
      }
      if (i <= plan.commit()) {
        Bytes undone = file;
        for (const numpact_file_step& step : plan.steps(true)) run(step, undone);
        EXPECT_TRUE(same_bytes(undone, before));
      }
      run(steps[i], file);
    }
    expect_sound(file, joined(first, more));
    EXPECT_EQ(Trailer::read(file).value().has_value(), trailer.is_requested());
    EXPECT_EQ(read_header(file)->n_hint, 900u);
  }
}

TEST(FilePlans, OptionsAreThoseOfTheNewChunks) {
  Random random(995);
  const Numbers numbers = make_numbers("walk", NumberType::kF64, 3000, random);
  Bytes file = compressed(numbers);
  numpact_encode_options options;
  numpact_encode_options_init(&options);
  options.max_page_count = 500;
  options.delta = "consecutive=2";
  const Plan plan = Plan::append(file, numbers, &options);
  ASSERT_EQ(plan.status(), NUMPACT_OK);
  for (const numpact_file_step& step : plan.steps()) run(step, file);
  expect_sound(file, joined(numbers, numbers));
  const FileInfo info = inspect(file).value();
  ASSERT_EQ(info.chunks.size(), 7u);
  EXPECT_EQ(info.chunks[6].delta_text(), "consecutive=2");
}

TEST(FilePlans, NoNumbersNeedNoSteps) {
  const Bytes file = compressed(zeros(NumberType::kU16, 10));
  const Plan plan = Plan::append(file, zeros(NumberType::kU16, 0));
  ASSERT_EQ(plan.status(), NUMPACT_OK);
  EXPECT_EQ(plan.count(), 10u);
  EXPECT_TRUE(plan.steps().empty());
  EXPECT_TRUE(plan.steps(true).empty());
}

TEST(FilePlans, WhatIsRefused) {
  Random random(996);
  const Numbers numbers = make_numbers("walk", NumberType::kI64, 800, random);
  EncodeConfig config;
  config.trailer = TrailerSpec::index();
  const Bytes file = compressed(numbers, config);
  EXPECT_EQ(Plan::append(file, zeros(NumberType::kF32, 1)).status(), NUMPACT_TYPE_MISMATCH);
  Bytes bad = file;
  bad[bad.size() - 30] ^= std::byte{1};
  EXPECT_EQ(Plan::append(bad, numbers).status(), NUMPACT_CHECKSUM);
  EXPECT_EQ(Plan::repair(bad).status(), NUMPACT_CHECKSUM);
  EXPECT_EQ(Plan::append(ByteSpan(file).first(100), numbers).status(), NUMPACT_TRUNCATED);
  EXPECT_EQ(Plan::append({}, numbers).status(), NUMPACT_TRUNCATED);
  numpact_encode_options options;
  numpact_encode_options_init(&options);
  options.trailer = NUMPACT_TRAILER_RESTARTS;
  options.restart_log = 9;
  EXPECT_EQ(Plan::append(file, numbers, &options).status(), NUMPACT_INVALID_ARGUMENT);
  EXPECT_EQ(Plan::append(compressed(numbers), numbers, &options).status(),
            NUMPACT_INVALID_ARGUMENT);
  options.trailer = NUMPACT_TRAILER_INDEX;
  EXPECT_EQ(Plan::append(file, numbers, &options).status(), NUMPACT_OK);
  EXPECT_EQ(numpact_file_plan_repair(nullptr, file.data(), file.size(), nullptr, nullptr),
            NUMPACT_INVALID_ARGUMENT);
}

TEST(FilePlans, RepairEndsALogBehindItsLastWholeChunk) {
  Random random(997);
  const Numbers numbers = make_numbers("walk", NumberType::kU32, 900, random);
  EncodeConfig config;
  config.paging = PagingSpec::equal_pages_up_to(300);
  const Bytes whole = compressed(numbers, config);
  const FileInfo info = inspect(whole).value();
  for (std::size_t size = info.chunks[0].offset; size <= whole.size(); ++size) {
    SCOPED_TRACE(size);
    std::size_t expected = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint64_t end = i < 2 ? info.chunks[i + 1].offset : whole.size() - 1;
      if (size >= end) expected += 300;
    }
    Bytes file = prefix(whole, size);
    const Plan plan = Plan::repair(file);
    ASSERT_EQ(plan.status(), NUMPACT_OK);
    ASSERT_EQ(plan.count(), expected);
    EXPECT_EQ(plan.steps().empty(), size == whole.size());
    for (const numpact_file_step& step : plan.steps()) run(step, file);
    Numbers kept = zeros(NumberType::kU32, expected);
    std::copy_n(raw(numbers).begin(), raw(kept).size(), kept.storage().begin());
    ASSERT_TRUE(same_numbers(decompressed(file), kept));
  }
}

}  // namespace
}  // namespace numpact::testing
