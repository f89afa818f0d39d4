// SPDX-License-Identifier: Apache-2.0
#include "pco/folder_writer.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "pco/manifest.hpp"
#include "platform/files.hpp"
#include "platform/paths.hpp"
#include "report/progress_bar.hpp"

namespace numpact::cli {
namespace {

// Numbers come without those of null rows, and apart from them the lengths of runs, which may be
// ahead of the numbers or end before them. Joins both to rows.
class RowJoiner {
 public:
  // `write` takes rows as TableWriter::write().
  using Write = std::function<void(const NumberView&, std::span<const std::uint8_t>)>;
  RowJoiner(NumberType type, Write write) : type_(type), write_(std::move(write)) {}

  void add(NumberView numbers, NullRuns* runs) {
    if (runs != nullptr) take(runs->take());
    while (numbers.count > 0) {
      // The run that has not ended yet is one of numbers.
      const bool is_known = at_ < lengths_.size();
      const std::uint64_t length = is_known ? lengths_[at_] : numbers.count;
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(length, numbers.count));
      if (is_known && is_null_) {
        add_nulls(length);
      } else {
        add_numbers(NumberView(type_, numbers.data, count));
        numbers =
            NumberView(type_, static_cast<const std::byte*>(numbers.data) + count * size_of(type_),
                       numbers.count - count);
      }
      if (!is_known) {
        ahead_ += count;
      } else if (is_null_ || count == length) {
        next_run();
      } else {
        lengths_[at_] -= count;
      }
    }
  }
  void finish(NullRuns* runs) {
    if (runs != nullptr) {
      runs->finish();
      take(runs->take());
    }
    for (; at_ < lengths_.size(); next_run()) {
      if (is_null_) add_nulls(lengths_[at_]);
    }
    flush();
  }
  std::uint64_t rows() const { return rows_; }

 private:
  void take(const std::vector<std::uint64_t>& runs) {
    lengths_.erase(lengths_.begin(), lengths_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
    const bool had_none = lengths_.empty();
    lengths_.insert(lengths_.end(), runs.begin(), runs.end());
    if (!had_none || lengths_.empty()) return;
    lengths_[0] -= std::exchange(ahead_, 0);
    if (lengths_[0] == 0) next_run();
  }
  void next_run() {
    ++at_;
    is_null_ = !is_null_;
  }
  void add_numbers(NumberView numbers) {
    const std::size_t size = size_of(type_);
    while (numbers.count > 0) {
      if (valid_.empty()) {
        rows_ += numbers.count;
        return write_(numbers, {});
      }
      const std::size_t count = std::min(numbers.count, kBlockNumbers - valid_.size());
      std::memcpy(window() + valid_.size() * size, numbers.data, count * size);
      valid_.insert(valid_.end(), count, 1);
      if (valid_.size() == kBlockNumbers) flush();
      numbers = NumberView(type_, static_cast<const std::byte*>(numbers.data) + count * size,
                           numbers.count - count);
    }
  }
  void add_nulls(std::uint64_t rows) {
    while (rows > 0) {
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(rows, kBlockNumbers - valid_.size()));
      std::memset(window() + valid_.size() * size_of(type_), 0, count * size_of(type_));
      valid_.insert(valid_.end(), count, 0);
      if (valid_.size() == kBlockNumbers) flush();
      rows -= count;
    }
  }
  std::byte* window() {
    numbers_.resize(kBlockNumbers * size_of(type_) / sizeof(std::uint64_t));
    return reinterpret_cast<std::byte*>(numbers_.data());
  }
  void flush() {
    if (valid_.empty()) return;
    rows_ += valid_.size();
    write_(NumberView(type_, numbers_.data(), valid_.size()), valid_);
    valid_.clear();
  }

  NumberType type_;
  Write write_;
  std::vector<std::uint64_t> lengths_;  // of runs that have ended
  std::size_t at_ = 0;                  // the next of them
  bool is_null_ = false;                // it is one of nulls
  std::uint64_t ahead_ = 0;             // numbers of the run that has not ended
  // A block of rows some of which are null.
  std::vector<std::uint64_t> numbers_;
  std::vector<std::uint8_t> valid_;
  std::uint64_t rows_ = 0;
};

// Collects small pieces, and remembers whether writing has failed.
class BufferedSink final : public ByteSink {
 public:
  explicit BufferedSink(ByteSink& sink) : sink_(sink) { bytes_.reserve(kBytes); }
  Status write(std::span<const std::byte> bytes) override {
    if (bytes_.size() + bytes.size() > kBytes) flush();
    if (bytes.size() >= kBytes) {
      if (status_.ok()) status_ = sink_.write(bytes);
    } else {
      bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    return status_;
  }
  const Status& flush() {
    if (status_.ok()) status_ = sink_.write(bytes_);
    bytes_.clear();
    return status_;
  }
  const Status& status() const { return status_; }

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 18;

  ByteSink& sink_;
  std::vector<std::byte> bytes_;
  Status status_;
};

std::uint64_t size_of_file(const std::string& path) {
  platform::FileInfo found;
  return platform::look_at(path, found) ? found.bytes : 0;
}

}  // namespace

table::WriterConfig FolderWriter::config(const Overwrite& overwrite) {
  table::WriterConfig config;
  config.encode = options_.config;
  config.lock = overwrite.lock_config(name_);
  config.verify = options_.verify;
  config.memory = options_.memory.get();
  config.before_replacing = [this] { guard_.hold(); };
  return config;
}

void FolderWriter::check(const Status& status, const table::Failure& failure) const {
  if (!status.ok()) fail_table(status, failure, failure.file.empty() ? name_ : failure.file);
}

FolderWriter::FolderWriter(const std::string& path, const Manifest& table,
                           const WriteOptions& options, const Overwrite& overwrite)
    : name_(platform::without_end_separators(path)), options_(options) {
  platform::FileInfo found;
  if (!overwrite.is_allowed && platform::look_at(name_, found)) {
    throw Failure(ExitCode::kFailure, name_, "exists already (-f overwrites it)");
  }
  table::Failure failure;
  Status status;
  guard_.add([&]() -> std::vector<std::string> {
    auto made =
        table::TableWriter::create(name_, table, overwrite.is_allowed, config(overwrite), &failure);
    status = made.status();
    if (!made.ok()) return {};
    writer_ = std::make_unique<table::TableWriter>(*std::move(made));
    return {platform::without_end_separators(path_of(""))};
  });
  check(status, failure);
  entries_ = entries_of(before());
}

FolderWriter::FolderWriter(const std::string& path, const WriteOptions& options,
                           const Overwrite& overwrite)
    : name_(platform::without_end_separators(path)), options_(options) {
  if (!is_folder(name_)) {
    platform::FileInfo found;
    if (!platform::look_at(name_, found)) fail_errno(name_, "");
    throw Failure(ExitCode::kFailure, name_,
                  "is not a folder: a whole table is appended to a folder (--column NAME appends "
                  "one column to a file)");
  }
  table::Failure failure;
  auto opened = table::TableWriter::append(name_, config(overwrite), &failure);
  check(opened.status(), failure);
  writer_ = std::make_unique<table::TableWriter>(*std::move(opened));
  entries_ = entries_of(before());
  guard_.add([this] {
    std::vector<std::string> paths;
    for (const table::ColumnPlan& column : writer_->plan().columns) {
      paths.push_back(path_of(column.file));
      if (!column.null_file.empty()) paths.push_back(path_of(column.null_file));
    }
    return paths;
  });
}

FolderWriter::Rows FolderWriter::write(std::size_t column, NumberInput& numbers, TimeUnit unit,
                                       const std::string& place) {
  const ManifestColumn& described = *entries_[column].numbers;
  table::Failure failure;
  writer_->set_unit(column, unit);
  writer_->expect(column, numbers.count().value_or(0));
  NullRuns* const runs = numbers.null_runs();
  RowJoiner rows(described.type, [&](const NumberView& block, std::span<const std::uint8_t> valid) {
    if (!valid.empty() && !described.nullable && is_append()) {
      throw Failure(ExitCode::kFailure, place, "has nulls, which the folder's column excludes");
    }
    check(writer_->write(column, block, valid, &failure), failure);
  });
  ProgressBar progress(place, numbers.count(), options_.progress);
  for (;;) {
    const NumberView block = numbers.next();
    if (block.count == 0) break;
    rows.add(block, runs);
    progress.add(block.count, bytes_of(block).size());
  }
  rows.finish(runs);
  const std::uint64_t dropped = runs != nullptr ? 0 : numbers.null_count();
  check(writer_->finish(column, dropped, &failure), failure);
  return {rows.rows() + dropped, dropped};
}

Result<std::uint64_t> GuardedSource::write(table::Other& other, std::span<const table::Part> copied,
                                           ByteSink& sink, std::string&) {
  BufferedSink buffered(sink);
  std::uint64_t rows = 0;
  try {
    rows = write_rows(other, copied, buffered);
    buffered.flush();
  } catch (...) {
    if (buffered.status().ok()) thrown_ = std::current_exception();
    if (thrown_ != nullptr) return Status(ErrorKind::kIo, "the column cannot be read");
  }
  if (!buffered.status().ok()) return buffered.status();
  return rows;
}

void FolderWriter::write_other(std::size_t column, table::OtherSource& source) {
  table::Failure failure;
  check(writer_->write_other(column, source, &failure), failure);
}

void FolderWriter::commit() {
  table::Failure failure;
  check(writer_->commit(&failure), failure);
  guard_.forget();
  if (writer_->leftover().empty()) return;
  print_message(name_ +
                ": programs have the old files open, or files came meanwhile that are not "
                "part of the table; they stay in " +
                writer_->leftover());
}

std::uint64_t FolderWriter::number_bytes() const {
  std::uint64_t bytes = 0;
  for (const ManifestColumn& column : manifest().columns) {
    bytes += size_of_file(path_of(column.file));
    if (column.null_count > 0) bytes += size_of_file(path_of(column.null_file));
  }
  return bytes;
}

std::uint64_t FolderWriter::other_bytes() const {
  std::uint64_t bytes = 0;
  for (const ManifestOther& other : manifest().others) bytes += other.parts.front().bytes;
  return bytes;
}

}  // namespace numpact::cli
