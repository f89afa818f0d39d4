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
      throw Failure(ExitCode::kFailure, place_,
                    "a temporary file does not read as what was written");
    }
    check(table::checked_part(column, bytes.bytes(), rows).into(made.part), place_);
    return made;
  }

 private:
  std::string place_;
  int descriptor_;
  std::uint32_t checksum_ = 0;
};

// The rows of a column of the input, after those of files of the folder.
class InputSource final : public GuardedSource {
 public:
  InputSource(TableInput& input, std::size_t index, const TableFolder* old, std::string place)
      : input_(input), index_(index), old_(old), place_(std::move(place)) {}
  std::uint64_t all_rows() const { return all_rows_; }
  std::uint64_t rows() const { return rows_; }

 private:
  std::uint64_t write_rows(table::Other& other, std::span<const table::Part> copied,
                           ByteSink& sink) override {
    const OtherColumn written =
        old_ == nullptr ? input_.write_other(index_, sink) : join(other, copied, sink);
    all_rows_ = written.rows;
    if (old_ == nullptr) rows_ = written.rows;
    other.type = written.type;
    return written.rows;
  }
  // The new rows go to a file of their own first, whose type is then known.
  OtherColumn join(const table::Other& other, std::span<const table::Part> copied, ByteSink& sink) {
    UnnamedFile added(place_);
    rows_ = input_.write_other(index_, added).rows;
    const OtherFile new_rows = added.close(input_.columns()[index_].name, rows_);
    const auto open = [&](const table::Part& part) {
      return OtherFile{other.name, old_->file(part.file), part.rows, part, ""};
    };
    OtherFiles before;
    for (const table::Part& part : copied) before.push_back(open(part));
    return join_others(open(other.parts.front()), before, new_rows, sink);
  }

  TableInput& input_;
  std::size_t index_;
  const TableFolder* old_;
  std::string place_;
  std::uint64_t all_rows_ = 0;
  std::uint64_t rows_ = 0;
};

}  // namespace

std::uint64_t OtherColumns::write(std::size_t index, std::size_t column, const std::string& place) {
  InputSource source(
      input_, index, old_,
      old_ == nullptr ? place : fmt::format("{}, appended to {}", place, folder_.name()));
  try {
    folder_.write_other(column, source);
  } catch (const Failure&) {
    source.rethrow();
    throw;
  }
  const std::string& file = folder_.plan(column).file;
  const std::string& name = input_.columns()[index].name;
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
  return input.write_other(index, sink).rows;
}

}  // namespace numpact::cli
