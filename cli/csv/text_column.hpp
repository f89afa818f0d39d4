// SPDX-License-Identifier: Apache-2.0
// The texts of one column of a CSV file, in bounded memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "csv/dialect.hpp"
#include "csv/occurrence.hpp"
#include "csv/record_block.hpp"
#include "csv/record_reader.hpp"
#include "formats/others.hpp"
#include "io/spool.hpp"

namespace numpact::cli {

// Whether a field is a null: empty without quotes, or one of the dialect's words for it.
bool is_null_field(const CsvField& field, const CsvDialect& dialect);

// The texts of one column in one block of records, made apart from other blocks.
class TextPart {
 public:
  void parse(const RecordBlock& block, std::size_t column, const CsvDialect& dialect);

 private:
  friend class CsvTextColumn;
  std::string bytes_;
  std::vector<std::uint64_t> sizes_;
  std::uint64_t not_utf8_n_ = 0;
  std::size_t first_not_utf8_ = 0;  // its row
};

class CsvTextColumn {
 public:
  // `dialect` and `spool` must outlive the column.
  CsvTextColumn(const CsvDialect& dialect, Spool& spool)
      : dialect_(dialect), spool_(spool), bytes_(spool.add_stream()), sizes_(spool.add_stream()) {}

  void add(const CsvField& field);
  // Adds the rows of a block, the first line of which is `first_line`.
  void add_part(const TextPart& part, const RecordBlock& block, std::size_t column,
                std::uint64_t first_line);
  // To be called after the last field.
  void finish();

  std::uint64_t rows() const { return rows_; }
  // The texts that are not UTF-8, and so cannot be kept.
  const Occurrence& not_utf8() const { return not_utf8_; }
  // Reads the texts from first to last. The column must outlive the result.
  std::unique_ptr<TextInput> open() const;

 private:
  friend class CsvTexts;
  friend class TextPart;
  // A null in the spool, in place of the size of a text.
  static constexpr std::uint64_t kNull = ~std::uint64_t{0};

  void flush();

  const CsvDialect& dialect_;
  Spool& spool_;
  Spool::Stream bytes_;
  Spool::Stream sizes_;
  std::string pending_bytes_;
  std::vector<std::uint64_t> pending_sizes_;
  std::uint64_t rows_ = 0;
  Occurrence not_utf8_;
};

}  // namespace numpact::cli
