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
};

inline void store(std::byte* at, std::uint64_t bits, std::size_t size) {
  std::memcpy(at, &bits, size);
}
inline std::uint64_t load(const std::byte* at, std::size_t size) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, size);
  return bits;
}

// Writes the files of a column, and completes its description.
inline void write_column(std::map<std::string, Bytes>& files, ModelColumn& column,
                         EncodeConfig config) {
  table::Column& described = column.described;
  const std::size_t size = size_of(described.type);
  Bytes numbers;
  std::vector<std::uint64_t> runs;
  bool is_null = true;  // of the last run
  for (const auto& row : column.rows) {
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
  described.count = numbers.size() / size;
  described.null_count = column.rows.size() - described.count;
  described.file = described.name + ".pco";
  files[described.file] = compress(NumberView(described.type, numbers.data(),
                                              static_cast<std::size_t>(described.count)),
                                   config)
                              .value();
  if (described.null_count == 0) return;
  described.null_file = table::null_file_name(described.file);
  config.paging = {};
  files[described.null_file] = compress(runs, config).value();
}

inline void write_manifest(std::map<std::string, Bytes>& files,
                           const std::vector<ModelColumn>& columns) {
  table::Manifest manifest;
  for (const ModelColumn& column : columns) manifest.columns.push_back(column.described);
  const std::string text = table::manifest_text(manifest).value();
  const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
  files[table::kManifestName] = Bytes(bytes, bytes + text.size());
}

}  // namespace numpact::testing
