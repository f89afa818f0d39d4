// SPDX-License-Identifier: Apache-2.0
// Tables in memory for tests of readers, and a model of their rows.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "numpact/pco.hpp"
#include "numpact/table_reader.hpp"
#include "numpact/trailer.hpp"

namespace numpact::testing {

using Bytes = std::vector<std::byte>;

// A request: the file, the first byte, and the count.
struct Request {
  std::string file;
  std::uint64_t offset;
  std::uint64_t size;
};

// Files by name: in memory, or as ranges, whose requests are listed.
class MemoryFiles final : public table::Files {
 public:
  enum class As { kMemory, kRanges, kShortReads };

  explicit MemoryFiles(As how = As::kMemory) : as(how) {}

  Result<std::unique_ptr<RangeSource>> open(const std::string& name, std::string& why) override {
    const auto found = files.find(name);
    if (found == files.end()) {
      why = "no such file";
      return Status(ErrorKind::kIo, "there is no such file");
    }
    return std::unique_ptr<RangeSource>(std::make_unique<Source>(*this, name, found->second));
  }
  std::size_t requests_of(const std::string& name) const {
    return static_cast<std::size_t>(
        std::count_if(requests.begin(), requests.end(),
                      [&](const Request& request) { return request.file == name; }));
  }

  As as;
  std::map<std::string, Bytes> files;
  std::vector<Request> requests;
  std::mutex mutex;

 private:
  class Source final : public RangeSource {
   public:
    Source(MemoryFiles& files, std::string name, const Bytes& bytes)
        : files_(files), name_(std::move(name)), bytes_(bytes) {}
    std::uint64_t size() const noexcept override { return bytes_.size(); }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
      const std::lock_guard lock(files_.mutex);
      files_.requests.push_back({name_, offset, out.size()});
      std::size_t count = std::min<std::size_t>(out.size(), bytes_.size() - offset);
      if (files_.as == As::kShortReads && count > 7) count -= count / 3;
      if (count > 0) std::memcpy(out.data(), bytes_.data() + offset, count);
      return count;
    }
    std::optional<std::span<const std::byte>> bytes() const noexcept override {
      if (files_.as != As::kMemory) return std::nullopt;
      return std::span<const std::byte>(bytes_);
    }

   private:
    MemoryFiles& files_;
    std::string name_;
    const Bytes& bytes_;
  };
};

// A column as it is expected: bits of numbers, none for null rows.
struct ModelColumn {
  table::Column described;
  std::vector<std::optional<std::uint64_t>> rows;
  std::vector<std::size_t> part_ends = {};  // where parts end but the last one; empty: one file
};

inline void store(std::byte* at, std::uint64_t bits, std::size_t size) {
  std::memcpy(at, &bits, size);
}
inline std::uint64_t load(const std::byte* at, std::size_t size) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, size);
  return bits;
}

inline table::FileSum sum_of(const Bytes& file) { return {file.size(), checksum_of(file)}; }

// Writes the files of rows of a column.
inline table::NumberPart write_part(std::map<std::string, Bytes>& files, NumberType type,
                                    std::span<const std::optional<std::uint64_t>> rows,
                                    const std::string& file, EncodeConfig config) {
  const std::size_t size = size_of(type);
  Bytes numbers;
  std::vector<std::uint64_t> runs;
  bool is_null = true;  // of the last run
  for (const auto& row : rows) {
    if (row) {
      numbers.resize(numbers.size() + size);
      store(numbers.data() + numbers.size() - size, *row, size);
    }
    if (runs.empty()) {
      if (!row) runs.push_back(0);
      runs.push_back(0);
      is_null = !row;
    } else if (is_null == row.has_value()) {
      runs.push_back(0);
      is_null = !is_null;
    }
    ++runs.back();
  }
  table::NumberPart part;
  part.file = file;
  part.count = numbers.size() / size;
  part.null_count = rows.size() - part.count;
  const NumberView view(type, numbers.data(), static_cast<std::size_t>(part.count));
  files[file] = compress(view, config).value();
  part.sum = sum_of(files[file]);
  if (part.null_count == 0) return part;
  part.null_file = table::null_file_name(file);
  config.paging = {};
  files[part.null_file] = compress(runs, config).value();
  part.null_sum = sum_of(files[part.null_file]);
  return part;
}

// Writes the files of a column, and completes its description.
inline void write_column(std::map<std::string, Bytes>& files, ModelColumn& column,
                         const EncodeConfig& config) {
  table::Column& described = column.described;
  std::vector<table::NumberPart> parts;
  std::vector<std::size_t> ends = column.part_ends;
  ends.push_back(column.rows.size());
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    const std::string suffix = parts.empty() ? "" : ".p" + std::to_string(parts.size());
    parts.push_back(write_part(files, described.type,
                               std::span(column.rows).subspan(begin, end - begin),
                               described.name + suffix + ".pco", config));
    begin = end;
  }
  described.count = described.null_count = 0;
  for (const table::NumberPart& part : parts) {
    described.count += part.count;
    described.null_count += part.null_count;
  }
  if (parts.size() > 1) {
    described.parts = std::move(parts);
  } else {
    described.file = parts[0].file;
    described.null_file = parts[0].null_file;
  }
}

inline void write_manifest(std::map<std::string, Bytes>& files,
                           const std::vector<ModelColumn>& columns) {
  table::Manifest manifest;
  for (const ModelColumn& column : columns) manifest.columns.push_back(column.described);
  const std::string text = table::manifest_text(manifest).value();
  const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
  files[table::kManifestName] = Bytes(bytes, bytes + text.size());
}

// Reads all columns, and says what fails.
inline Status read_all(const std::shared_ptr<MemoryFiles>& files, table::Failure& failure,
                       const DecodeConfig& config = {}) {
  const auto reader = table::Reader::open(files, config, &failure);
  if (!reader.ok()) return reader.status();
  table::Query query;
  for (std::size_t i = 0; i < reader->columns().size(); ++i) query.columns.push_back(i);
  const auto scan = table::Scan::create(*reader, query, &failure);
  if (!scan.ok()) return scan.status();
  table::Cursor cursor = table::Cursor::create(*scan).value();
  cursor.start(scan->all());
  for (table::Batch batch;;) {
    const Status status = cursor.next(batch, &failure);
    if (!status.ok() || batch.window_rows == 0) return status;
  }
}

}  // namespace numpact::testing
