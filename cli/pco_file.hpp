// SPDX-License-Identifier: Apache-2.0
// Pco files: written from and read as columns of numbers.
#ifndef NUMPACT_CLI_PCO_FILE_HPP
#define NUMPACT_CLI_PCO_FILE_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files.hpp"
#include "numpact/stream.hpp"
#include "output_file.hpp"
#include "progress_bar.hpp"
#include "table.hpp"

namespace numpact::cli {

struct WrittenFile {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

struct WriteOptions {
  EncodeConfig config;
  bool verify = true;
  bool progress = true;
};

// Encodes all of `input` into `file`, which the caller commits. `place` names the input.
WrittenFile write_pco(NumberInput& input, NumberType type, OutputFile& file,
                      const WriteOptions& options, const std::string& place);

// The numbers of a Pco file. Errors name the place, the byte offset and the chunk.
class PcoNumbers final : public NumberInput {
 public:
  // `dtype` is what an empty file without a number type is taken to hold.
  PcoNumbers(std::unique_ptr<ByteSource> source, std::string place, const DecodeConfig& config,
             std::optional<NumberType> dtype = std::nullopt);
  // Of the file at a path.
  PcoNumbers(const std::string& path, const DecodeConfig& config);

  const std::string& place() const { return place_; }
  const FileHeader& header() const { return header_; }
  // None: the file is empty and does not say what of.
  const std::optional<NumberType>& type() const { return type_; }
  NumberView next() override;

  // Like next(), but errors come as a Status.
  Status try_next(NumberView& numbers);
  std::uint64_t bytes_consumed() const { return reader_.bytes_consumed(); }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string place_;
  StreamReader reader_;
  FileHeader header_;
  std::optional<NumberType> type_;
  std::vector<std::uint64_t> numbers_;
};

// "8000 -> 1234 bytes (6.48x)".
std::string size_text(std::uint64_t raw_bytes, std::uint64_t bytes);

}  // namespace numpact::cli

#endif
