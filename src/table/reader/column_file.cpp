// SPDX-License-Identifier: Apache-2.0
#include "table/reader/column_file.hpp"

#include <algorithm>
#include <utility>

#include "api/chunk_table.hpp"
#include "base/crc.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "numpact/stream.hpp"

namespace numpact::internal {
namespace {

// Bytes of a file in a source without a trailer that are read, to find its chunks.
constexpr std::uint64_t kMaxWholeBytes = std::uint64_t{1} << 30;
// Bytes at the end of a file that are read first: they hold the trailers of common files, which
// have 40 bytes for a chunk and, every 2^14 numbers, some 20 for a restart point.
constexpr std::uint64_t kMinTailBytes = std::uint64_t{32} << 10;
constexpr std::uint64_t kMaxTailBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kNumbersPerTailByte = 512;
// Files up to this size are compared with their checksum when they are opened: as much as is read
// of a small file in any case.
constexpr std::uint64_t kMaxCheckedBytes = std::uint64_t{64} << 10;
// Lengths of runs that are decoded at once.
constexpr std::size_t kRunBlock = std::size_t{1} << 14;

// Limits for the walk over a file without a trailer: that of memory, and half a second of numbers
// that take no bits, or as many for each byte as only nearly constant numbers have.
DecodeConfig walk_config(const DecodeConfig& config, std::uint64_t file_bytes) {
  constexpr std::uint64_t kMinWalkBytes = std::uint64_t{16} << 30;
  constexpr std::uint64_t kMaxNumberBytesPerFileByte = 1024;
  DecodeConfig walk = config;
  walk.progress = nullptr;
  walk.limits.max_numbers = DecodeLimits::kUnlimited;
  walk.limits.max_output_bytes = std::max(kMinWalkBytes, kMaxNumberBytesPerFileByte * file_bytes);
  if (config.limits.max_output_bytes != DecodeLimits::kUnlimited) {
    walk.limits.max_output_bytes =
        std::max(walk.limits.max_output_bytes, config.limits.max_output_bytes);
  }
  return walk;
}

Status no_size() {
  return Status(ErrorKind::kInvalidArgument, "the source does not tell the size of the file");
}

// Whether a trailer describes a file with this header.
bool fits(const Trailer& trailer, const FileHeader& header) {
  const FileHeader said = trailer.header();
  return said.size_bytes == header.size_bytes && said.format_major == header.format_major &&
         said.format_minor == header.format_minor &&
         (!header.uniform_type || header.uniform_type == trailer.type());
}

}  // namespace

Status read_range(RangeSource& source, std::uint64_t offset, std::uint64_t size,
                  std::vector<std::byte>& out) {
  out.clear();
  if (const auto bytes = source.bytes()) {
    if (offset > bytes->size() || size > bytes->size() - offset) {
      return Status(ErrorKind::kTruncated, "the file ends early", bytes->size());
    }
    const auto part = bytes->subspan(to_size(offset), to_size(size));
    out.assign(part.begin(), part.end());
    return {};
  }
  while (out.size() < size) {
    const std::size_t begin = out.size();
    out.resize(begin + to_size(std::min(size - begin, kMaxRequestBytes)));
    for (std::size_t at = begin; at < out.size();) {
      std::size_t count = 0;
      NUMPACT_TRY(source.read_at(offset + at, std::span(out).subspan(at)).into(count));
      if (count == 0 || count > out.size() - at) {
        return Status(ErrorKind::kTruncated, "the file ends early", offset + at);
      }
      at += count;
    }
  }
  return {};
}

Status read_whole(RangeSource& source, std::uint64_t max_bytes, std::vector<std::byte>& out) {
  const std::uint64_t size = source.size();
  if (size == RangeSource::kUnknownSize) return no_size();
  if (size > max_bytes) {
    return Status(ErrorKind::kLimitExceeded, "the file is larger than what is read of it");
  }
  return read_range(source, 0, size, out);
}

Status check_size(std::uint64_t bytes, const table::FileSum& sum) {
  if (sum.bytes == 0 || bytes == sum.bytes) return {};
  return Status(ErrorKind::kCorrupt, "the file has another size than the manifest says");
}

Status check_sum(std::span<const std::byte> file, const table::FileSum& sum) {
  NUMPACT_TRY(check_size(file.size(), sum));
  if (!sum.crc32 || crc32(file) == *sum.crc32) return {};
  return Status(ErrorKind::kChecksum, "the file has another checksum than the manifest says");
}

Status ColumnFile::open(std::unique_ptr<RangeSource> source, std::uint64_t count,
                        const table::FileSum& sum, const DecodeConfig& config) {
  source_ = std::move(source);
  const auto bytes = source_->bytes();
  return bytes ? open_memory(*bytes, sum, config) : open_source(count, sum, config);
}

Status ColumnFile::open_memory(std::span<const std::byte> file, const table::FileSum& sum,
                               const DecodeConfig& config) {
  NUMPACT_TRY(check_size(file.size(), sum));
  if (file.size() <= kMaxCheckedBytes) NUMPACT_TRY(check_sum(file, sum));
  FileHeader header;
  NUMPACT_TRY(read_header(file).into(header));
  DecodeConfig walk = walk_config(config, file.size());
  const bool may_trust = config.trailer == TrailerPolicy::kUse;
  if (config.trailer != TrailerPolicy::kIgnore) {
    // Without a sound trailer nothing is left out.
    if (!Trailer::read(file).into(trailer_).ok()) trailer_.reset();
    if (trailer_ && (!fits(*trailer_, header) ||
                     (trailer_->index().chunk_count() > 0 && trailer_->chunks().empty()))) {
      trailer_.reset();
    }
    // It is read once more only to tell what lies behind the file.
    if (may_trust && config.file_end == nullptr) walk.trailer = TrailerPolicy::kIgnore;
  }
  if (may_trust && trailer_) {
    index_ = trailer_->index();
  } else {
    if (file.size() > kMaxCheckedBytes) NUMPACT_TRY(check_sum(file, sum));
    NUMPACT_TRY(ChunkIndex::build(file, walk).into(index_));
  }
  memory_ = file;
  return FileReader::create(file, index_, header).into(reader_);
}

Status ColumnFile::open_source(std::uint64_t count, const table::FileSum& sum,
                               const DecodeConfig& config) {
  const std::uint64_t size = source_->size();
  if (size == RangeSource::kUnknownSize) return no_size();
  NUMPACT_TRY(check_size(size, sum));
  std::uint64_t before = 0;
  if (config.trailer == TrailerPolicy::kUse) {
    std::uint64_t want = std::clamp(count / kNumbersPerTailByte, kMinTailBytes, kMaxTailBytes);
    for (std::uint64_t tried = 0; tried < 2; ++tried) {
      before = size > want ? size - want : 0;
      NUMPACT_TRY(read_range(*source_, before, size - before, bytes_));
      if (before == 0) return open_memory(bytes_, sum, config);
      TrailerTail tail;
      if (!Trailer::read_tail(bytes_, before).into(tail).ok()) break;
      trailer_ = tail.trailer;
      if (trailer_ || tail.missing == 0) break;
      want += tail.missing;
    }
  }
  if (!trailer_ || trailer_->chunks().empty()) {
    trailer_.reset();
    NUMPACT_TRY(read_whole(*source_, kMaxWholeBytes, bytes_));
    return open_memory(bytes_, sum, config);
  }
  bytes_ = std::vector<std::byte>();  // `= {}` would keep the memory
  index_ = trailer_->index();
  return {};
}

std::uint64_t ColumnFile::end_of(std::size_t chunk) const {
  const ChunkSummary& summary = summaries()[chunk];
  return summary.place.offset + summary.bytes;
}

Status ColumnFile::fetch(std::size_t first, std::size_t end, Fetched& fetched) const {
  const IndexedChunk place = index_.chunk(first);
  while (end > first + 1 && end_of(end - 1) - place.offset > kMaxRequestBytes) --end;
  fetched.end_chunk = 0;
  fetched.reader.reset();
  NUMPACT_TRY(read_range(*source_, place.offset, end_of(end - 1) - place.offset, fetched.bytes));
  FileHeader header = trailer_->header();
  header.size_bytes = 0;
  const ChunkIndex slice = detail::ChunkIndexAccess::index_of(
      slice_of(detail::ChunkIndexAccess::shared_table_of(index_), first, end));
  NUMPACT_TRY(FileReader::create(fetched.bytes, slice, header).into(fetched.reader));
  fetched.first_chunk = first;
  fetched.end_chunk = end;
  fetched.first = place.first;
  fetched.base = place.offset;
  return {};
}

Status ColumnFile::Fetched::placed(const Status& status) const {
  const Status moved = status.offset() == Status::kNoOffset ? status : status.shifted(base);
  return status.chunk() == Status::kNoOffset ? moved : moved.at_chunk(status.chunk() + first_chunk);
}

Status read_texts(RangeSource& source, const table::TextFile& described, const DecodeConfig& config,
                  std::shared_ptr<const table::TextValues>& texts) {
  if (source.size() != RangeSource::kUnknownSize) {
    NUMPACT_TRY(check_size(source.size(), described.sum));
  }
  // A text has a byte at least in the file, and takes 8 for its place and 16 to compare it.
  const std::uint64_t max_bytes = std::min(config.limits.max_memory / 26, kMaxTextFileBytes);
  std::vector<std::byte> own;
  const auto bytes = source.bytes();
  if (!bytes || bytes->size() > max_bytes) NUMPACT_TRY(read_whole(source, max_bytes, own));
  const std::span<const std::byte> file = bytes ? *bytes : own;
  NUMPACT_TRY(check_sum(file, described.sum));
  table::TextValues made;
  NUMPACT_TRY(
      table::TextValues::parse(file, described.count, table::is_bytes(described.type)).into(made));
  texts = std::make_shared<const table::TextValues>(std::move(made));
  return {};
}

Status read_nulls(RangeSource& source, const table::NumberPart& part, const DecodeConfig& config,
                  NullMap& nulls) {
  const std::uint64_t max_bytes = std::min(config.limits.max_memory, NullMap::kMaxBytes);
  std::vector<std::byte> own;
  std::span<const std::byte> file;
  if (const auto bytes = source.bytes()) {
    file = *bytes;
  } else {
    if (source.size() != RangeSource::kUnknownSize) {
      NUMPACT_TRY(check_size(source.size(), part.null_sum));
    }
    NUMPACT_TRY(read_whole(source, NullMap::kMaxBytes, own));
    file = own;
  }
  NUMPACT_TRY(check_sum(file, part.null_sum));
  DecodeConfig one_thread;
  one_thread.limits.max_memory = config.limits.max_memory;
  MemorySource bytes(file);
  StreamReader reader(bytes, one_thread);
  FileHeader header;
  NUMPACT_TRY(reader.header().into(header));
  if (header.number_type.value_or(NumberType::kU64) != NumberType::kU64) {
    return Status(ErrorKind::kCorrupt, "the file of nulls does not hold u64 lengths of runs");
  }
  nulls = NullMap(part.count, part.null_count, max_bytes);
  std::vector<std::uint64_t> lengths(kRunBlock);
  for (std::size_t count = lengths.size(); count == lengths.size();) {
    NUMPACT_TRY(
        reader.read(MutableNumberView(NumberType::kU64, lengths.data(), kRunBlock)).into(count));
    NUMPACT_TRY(nulls.add(std::span(lengths).first(count)));
  }
  NUMPACT_TRY(nulls.finish());
  // A trailer that says something else is damage, too.
  return config.trailer == TrailerPolicy::kIgnore ? Status() : reader.check_trailer().status();
}

}  // namespace numpact::internal
