// SPDX-License-Identifier: Apache-2.0
#include "commands/other_column.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <memory>

#include "failure.hpp"
#include "io/temporary_file.hpp"
#include "numpact/trailer.hpp"
#include "pco/manifest.hpp"
#include "platform/files.hpp"

namespace numpact::cli {
namespace {

class NoSink final : public ByteSink {
 public:
  Status write(std::span<const std::byte>) override { return {}; }
};

// A file without a name, which is read once it is written.
class UnnamedFile final : public ByteSink {
 public:
  explicit UnnamedFile(const std::string& place)
      : place_(place), descriptor_(open_unnamed_file()) {}
  ~UnnamedFile() override {
    if (descriptor_ >= 0) platform::close_file(descriptor_);
  }
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;

  Status write(std::span<const std::byte> bytes) override {
    checksum_ = checksum_of(bytes, checksum_);
    while (!bytes.empty()) {
      const std::int64_t written = platform::write_some(descriptor_, bytes);
      if (written < 0) fail_errno(place_, "a temporary file cannot be written");
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
  }
  // The file with the checksums of its blocks.
  OtherFile close(const std::string& column, std::uint64_t rows) {
    const auto file = std::make_shared<const OpenFile>(std::exchange(descriptor_, -1), place_);
    OtherFile made{column, file, rows, {}, place_};
    const FileBytes bytes(file);
    if (checksum_of(bytes.bytes()) != checksum_) {
      fail(place_, "a temporary file does not read as what was written");
    }
    check(table::checked_part(column, bytes.bytes(), rows).into(made.part), place_);
    return made;
  }

 private:
  std::string place_;
  int descriptor_;
  std::uint32_t checksum_ = 0;
};

}  // namespace

// The rows of a column for its new file: of files of the folder, and of the input or null.
class OtherColumns::ColumnSource final : public GuardedSource {
 public:
  // `old`: the folder, if it has rows of the column. `input`: null: there are `nulls` new rows.
  ColumnSource(const table::ColumnPlan& plan, const TableFolder* old, TableInput* input,
               std::size_t index, std::uint64_t nulls, std::string place)
      : plan_(plan),
        old_(old),
        input_(input),
        index_(index),
        rows_(nulls),
        place_(std::move(place)) {}
  std::uint64_t all_rows() const { return all_rows_; }
  std::uint64_t rows() const { return rows_; }

  bool is_append = false;  // else the rows are those of the input
  bool may_widen = false;

 private:
  std::uint64_t write_rows(table::Other& other, std::span<const table::Part> copied,
                           ByteSink& sink) override {
    const OtherColumn written =
        is_append ? join(other, copied, sink) : input_->write_other(index_, sink, other.vectors);
    all_rows_ = written.rows;
    if (!is_append) rows_ = written.rows;
    other.type = written.type;
    return written.rows;
  }
  // The new rows go to a file of their own first, whose type is then known.
  OtherColumn join(const table::Other& other, std::span<const table::Part> copied, ByteSink& sink) {
    JoinedRows joined;
    joined.may_widen = may_widen;
    joined.vectors = other.vectors;
    joined.nulls_before = plan_.null_rows;
    if (input_ != nullptr) {
      UnnamedFile added(place_);
      rows_ = input_->write_other(index_, added, std::nullopt).rows;
      joined.added = added.close(input_->columns()[index_].name, rows_);
    } else {
      joined.nulls_after = rows_;
    }
    const auto open = [&](const table::Part& part) {
      return OtherFile{other.name, old_->file(part.file), part.rows, part, ""};
    };
    joined.like = other.parts.empty() ? *joined.added : open(other.parts.front());
    for (const table::Part& part : copied) joined.before.push_back(open(part));
    return join_others(joined, sink);
  }

  const table::ColumnPlan& plan_;
  const TableFolder* old_;
  TableInput* input_;
  std::size_t index_;
  std::uint64_t all_rows_ = 0;
  std::uint64_t rows_;
  std::string place_;
};

std::uint64_t OtherColumns::write(TableInput& input, std::size_t index, std::size_t column,
                                  const std::string& place, bool may_widen) {
  std::unique_ptr<TextInput> texts = input.open_texts(index);
  const bool is_coded = folder_.entries()[column].numbers != nullptr;
  if (texts == nullptr && is_coded) texts = null_texts(count_rows(input, index));
  if (texts != nullptr) {
    const auto rows = folder_.write_texts(column, *texts, input.columns()[index]);
    if (rows) return *rows;
  }
  ColumnSource source(
      folder_.plan(column), old_, &input, index, 0,
      folder_.is_append() ? fmt::format("{}, appended to {}", place, folder_.name()) : place);
  source.is_append = folder_.is_append();
  source.may_widen = may_widen;
  return write(source, column);
}

void OtherColumns::join(std::size_t column, std::uint64_t nulls) {
  ColumnSource source(folder_.plan(column), old_, nullptr, 0, nulls, "");
  source.is_append = true;
  write(source, column);
}

std::uint64_t OtherColumns::write(ColumnSource& source, std::size_t column) {
  try {
    folder_.write_other(column, source);
  } catch (const Failure&) {
    source.rethrow();
    throw;
  }
  const std::string& file = folder_.plan(column).file;
  const std::string& name = folder_.entries()[column].name();
  written_.push_back({{name,
                       open_file(folder_.path_of(file)),
                       source.all_rows(),
                       {},
                       column_place(folder_.name_of(file), name)}});
  return source.rows();
}

void OtherColumns::verify() const {
  if (written_.empty()) return;
  const std::unique_ptr<OtherReader> reader = open_others(written_);
  for (std::size_t i = 0; i < written_.size(); ++i) reader->check(i);
}

std::uint64_t count_rows(TableInput& input, std::size_t index) {
  NoSink sink;
  return input.write_other(index, sink, std::nullopt).rows;
}

}  // namespace numpact::cli
