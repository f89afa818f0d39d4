// SPDX-License-Identifier: Apache-2.0
#include "cvc/header/parse.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <unordered_map>

#include "base/internal.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "cvc/compression/codecs.hpp"
#include "json/json.hpp"

namespace numpact::cvc::internal {
namespace {

using json::Kind;
using Value = json::View;

// Memory limit of a header's text and tables if the caller sets none (SECURITY.md): kMemoryPerFile
// times the size of the file, plus kExtraMemoryBytes. Headers of real writers take less.
constexpr std::uint64_t kMemoryPerFile = 2;
constexpr std::uint64_t kExtraMemoryBytes = std::uint64_t{4} << 20;
// If the size of the file is unknown: kMemoryPerText times the size of the header's text instead.
constexpr std::uint64_t kMemoryPerText = 4;

// A key and its error messages.
struct Field {
  const char* key;
  const char* missing;
  const char* wrong;
};

#define NUMPACT_CVC_FIELD(key, must) \
  { key, "header: `" key "` is missing", "header: `" key "` " must }

#define NUMPACT_CVC_COUNT(key) NUMPACT_CVC_FIELD(key, "is not an integer from 0 to 2^63 - 1")

constexpr Field kNumVectors = NUMPACT_CVC_COUNT("num_vectors");
constexpr Field kDimension = NUMPACT_CVC_COUNT("dimension");
constexpr Field kRows = NUMPACT_CVC_COUNT("rows");
constexpr Field kOffset = NUMPACT_CVC_COUNT("offset");
constexpr Field kSize = NUMPACT_CVC_COUNT("size");
constexpr Field kFileOffset = NUMPACT_CVC_COUNT("file_offset");
constexpr Field kStartIndex = NUMPACT_CVC_COUNT("start_index");
constexpr Field kEndIndex = NUMPACT_CVC_COUNT("end_index");
constexpr Field kChunks = NUMPACT_CVC_FIELD("chunks", "is not a list");
constexpr Field kSections = NUMPACT_CVC_FIELD("sections", "is not a list");
constexpr Field kSchema = NUMPACT_CVC_FIELD("columns", "is not a list");
constexpr Field kChunkColumns = NUMPACT_CVC_FIELD("columns", "is not an object");
constexpr Field kName = NUMPACT_CVC_FIELD("name", "is not a string");
constexpr Field kDtype = NUMPACT_CVC_FIELD("dtype", "is not a string");
constexpr Field kCompression = NUMPACT_CVC_FIELD("compression", "is not a string");
constexpr Field kMin = NUMPACT_CVC_FIELD("min", "is not a number");
constexpr Field kScale = NUMPACT_CVC_FIELD("scale", "is not a number");

#undef NUMPACT_CVC_COUNT
#undef NUMPACT_CVC_FIELD

// The values of an object, by the keys of this format. The object is scanned only once, because
// each lookup by scanning would take time in the length of the text. If a key is repeated, the last
// value counts.
class Object {
 public:
  explicit Object(const Value& value) : value_(value) {
    if (!value.is(Kind::kObject)) return;
    for (auto name = value.first(); name;) {
      const std::optional<Value> member = name->next();
      for (std::size_t i = 0; i < kKeys.size(); ++i) {
        if (name->says(kKeys[i])) members_[i] = member;
      }
      name = member->next();
    }
  }

  const std::optional<Value>& find(std::string_view key) const {
    for (std::size_t i = 0; i < kKeys.size(); ++i) {
      if (kKeys[i] == key) return members_[i];
    }
    return none_;
  }
  const Value& value() const { return value_; }

 private:
  static constexpr std::array<std::string_view, 20> kKeys = {
      "num_vectors", "dimension",   "rows",      "offset",      "size",
      "file_offset", "start_index", "end_index", "chunks",      "sections",
      "columns",     "name",        "dtype",     "compression", "min",
      "scale",       "vector",      "metadata",  "format_type", "mmap_optimized"};

  Value value_;
  std::array<std::optional<Value>, kKeys.size()> members_;
  std::optional<Value> none_;
};

class HeaderParser {
 public:
  HeaderParser(const Frame& frame, std::uint64_t file_bytes, const DecodeLimits& limits, Info& info)
      : frame_(frame), file_bytes_(file_bytes), limits_(limits), info_(info) {}

  Status run();

 private:
  Status wrong(const Value& value, const char* what, ErrorKind kind = ErrorKind::kCorrupt) const {
    return Status(kind, what, frame_.json_at + value.offset());
  }
  Status get(const Object& object, const Field& field, Kind kind, Value& out) const;
  Status get_count(const Object& object, const Field& field, std::uint64_t& out) const;
  Status get_number(const Object& object, const Field& field, double& out) const;
  // Leaves `out` unchanged if the key is missing.
  Status get_compression(const Object& object, std::optional<Compression>& out) const;

  Status parse_schema(const Object& root);
  Status parse_column(const Value& value);
  Status parse_chunks(const Object& root);
  Status parse_chunk(const Value& value);
  Status parse_columns(const Object& item, Chunk& chunk);
  Status parse_slice(const Object& item, std::size_t column, std::uint64_t rows, Slice& slice);
  Status parse_sections(const Object& root);
  // Sets the offset of a record if it is known, and checks that the record is inside the file.
  Status place_record(const Object& item, Chunk& chunk);
  struct Counts {
    std::uint64_t columns = 0;
    std::uint64_t chunks = 0;
    std::uint64_t slices = 0;
    std::uint64_t sections = 0;
  };
  // Checks the memory of the tables before they are allocated.
  Status check_memory(const Counts& counts) const;
  std::uint64_t default_memory_limit() const;

  const Frame& frame_;
  std::uint64_t file_bytes_;
  const DecodeLimits& limits_;
  Info& info_;
  std::optional<Compression> file_compression_;
  std::unordered_map<std::string, std::size_t> column_of_name_;
  Counts counts_;                // entries of the tables so far
  std::uint64_t cursor_ = 0;     // smallest possible offset of the next record
  bool cursor_is_exact_ = true;  // the next record starts there, unless the header says otherwise
};

Status HeaderParser::get(const Object& object, const Field& field, Kind kind, Value& out) const {
  const std::optional<Value>& found = object.find(field.key);
  if (!found) return wrong(object.value(), field.missing);
  if (!found->is(kind)) return wrong(*found, field.wrong);
  out = *found;
  return {};
}

Status HeaderParser::get_count(const Object& object, const Field& field, std::uint64_t& out) const {
  const std::optional<Value>& found = object.find(field.key);
  if (!found) return wrong(object.value(), field.missing);
  const std::optional<std::uint64_t> count = found->natural();
  if (!count) return wrong(*found, field.wrong);
  out = *count;
  return {};
}

Status HeaderParser::get_number(const Object& object, const Field& field, double& out) const {
  const std::optional<Value>& found = object.find(field.key);
  if (!found) return wrong(object.value(), field.missing);
  const std::optional<double> number = found->number();
  if (!number) return wrong(*found, field.wrong);
  out = *number;
  return {};
}

Status HeaderParser::get_compression(const Object& object, std::optional<Compression>& out) const {
  const std::optional<Value>& found = object.find(kCompression.key);
  if (!found) return {};
  if (!found->is(Kind::kString)) return wrong(*found, kCompression.wrong);
  out = compression_of_name(found->string());
  if (!out) {
    return wrong(*found, "header: `compression` is unknown", ErrorKind::kUnsupportedVersion);
  }
  return {};
}

std::uint64_t HeaderParser::default_memory_limit() const {
  if (file_bytes_ == kUnknownSize) return kExtraMemoryBytes + kMemoryPerText * frame_.json_bytes;
  const std::uint64_t max_bytes = std::numeric_limits<std::uint64_t>::max() / kMemoryPerFile;
  return kExtraMemoryBytes + kMemoryPerFile * std::min(file_bytes_, max_bytes - kExtraMemoryBytes);
}

Status HeaderParser::check_memory(const Counts& counts) const {
  // A column also has a node in the map of names.
  constexpr std::uint64_t kColumnBytes = 2 * sizeof(Column);
  // Counts are at most the length of the text, so the sum does not overflow.
  const std::uint64_t bytes = frame_.json_bytes + counts.columns * kColumnBytes +
                              counts.chunks * sizeof(Chunk) + counts.slices * sizeof(Slice) +
                              counts.sections * sizeof(Section);
  const bool is_set = limits_.max_memory != DecodeLimits::kUnlimited;
  if (bytes > (is_set ? limits_.max_memory : default_memory_limit())) {
    return Status(ErrorKind::kLimitExceeded,
                  is_set ? "the header's tables pass the limit max_memory"
                         : "the header's tables take more than 4 MiB and twice the file (the limit "
                           "max_memory allows more)");
  }
  // A chunk of several columns also lists the values of its columns.
  return ensure_memory(2 * bytes + counts.columns * sizeof(std::optional<Value>));
}

Status HeaderParser::parse_column(const Value& value) {
  const Object item(value);
  Column column;
  Value name = value;
  Value dtype = value;
  NUMPACT_TRY(get(item, kName, Kind::kString, name));
  NUMPACT_TRY(get_count(item, kDimension, column.dimension));
  NUMPACT_TRY(get(item, kDtype, Kind::kString, dtype));
  const std::optional<Dtype> type = dtype_of_name(dtype.string());
  if (!type || *type == Dtype::kFloat64 || *type == Dtype::kBFloat16) {
    return wrong(dtype, "header: `dtype` is unknown");
  }
  std::optional<Compression> compression;
  NUMPACT_TRY(get_compression(item, compression));
  if (!compression) return wrong(item.value(), kCompression.missing);
  column.name = name.string();
  column.dtype = *type;
  column.compression = *compression;
  const std::optional<Value> vector = item.find("vector");
  column.is_vector = vector && vector->is(Kind::kTrue);
  if (!column_of_name_.emplace(column.name, info_.columns.size()).second) {
    return wrong(name, "header: `name` is that of another column");
  }
  info_.columns.push_back(std::move(column));
  return {};
}

Status HeaderParser::parse_schema(const Object& root) {
  if (!info_.is_columnar) {
    Column column;
    NUMPACT_TRY(get_count(root, kDimension, column.dimension));
    NUMPACT_TRY(get_compression(root, file_compression_));
    column.compression = file_compression_.value_or(Compression::kFp16);
    info_.columns.push_back(std::move(column));
    return {};
  }
  Value schema = root.value();
  NUMPACT_TRY(get(root, kSchema, Kind::kArray, schema));
  counts_.columns = schema.count();
  NUMPACT_TRY(check_memory(counts_));
  info_.columns.reserve(to_size(counts_.columns));
  for (auto item = schema.first(); item; item = item->next()) NUMPACT_TRY(parse_column(*item));
  return {};
}

Status HeaderParser::parse_slice(const Object& item, std::size_t column, std::uint64_t rows,
                                 Slice& slice) {
  const Column& schema = info_.columns[column];
  std::optional<Compression> compression = file_compression_;
  if (info_.is_columnar) compression = schema.compression;
  NUMPACT_TRY(get_compression(item, compression));
  if (!compression) return wrong(item.value(), kCompression.missing);
  slice.compression = *compression;
  const Codec& codec = codec_of(*compression);
  if (codec.ranges == RangeScope::kHeader) {
    NUMPACT_TRY(get_number(item, kMin, slice.min));
    NUMPACT_TRY(get_number(item, kScale, slice.scale));
  }
  if (rows != 0 && schema.dimension > kMaxValues / rows) {
    return wrong(item.value(), "header: `rows` times `dimension` is too large");
  }
  const std::optional<std::uint64_t> size = codec.size({rows, schema.dimension}, schema.dtype);
  slice.size = size.value_or(Chunk::kUnknown);
  if (size && *size > UINT32_MAX) {
    return wrong(item.value(), "header: `rows` times `dimension` is more than a chunk can hold");
  }
  if (!info_.is_columnar) return {};
  std::uint64_t stated = 0;
  NUMPACT_TRY(get_count(item, kOffset, slice.offset));
  NUMPACT_TRY(get_count(item, kSize, stated));
  if (size && stated != *size) {
    return wrong(item.value(), "header: `size` is not what rows and dimension need");
  }
  slice.size = stated;
  if (slice.offset > UINT32_MAX || slice.size > UINT32_MAX - slice.offset) {
    return wrong(item.value(), "header: `offset` and `size` pass what a chunk can hold");
  }
  return {};
}

Status HeaderParser::parse_columns(const Object& item, Chunk& chunk) {
  Value columns = item.value();
  NUMPACT_TRY(get(item, kChunkColumns, Kind::kObject, columns));
  const std::size_t first = info_.slices.size();
  info_.slices.resize(first + info_.columns.size());
  std::vector<std::optional<Value>> given(info_.columns.size());
  for (auto name = columns.first(); name;) {
    const std::optional<Value> value = name->next();
    const auto column = column_of_name_.find(name->string());
    if (column != column_of_name_.end()) given[column->second] = value;  // the last repeated key
    name = value->next();
  }
  for (std::size_t c = 0; c < given.size(); ++c) {
    if (!given[c]) return wrong(columns, "header: `columns` of a chunk lacks one of the schema");
    Slice& slice = info_.slices[first + c];
    NUMPACT_TRY(parse_slice(Object(*given[c]), c, chunk.rows, slice));
    chunk.payload_bytes = std::max(chunk.payload_bytes, slice.offset + slice.size);
  }
  return {};
}

Status HeaderParser::place_record(const Object& item, Chunk& chunk) {
  const std::uint64_t head = info_.record_head_bytes();
  const bool may_have_offset = info_.has_checksums() && !info_.is_columnar;
  std::optional<Value> given;
  if (may_have_offset) given = item.find(kFileOffset.key);
  if (given) {
    NUMPACT_TRY(get_count(item, kFileOffset, chunk.offset));
    if (chunk.offset < cursor_) {
      return wrong(*given, "header: `file_offset` is inside the header or the chunk before");
    }
  } else {
    chunk.offset = cursor_is_exact_ ? cursor_ : Chunk::kUnknown;
  }
  const bool has_size = chunk.payload_bytes != Chunk::kUnknown;
  if (chunk.offset == Chunk::kUnknown) {
    cursor_ += head + (has_size ? chunk.payload_bytes : 0);
    return {};
  }
  cursor_ = chunk.offset + head + (has_size ? chunk.payload_bytes : 0);
  cursor_is_exact_ = has_size;
  if (cursor_ > file_bytes_) {
    return Status(ErrorKind::kTruncated, "the file ends within a chunk",
                  std::min(chunk.offset, file_bytes_));
  }
  return {};
}

Status HeaderParser::parse_chunk(const Value& value) {
  const Object item(value);
  Chunk chunk;
  chunk.first_row = info_.rows;
  NUMPACT_TRY(get_count(item, kRows, chunk.rows));
  if (chunk.rows > (std::uint64_t{1} << 62) - info_.rows) {
    return wrong(value, "header: the sum of `rows` is too large");
  }
  if (info_.is_columnar) {
    NUMPACT_TRY(parse_columns(item, chunk));
  } else {
    Slice slice;
    NUMPACT_TRY(parse_slice(item, 0, chunk.rows, slice));
    chunk.payload_bytes = slice.size;
    info_.slices.push_back(slice);
  }
  if (const std::optional<Value> metadata = item.find("metadata")) {
    chunk.metadata = metadata->text();
  }
  NUMPACT_TRY(place_record(item, chunk));
  info_.rows += chunk.rows;
  info_.chunks.push_back(chunk);
  return {};
}

Status HeaderParser::parse_chunks(const Object& root) {
  Value chunks = root.value();
  NUMPACT_TRY(get(root, kChunks, Kind::kArray, chunks));
  counts_.chunks = chunks.count();
  // Each chunk of a valid header names all columns, so its slices are at most the length of the
  // text.
  counts_.slices =
      std::min(counts_.chunks * info_.columns.size(), std::max(frame_.json_bytes, counts_.chunks));
  NUMPACT_TRY(check_memory(counts_));
  info_.chunks.reserve(to_size(counts_.chunks));
  info_.slices.reserve(to_size(counts_.slices));
  cursor_ = frame_.end();
  for (auto item = chunks.first(); item; item = item->next()) {
    const Status status = parse_chunk(*item);
    if (!status.ok()) return status.at_chunk(info_.chunks.size());
  }
  return {};
}

Status HeaderParser::parse_sections(const Object& root) {
  const std::optional<Value> list = root.find(kSections.key);
  if (!list) return {};
  if (!list->is(Kind::kArray)) return wrong(*list, kSections.wrong);
  counts_.sections = list->count();
  NUMPACT_TRY(check_memory(counts_));
  info_.sections.reserve(to_size(counts_.sections));
  for (auto item = list->first(); item; item = item->next()) {
    std::uint64_t end = 0;
    Section section;
    const Object fields(*item);
    NUMPACT_TRY(get_count(fields, kStartIndex, section.rows.first));
    NUMPACT_TRY(get_count(fields, kEndIndex, end));
    if (section.rows.first > end || end > info_.rows) {
      return wrong(*item,
                   "header: `start_index` and `end_index` of a section are not a range of rows");
    }
    section.rows.count = end - section.rows.first;
    if (const std::optional<Value>& metadata = fields.find("metadata")) {
      section.metadata = metadata->text();
    }
    info_.sections.push_back(section);
  }
  return {};
}

Status HeaderParser::run() {
  const Status read = json::check(*info_.header);
  if (!read.ok()) return read.shifted(frame_.json_at);
  const Object root(Value::root_of(*info_.header));
  if (!root.value().is(Kind::kObject))
    return wrong(root.value(), "header: the JSON is not an object");
  const std::optional<Value> type = root.find("format_type");
  info_.is_columnar = type && type->says("columnar");
  const std::optional<Value> paged = root.find("mmap_optimized");
  info_.is_paged = paged && paged->is(Kind::kTrue);
  if (const std::optional<Value> metadata = root.find("metadata")) {
    info_.metadata = metadata->text();
  }
  std::uint64_t rows = 0;
  NUMPACT_TRY(get_count(root, kNumVectors, rows));
  NUMPACT_TRY(parse_schema(root));
  NUMPACT_TRY(parse_chunks(root));
  if (rows != info_.rows) {
    return wrong(*root.find(kNumVectors.key), "header: `num_vectors` is not the sum of `rows`");
  }
  return parse_sections(root);
}

}  // namespace

Status parse_header(std::span<const std::byte> bytes, std::uint64_t file_bytes,
                    const DecodeLimits& limits, Info& info) {
  info = {};
  Frame frame;
  std::uint64_t needed = 0;
  NUMPACT_TRY(find_header(bytes, file_bytes, frame, needed));
  if (needed > bytes.size()) {
    return Status(ErrorKind::kTruncated, "the bytes end within the header", bytes.size());
  }
  if (frame.json_bytes > limits.max_memory) {
    return Status(ErrorKind::kLimitExceeded, "the header passes the limit max_memory");
  }
  NUMPACT_TRY(ensure_memory(2 * frame.json_bytes));
  info.major = frame.major;
  info.minor = frame.minor;
  info.header_bytes = frame.end();
  info.header = std::make_shared<const std::string>(
      reinterpret_cast<const char*>(bytes.data()) + frame.json_at, to_size(frame.json_bytes));
  return HeaderParser(frame, file_bytes, limits, info).run();
}

}  // namespace numpact::cvc::internal
