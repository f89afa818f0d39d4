// SPDX-License-Identifier: Apache-2.0
// Collections of vectors that grow: folders of CVC files of version 2.0 with an index, which is
// replaced atomically (docs/format/cvc-collection.md).
//
//   WriteConfig config;
//   config.columns.emplace_back().dimension = 384;
//   CollectionWriter writer = CollectionWriter::open("documents", config).value();
//   writer.file().append(rows);
//   writer.commit().value();
//   Reader reader = open_collection("documents").value();
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "numpact/cvc/reader.hpp"
#include "numpact/cvc/writer.hpp"
#include "numpact/table_reader.hpp"

namespace numpact::cvc {

inline constexpr const char* kCollectionName = "collection.json";

// A last file of fewer rows is written again together with new ones, so that a collection has at
// most one file for this count of rows, whatever the number of appends. With 384 values of half
// precision these are 12 MiB, which are copied in a few milliseconds.
inline constexpr std::uint64_t kMinFileRows = std::uint64_t{1} << 14;

// The column of a collection that was made for rows without a name.
inline constexpr const char* kDefaultColumn = "vectors";

struct CollectionFile {
  std::string name;  // within the folder
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;  // CRC-32 of the whole file
};

// The files of a collection, in the order of their rows.
using CollectionIndex = std::vector<CollectionFile>;

// Reads the text of an index. kCorrupt: it is none, names a file outside of the folder, or the same
// twice; kUnsupportedVersion; kLimitExceeded: more than max_memory. `why` may receive a line for
// people.
NUMPACT_API Result<CollectionIndex> parse_collection(std::string_view json,
                                                     const DecodeLimits& limits = {},
                                                     std::string* why = nullptr) noexcept;

// "'vectors' (384 float32), 'id' (1 int64)"
NUMPACT_API std::string columns_text(const Info& info);

// For a new collection to which rows of a file are added, and for its columns alone. That of a file
// of one array has no name. Instead of lossless, which columns cannot have, they are pco.
NUMPACT_API std::vector<ColumnSpec> columns_like(const Info& info);

using table::Failure;

// Reads all files of a folder as one. They are mapped, so that rows stay readable if the collection
// grows; the result has those of one version of the index, whatever others append meanwhile. Links
// are followed within the folder only. verify() of the result also compares the checksums of the
// files. kIo: files cannot be opened; kCorrupt: a file is not as the index says; kInvalidArgument:
// the collection has no files yet; and the errors of parse_collection() and Reader::create().
NUMPACT_API Result<Reader> open_collection(const std::string& folder,
                                           const DecodeLimits& limits = {},
                                           Failure* failure = nullptr,
                                           CollectionIndex* index = nullptr) noexcept;

// Adds rows to a collection, which is made if the folder is missing or empty. From open() to
// commit() other writers wait. A process that is killed leaves the old rows, or all if commit() was
// about to return; the next writer removes its files. One thread at a time.
class NUMPACT_API CollectionWriter {
 public:
  // The columns may be left out if there are files: then they are those of the last one. Otherwise
  // they have to be the same, in any order, except for the compression, which applies to the new
  // rows; without one, theirs is that of the last file. A single column without a name is the only
  // one there is, or a new kDefaultColumn. The version is ignored; `metadata` is for new
  // collections, whose files all have it.
  //
  // kTimedOut and kCancelled as config.lock says; kIo; kTypeMismatch: a column has another type;
  // kInvalidArgument: other columns, or the folder holds other files and no collection.
  static Result<CollectionWriter> open(const std::string& folder, const WriteConfig& config = {},
                                       Failure* failure = nullptr) noexcept;
  // For rows of a file, whose columns the collection must have. Those of a new one are like them
  // (columns_like), with the metadata of the file unless the config has some. The columns of the
  // config are ignored.
  static Result<CollectionWriter> open_for(const std::string& folder, const Reader& rows,
                                           const WriteConfig& config = {},
                                           Failure* failure = nullptr) noexcept;
  CollectionWriter(CollectionWriter&& other) noexcept;
  CollectionWriter& operator=(CollectionWriter&& other) noexcept;
  ~CollectionWriter();

  // The new file, to which rows are appended; commit() finishes it. If the last file of the
  // collection has few rows, it begins with these.
  Writer& file() noexcept;
  // Adds all rows of another file, with its sections and the metadata of its chunks. Columns are
  // found by their names; a single one without a name is the only one. Checksums are compared.
  // Chunks are copied as they are stored, whatever the compressions of the collection; but small
  // ones are joined with the rows behind them where values stay the same, and lossless ones, which
  // columns cannot have, are encoded. kInvalidArgument, kTypeMismatch: other columns. After an
  // error the new file can only be given up.
  Status append(const Reader& rows, Failure* failure = nullptr) noexcept;
  // Its columns, with their compressions, in the order of the collection.
  const std::vector<ColumnSpec>& columns() const noexcept;
  // Rows and full chunks that the new file had at first.
  std::uint64_t copied_rows() const noexcept;
  std::uint64_t copied_chunks() const noexcept;

  // Adds the file to the collection. `rows` of the report are the new ones. Without any nothing
  // changes.
  Result<WriteReport> commit(Failure* failure = nullptr) noexcept;

 private:
  struct State;
  CollectionWriter();
  std::unique_ptr<State> state_;
};

}  // namespace numpact::cvc
