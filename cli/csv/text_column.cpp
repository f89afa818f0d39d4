// SPDX-License-Identifier: Apache-2.0
#include "csv/text_column.hpp"

#include <algorithm>
#include <memory>
#include <span>

#include "io/give_back.hpp"
#include "text/literals.hpp"
#include "text/utf8.hpp"

namespace numpact::cli {
namespace {

// Rows and bytes that a column buffers before they go to the spool.
constexpr std::size_t kPendingRows = 512;
constexpr std::size_t kPendingBytes = std::size_t{1} << 14;
// Bytes after which a block of texts ends, so that long texts do not take memory for all rows.
constexpr std::uint64_t kBlockBytes = std::uint64_t{16} << 20;

}  // namespace

bool is_null_field(const CsvField& field, const CsvDialect& dialect) {
  if (field.text.empty() && !field.is_quoted) return true;
  const std::vector<std::string>& words = dialect.null_values;
  if (words.empty()) return false;
  return std::find(words.begin(), words.end(), without_blanks(field.text)) != words.end();
}

// Reads a column back from the spool.
class CsvTexts final : public TextInput {
 public:
  explicit CsvTexts(const CsvTextColumn& column) : column_(column) {}

  const TextBlock& next() override {
    block_ = TextBlock();
    const auto rows =
        static_cast<std::size_t>(std::min<std::uint64_t>(kOtherBatchRows, column_.rows_ - row_));
    std::vector<std::uint64_t> sizes(rows);
    column_.spool_.read(column_.sizes_, row_ * sizeof(std::uint64_t),
                        std::as_writable_bytes(std::span(sizes)));
    std::uint64_t end = 0;
    for (const std::uint64_t size : sizes) {
      const bool is_null = size == CsvTextColumn::kNull;
      end += is_null ? 0 : size;
      block_.add_row(end, is_null);
      if (end >= kBlockBytes) break;
    }
    block_.bytes.resize(static_cast<std::size_t>(end));
    column_.spool_.read(column_.bytes_, byte_, std::as_writable_bytes(std::span(block_.bytes)));
    row_ += block_.rows();
    byte_ += end;
    return block_;
  }

 private:
  const CsvTextColumn& column_;
  std::uint64_t row_ = 0;
  std::uint64_t byte_ = 0;
  TextBlock block_;
};

void CsvTextColumn::add(const CsvField& field) {
  const bool is_null = is_null_field(field, dialect_);
  pending_sizes_.push_back(is_null ? kNull : field.text.size());
  if (!is_null) {
    if (first_not_utf8(field.text)) not_utf8_.add(field.line, field.text);
    pending_bytes_ += field.text;
  }
  ++rows_;
  if (pending_sizes_.size() == kPendingRows || pending_bytes_.size() >= kPendingBytes) flush();
}

void TextPart::parse(const RecordBlock& block, std::size_t column, const CsvDialect& dialect) {
  bytes_.clear();
  sizes_.clear();
  not_utf8_n_ = 0;
  for (std::size_t row = 0; row < block.rows(); ++row) {
    const std::string_view text = block.text(row, column);
    if (is_null_field({text, block.is_quoted(row, column), 0}, dialect)) {
      sizes_.push_back(CsvTextColumn::kNull);
      continue;
    }
    if (first_not_utf8(text) && not_utf8_n_++ == 0) first_not_utf8_ = row;
    sizes_.push_back(text.size());
    bytes_ += text;
  }
}

void CsvTextColumn::add_part(const TextPart& part, const RecordBlock& block, std::size_t column,
                             std::uint64_t first_line) {
  flush();
  spool_.append(bytes_, std::as_bytes(std::span(part.bytes_)));
  spool_.append(sizes_, std::as_bytes(std::span(part.sizes_)));
  rows_ += part.sizes_.size();
  if (part.not_utf8_n_ == 0) return;
  const std::size_t row = part.first_not_utf8_;
  not_utf8_.add(part.not_utf8_n_, first_line + block.line(row, column), block.text(row, column));
}

void CsvTextColumn::finish() {
  flush();
  give_back(pending_bytes_);
  give_back(pending_sizes_);
}

void CsvTextColumn::flush() {
  spool_.append(bytes_, std::as_bytes(std::span(pending_bytes_)));
  spool_.append(sizes_, std::as_bytes(std::span(pending_sizes_)));
  pending_bytes_.clear();
  pending_sizes_.clear();
}

std::unique_ptr<TextInput> CsvTextColumn::open() const { return std::make_unique<CsvTexts>(*this); }

}  // namespace numpact::cli
