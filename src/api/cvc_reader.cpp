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

bool same_columns(const Info& a, const Info& b) noexcept {
  const auto is_same = [&](const Column& x, const Column& y) {
    return x.name == y.name && x.dimension == y.dimension && (x.dtype == y.dtype || !a.is_columnar);
  };
  return a.is_columnar == b.is_columnar && std::equal(a.columns.begin(), a.columns.end(),
                                                      b.columns.begin(), b.columns.end(), is_same);
}

struct Reader::Impl {
#ifndef NUMPACT_NO_EXCEPTIONS
  MappedFile map;  // empty if the caller owns the bytes
#endif
  std::span<const std::byte> file;
  std::shared_ptr<RangeSource> source;  // used instead of `file`, or the owner of its bytes
  std::optional<Loader> loader;
  Info info;
  // Of join(): what replaces `file`, whose they are, and the checksums that are known.
  std::vector<JoinedFile> files;
  std::vector<std::shared_ptr<const Impl>> owners;
  std::vector<std::uint32_t> checksums;

  Records records() const {
    if (!files.empty()) return Records(info, files);
    return loader ? Records(info, *loader) : Records(info, file);
  }
  void add(const std::shared_ptr<const Impl>& joined);
  void check_files(VerifyReport& report) const;

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
    if (const auto bytes = impl->source->bytes()) {
      impl->file = *bytes;
    } else {
      impl->loader.emplace(*impl->source);
    }
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

void Reader::Impl::add(const std::shared_ptr<const Impl>& joined) {
  const Info& more = joined->info;
  files.push_back({info.chunks.size(), joined->file});
  owners.push_back(joined);
  for (Chunk chunk : more.chunks) {
    chunk.first_row += info.rows;
    info.chunks.push_back(chunk);
  }
  info.slices.insert(info.slices.end(), more.slices.begin(), more.slices.end());
  for (Section section : more.sections) {
    section.rows.first += info.rows;
    info.sections.push_back(section);
  }
  info.is_paged = info.is_paged && more.is_paged;
  info.rows += more.rows;
}

// Reports files that are not those whose checksums are known, unless a chunk of them is reported.
void Reader::Impl::check_files(VerifyReport& report) const {
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (crc32(files[i].bytes, 0) == checksums[i]) continue;
    const std::size_t first = files[i].first_chunk;
    const std::size_t end = first + owners[i]->info.chunks.size();
    const bool is_known =
        std::any_of(report.bad.begin(), report.bad.end(),
                    [&](const CorruptRows& bad) { return bad.chunk >= first && bad.chunk < end; });
    if (is_known) continue;
    RowRange rows{0, owners[i]->info.rows};
    for (std::size_t before = 0; before < i; ++before) rows.first += owners[before]->info.rows;
    report.bad.push_back(
        {first, rows,
         Status(ErrorKind::kChecksum, "the file is not the one whose checksum is known")
             .at_chunk(first)});
  }
}

Result<Reader> Reader::join(std::span<const Reader> files,
                            std::span<const std::uint32_t> checksums) noexcept {
  Reader reader;
  const Status status = guarded([&]() -> Status {
    if (files.empty() || (!checksums.empty() && checksums.size() != files.size())) {
      return Status(ErrorKind::kInvalidArgument, "there are no files, or not as many checksums");
    }
    const auto impl = std::make_shared<Impl>();
    const Info& first = files[0].info();
    impl->info = first;
    impl->info.rows = 0;
    impl->info.chunks.clear();
    impl->info.slices.clear();
    impl->info.sections.clear();
    impl->checksums.assign(checksums.begin(), checksums.end());
    for (const Reader& file : files) {
      if (file.impl_ == nullptr || file.impl_->loader || !file.impl_->files.empty()) {
        return Status(ErrorKind::kInvalidArgument, "only files in memory are joined");
      }
      if (!same_columns(first, file.info()) || first.major != file.info().major) {
        return Status(ErrorKind::kInvalidArgument, "the files have other columns or versions");
      }
      if (file.rows() > (std::uint64_t{1} << 62) - impl->info.rows) {
        return Status(ErrorKind::kInvalidArgument, "too many rows");
      }
      impl->add(file.impl_);
    }
    // Views of metadata are into the headers of all files.
    const auto headers = std::make_shared<std::vector<std::shared_ptr<const std::string>>>();
    for (const Reader& file : files) headers->push_back(file.info().header);
    impl->info.header = std::shared_ptr<const std::string>(headers, first.header.get());
    reader.impl_ = impl;
    return {};
  });
  if (!status.ok()) return status;
  return reader;
}

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
  return value_with<VerifyReport>(impl_, [&](VerifyReport& report) -> Status {
    NUMPACT_TRY(verify_chunks(impl_->records(), config, report));
    if (!impl_->checksums.empty()) impl_->check_files(report);
    return {};
  });
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
