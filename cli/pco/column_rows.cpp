// SPDX-License-Identifier: Apache-2.0
#include "pco/column_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "failure.hpp"

namespace numpact::cli {
namespace {

class PlainRows final : public ColumnRows {
 public:
  explicit PlainRows(PcoInput& numbers) : numbers_(numbers) {}
  ColumnBlock next() override { return {numbers_.next(), {}}; }

 private:
  PcoInput& numbers_;
};

// Distributes the numbers over the rows that are not null.
class NullableRows final : public ColumnRows {
 public:
  NullableRows(PcoInput& numbers, std::unique_ptr<RunReader> runs, std::uint64_t rows)
      : numbers_(numbers), runs_(std::move(runs)), left_(rows) {}

  ColumnBlock next() override {
    const NumberType type = numbers_.type().value_or(NumberType::kU8);
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, kBlockNumbers));
    if (count == 0) {
      if (!rest_.empty() || numbers_.next().count > 0) refuse("more numbers");
      return {NumberView(type, nullptr, 0), {}};
    }
    std::swap(current_, last_);
    current_.valid.assign(count, 0);
    current_.numbers.assign((count * size_of(type) + 7) / 8, 0);
    auto* out = reinterpret_cast<std::byte*>(current_.numbers.data());
    for (std::size_t row = 0; row < count;) {
      const RunReader::Run run = runs_->next(count - row);
      if (run.rows == 0) refuse("other nulls");
      const auto rows = static_cast<std::size_t>(run.rows);
      if (!run.is_null) {
        std::fill_n(current_.valid.begin() + static_cast<std::ptrdiff_t>(row), rows, 1);
        copy_numbers({out + row * size_of(type), rows * size_of(type)});
      }
      row += rows;
    }
    left_ -= count;
    return {NumberView(type, out, count), current_.valid};
  }

 private:
  struct Memory {
    std::vector<std::uint64_t> numbers;
    std::vector<std::uint8_t> valid;
  };

  void copy_numbers(std::span<std::byte> out) {
    while (!out.empty()) {
      if (rest_.empty()) rest_ = bytes_of(numbers_.next());
      if (rest_.empty()) refuse("fewer numbers");
      const std::size_t count = std::min(rest_.size(), out.size());
      std::memcpy(out.data(), rest_.data(), count);
      rest_ = rest_.subspan(count);
      out = out.subspan(count);
    }
  }

  [[noreturn]] void refuse(const char* what) const {
    throw Failure(ExitCode::kCorrupt, numbers_.place(),
                  fmt::format("corrupt: there are {} than the manifest says", what));
  }

  PcoInput& numbers_;
  std::unique_ptr<RunReader> runs_;
  std::uint64_t left_;
  std::span<const std::byte> rest_;
  Memory current_;
  Memory last_;
};

class OtherRows final : public ColumnRows {
 public:
  OtherRows(std::shared_ptr<SharedOthers> others, std::size_t file, std::uint64_t first,
            std::uint64_t rows, std::string place)
      : others_(std::move(others)),
        file_(file),
        row_(first),
        end_(first + rows),
        place_(std::move(place)) {}

  ColumnBlock next() override {
    ColumnBlock block;
    block.first_row = row_;
    block.rows = std::min<std::uint64_t>(end_ - row_, kBlockNumbers);
    if (others_ != nullptr && block.rows > 0) {
      TextBlock& texts = blocks_[next_block_];
      next_block_ ^= 1;
      const std::lock_guard lock(others_->mutex);
      texts = others_->reader->read(file_, row_, block.rows, DecodeUse::kAll);
      others_->limits->add_output(texts.bytes.size(), place_);
      block.texts = &texts;
    }
    row_ += block.rows;
    return block;
  }

 private:
  std::shared_ptr<SharedOthers> others_;
  std::size_t file_;
  std::uint64_t row_;
  std::uint64_t end_;
  std::string place_;
  // The last two blocks of rows. The older one may still be written while the next is read, and
  // ColumnBlock::texts points to it: so they take turns in place and are not swapped.
  TextBlock blocks_[2];
  unsigned next_block_ = 0;
};

}  // namespace

std::unique_ptr<ColumnRows> rows_of_other(std::shared_ptr<SharedOthers> others, std::size_t file,
                                          std::uint64_t first, std::uint64_t rows,
                                          std::string place) {
  return std::make_unique<OtherRows>(std::move(others), file, first, rows, std::move(place));
}

std::unique_ptr<ColumnRows> rows_without_nulls(PcoInput& numbers) {
  return std::make_unique<PlainRows>(numbers);
}

std::unique_ptr<ColumnRows> rows_with_nulls(PcoInput& numbers, std::unique_ptr<RunReader> runs,
                                            std::uint64_t rows) {
  return std::make_unique<NullableRows>(numbers, std::move(runs), rows);
}

RunReader::RunReader(const FileRef& file, std::string place, const DecodeConfig& config,
                     const table::NumberPart& part)
    : file_(std::make_unique<Input>(file), std::move(place), config) {
  // The user's limits apply to the rows.
  DecodeConfig whole = config;
  whole.limits = walk_limits(config.limits, file->size().value_or(0));
  PcoNumbers numbers(std::make_unique<Input>(file), file_.place(), whole, NumberType::kU64);
  if (numbers.type() != NumberType::kU64) {
    throw Failure(ExitCode::kCorrupt, file_.place(),
                  fmt::format("corrupt: holds {} numbers, not the u64 lengths of runs",
                              name_of(*numbers.type())));
  }
  table::NullRunCheck runs(part.count, part.null_count);
  for (;;) {
    const NumberView block = numbers.next();
    if (block.count == 0) break;
    check(runs.add({static_cast<const std::uint64_t*>(block.data), block.count}), file_.place());
    run_count_ += block.count;
  }
  check(runs.finish(), file_.place());
}

// Moves to the next run that has rows left. Returns false at the end.
bool RunReader::fill() {
  while (left_ == 0) {
    if (at_ == block_.count) {
      block_ = file_.next();
      at_ = 0;
      if (block_.count == 0) return false;
    }
    left_ = static_cast<const std::uint64_t*>(block_.data)[at_++];
    is_null_ = !is_null_;
  }
  return true;
}

RunReader::Run RunReader::next(std::uint64_t max_rows) {
  if (!fill()) return {0, false};
  const std::uint64_t rows = std::min(left_, max_rows);
  left_ -= rows;
  return {rows, is_null_};
}

std::uint64_t RunReader::count_numbers(std::uint64_t rows) {
  std::uint64_t numbers = 0;
  while (rows > 0) {
    const Run run = next(rows);
    if (run.rows == 0) {
      throw Failure(ExitCode::kCorrupt, file_.place(), "corrupt: there are fewer rows");
    }
    if (!run.is_null) numbers += run.rows;
    rows -= run.rows;
  }
  return numbers;
}

}  // namespace numpact::cli
