// SPDX-License-Identifier: Apache-2.0
// Writing CVC files, chunk by chunk as rows come in.
#ifndef NUMPACT_CVC_WRITER_HPP
#define NUMPACT_CVC_WRITER_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numpact/cvc/types.hpp"
#include "numpact/cvc/write_config.hpp"
#include "numpact/error.hpp"

namespace numpact::cvc {

// Writes one file. Not for two threads at once. After an error the file cannot be finished. A file
// on disk gets its name when it is finished, in one step; until then, and if it never is, whatever
// has that name stays as it was.
class NUMPACT_API Writer {
 public:
  // Appends to nothing: `out` is replaced when the file is finished, and must live until then.
  static Result<Writer> create(std::vector<std::byte>& out, const WriteConfig& config) noexcept;
  static Result<Writer> create(const std::string& path, const WriteConfig& config) noexcept;
  Writer(std::vector<std::byte>& out, const WriteConfig& config);
  Writer(const std::string& path, const WriteConfig& config);
  ~Writer();
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;

  // Rows of a file of one array: float32, float64, float16 or integers, always of the same type.
  // lossless and pco refuse a value that float32 does not hold as it is (kInvalidArgument).
  Status try_append(const Rows& rows) noexcept;
  // Rows of a columnar file: as many for each column of the schema, in its order and types.
  Status try_append(std::span<const Rows> columns) noexcept;
  // Makes a chunk of its own, behind the rows at hand, of a payload that is copied as it is. Its
  // compressions may be others than the WriteConfig's, but must be such as the version has. A file
  // of one array needs WriteConfig::dimension. Nothing is decoded: sizes are checked, values are
  // not. kCorrupt if the payload is not what the slices say.
  Status try_append_encoded(const EncodedChunk& chunk) noexcept;
  // A section whose rows are known, appended already or not yet; in the order of first rows. Ends
  // the section at hand.
  Status try_add_section(const RowRange& rows, std::string_view metadata) noexcept;
  // Rows appended from now on belong to a new section. The JSON metadata may be any value.
  Status try_begin_section(std::string_view metadata) noexcept;
  // Rows appended from now on belong to none.
  Status try_end_section() noexcept;
  // The rows at hand become a chunk, however few they are.
  Status try_end_chunk() noexcept;
  // For the chunk of this index; before it is full.
  Status try_set_chunk(std::uint64_t chunk, const ChunkOptions& options) noexcept;
  // Writes what is left and the header. Nothing can be appended afterwards.
  Status try_finish(WriteReport* report = nullptr) noexcept;

  // The value that the last error was about, in words: "column 'text': row 3, dimension 2 (nan)",
  // rows counted from the first of the file. Empty if the error was about none. Valid until the
  // next call.
  const std::string& error_place() const noexcept;

  // The same, throwing Error, whose text has error_place().
  void append(const Rows& rows) { throw_at_place(try_append(rows)); }
  void append(std::span<const Rows> columns) { throw_at_place(try_append(columns)); }
  void append_encoded(const EncodedChunk& chunk) { throw_at_place(try_append_encoded(chunk)); }
  void add_section(const RowRange& rows, std::string_view metadata) {
    throw_if_error(try_add_section(rows, metadata));
  }
  void begin_section(std::string_view metadata) { throw_if_error(try_begin_section(metadata)); }
  void end_section() { throw_if_error(try_end_section()); }
  void end_chunk() { throw_at_place(try_end_chunk()); }
  void set_chunk(std::uint64_t chunk, const ChunkOptions& options) {
    throw_if_error(try_set_chunk(chunk, options));
  }
  WriteReport finish() {
    WriteReport report;
    throw_at_place(try_finish(&report));
    return report;
  }

 private:
  struct Impl;
  void throw_at_place(const Status& status) const {
    if (error_place().empty()) throw_if_error(status);
    if (!status.ok()) numpact::detail::throw_error(status, error_place());
  }
  explicit Writer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace numpact::cvc

#endif
