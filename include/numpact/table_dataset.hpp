// SPDX-License-Identifier: Apache-2.0
// Datasets: folders of tables, whose names stand for values of columns, and the index of them
// (docs/format/table-folder.md). Functions are thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "numpact/error.hpp"
#include "numpact/table.hpp"

namespace numpact::table {

inline constexpr std::string_view kDatasetIndexName = "dataset.json";
// Bytes of an index. Those of 10,000 folders with 50 columns take about as many.
inline constexpr std::size_t kMaxDatasetIndexBytes = std::size_t{256} << 20;
// Digits of whole numbers that folders are named by: all such numbers fit in 64 bits.
inline constexpr std::size_t kMaxPartitionDigits = 18;
// Folders that one table is divided among at most: a column with more values was not meant.
inline constexpr std::size_t kMaxPartitions = std::size_t{1} << 14;
// The value that is a null, as in Hive, Spark and DuckDB; an empty one is, too.
inline constexpr std::string_view kNullPartition = "__HIVE_DEFAULT_PARTITION__";

// Whether a folder of this name holds a part of a table: "day=2024-01-01", "part-0001". Hidden ones
// are unfinished: ".day=2024-01-01.123-0a1b.tmp".
NUMPACT_API bool is_partition(std::string_view name) noexcept;

// The name of the folder with the rows in which a column has a value. `value`: its text; none:
// null. `is_whole`: it is a whole number.
//
// Errors: kInvalidArgument: no name stands for the value or the column; `why`, if not null, is set
// to a sentence that names both.
NUMPACT_API Result<std::string> partition_name(std::string_view column,
                                               const std::optional<std::string>& value,
                                               bool is_whole, std::string* why = nullptr) noexcept;

// The size of a file in bytes, and its last ones: all, or those of its trailer if it has one.
struct FileTail {
  std::uint64_t bytes = 0;
  std::span<const std::byte> tail;  // valid until the next call
};
using ReadTail = std::function<FileTail(const std::string& file, bool is_whole)>;

// What an index says of a table: JSON, the members of its object but for its schema.
//
// `path`: from the root of the dataset. `manifest`: its text. `coded`: which of its others have
// dictionaries. Errors: as of parse_manifest(); kInvalidArgument: the path is not UTF-8. Throws
// what `read` throws, and std::bad_alloc.
NUMPACT_API Result<std::string> dataset_entry(std::string_view path, std::string_view manifest,
                                              std::span<const std::uint64_t> coded,
                                              const ReadTail& read);

// The text of an index: the schema of each table, a message of Arrow IPC, and its entry, in this
// order. kLimitExceeded: it would be longer than readers accept.
NUMPACT_API Result<std::string> dataset_index_text(
    std::span<const std::pair<std::string, std::string>> tables) noexcept;

}  // namespace numpact::table
