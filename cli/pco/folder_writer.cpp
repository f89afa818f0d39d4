// SPDX-License-Identifier: Apache-2.0
#include "pco/folder_writer.hpp"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "formats/formats.hpp"
#include "formats/others.hpp"
#include "pco/manifest.hpp"
#include "platform/files.hpp"
#include "platform/paths.hpp"
#include "report/progress_bar.hpp"

namespace numpact::cli {
namespace {

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
    fail(name_, "exists already (-f overwrites it)");
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
  entries_ = entries_of(writer_->plan().after);
}

FolderWriter::FolderWriter(const std::string& path, const WriteOptions& options,
                           const Overwrite& overwrite, table::WritePlan::Kind work)
    : name_(platform::without_end_separators(path)), options_(options) {
  const bool is_append = work == table::WritePlan::Kind::kAppend;
  if (!is_folder(name_)) {
    platform::FileInfo found;
    if (!platform::look_at(name_, found)) fail_errno(name_, "");
    fail(name_, is_append ? "is not a folder: a whole table is appended to a folder (--column "
                            "NAME appends one column to a file)"
                          : "is not the folder of a table");
  }
  table::Failure failure;
  auto opened = is_append ? table::TableWriter::append(name_, config(overwrite), &failure)
                          : table::TableWriter::compact(name_, config(overwrite), &failure);
  check(opened.status(), failure);
  writer_ = std::make_unique<table::TableWriter>(*std::move(opened));
  guard_files();
}

void FolderWriter::set_rows(const Manifest& rows, table::SchemaChange allowed) {
  table::Failure failure;
  check(writer_->set_rows(rows, allowed, &failure), failure);
  guard_files();
}

void FolderWriter::rewrite_other(std::size_t column, const std::string& type) {
  table::Failure failure;
  check(writer_->rewrite_other(column, type, &failure), failure);
}

// Lists the columns of the plan, and the files that a signal removes.
void FolderWriter::guard_files() {
  entries_ = entries_of(writer_->plan().after);
  guard_.forget();
  guard_.add([this] {
    std::vector<std::string> paths;
    for (const table::ColumnPlan& column : writer_->plan().columns) {
      paths.push_back(path_of(column.file));
      if (!column.null_file.empty()) paths.push_back(path_of(column.null_file));
      const std::string number_file = column.file.substr(0, column.file.rfind('.')) + ".pco";
      for (const std::string& name :
           {number_file, table::null_file_name(number_file), table::text_file_name(number_file)}) {
        paths.push_back(path_of(name));  // which a column of texts may get
      }
    }
    return paths;
  });
}

FolderWriter::Rows FolderWriter::write(std::size_t column, NumberInput& numbers, TimeUnit unit,
                                       const std::string& place) {
  const ManifestColumn& described = *entries_[column].numbers;
  table::Failure failure;
  writer_->set_unit(column, unit);
  NullRuns* const runs = numbers.null_runs();
  std::uint64_t count = 0;
  const auto write = [&](const NumberView& block) {
    if (runs != nullptr && runs->nulls() > 0 && !described.nullable && is_append()) {
      fail(place, "has nulls, which the folder's column excludes");
    }
    const std::vector<std::uint64_t> lengths =
        runs != nullptr ? runs->take() : std::vector<std::uint64_t>();
    count += block.count;
    check(writer_->write_packed(column, block, lengths, &failure), failure);
  };
  ProgressBar progress(place, numbers.count(), options_.progress);
  for (;;) {
    const NumberView block = numbers.next();
    if (block.count == 0) break;
    write(block);
    progress.add(block.count, bytes_of(block).size());
  }
  if (runs != nullptr) {
    runs->finish();
    const std::optional<table::ValueType>& given = plan(column).given_type;
    write(NumberView(given ? given->type : described.type, nullptr, 0));
  }
  const std::uint64_t dropped = runs != nullptr ? 0 : numbers.null_count();
  check(writer_->finish(column, dropped, &failure), failure);
  return {(runs != nullptr ? runs->rows() : count) + dropped, dropped};
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

std::optional<std::uint64_t> FolderWriter::write_texts(std::size_t column, TextInput& texts,
                                                       const Column& source) {
  table::Failure failure;
  const ManifestColumn* const numbers = entries_[column].numbers;
  bool has_categories = numbers != nullptr && numbers->text.at(0).index_type;
  if (numbers == nullptr) {
    table::TextFile type;
    const bool is_text = source.source_type == kCsvTextType || set_type(type, source.source_type);
    if (!is_text || !entries_[column].other->parts.empty()) return std::nullopt;
    ManifestColumn like = column_of(source);
    like.kind = LogicalKind::kText;
    like.text = {type};
    has_categories = type.index_type.has_value();
    check(writer_->begin_texts(column, like, &failure), failure);
  }
  std::uint64_t rows = 0;
  Result<bool> is_taken = true;
  for (;;) {
    const TextBlock& block = texts.next();
    if (block.rows() == 0) break;
    const table::TextRows given{block.bytes, block.ends, 0, block.valid};
    if (block.are_categories && !has_categories) continue;
    is_taken = block.are_categories ? writer_->add_categories(column, given, {}, {}, &failure)
                                    : writer_->add_texts(column, given, &failure);
    if (!block.are_categories) rows += block.rows();
    check(is_taken.status(), failure);
    if (!*is_taken) break;
  }
  if (*is_taken) {
    is_taken = writer_->finish_texts(column, &failure);
    check(is_taken.status(), failure);
  }
  if (*is_taken) return rows;
  check(writer_->take_texts(column, &failure).status(), failure);
  return std::nullopt;
}

void FolderWriter::finish(std::size_t column) {
  table::Failure failure;
  check(writer_->finish(column, 0, &failure), failure);
}

FolderWriter::Files FolderWriter::files_of(const Manifest& table) const {
  Files files;
  const auto add = [&](const std::string& file) {
    ++files.count;
    files.bytes += size_of_file(path_of(file));
  };
  for (const ManifestColumn& column : table.columns) {
    for (const table::NumberPart& part : column.all_parts()) {
      add(part.file);
      if (part.null_count > 0) add(part.null_file);
    }
    for (const table::TextFile& texts : column.text) add(texts.file);
  }
  for (const ManifestOther& other : table.others) {
    for (const table::Part& part : other.parts) add(part.file);
  }
  return files;
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
    if (column.text.empty()) bytes += size_of_files(column);
  }
  return bytes;
}

std::uint64_t FolderWriter::other_bytes() const {
  std::uint64_t bytes = 0;
  for (const ManifestOther& other : manifest().others) bytes += other.parts.front().bytes;
  for (const ManifestColumn& column : manifest().columns) {
    if (!column.text.empty()) bytes += size_of_files(column) + column.text[0].sum.bytes;
  }
  return bytes;
}

std::uint64_t FolderWriter::size_of_files(const ManifestColumn& column) const {
  std::uint64_t bytes = size_of_file(path_of(column.file));
  if (column.null_count > 0) bytes += size_of_file(path_of(column.null_file));
  return bytes;
}

}  // namespace numpact::cli
