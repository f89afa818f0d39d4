// SPDX-License-Identifier: Apache-2.0
#include "table/writer/number_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "api/io_error.hpp"
#include "api/write_all.hpp"
#include "base/crc.hpp"
#include "base/try.hpp"
#include "numpact/executor.hpp"
#include "numpact/file_access.hpp"
#include "platform/files.hpp"
#include "platform/replacement.hpp"

namespace numpact::internal {
namespace {

// Numbers that one thread decodes at once, and lengths of runs that are encoded at once.
constexpr std::size_t kBlock = std::size_t{1} << 14;
// Numbers that several threads decode at once: four of the largest chunks that are the default.
constexpr std::size_t kSharedBlock = std::size_t{1} << 20;

}  // namespace

BlockReading::BlockReading(const EncodeConfig& encode, std::uint64_t count) {
  config.threads = encode.threads;
  config.executor = encode.executor;
  const bool is_shared =
      encode.executor != nullptr ? encode.executor->concurrency() > 1 : encode.threads != 1;
  numbers =
      is_shared
          ? static_cast<std::size_t>(std::clamp<std::uint64_t>(count + 1, kBlock, kSharedBlock))
          : kBlock;
}

Status NumberFile::create(const std::string& path, bool is_private, bool stays_open,
                          NumberType type, const EncodeConfig& config, std::uint64_t rows,
                          std::pmr::memory_resource* memory) {
  type_ = type;
  NUMPACT_TRY(file_.create(path, is_private, stays_open));
  config_ = config;
  config_.paging = config.paging.evened(rows);
  writer_.emplace(file_, type, config_, rows, memory);
  return {};
}

Status NumberFile::add(const NumberView& numbers) {
  const std::size_t size = numbers.count * size_of(type_);
  crc_ = crc32({static_cast<const std::byte*>(numbers.data), size}, crc_);
  count_ += numbers.count;
  return writer_->write(numbers);
}

Status NumberFile::finish(bool verify) {
  NUMPACT_TRY(writer_->finish());
  writer_.reset();
  NUMPACT_TRY(file_.close());
  return verify ? check_written() : Status();
}

Status NumberFile::check_written() const {
  MappedFile file;
  NUMPACT_TRY(MappedFile::open(file_.path()).into(file));
  MemorySource source(file.bytes());
  const BlockReading how(config_, count_);
  StreamReader reader(source, how.config);
  std::vector<std::uint64_t> numbers(how.numbers);
  std::uint64_t total = 0;
  std::uint32_t crc = 0;
  for (std::size_t count = how.numbers; count == how.numbers;) {
    NUMPACT_TRY(reader.read(MutableNumberView(type_, numbers.data(), how.numbers)).into(count));
    crc = crc32(std::as_bytes(std::span(numbers)).first(count * size_of(type_)), crc);
    total += count;
  }
  TrailerState state = TrailerState::kNone;
  NUMPACT_TRY(reader.check_trailer().into(state));
  const bool is_sound = state == TrailerState::kNone || state == TrailerState::kSound;
  if (is_sound && total == count_ && crc == crc_) return {};
  return Status(ErrorKind::kCorrupt, "what was written does not decode to the numbers");
}

Status NumberPartFiles::create() {
  return numbers_.create(options_.folder + "/" + options_.file, options_.is_private,
                         options_.stays_open, options_.type, options_.config, options_.rows,
                         options_.memory);
}

// The lengths of runs have a file from the first null on.
Status NumberPartFiles::flush_runs() {
  if (nulls_ == 0 || runs_.empty()) return {};
  if (!null_runs_.file().is_made()) {
    EncodeConfig config = options_.config;
    // What was asked for applies to the numbers.
    config.mode = ModeSpec::automatic();
    config.delta = DeltaSpec::automatic();
    config.paging = {};
    NUMPACT_TRY(null_runs_.create(options_.folder + "/" + options_.null_file, options_.is_private,
                                  options_.stays_open, NumberType::kU64, config, 0,
                                  options_.memory));
  }
  NUMPACT_TRY(null_runs_.add(NumberView(NumberType::kU64, runs_.data(), runs_.size())));
  runs_.clear();
  return {};
}

Status NumberPartFiles::add_run(bool is_null, std::uint64_t rows) {
  if (rows == 0) return {};
  if (is_null != is_null_) {
    runs_.push_back(run_);  // the first one may have no rows
    run_ = 0;
    is_null_ = is_null;
  }
  run_ += rows;
  rows_ += rows;
  if (is_null) nulls_ += rows;
  return runs_.size() >= kBlock ? flush_runs() : Status();
}

Status NumberPartFiles::add_numbers(const NumberView& numbers) {
  if (rounder_ == nullptr || numbers.count == 0) return numbers_.add(numbers);
  rounded_.resize(numbers.count * size_of(numbers.type));
  const MutableNumberView to(numbers.type, rounded_.data(), numbers.count);
  NUMPACT_TRY(rounder_->round(numbers, to));
  return numbers_.add({to.type, to.data, to.count});
}

Status NumberPartFiles::add(const NumberView& rows, std::span<const std::uint8_t> valid) {
  if (valid.empty() || std::find(valid.begin(), valid.end(), std::uint8_t{0}) == valid.end()) {
    NUMPACT_TRY(add_run(false, rows.count));
    return add_numbers(rows);
  }
  const std::size_t size = size_of(options_.type);
  const auto* from = static_cast<const std::byte*>(rows.data);
  kept_.resize(rows.count * size);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows.count;) {
    const bool is_null = valid[i] == 0;
    std::size_t end = i + 1;
    while (end < rows.count && (valid[end] == 0) == is_null) ++end;
    NUMPACT_TRY(add_run(is_null, end - i));
    if (!is_null) {
      std::memcpy(kept_.data() + kept * size, from + i * size, (end - i) * size);
      kept += end - i;
    }
    i = end;
  }
  return add_numbers(NumberView(options_.type, kept_.data(), kept));
}

Status NumberPartFiles::finish(table::NumberPart& part) {
  NUMPACT_TRY(numbers_.finish(options_.verify));
  part.file = options_.file;
  part.count = numbers_.count();
  part.sum = numbers_.file().sum();
  part.null_count = nulls_;
  if (nulls_ == 0) return {};
  runs_.push_back(run_);
  NUMPACT_TRY(flush_runs());
  NUMPACT_TRY(null_runs_.finish(options_.verify));
  part.null_file = options_.null_file;
  part.null_sum = null_runs_.file().sum();
  return {};
}

}  // namespace numpact::internal
