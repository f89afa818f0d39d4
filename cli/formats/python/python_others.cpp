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
  explicit HelperReader(std::vector<OtherFile> files, ValueLimitsRef limits = nullptr)
      : files_(std::move(files)),
        limits_(limits != nullptr ? std::move(limits) : std::make_shared<ValueLimits>()),
        helper_({"others", ""}, kNeeds, files_[0].file->name(), files_) {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const Json answer = helper_.ask({{"verb", "open"},
                                       {"descriptor", PythonHelper::descriptor_of(i)},
                                       {"name", files_[i].name},
                                       {"rows", files_[i].rows},
                                       {"part", part_to_json(files_[i].part)}},
                                      place_of(files_[i]));
      kinds_.push_back(kind_in(answer, place_of(files_[i])));
    }
  }

  OtherKind kind(std::size_t file) const override { return kinds_[file]; }

  TextBlock read(std::size_t file, std::uint64_t first, std::uint64_t rows,
                 DecodeUse use) override {
    const std::string place = place_of(files_[file]);
    const Json answer = helper_.ask({{"verb", "read"},
                                     {"file", file},
                                     {"first", first},
                                     {"rows", rows},
                                     {"all", use == DecodeUse::kAll},
                                     {"limits", limits_json(*limits_)}},
                                    place);
    TextBlock block;
    const std::uint64_t blocks = count_in(answer, "blocks", place);
    for (std::uint64_t i = 0; i < blocks; ++i) receive_block(rows, block, place);
    if (block.rows() != rows) fail_protocol(place);
    return block;
  }

  void check(std::size_t file) override {
    helper_.ask({{"verb", "check"}, {"file", file}, {"limits", limits_json(*limits_)}},
                place_of(files_[file]));
  }

  OtherColumn join(OutputFile& file) {
    helper_.send({{"verb", "join"}}, place_of(files_[1]));
    return receive_other(helper_, file, place_of(files_[1]));
  }

 private:
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

  std::vector<OtherFile> files_;
  ValueLimitsRef limits_;
  PythonHelper helper_;
  std::vector<OtherKind> kinds_;
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

std::unique_ptr<OtherReader> open_others(const std::vector<OtherFile>& files,
                                         const ValueLimitsRef& limits) {
  return std::make_unique<HelperReader>(files, limits);
}

OtherColumn write_text(TextInput& input, const std::string& name, OutputFile& file,
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

OtherColumn join_others(const OtherFile& first, const OtherFile& second, OutputFile& file) {
  return HelperReader({first, second}).join(file);
}

}  // namespace numpact::cli
