// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/check_bytes.hpp"
#include "base/crc.hpp"
#include "base/guard.hpp"
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
#include "numpact/mapped_file.hpp"

namespace numpact::cvc {

namespace {

// guarded() for functions that need the implementation, which a moved-from reader lacks.
template <class Impl, class F>
Status guarded_with(const std::shared_ptr<const Impl>& impl, const F& f) noexcept {
  if (impl == nullptr) return Status(ErrorKind::kInvalidArgument, "the reader was moved from");
  return guarded(f);
}

}  // namespace

struct Reader::Impl {
  MappedFile map;  // empty if the caller owns the bytes
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

Result<Reader> Reader::open(const std::string& path, const DecodeLimits& limits) noexcept {
  Reader reader;
  const Status status = guarded([&]() -> Status {
    const auto impl = std::make_shared<Impl>();
    NUMPACT_TRY(MappedFile::try_open(path, impl->map));
    impl->file = impl->map.bytes();
    reader.impl_ = impl;
    return impl->read(limits);
  });
  if (!status.ok()) return status;
  return reader;
}

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

Reader::Reader(std::span<const std::byte> file, const DecodeLimits& limits)
    : Reader(create(file, limits).value()) {}

Reader::Reader(std::shared_ptr<RangeSource> source, const DecodeLimits& limits)
    : Reader(create(std::move(source), limits).value()) {}

Reader::Reader(const std::string& path, const DecodeLimits& limits) {
  Result<Reader> reader = open(path, limits);
  if (!reader.ok()) throw Error(reader.status(), path);
  *this = std::move(*reader);
}

const Info& Reader::info() const noexcept {
  static const Info nothing;  // of a moved-from reader
  return impl_ != nullptr ? impl_->info : nothing;
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

Status Reader::try_read(std::span<const RowRange> ranges, std::span<const Target> targets,
                        const ReadConfig& config, ReadReport* report) const noexcept {
  return guarded_with(impl_, [&] {
    ReadReport own;
    return read_ranges(impl_->records(), ranges, targets, config,
                       report != nullptr ? *report : own);
  });
}

Status Reader::try_gather(std::span<const std::uint64_t> rows, std::span<const Target> targets,
                          const ReadConfig& config) const noexcept {
  return guarded_with(impl_, [&]() -> Status {
    NUMPACT_TRY(check_bytes(rows));
    return gather_rows(impl_->records(), rows, targets, config);
  });
}

Status Reader::try_find_sections(std::string_view key, std::string_view value,
                                 std::vector<RowRange>& ranges) const noexcept {
  return guarded_with(impl_, [&]() -> Status {
    ranges.clear();
    MetadataFilter filter(key, value);
    NUMPACT_TRY(filter.parse());
    for (const Section& section : info().sections) {
      if (filter.matches(section.metadata)) ranges.push_back(section.rows);
    }
    return {};
  });
}

Status Reader::try_find_chunks(std::string_view key, std::string_view value,
                               std::vector<std::size_t>& chunks) const noexcept {
  return guarded_with(impl_, [&]() -> Status {
    chunks.clear();
    MetadataFilter filter(key, value);
    NUMPACT_TRY(filter.parse());
    for (std::size_t i = 0; i < info().chunks.size(); ++i) {
      const Chunk& chunk = info().chunks[i];
      if (chunk.metadata && filter.matches(*chunk.metadata)) chunks.push_back(i);
    }
    return {};
  });
}

Status Reader::try_codes(std::size_t chunk, std::size_t column, Codes& codes,
                         const ReadConfig& config) const noexcept {
  return guarded_with(impl_,
                      [&] { return view_codes(impl_->records(), chunk, column, config, codes); });
}

Status Reader::try_read_codes(const RowRange& rows, std::size_t column, std::span<std::byte> out,
                              std::size_t stride, std::vector<CodeRun>& runs,
                              const ReadConfig& config) const noexcept {
  return guarded_with(impl_, [&]() -> Status {
    NUMPACT_TRY(check_bytes(out));
    return copy_codes(impl_->records(), rows, column, out, stride, config, runs);
  });
}

Status Reader::try_stored_slice(std::size_t chunk, std::size_t column, StoredSlice& stored,
                                const ReadConfig& config) const noexcept {
  return guarded_with(impl_, [&]() -> Status {
    NUMPACT_TRY(find_stored(impl_->records(), chunk, column, config, stored));
    if (stored.owner == nullptr) stored.owner = impl_;
    return {};
  });
}

Status Reader::try_checksum(std::size_t chunk,
                            std::optional<std::uint32_t>& checksum) const noexcept {
  checksum.reset();
  return guarded_with(impl_, [&]() -> Status {
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

Status Reader::try_verify(VerifyReport& report, const ReadConfig& config) const noexcept {
  return guarded_with(impl_, [&] { return verify_chunks(impl_->records(), config, report); });
}

Status try_header_bytes(std::span<const std::byte> prefix, std::uint64_t& needed,
                        std::optional<std::uint64_t> file_bytes) noexcept {
  Frame frame;
  return find_header(prefix, file_bytes.value_or(kUnknownSize), frame, needed);
}

Status try_parse_header(std::span<const std::byte> prefix, Info& info, const DecodeLimits& limits,
                        std::optional<std::uint64_t> file_bytes) noexcept {
  return guarded(
      [&] { return parse_header(prefix, file_bytes.value_or(kUnknownSize), limits, info); });
}

Status try_decode_chunk(const Info& info, std::size_t chunk, std::span<const std::byte> record,
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

Status try_decode_slice(const StoredSlice& slice, const RowRange& rows,
                        const MutableRows& out) noexcept {
  return guarded([&] { return decode_stored(slice, rows, out); });
}

}  // namespace numpact::cvc
