// SPDX-License-Identifier: Apache-2.0
// Files of columns that Pco cannot hold, through the Python helper.
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "failure.hpp"
#include "formats/others.hpp"
#include "formats/python/python_helper.hpp"
#include "platform/environment.hpp"

namespace numpact::cli {
namespace {

constexpr const char* kNeeds = "A column that is not of numbers";
// Maximum size of the texts of a block of 65,536 rows: the largest that Arrow itself can number by
// offsets of 32 bits.
constexpr std::uint64_t kMaxTextBytes = std::numeric_limits<std::int32_t>::max();

OtherKind kind_in(const Json& answer, const std::string& place) {
  const std::string kind = text_in(answer, "kind", place);
  if (kind == "text") return OtherKind::kText;
  return kind == "decimal" ? OtherKind::kDecimal : OtherKind::kOpaque;
}

class HelperReader final : public OtherReader {
 public:
  explicit HelperReader(const std::vector<OtherFiles>& columns, ValueLimitsRef limits = nullptr)
      : files_(all_files(columns)),
        limits_(limits != nullptr ? std::move(limits) : std::make_shared<ValueLimits>()),
        helper_({"others", ""}, kNeeds, files_[0].file->name(), files_) {
    for (const OtherFiles& column : columns) {
      columns_.push_back({kinds_.size(), column.size()});
      for (std::size_t part = 0; part < column.size(); ++part) open();
    }
  }

  OtherKind kind(std::size_t column) const override { return kinds_[columns_[column].first]; }

  TextBlock read(std::size_t column, std::uint64_t first, std::uint64_t rows,
                 DecodeUse use) override {
    const auto [begin, parts] = columns_[column];
    TextBlock block;
    for_each_part(
        parts, first, rows, [&](std::size_t part) { return files_[begin + part].rows; },
        [&](std::size_t part, std::uint64_t at, std::uint64_t count) {
          read_file(begin + part, at, count, use, block);
        });
    return block;
  }

  void check(std::size_t column) override {
    const auto [begin, parts] = columns_[column];
    for (std::size_t file = begin; file < begin + parts; ++file) {
      helper_.ask({{"verb", "check"}, {"file", file}, {"limits", limits_json(*limits_)}},
                  place_of(files_[file]));
    }
  }

  OtherColumn join(const JoinedRows& rows, ByteSink& file) {
    helper_.send({{"verb", "join"},
                  {"nulls_before", rows.nulls_before},
                  {"has_added", rows.added.has_value()},
                  {"nulls_after", rows.nulls_after},
                  {"may_widen", rows.may_widen}},
                 place_of(files_.back()));
    return receive_other(helper_, file, place_of(files_.back()));
  }

 private:
  // Opens the next file.
  void open() {
    const std::size_t number = kinds_.size();
    const std::string place = place_of(files_[number]);
    Json request = file_to_json(files_[number], number);
    request["verb"] = "open";
    kinds_.push_back(kind_in(helper_.ask(request, place), place));
    if (kinds_.back() == kinds_[columns_.back().first]) return;
    throw Failure(ExitCode::kCorrupt, place, "corrupt: parts of the column are of another type");
  }

  // Appends rows of a file to the texts before them.
  void read_file(std::size_t file, std::uint64_t first, std::uint64_t rows, DecodeUse use,
                 TextBlock& block) {
    const std::string place = place_of(files_[file]);
    const Json answer = helper_.ask({{"verb", "read"},
                                     {"file", file},
                                     {"first", first},
                                     {"rows", rows},
                                     {"all", use == DecodeUse::kAll},
                                     {"limits", limits_json(*limits_)}},
                                    place);
    const std::uint64_t end = block.rows() + rows;
    const std::uint64_t blocks = count_in(answer, "blocks", place);
    for (std::uint64_t i = 0; i < blocks; ++i) receive_block(rows, block, place);
    if (block.rows() != end) fail_protocol(place);
  }

  // Appends the texts of a block to those before it.
  void receive_block(std::uint64_t max_rows, TextBlock& block, const std::string& place) {
    const std::vector<std::byte> bytes = helper_.receive_bytes(kMaxTextBytes, place);
    const std::vector<std::byte> ends = helper_.receive_bytes(8 * max_rows, place);
    const std::vector<std::byte> valid = helper_.receive_bytes(max_rows, place);
    const std::size_t rows = ends.size() / 8;
    const std::size_t before = block.rows();
    if (ends.size() % 8 != 0 || (!valid.empty() && valid.size() != rows)) fail_protocol(place);
    const std::uint64_t begin = block.bytes.size();
    block.bytes.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::uint64_t last = begin;
    for (std::size_t i = 0; i < rows; ++i) {
      std::uint64_t end = 0;
      std::memcpy(&end, ends.data() + 8 * i, 8);
      end += begin;
      if (end < last || end > block.bytes.size()) fail_protocol(place);
      block.ends.push_back(end);
      last = end;
    }
    if (!valid.empty() && block.valid.empty()) block.valid.assign(before, 1);
    if (block.valid.empty() && valid.empty()) return;
    block.valid.resize(before + rows, 1);
    if (!valid.empty()) std::memcpy(block.valid.data() + before, valid.data(), rows);
  }

  struct Range {
    std::size_t first;
    std::size_t count;
  };

  std::vector<OtherFile> files_;  // of all columns
  std::vector<Range> columns_;    // the files of each
  ValueLimitsRef limits_;
  PythonHelper helper_;
  std::vector<OtherKind> kinds_;  // of the files
};

}  // namespace

bool has_arrow() {
  static const bool found = [] {
    if (platform::environment_value("NUMPACT_PYTHON").empty()) return false;
    try {
      PythonHelper({"others", ""}, kNeeds, "").ask({{"verb", "ready"}}, "");
      return true;
    } catch (const Failure&) {
      return false;  // no pyarrow
    }
  }();
  return found;
}

std::unique_ptr<OtherReader> open_others(const std::vector<OtherFiles>& columns,
                                         const ValueLimitsRef& limits) {
  return std::make_unique<HelperReader>(columns, limits);
}

OtherColumn write_text(TextInput& input, const std::string& name, ByteSink& file,
                       const std::string& place) {
  PythonHelper helper({"others", ""}, kNeeds, place);
  helper.send({{"verb", "text"}, {"name", name}}, place);
  for (;;) {
    const TextBlock& block = input.next();
    helper.send({{"rows", block.rows()}}, place);
    if (block.rows() == 0) return receive_other(helper, file, place);
    std::vector<std::uint64_t> offsets(1);
    offsets.insert(offsets.end(), block.ends.begin(), block.ends.end());
    helper.send(std::as_bytes(std::span(block.bytes)), place);
    helper.send(std::as_bytes(std::span(offsets)), place);
    helper.send(std::as_bytes(std::span(block.valid)), place);
    helper.receive_into(file, place);
  }
}

OtherColumn join_others(const JoinedRows& rows, ByteSink& file) {
  std::vector<OtherFiles> files{{rows.like}};
  for (const OtherFile& part : rows.before) files.push_back({part});
  if (rows.added) files.push_back({*rows.added});
  return HelperReader(files).join(rows, file);
}

}  // namespace numpact::cli
