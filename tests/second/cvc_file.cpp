// SPDX-License-Identifier: Apache-2.0
// docs/format/cvc.md: framing and headers.
#include <libdeflate.h>

#include <algorithm>

#include "second/cvc_parts.hpp"
#include "second/json_plain.hpp"

namespace numpact::second {
namespace {

struct Front {
  unsigned major = 0;
  unsigned minor = 1;
  std::size_t header_at = 8;
  std::uint64_t header_bytes = 0;
};

bool opens_object(ByteSpan file, std::size_t at) {
  while (at < file.size() && is_white_space(std::to_integer<char>(file[at]))) ++at;
  return at < file.size() && file[at] == std::byte{'{'};
}

Front read_front(ByteSpan file) {
  refuse_if(integer_at(file, 0, 4) != 0x46435643, "another magic number");
  Front old;
  old.header_bytes = integer_at(file, 4, 4);
  const bool fits_old = old.header_bytes <= file.size() - 8 && opens_object(file, 8);
  if (file.size() >= 12) {
    Front front{static_cast<unsigned>(integer_at(file, 4, 2)),
                static_cast<unsigned>(integer_at(file, 6, 2)), 12, integer_at(file, 8, 4)};
    if (front.major >= 1 && front.major <= 10 && front.minor <= 100 &&
        front.header_bytes <= file.size() - 12 && opens_object(file, 12)) {
      refuse_if(front.major > 2, "a major version above 2");
      return front;
    }
  }
  refuse_if(!fits_old, "a header of no version");
  return old;
}

// The encoded values of a column in a chunk, and their position in the payload.
struct ChunkSlice {
  std::size_t column = 0;
  Encoding encoding;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

class File {
 public:
  File(ByteSpan file, const CvcLimits& limits, PlainCvc& result)
      : file_(file), limits_(limits), result_(result) {}

  void read() {
    front_ = read_front(file_);
    result_.major = front_.major;
    result_.minor = front_.minor;
    const ByteSpan text = file_.subspan(front_.header_at, front_.header_bytes);
    const Json header = parse_json({reinterpret_cast<const char*>(text.data()), text.size()});
    header.as(Json::Kind::kObject, "header");
    const Json* const format = header.find("format_type");
    result_.columnar =
        format != nullptr && format->kind == Json::Kind::kString && format->text == "columnar";
    result_.rows = header.integer_at("num_vectors");
    if (result_.columnar) {
      read_schema(header);
    } else {
      result_.columns.push_back({"", header.integer_at("dimension"), "", {}});
      schema_ = {header.find("compression") == nullptr ? "" : compression_of(header)};
    }
    read_sections(header);
    record_at_ = front_.header_at + front_.header_bytes;
    std::uint64_t rows = 0;
    for (const Json& chunk : header.list_at("chunks")) {
      chunk.as(Json::Kind::kObject, "chunk");
      rows = checked_sum(rows, chunk.integer_at("rows"));
      refuse_if(rows > std::uint64_t{1} << 62, "over 2^62 rows");
      read_chunk(chunk);
    }
    refuse_if(rows != result_.rows, "num_vectors is not the sum of rows");
  }

 private:
  static std::string compression_of(const Json& object) {
    const std::string& name = object.string_at("compression");
    refuse_if(!is_compression(name), "unknown compression");
    return name;
  }
  static std::string compression_of(const Json& object, const std::string& otherwise) {
    const bool given = object.find("compression") != nullptr;
    refuse_if(!given && otherwise.empty(), "no compression");
    return given ? compression_of(object) : otherwise;
  }

  void read_schema(const Json& header) {
    for (const Json& entry : header.list_at("columns")) {
      entry.as(Json::Kind::kObject, "column");
      PlainColumn column{
          entry.string_at("name"), entry.integer_at("dimension"), entry.string_at("dtype"), {}};
      refuse_if(size_of_dtype(column.dtype) == 0, "unknown dtype");
      schema_.push_back(compression_of(entry));
      for (const PlainColumn& other : result_.columns) {
        refuse_if(other.name == column.name, "two columns of one name");
      }
      result_.columns.push_back(std::move(column));
    }
  }

  void read_sections(const Json& header) {
    if (header.find("sections") == nullptr) return;
    for (const Json& entry : header.list_at("sections")) {
      entry.as(Json::Kind::kObject, "section");
      const PlainSection section{entry.integer_at("start_index"), entry.integer_at("end_index")};
      refuse_if(section.first > section.end || section.end > result_.rows, "rows of a section");
      result_.sections.push_back(section);
    }
  }

  void read_chunk(const Json& chunk) {
    const std::uint64_t rows = chunk.integer_at("rows");
    std::vector<ChunkSlice> slices;
    if (result_.columnar) {
      const Json& columns = chunk.at("columns").as(Json::Kind::kObject, "columns");
      for (std::size_t c = 0; c < result_.columns.size(); ++c) {
        const Json& entry = columns.at(result_.columns[c].name).as(Json::Kind::kObject, "column");
        slices.push_back({c, encoding_of(entry, rows, c, compression_of(entry, schema_[c])),
                          entry.integer_at("offset"), entry.integer_at("size")});
      }
    } else {
      const std::string name = compression_of(chunk, schema_[0]);
      slices.push_back({0, encoding_of(chunk, rows, 0, name), 0, 0});
      if (front_.major != 0 && chunk.find("file_offset") != nullptr) {
        const std::uint64_t offset = chunk.integer_at("file_offset");
        refuse_if(offset < record_at_, "file_offset inside what is before");
        if (offset > file_.size()) truncated("file_offset behind the file");
        record_at_ = offset;
      }
    }
    read_slices(next_payload(), slices);
  }

  Encoding encoding_of(const Json& entry, std::uint64_t rows, std::size_t column,
                       const std::string& name) const {
    const PlainColumn& schema = result_.columns[column];
    Encoding encoding{name, rows, schema.dimension, schema.dtype, 0, 0};
    if (name == "int8") {
      encoding.min = entry.float_at("min");
      encoding.scale = entry.float_at("scale");
    }
    return encoding;
  }

  ByteSpan next_payload() {
    const std::size_t fields = front_.major == 0 ? 4 : 8;
    const std::uint64_t length = integer_at(file_, record_at_, 4);
    const std::uint64_t checksum = front_.major == 0 ? 0 : integer_at(file_, record_at_ + 4, 4);
    record_at_ += fields;
    if (length > file_.size() - record_at_) truncated("the file ends inside a record");
    const ByteSpan payload = file_.subspan(record_at_, length);
    record_at_ += length;
    refuse_if(front_.major != 0 && checksum != libdeflate_crc32(0, payload.data(), payload.size()),
              "a checksum that does not match");
    return payload;
  }

  void read_slices(ByteSpan payload, std::vector<ChunkSlice>& slices) {
    std::uint64_t end = 0;
    for (ChunkSlice& slice : slices) {
      if (!result_.columnar) slice.size = payload.size();
      const std::uint64_t slice_end = checked_sum(slice.offset, slice.size);
      refuse_if(slice_end > payload.size(), "offset and size past the payload");
      end = std::max(end, slice_end);
    }
    refuse_if(end != payload.size(), "a payload longer than its columns");
    for (const ChunkSlice& slice : slices) {
      // Other compressions are proportional in size to their values, so only pco needs a limit.
      if (slice.encoding.compression == "pco") check_limit(slice.encoding);
      PlainColumn& column = result_.columns[slice.column];
      column.slices.push_back(
          decode_values(payload.subspan(slice.offset, slice.size), slice.encoding));
      bytes_ += column.slices.back().values.size();
    }
  }

  void check_limit(const Encoding& encoding) const {
    const std::uint64_t n = checked_product(encoding.rows, encoding.dimension);
    const bool over = n > limits_.max_bytes / 8 || 8 * n + bytes_ > limits_.max_bytes;
    if (over) over_limit("more values than asked for");
  }

  ByteSpan file_;
  const CvcLimits& limits_;
  PlainCvc& result_;
  Front front_;
  std::vector<std::string> schema_;  // compression of each column for chunks without their own
  std::size_t record_at_ = 0;
  std::uint64_t bytes_ = 0;  // bytes of values so far
};

}  // namespace

PlainCvc decode_cvc(ByteSpan file, const CvcLimits& limits) {
  PlainCvc result;
  try {
    File(file, limits, result).read();
  } catch (const Refusal& refusal) {
    result = {};
    result.refusal = refusal;
  }
  return result;
}

}  // namespace numpact::second
