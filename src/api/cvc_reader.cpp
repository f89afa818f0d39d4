// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/check_bytes.hpp"
#include "base/crc.hpp"
#include "base/guard.hpp"
#include "base/internal.hpp"
#include "base/try.hpp"
#include "cvc/compression/codecs.hpp"
#include "cvc/file/codes.hpp"
#include "cvc/file/gather.hpp"
#include "cvc/file/loader.hpp"
#include "cvc/file/read_rows.hpp"
#include "cvc/file/records.hpp"
#include "cvc/file/stored.hpp"
#include "cvc/file/targets.hpp"
#include "cvc/file/verify.hpp"
#include "cvc/header/filter.hpp"
#include "cvc/header/parse.hpp"
#include "numpact/cvc/reader.hpp"
#include "numpact/file_access.hpp"

namespace numpact::cvc {

namespace {

// guarded() for functions that need the implementation, which a moved-from reader lacks.
template <class Impl, class F>
Status guarded_with(const std::shared_ptr<const Impl>& impl, const F& f) noexcept {
  if (impl == nullptr) return Status(ErrorKind::kInvalidArgument, "the reader was moved from");
  return guarded(f);
}

// The same for the value that `fill` fills.
template <class T, class Impl, class F>
Result<T> value_with(const std::shared_ptr<const Impl>& impl, const F& fill) noexcept {
  if (impl == nullptr) return Status(ErrorKind::kInvalidArgument, "the reader was moved from");
  return guarded_value<T>(fill);
}

}  // namespace

std::optional<std::size_t> Info::find_column(std::string_view name) const noexcept {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == name) return i;
  }
  return std::nullopt;
}

struct Reader::Impl {
#ifndef NUMPACT_NO_EXCEPTIONS
  MappedFile map;  // empty if the caller owns the bytes
#endif
  std::span<const std::byte> file;
  std::shared_ptr<RangeSource> source;  // used instead of `file`
  std::optional<Loader> loader;
  Info info;

  Records records() const { return loader ? Records(info, *loader) : Records(info, file); }

  Status read(const DecodeLimits& limits) {
    if (loader) return loader->read_info(limits, info);
    NUMPACT_TRY(parse_header(file, file.size(), limits, info));
    return find_records(file, info);
  }
};

Result<Reader> Reader::create(std::span<const std::byte> file,
                              const DecodeLimits& limits) noexcept {
  Reader reader;
  const Status status = guarded([&]() -> Status {
    const auto impl = std::make_shared<Impl>();
    impl->file = file;
    reader.impl_ = impl;
    return impl->read(limits);
  });
  if (!status.ok()) return status;
  return reader;
}

#ifndef NUMPACT_NO_EXCEPTIONS

Result<Reader> Reader::open(const std::string& path, const DecodeLimits& limits) noexcept {
  Reader reader;
  const Status status = guarded([&]() -> Status {
    const auto impl = std::make_shared<Impl>();
    NUMPACT_TRY(MappedFile::open(path).into(impl->map));
    impl->file = impl->map.bytes();
    reader.impl_ = impl;
    return impl->read(limits);
  });
  if (!status.ok()) return status;
  return reader;
}

#endif

Result<Reader> Reader::create(std::shared_ptr<RangeSource> source,
                              const DecodeLimits& limits) noexcept {
  Reader reader;
  const Status status = guarded([&]() -> Status {
    if (source == nullptr) return Status(ErrorKind::kInvalidArgument, "there is no source");
    const auto impl = std::make_shared<Impl>();
    impl->source = std::move(source);
    impl->loader.emplace(*impl->source);
    reader.impl_ = impl;
    return impl->read(limits);
  });
  if (!status.ok()) return status;
  return reader;
}

const Info& Reader::info() const noexcept {
  static const Info nothing;  // of a moved-from reader
  const Impl* const impl = impl_.get();
  return impl == nullptr ? nothing : impl->info;
}

std::size_t Reader::chunk_of(std::uint64_t row) const noexcept {
  return row < rows() ? chunk_of_row(impl_->info, row) : info().chunks.size();
}

Status Reader::check_sizes(std::uint64_t rows, std::size_t column, Dtype dtype,
                           const DecodeLimits& limits) const noexcept {
  return guarded([&]() -> Status {
    if (column >= info().columns.size()) {
      return Status(ErrorKind::kInvalidArgument, "the file has no such column");
    }
    // A placeholder: only the shape of the target is checked.
    alignas(8) std::byte none[8];
    Target target{MutableRows(dtype, none, rows, info().columns[column].dimension), column};
    return check_targets(info(), {&target, 1}, rows, limits);
  });
}

Result<ReadReport> Reader::read(std::span<const RowRange> ranges, std::span<const Target> targets,
                                const ReadConfig& config) const noexcept {
  return value_with<ReadReport>(impl_, [&](ReadReport& report) {
    return read_ranges(impl_->records(), ranges, targets, config, report);
  });
}

Status Reader::gather(std::span<const std::uint64_t> rows, std::span<const Target> targets,
                      const ReadConfig& config) const noexcept {
  return guarded_with(impl_, [&]() -> Status {
    NUMPACT_TRY(check_bytes(rows));
    return gather_rows(impl_->records(), rows, targets, config);
  });
}

#ifndef NUMPACT_NO_EXCEPTIONS

Result<std::vector<RowRange>> Reader::find_sections(std::string_view key,
                                                    std::string_view value) const noexcept {
  return value_with<std::vector<RowRange>>(impl_, [&](std::vector<RowRange>& ranges) -> Status {
    MetadataFilter filter(key, value);
    NUMPACT_TRY(filter.parse());
    for (const Section& section : info().sections) {
      if (filter.matches(section.metadata)) ranges.push_back(section.rows);
    }
    return {};
  });
}

Result<std::vector<std::size_t>> Reader::find_chunks(std::string_view key,
                                                     std::string_view value) const noexcept {
  using Chunks = std::vector<std::size_t>;
  return value_with<Chunks>(impl_, [&](Chunks& chunks) -> Status {
    MetadataFilter filter(key, value);
    NUMPACT_TRY(filter.parse());
    for (std::size_t i = 0; i < info().chunks.size(); ++i) {
      const Chunk& chunk = info().chunks[i];
      if (chunk.metadata && filter.matches(*chunk.metadata)) chunks.push_back(i);
    }
    return {};
  });
}

Result<Codes> Reader::codes(std::size_t chunk, std::size_t column,
                            const ReadConfig& config) const noexcept {
  return value_with<Codes>(impl_, [&](Codes& codes) {
    return view_codes(impl_->records(), chunk, column, config, codes);
  });
}

Result<std::vector<CodeRun>> Reader::read_codes(const RowRange& rows, std::size_t column,
                                                std::span<std::byte> out, std::size_t stride,
                                                const ReadConfig& config) const noexcept {
  return value_with<std::vector<CodeRun>>(impl_, [&](std::vector<CodeRun>& runs) -> Status {
    NUMPACT_TRY(check_bytes(out));
    return copy_codes(impl_->records(), rows, column, out, stride, config, runs);
  });
}

Result<StoredSlice> Reader::stored_slice(std::size_t chunk, std::size_t column,
                                         const ReadConfig& config) const noexcept {
  return value_with<StoredSlice>(impl_, [&](StoredSlice& stored) -> Status {
    NUMPACT_TRY(find_stored(impl_->records(), chunk, column, config, stored));
    if (stored.owner == nullptr) stored.owner = impl_;
    return {};
  });
}

Result<std::optional<std::uint32_t>> Reader::checksum(std::size_t chunk) const noexcept {
  using Checksum = std::optional<std::uint32_t>;
  return value_with<Checksum>(impl_, [&](Checksum& checksum) -> Status {
    if (chunk >= info().chunks.size()) {
      return Status(ErrorKind::kInvalidArgument, "the file has no such chunk");
    }
    if (impl_->loader) {
      return Status(ErrorKind::kInvalidArgument, "the file is not in memory");
    }
    Record record;
    NUMPACT_TRY(impl_->records().open(chunk, record));
    if (info().has_checksums()) checksum = record.crc;
    return {};
  });
}

Result<VerifyReport> Reader::verify(const ReadConfig& config) const noexcept {
  return value_with<VerifyReport>(
      impl_, [&](VerifyReport& report) { return verify_chunks(impl_->records(), config, report); });
}

#endif

Result<std::uint64_t> header_bytes(std::span<const std::byte> prefix,
                                   std::optional<std::uint64_t> file_bytes) noexcept {
  Frame frame;
  std::uint64_t needed = 0;
  NUMPACT_TRY(find_header(prefix, file_bytes.value_or(kUnknownSize), frame, needed));
  return needed;
}

Result<Info> parse_header(std::span<const std::byte> prefix, const DecodeLimits& limits,
                          std::optional<std::uint64_t> file_bytes) noexcept {
  return guarded_value<Info>([&](Info& info) {
    return parse_header(prefix, file_bytes.value_or(kUnknownSize), limits, info);
  });
}

Status decode_chunk(const Info& info, std::size_t chunk, std::span<const std::byte> record,
                    std::span<const Target> targets, const ReadConfig& config) noexcept {
  return guarded([&]() -> Status {
    if (chunk >= info.chunks.size()) {
      return Status(ErrorKind::kInvalidArgument, "the file has no such chunk");
    }
    NUMPACT_TRY(check_bytes(record));
    if (config.on_corruption != OnCorruption::kRaise) {
      return Status(ErrorKind::kInvalidArgument,
                    "a single chunk takes no other on_corruption than raise");
    }
    const Records records(info, chunk, record);
    Record found;
    NUMPACT_TRY(records.open(chunk, found));
    const RowRange rows{info.chunks[chunk].first_row, info.chunks[chunk].rows};
    ReadReport report;
    return read_ranges(records, {&rows, 1}, targets, config, report);
  });
}

Status decode_slice(const StoredSlice& slice, const RowRange& rows,
                    const MutableRows& out) noexcept {
  return guarded([&] { return decode_stored(slice, rows, out); });
}

}  // namespace numpact::cvc
