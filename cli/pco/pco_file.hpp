// SPDX-License-Identifier: Apache-2.0
// Writes and reads Pco files as columns of numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/encode_options.hpp"
#include "formats/table.hpp"
#include "io/files.hpp"
#include "io/kept_memory.hpp"
#include "io/output_file.hpp"
#include "numpact/random_access.hpp"
#include "numpact/stream.hpp"
#include "numpact/trailer.hpp"
#include "report/progress_bar.hpp"

namespace numpact::cli {

struct WrittenFile {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;          // size of the whole file
  std::uint64_t trailer_bytes = 0;  // size of the trailer, included in `bytes`
};

struct WriteOptions {
  EncodeConfig config;
  bool verify = true;
  bool progress = true;
  FileRef append_to;        // file whose chunks are copied first, if any
  std::string append_name;  // its name in messages
  // Of the encoder. Copies share it.
  std::shared_ptr<KeptMemory> memory = std::make_shared<KeptMemory>();
};

// Keeps the restart points of the file to append to unless others are requested.
void keep_restart_points(const FileRef& old, WriteOptions& options);

// Encodes all of `input` into `file`, which the caller commits. `place` names the input. Returns
// the count of new numbers and the size of the whole file.
WrittenFile write_pco(NumberInput& input, NumberType type, OutputFile& file,
                      const WriteOptions& options, const std::string& place);

// Whether the input begins with the first bytes of a standalone Pco file.
bool begins_as_pco(Input& input);

// A byte source that owns its bytes.
class OwnedBytes final : public ByteSource {
 public:
  explicit OwnedBytes(std::vector<std::byte> bytes) : bytes_(std::move(bytes)), source_(bytes_) {}
  Result<std::size_t> read(std::span<std::byte> out) override { return source_.read(out); }

 private:
  std::vector<std::byte> bytes_;
  MemorySource source_;
};

// The numbers of a Pco file. Errors name the place, the byte offset and the chunk.
class PcoInput : public NumberInput {
 public:
  const std::string& place() const { return place_; }
  // None if the file is empty and does not state its type.
  const std::optional<NumberType>& type() const { return type_; }
  // To be called before the first next(). A returned block then stays valid until the following
  // next() has returned. `block_n`: numbers per block if there is one thread.
  void keep_last(std::size_t block_n) {
    keeps_last_ = true;
    if (!is_parallel_) block_n_ = block_n;
  }

 protected:
  PcoInput(std::string place, unsigned threads)
      : place_(std::move(place)), is_parallel_(threads != 1) {}
  // Returns a buffer for the next block, of at most `max_n` numbers. Blocks are larger with several
  // threads, to give each enough work.
  MutableNumberView block_buffer(std::uint64_t max_n);

  std::string place_;
  std::optional<NumberType> type_;

 private:
  bool is_parallel_;
  bool keeps_last_ = false;
  std::size_t block_n_ = 0;  // numbers per block; 0: not yet determined
  // Uninitialised, so that unused memory is never touched.
  std::unique_ptr<std::uint64_t[]> numbers_;
  std::unique_ptr<std::uint64_t[]> last_;  // the previous block, if it is kept
};

// All numbers, from first to last.
class PcoNumbers final : public PcoInput {
 public:
  // `dtype`: the type to assume for an empty file that does not state one.
  PcoNumbers(std::unique_ptr<ByteSource> source, std::string place, const DecodeConfig& config,
             std::optional<NumberType> dtype = std::nullopt);

  const FileHeader& header() const { return header_; }
  NumberView next() override;

  // Like next(), but returns errors as a Status.
  Status try_next(NumberView& numbers);
  // To be called after the last number.
  Result<TrailerState> check_trailer() { return reader_.check_trailer(); }
  FileEnd file_end() const { return reader_.file_end(); }
  std::uint64_t bytes_consumed() const { return reader_.bytes_consumed(); }

 private:
  std::unique_ptr<ByteSource> source_;
  StreamReader reader_;
  FileHeader header_;
};

// All numbers in intact chunks of a file that may be damaged.
class PcoRecovery final : public PcoInput {
 public:
  // Scans the whole file.
  PcoRecovery(const FileRef& file, std::string place, const DecodeConfig& config,
              std::optional<NumberType> dtype = std::nullopt);

  NumberView next() override;
  const Verification& found() const { return found_; }

 private:
  FileBytes bytes_;
  DecodeConfig config_;
  DecodeContext context_;
  Verification found_;
  std::optional<FileReader> reader_;
  std::uint64_t at_ = 0;       // index of the next number
  std::size_t damage_at_ = 0;  // index of the next entry of found_.damage
};

// The numbers of several files, one after another, which all have one type.
class PcoParts final : public PcoInput {
 public:
  explicit PcoParts(std::string place) : PcoInput(std::move(place), 1) {}
  void add(std::unique_ptr<PcoInput> part);
  NumberView next() override;

 private:
  std::vector<std::unique_ptr<PcoInput>> parts_;
  std::size_t at_ = 0;
};

// Describes the lost numbers, one line per range.
std::vector<std::string> losses(const Verification& found);

// A range of numbers. In a regular file only the chunks of the range are decoded; other inputs are
// read into memory. The file is walked first.
class PcoRange final : public PcoInput {
 public:
  PcoRange(const FileRef& file, std::string place, const NumberRange& range,
           const DecodeConfig& config, std::optional<NumberType> dtype = std::nullopt);

  NumberView next() override;
  std::optional<std::uint64_t> count() const override { return range_.count; }

 private:
  FileBytes bytes_;
  NumberRange range_;
  DecodeConfig config_;
  DecodeContext context_;
  std::optional<FileReader> reader_;
  std::uint64_t done_ = 0;
};

// Limits for walking a file without decoding it. A walk still takes time for every number that the
// file claims, and a few bytes can claim many. Unless the caller allows more output, the walk stops
// beyond what files of this size normally hold.
DecodeLimits walk_limits(const DecodeLimits& limits, std::uint64_t file_bytes);
// Fails as check() does. If one of these limits was exceeded, the message explains the walk.
void check_walk(const Status& status, const DecodeLimits& limits, const std::string& place);

// "8000 -> 1234 bytes (6.48x)".
std::string size_text(std::uint64_t raw_bytes, std::uint64_t bytes);

}  // namespace numpact::cli
