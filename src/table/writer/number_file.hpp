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
#include "numpact/lossy.hpp"
#include "numpact/stream.hpp"
#include "numpact/table.hpp"
#include "numpact/types.hpp"
#include "table/writer/new_file.hpp"

namespace numpact::internal {

// How a file with `count` numbers is read by the threads that encode: several of them decode chunks
// at the same time.
struct BlockReading {
  BlockReading(const EncodeConfig& encode, std::uint64_t count);
  DecodeConfig config;
  std::size_t numbers;  // of a block
};

// A Pco file that is written, and then decoded to compare it with what went in.
class NumberFile {
 public:
  Status create(const std::string& path, bool is_private, bool stays_open, NumberType type,
                const EncodeConfig& config, std::uint64_t rows, std::pmr::memory_resource* memory);
  Status add(const NumberView& numbers);
  Status finish(bool verify);

  NewFile& file() { return file_; }
  std::uint64_t count() const { return count_; }

 private:
  Status check_written() const;

  NewFile file_;
  EncodeConfig config_;
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
    bool stays_open = true;
    std::pmr::memory_resource* memory = nullptr;  // of the encoders
  };

  explicit NumberPartFiles(Options options) : options_(std::move(options)) {}
  Status create();
  // Rounds the numbers that are added from now on; null: stores them as they are.
  void set_rounder(Rounder* rounder) { rounder_ = rounder; }
  // As TableWriter::write().
  Status add(const NumberView& rows, std::span<const std::uint8_t> valid);
  // The same in two steps, in any order: numbers without those of null rows, and the rows.
  Status add_numbers(const NumberView& numbers);
  Status add_run(bool is_null, std::uint64_t rows);
  Status finish(table::NumberPart& part);
  std::uint64_t rows() const { return rows_; }
  bool has_nulls() const { return nulls_ > 0; }
  const EncodeConfig& config() const { return options_.config; }
  // Adds the files to a list.
  void list(std::vector<NewFile*>& files) {
    files.push_back(&numbers_.file());
    if (has_nulls()) files.push_back(&null_runs_.file());
  }

 private:
  Status flush_runs();

  Options options_;
  NumberFile numbers_;
  NumberFile null_runs_;
  Rounder* rounder_ = nullptr;
  std::vector<std::byte> rounded_;   // the numbers of a block
  std::vector<std::byte> kept_;      // the numbers of a block without those of null rows
  std::vector<std::uint64_t> runs_;  // complete ones
  std::uint64_t run_ = 0;            // rows of the last one
  bool is_null_ = false;             // of the last one
  std::uint64_t rows_ = 0;
  std::uint64_t nulls_ = 0;
};

}  // namespace numpact::internal
