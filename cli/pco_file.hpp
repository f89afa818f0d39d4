// SPDX-License-Identifier: Apache-2.0
// Pco files: written from and read as columns of numbers.
#ifndef NUMPACT_CLI_PCO_FILE_HPP
#define NUMPACT_CLI_PCO_FILE_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "encode_options.hpp"
#include "files.hpp"
#include "numpact/random_access.hpp"
#include "numpact/stream.hpp"
#include "numpact/trailer.hpp"
#include "output_file.hpp"
#include "progress_bar.hpp"
#include "table.hpp"

namespace numpact::cli {

struct WrittenFile {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;          // all
  std::uint64_t trailer_bytes = 0;  // of these
};

struct WriteOptions {
  EncodeConfig config;
  bool verify = true;
  bool progress = true;
  FileRef append_to;                  // a file whose chunks come first, if any
  std::string append_name;            // of that file, for messages
  std::function<void()> after_piece;  // called when a piece of the input was taken, if set
};

// Encodes all of `input` into `file`, which the caller commits. `place` names the input. Counts
// what is new, and the bytes of the whole file.
WrittenFile write_pco(NumberInput& input, NumberType type, OutputFile& file,
                      const WriteOptions& options, const std::string& place);

// Numbers of a Pco file. Errors name the place, the byte offset and the chunk.
class PcoInput : public NumberInput {
 public:
  const std::string& place() const { return place_; }
  // None: the file is empty and does not say what of.
  const std::optional<NumberType>& type() const { return type_; }
  // Before the first next(): what one gives stays until the one after it has returned. By so many
  // numbers, if there is one thread.
  void keep_last(std::size_t piece_n) {
    keeps_last_ = true;
    if (!is_parallel_) piece_n_ = piece_n;
  }

 protected:
  PcoInput(std::string place, unsigned threads)
      : place_(std::move(place)), is_parallel_(threads != 1) {}
  // Memory for the next piece; `most` becomes how many numbers. Several threads need much to do.
  MutableNumberView piece(std::uint64_t most);

  std::string place_;
  std::optional<NumberType> type_;

 private:
  bool is_parallel_;
  bool keeps_last_ = false;
  std::size_t piece_n_ = 0;                   // 0: as many as usual
  std::unique_ptr<std::uint64_t[]> numbers_;  // what is not used is never touched
  std::unique_ptr<std::uint64_t[]> last_;     // if it is kept
};

// All of them, from first to last.
class PcoNumbers final : public PcoInput {
 public:
  // `dtype` is what an empty file without a number type is taken to hold.
  PcoNumbers(std::unique_ptr<ByteSource> source, std::string place, const DecodeConfig& config,
             std::optional<NumberType> dtype = std::nullopt);

  const FileHeader& header() const { return header_; }
  NumberView next() override;

  // Like next(), but errors come as a Status.
  Status try_next(NumberView& numbers);
  // After the last of them.
  Status try_check_trailer(TrailerState& state) { return reader_.try_check_trailer(state); }
  std::uint64_t bytes_consumed() const { return reader_.bytes_consumed(); }

 private:
  std::unique_ptr<ByteSource> source_;
  StreamReader reader_;
  FileHeader header_;
};

// All that is sound in a file that may be damaged.
class PcoSalvage final : public PcoInput {
 public:
  // Looks over the whole file.
  PcoSalvage(const FileRef& file, std::string place, const DecodeConfig& config,
             std::optional<NumberType> dtype = std::nullopt);

  NumberView next() override;
  const Verification& found() const { return found_; }

 private:
  FileBytes bytes_;
  DecodeConfig config_;
  DecodeContext context_;
  Verification found_;
  std::optional<FileReader> reader_;
  std::uint64_t at_ = 0;       // the next number
  std::size_t damage_at_ = 0;  // the next of found_.damage
};

// What is lost, a line for each range.
std::vector<std::string> losses(const Verification& found);

// Some of them, by their places. Of a file on disk no more is decoded than their chunks; of others
// all bytes are read into memory. The file is walked first.
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

// Limits for a walk over a file that makes no numbers but costs time for all that it says. A few
// bytes can say a lot: where the caller sets no limit of output that is higher, it stops at what
// few files of their size hold.
DecodeLimits walk_limits(const DecodeLimits& limits, std::uint64_t file_bytes);
// Fails as check() does; a limit of these in words that fit a walk.
void check_walk(const Status& status, const DecodeLimits& limits, const std::string& place);

// "8000 -> 1234 bytes (6.48x)".
std::string size_text(std::uint64_t raw_bytes, std::uint64_t bytes);

}  // namespace numpact::cli

#endif
