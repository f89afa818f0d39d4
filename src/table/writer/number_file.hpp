// SPDX-License-Identifier: Apache-2.0
// Writes the files of a part of a column of numbers.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/internal.hpp"
#include "numpact/config.hpp"
#include "numpact/stream.hpp"
#include "numpact/table.hpp"
#include "numpact/types.hpp"

namespace numpact::internal {

// A new file, as a sink. Removed by the destructor unless it was closed and kept.
class NewFile final : public ByteSink {
 public:
  NewFile() = default;
  ~NewFile() override;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  // kIo: it exists, or cannot be made. `is_private`: only the owner has access until access is
  // taken over from another file.
  Status create(const std::string& path, bool is_private);
  Status write(std::span<const std::byte> bytes) override;
  // What is read back must be what was written.
  Status close();
  Status sync();
  // Gives it the access of another file.
  Status take_access_of(const std::string& path);
  void keep() { path_.clear(); }

  bool is_open() const { return descriptor_ >= 0; }
  const std::string& path() const { return path_; }
  table::FileSum sum() const { return {size_, crc_}; }

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::uint32_t crc_ = 0;
};

// A Pco file that is written, and then decoded to compare it with what went in.
class NumberFile {
 public:
  Status create(const std::string& path, bool is_private, NumberType type,
                const EncodeConfig& config, std::uint64_t rows, std::pmr::memory_resource* memory);
  Status add(const NumberView& numbers);
  Status finish(bool verify);

  NewFile& file() { return file_; }
  std::uint64_t count() const { return count_; }

 private:
  Status check_written() const;

  NewFile file_;
  std::optional<StreamWriter> writer_;
  NumberType type_ = NumberType::kU8;
  std::uint64_t count_ = 0;
  std::uint32_t crc_ = 0;  // of the numbers
};

// The numbers and the null runs of rows.
class NumberPartFiles {
 public:
  struct Options {
    std::string folder;
    std::string file;
    std::string null_file;
    NumberType type = NumberType::kU8;
    EncodeConfig config = {};
    std::uint64_t rows = 0;  // 0: not known
    bool verify = true;
    bool is_private = false;
    std::pmr::memory_resource* memory = nullptr;  // of the encoders
  };

  explicit NumberPartFiles(Options options) : options_(std::move(options)) {}
  Status create();
  // As TableWriter::write().
  Status add(const NumberView& rows, std::span<const std::uint8_t> valid);
  Status finish(table::NumberPart& part);
  std::uint64_t rows() const { return rows_; }
  bool has_nulls() const { return nulls_ > 0; }
  // Calls call(file) for each file.
  template <class Call>
  Status for_each(Call&& call) {
    const Status status = call(numbers_.file());
    return status.ok() && has_nulls() ? call(null_runs_.file()) : status;
  }

 private:
  Status add_run(bool is_null, std::uint64_t rows);
  Status flush_runs();

  Options options_;
  NumberFile numbers_;
  NumberFile null_runs_;
  std::vector<std::byte> kept_;      // the numbers of a block without those of null rows
  std::vector<std::uint64_t> runs_;  // complete ones
  std::uint64_t run_ = 0;            // rows of the last one
  bool is_null_ = false;             // of the last one
  std::uint64_t rows_ = 0;
  std::uint64_t nulls_ = 0;
};

}  // namespace numpact::internal
