// SPDX-License-Identifier: Apache-2.0
#include "cvc/header/header_text.hpp"

#include <algorithm>
#include <cmath>

#include "base/internal.hpp"
#include "base/size.hpp"
#include "cvc/compression/codecs.hpp"
#include "cvc/header/frame.hpp"

namespace numpact::cvc::internal {
namespace {

using json::ArrayText;
using json::number_text;
using json::ObjectText;
using json::string_text;
using json::Style;

// 2^128, the smallest power of two that rounds to infinity in binary32.
constexpr double kPastFloat = 0x1p128;

// Replaces an infinite parameter of int8, which JSON cannot hold, by a number that is the same
// binary32.
double finite(double number) {
  if (!std::isinf(number)) return number;
  return number > 0 ? kPastFloat : -kPastFloat;
}

// Replaces a range with NaN: a minimum of -infinity and a scale of infinity also decode every code
// to NaN.
Slice with_finite_range(Slice slice) {
  if (std::isnan(slice.min) || std::isnan(slice.scale)) {
    slice.min = -kPastFloat;
    slice.scale = kPastFloat;
  }
  slice.min = finite(slice.min);
  slice.scale = finite(slice.scale);
  return slice;
}

class HeaderText {
 public:
  explicit HeaderText(const HeaderContent& content)
      : content_(content),
        style_(content.style()),
        is_columnar_(content.version == Version::kV20) {}

  // `first_record`: offset of the first record, which the paged layout needs.
  std::string text(std::uint64_t first_record);

 private:
  std::string count(std::uint64_t n) const { return std::to_string(n); }
  std::string compression(Compression value) const { return string_text(name_of(value)); }
  std::string columns() const;
  std::string sections() const;
  std::string chunks(std::uint64_t first_record);
  std::string chunk(const ChunkText& chunk, std::uint64_t first_row, std::uint64_t first_record);
  std::string chunk_columns(const ChunkText& chunk) const;
  // Lists the sections that have rows in a chunk; `is_empty` tells whether there are none.
  std::string chunk_sections(std::uint64_t first_row, std::uint64_t end_row, bool& is_empty);
  void add_range(ObjectText& object, const Slice& slice) const;

  const HeaderContent& content_;
  Style style_;
  bool is_columnar_;
  std::size_t section_ = 0;  // sections before this one end before the current chunk
};

void HeaderText::add_range(ObjectText& object, const Slice& slice) const {
  if (codec_of(slice.compression).ranges != RangeScope::kHeader) return;
  const Slice range = with_finite_range(slice);
  object.add("min", number_text(range.min));
  object.add("scale", number_text(range.scale));
}

std::string HeaderText::columns() const {
  ArrayText list(style_);
  for (const Column& column : content_.columns) {
    ObjectText object;
    object.add("name", string_text(column.name));
    object.add("dimension", count(column.dimension));
    object.add("dtype", string_text(name_of(column.dtype)));
    object.add("compression", compression(column.compression));
    if (column.is_vector && column.dimension == 1) object.add("vector", "true");
    list.add(object.text(style_));
  }
  return list.text();
}

std::string HeaderText::sections() const {
  ArrayText list(style_);
  for (const SectionText& section : content_.sections) {
    ObjectText object;
    object.add("start_index", count(section.rows.first));
    object.add("end_index", count(section.rows.first + section.rows.count));
    object.add("num_vectors", count(section.rows.count));
    object.add("metadata", section.metadata);
    list.add(object.text(style_));
  }
  return list.text();
}

std::string HeaderText::chunk_columns(const ChunkText& chunk) const {
  ObjectText object;
  for (std::size_t i = 0; i < content_.columns.size(); ++i) {
    const Slice& slice = chunk.slices[i];
    ObjectText entry;
    entry.add("compression", compression(slice.compression));
    entry.add("offset", count(slice.offset));
    entry.add("size", count(slice.size));
    add_range(entry, slice);
    object.add(content_.columns[i].name, entry.text(style_));
  }
  return object.text(style_);
}

std::string HeaderText::chunk_sections(std::uint64_t first_row, std::uint64_t end_row,
                                       bool& is_empty) {
  const auto end_of = [](const RowRange& rows) { return rows.first + rows.count; };
  while (section_ < content_.sections.size() &&
         end_of(content_.sections[section_].rows) <= first_row) {
    ++section_;
  }
  ArrayText list(style_);
  for (std::size_t i = section_; i < content_.sections.size(); ++i) {
    const SectionText& section = content_.sections[i];
    const std::uint64_t start = section.rows.first;
    const std::uint64_t end = end_of(section.rows);
    if (start >= end_row) break;
    ObjectText object;
    object.add("metadata", section.metadata);
    object.add("start_in_chunk", count(std::max(start, first_row) - first_row));
    object.add("end_in_chunk", count(std::min(end, end_row) - first_row));
    object.add("section_start", count(start));
    object.add("section_end", count(end));
    list.add(object.text(style_));
  }
  is_empty = list.is_empty();
  return list.text();
}

std::string HeaderText::chunk(const ChunkText& chunk, std::uint64_t first_row,
                              std::uint64_t first_record) {
  ObjectText object;
  object.add("rows", count(chunk.rows));
  if (is_columnar_) {
    object.add("columns", chunk_columns(chunk));
  } else {
    object.add("compression", compression(chunk.slices[0].compression));
    add_range(object, chunk.slices[0]);
  }
  if (chunk.metadata) object.add("metadata", *chunk.metadata);
  if (content_.has_sections) {
    bool is_empty = false;
    std::string list = chunk_sections(first_row, first_row + chunk.rows, is_empty);
    if (!is_empty || !is_columnar_) object.add("sections", std::move(list));
  }
  if (content_.is_paged) object.add("file_offset", count(first_record + chunk.offset));
  return object.text(style_);
}

std::string HeaderText::chunks(std::uint64_t first_record) {
  ArrayText list(style_);
  std::uint64_t row = 0;
  section_ = 0;
  for (const ChunkText& entry : content_.chunks) {
    list.add(chunk(entry, row, first_record));
    row += entry.rows;
  }
  return list.text();
}

std::string HeaderText::text(std::uint64_t first_record) {
  std::uint64_t rows = 0;
  for (const ChunkText& entry : content_.chunks) rows += entry.rows;
  ObjectText object;
  if (is_columnar_) object.add("format_type", string_text("columnar"));
  object.add("num_vectors", count(rows));
  if (is_columnar_) {
    object.add("columns", columns());
  } else {
    object.add("dimension", count(content_.columns[0].dimension));
    object.add("compression", compression(content_.columns[0].compression));
  }
  if (content_.has_sections) object.add("sections", sections());
  object.add("chunks", chunks(first_record));
  if (content_.is_paged) object.add("mmap_optimized", "true");
  if (content_.metadata) object.add("metadata", *content_.metadata);
  return object.text(style_);
}

void append_number(std::string& out, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

constexpr std::uint64_t round_up(std::uint64_t n) {
  return (n + kPageBytes - 1) / kPageBytes * kPageBytes;
}

}  // namespace

Status header_bytes(const HeaderContent& content, std::string& out) {
  HeaderText header(content);
  const std::uint64_t head = content.version == Version::kV01 ? 8 : 12;
  std::string text = header.text(0);
  std::uint64_t first_record = head + text.size();
  if (content.is_paged) {
    // Larger offsets have more digits, so the header may grow past the end of the page.
    first_record = round_up(first_record);
    text = header.text(first_record);
    while (head + text.size() > first_record) {
      first_record = round_up(head + text.size());
      text = header.text(first_record);
    }
  }
  if (text.size() > UINT32_MAX) {
    return Status(ErrorKind::kInvalidArgument, "the header is longer than the format allows");
  }
  out.assign(kMagic, sizeof kMagic);
  if (content.version != Version::kV01) {
    append_number(out, content.version == Version::kV10 ? 1 : 2, 2);
    append_number(out, 0, 2);
  }
  append_number(out, text.size(), 4);
  out += text;
  out.resize(to_size(first_record), '\0');
  return {};
}

}  // namespace numpact::cvc::internal
