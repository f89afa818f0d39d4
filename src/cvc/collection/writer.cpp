// SPDX-License-Identifier: Apache-2.0
// Adds rows to collections.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/crc.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "cvc/collection/collection.hpp"
#include "cvc/compression/codecs.hpp"
#include "numpact/file_access.hpp"
#include "numpact/file_lock.hpp"
#include "platform/folders.hpp"
#include "platform/paths.hpp"
#include "platform/replacement.hpp"
#include "platform/temporary.hpp"
#include "table/reader/failure.hpp"
#include "table/writer/new_file.hpp"

namespace numpact::cvc {

namespace platform = numpact::internal::platform;
using numpact::internal::guarded;
using numpact::internal::NewFile;

namespace {

// Chunks of fewer rows are decoded and encoded again with the rows that follow, if that gives the
// same values, so that many small appends make no small chunks. It bounds the rows that an append
// encodes beside its own.
constexpr std::uint64_t kMinChunkRows = 4096;

Status invalid(const char* what) { return Status(ErrorKind::kInvalidArgument, what); }

// Whether the decoded values of a slice are encoded to the same bytes, or to others that decode to
// the same bits.
bool is_repeatable(const Column& column, const Slice& slice) {
  if (slice.compression != column.compression) return false;
  switch (slice.compression) {
    case Compression::kNone:
    case Compression::kPco:
      return true;
    case Compression::kFp16:
      return column.dtype == Dtype::kFloat32 || column.dtype == Dtype::kFloat16;
    case Compression::kBFloat16:
      return column.dtype == Dtype::kFloat32;
    default:
      return false;
  }
}

// The size and the checksum of a file that was just written. Payloads are not read again: records
// have their checksums.
Status find_sum(const std::string& path, CollectionFile& sum) {
  MappedFile file;
  NUMPACT_TRY(MappedFile::open(path).into(file));
  const std::span<const std::byte> bytes = file.bytes();
  Result<Reader> reader = Reader::create(bytes);
  if (!reader.ok()) return reader.status();
  const Info& info = reader->info();
  std::uint64_t end = info.header_bytes;
  sum.crc = numpact::internal::crc32(bytes.first(static_cast<std::size_t>(end)));
  for (std::size_t i = 0; i < info.chunks.size(); ++i) {
    const Chunk& chunk = info.chunks[i];
    std::optional<std::uint32_t> payload;
    NUMPACT_TRY(reader->checksum(i).into(payload));
    if (chunk.offset != end || !payload) return invalid("the new file has gaps");
    const std::size_t head = info.record_head_bytes();
    sum.crc = numpact::internal::crc32(bytes.subspan(static_cast<std::size_t>(end), head), sum.crc);
    sum.crc = numpact::internal::join_crc32(sum.crc, *payload, chunk.payload_bytes);
    end += head + chunk.payload_bytes;
  }
  sum.bytes = end;
  return end == bytes.size() ? Status() : invalid("the new file is longer than its chunks");
}

}  // namespace

struct CollectionWriter::State {
  Status open(const std::string& target, Failure* failure);
  Status commit(WriteReport& report, Failure* failure);

  WriteConfig config;
  std::optional<Writer> writer;
  std::uint64_t copied_rows = 0;
  std::uint64_t copied_chunks = 0;

 private:
  Status fail(Failure* failure, const Status& status, const std::string& name = {},
              const std::string& text = {}) const {
    return numpact::internal::fail(failure, status, name.empty() ? path : path + "/" + name, "",
                                   text);
  }
  Status fail_by_system(Failure* failure, const char* what, const std::string& name = {}) const {
    return fail(failure, Status(ErrorKind::kIo, what).because_of(errno), name);
  }
  Status check_new(const std::string& target, Failure* failure);
  Status make_folder(Failure* failure);
  Status make_index(Failure* failure);
  Status lock_index(Failure* failure);
  Status read_last(Failure* failure);
  Status set_columns(Failure* failure);
  Status make_file(Failure* failure);
  Status copy_last();
  Status copy_chunk(std::size_t chunk);
  Status append_chunk(std::size_t chunk);
  Status write_index(NewFile& file, Failure* failure);
  void count_rows(std::uint64_t rows);
  void end_chunk_of_copies();

  std::string path;
  FileLock lock;
  CollectionIndex index;
  std::optional<Reader> last;  // the last file, if there is one
  bool is_merged = false;      // and the new file begins with its rows
  NewFile file;                // keeps the name, and removes the file without commit()
  std::uint64_t pending = 0;   // copied rows of a chunk that is not full
  bool is_committed = false;
};

// ---- the folder and its index ----

// Refuses what a new collection cannot be made of, before there is a folder.
Status CollectionWriter::State::check_new(const std::string& target, Failure* failure) {
  path = platform::without_end_separators(target);
  Status status = follow_links(path).into(path);
  if (!status.ok()) return fail(failure, status);
  config.version = Version::kV20;
  platform::FileInfo found;
  if (platform::look_at(path + "/" + kCollectionName, found)) return {};
  if (config.columns.empty()) return fail(failure, invalid("a new collection needs columns"));
  WriteConfig named = config;
  if (named.columns[0].name.empty()) named.columns[0].name = kDefaultColumn;
  std::vector<std::byte> nothing;
  status = Writer::create(nothing, named).status();
  return status.ok() ? status : fail(failure, status);
}

Status CollectionWriter::State::make_folder(Failure* failure) {
  if (platform::make_folder(path, false)) return {};
  const int error = errno;
  platform::FileInfo found;
  if (!platform::look_at(path, found)) {
    return fail(failure, Status(ErrorKind::kIo, "the folder cannot be made").because_of(error));
  }
  if (found.is_folder()) return {};
  return fail(failure, invalid("it is no folder"), "",
              "is a file, which cannot grow: a collection that grows is a folder");
}

// An index without files, where there is none yet.
Status CollectionWriter::State::make_index(Failure* failure) {
  const std::string name = path + "/" + kCollectionName;
  platform::FileInfo found;
  if (platform::look_at(name, found)) return {};
  numpact::internal::FolderNames names;
  const Status listed = numpact::internal::list_names(path, names);
  if (!listed.ok()) return fail(failure, listed);
  names.files.insert(names.files.end(), names.others.begin(), names.others.end());
  for (const std::string& other : names.files) {
    if (other == kCollectionName || internal::is_left_name(other)) continue;
    return fail(failure, invalid("the folder holds other files"), "",
                "is not a collection, and holds '" + other + "': rows are not added to it");
  }
  NewFile made;
  const std::string hidden =
      platform::hidden_name(path + "/", kCollectionName, numpact::internal::new_tag());
  const std::string text = internal::collection_text({});
  Status status = made.create(hidden, false);
  if (status.ok()) status = made.write(std::as_bytes(std::span(text)));
  if (status.ok()) status = made.close();
  if (status.ok() && config.sync) status = made.sync();
  if (status.ok() && platform::rename_to_free_name(hidden, name)) made.keep();
  // Another writer may have made one, and removed what it took for left.
  if (platform::look_at(name, found)) return {};
  if (status.ok()) return fail_by_system(failure, "the index cannot be made", kCollectionName);
  return fail(failure, status, kCollectionName);
}

Status CollectionWriter::State::lock_index(Failure* failure) {
  const Status status = lock.lock(path + "/" + kCollectionName, config.lock);
  if (!status.ok()) return fail(failure, status, kCollectionName);
  if (!lock.has_file()) {
    return fail(failure, Status(ErrorKind::kIo, "there is no index").because_of(ENOENT),
                kCollectionName);
  }
  if (platform::folder_part(lock.path()) == path) return {};
  return fail(failure, Status(ErrorKind::kCorrupt, "it is a link that leads out of the folder"),
              kCollectionName);
}

// Reads the index and the header of the last file, and removes what killed writers have left.
Status CollectionWriter::State::read_last(Failure* failure) {
  std::shared_ptr<internal::Folder> folder;
  std::string why;
  const Status opened = internal::Folder::open(path, folder, why, kCollectionName);
  if (!opened.ok()) return fail(failure, opened, "", why);
  NUMPACT_TRY(internal::read_index(*folder, path, {}, index, failure));
  if (lock.is_held()) {  // otherwise they may be those of a writer that is at work
    numpact::internal::FolderNames names;
    const Status listed = numpact::internal::list_names(path, names);
    if (!listed.ok()) return fail(failure, listed);
    for (const std::string& name : names.files) {
      const bool is_listed = std::any_of(index.begin(), index.end(), [&](const auto& listed_file) {
        return listed_file.name == name;
      });
      if (!is_listed && internal::is_left_name(name)) platform::remove_file(path + "/" + name);
    }
  }
  if (index.empty()) return {};
  is_merged = index.back().rows < kMinFileRows;
  std::vector<Reader> readers;
  NUMPACT_TRY(internal::open_file(*folder, path, index.back(), {}, is_merged, readers, failure));
  last = std::move(readers[0]);
  return {};
}

// The columns of the new file: those that are asked for must be those of the last one.
Status CollectionWriter::State::set_columns(Failure* failure) {
  std::vector<ColumnSpec>& specs = config.columns;
  const bool is_unnamed = specs.size() == 1 && specs[0].name.empty();
  if (!last) {
    if (is_unnamed) specs[0].name = kDefaultColumn;
    for (ColumnSpec& spec : specs) {
      if (!spec.compression) spec.compression = internal::default_compression(spec.dtype);
    }
    if (!specs.empty()) return {};
    return fail(failure, invalid("a new collection needs columns"));
  }
  const std::vector<Column>& columns = last->info().columns;
  const auto refuse = [&](ErrorKind kind, const std::string& text) {
    return fail(failure, Status(kind, "the collection has other columns"), "",
                text + " given; the collection has " + columns_text(last->info()));
  };
  if (!config.metadata.empty()) {
    return fail(failure, invalid("the collection has metadata of its own"), "",
                "metadata is given when a collection is made");
  }
  if (last->info().metadata) config.metadata = *last->info().metadata;
  std::vector<ColumnSpec> given;
  given.swap(specs);
  if (!given.empty() && given.size() != columns.size()) {
    return refuse(ErrorKind::kInvalidArgument, std::to_string(given.size()) + " columns are");
  }
  for (const Column& column : columns) {
    ColumnSpec& spec = specs.emplace_back(ColumnSpec{column.name, column.dimension, column.dtype,
                                                     column.compression, column.is_vector});
    if (given.empty()) continue;
    const auto found = std::find_if(given.begin(), given.end(), [&](const ColumnSpec& each) {
      return is_unnamed || each.name == column.name;
    });
    if (found == given.end()) {
      return refuse(ErrorKind::kInvalidArgument, "column '" + column.name + "' is not");
    }
    if (found->dimension != column.dimension) {
      return refuse(ErrorKind::kInvalidArgument, "column '" + column.name + "' of dimension " +
                                                     std::to_string(found->dimension) + " is");
    }
    if (found->dtype != column.dtype) {
      return refuse(ErrorKind::kTypeMismatch, "column '" + column.name + "' of " +
                                                  std::string(name_of(found->dtype)) + " is");
    }
    if (found->compression) spec.compression = found->compression;
  }
  return {};
}

Status CollectionWriter::State::make_file(Failure* failure) {
  const std::string name =
      internal::file_name(internal::next_number(index), numpact::internal::new_tag());
  // An empty file of the access that the index has, which the Writer replaces and whose access it
  // takes over.
  Status status = file.create(path + "/" + name, true);
  if (status.ok()) status = file.close();
  if (status.ok()) status = file.take_access_of(lock.path());
  if (!status.ok()) return fail(failure, status, name);
  if (is_merged) config.expected_rows.reset();  // rows of the last file come first
  Result<Writer> made = Writer::create(file.path(), config);
  if (!made.ok()) return fail(failure, made.status(), name);
  writer = std::move(*made);
  if (!is_merged) return {};
  status = copy_last();
  writer->count_rows_from(copied_rows);
  return status.ok() ? status : fail(failure, status, index.back().name);
}

Status CollectionWriter::State::open(const std::string& target, Failure* failure) {
  NUMPACT_TRY(check_new(target, failure));
  NUMPACT_TRY(make_folder(failure));
  // Again: the path of a folder that was missing may have become another.
  const Status status = follow_links(path).into(path);
  if (!status.ok()) return fail(failure, status);
  NUMPACT_TRY(make_index(failure));
  NUMPACT_TRY(lock_index(failure));
  NUMPACT_TRY(read_last(failure));
  NUMPACT_TRY(set_columns(failure));
  return make_file(failure);
}

// ---- the rows of the last file ----

void CollectionWriter::State::count_rows(std::uint64_t rows) {
  pending += rows;
  copied_chunks += pending / config.chunk_rows;
  pending %= config.chunk_rows;
}

void CollectionWriter::State::end_chunk_of_copies() {
  if (pending > 0) ++copied_chunks;
  pending = 0;
}

Status CollectionWriter::State::copy_last() {
  const Info& info = last->info();
  std::vector<Section> sections = info.sections;
  std::stable_sort(sections.begin(), sections.end(),
                   [](const Section& a, const Section& b) { return a.rows.first < b.rows.first; });
  for (const Section& section : sections) {
    NUMPACT_TRY(writer->add_section(section.rows, section.metadata));
  }
  for (std::size_t i = 0; i < info.chunks.size(); ++i) {
    const Chunk& chunk = info.chunks[i];
    bool is_small = !chunk.metadata && chunk.rows < std::min(kMinChunkRows, config.chunk_rows);
    for (std::size_t column = 0; column < info.columns.size(); ++column) {
      Column now = info.columns[column];
      now.compression = *config.columns[column].compression;
      is_small = is_small && is_repeatable(now, info.slice(i, column));
    }
    NUMPACT_TRY(is_small ? append_chunk(i) : copy_chunk(i));
  }
  copied_rows = info.rows;
  return {};
}

// Adds the payload of a chunk unchanged.
Status CollectionWriter::State::copy_chunk(std::size_t chunk) {
  const Info& info = last->info();
  end_chunk_of_copies();
  NUMPACT_TRY(writer->end_chunk());
  if (info.chunks[chunk].metadata) {
    ChunkOptions options;
    options.metadata = *info.chunks[chunk].metadata;
    NUMPACT_TRY(writer->set_chunk(copied_chunks, options));
  }
  // The slices of a chunk are in one payload, in any order.
  StoredSlice stored;
  NUMPACT_TRY(last->stored_slice(chunk, 0).into(stored));
  const Chunk& entry = info.chunks[chunk];
  const std::byte* const payload = stored.bytes.data() - info.slice(chunk, 0).offset;
  const std::size_t count = info.columns.size();
  EncodedChunk encoded;
  encoded.rows = entry.rows;
  encoded.slices = std::span(info.slices).subspan(chunk * count, count);
  encoded.payload = {payload, static_cast<std::size_t>(entry.payload_bytes)};
  NUMPACT_TRY(last->checksum(chunk).into(encoded.checksum));
  NUMPACT_TRY(writer->append_encoded(encoded));
  ++copied_chunks;
  return {};
}

// Adds the values of a chunk, which is_repeatable().
Status CollectionWriter::State::append_chunk(std::size_t chunk) {
  const Info& info = last->info();
  const RowRange range{info.chunks[chunk].first_row, info.chunks[chunk].rows};
  std::vector<std::vector<std::byte>> values;
  std::vector<Target> targets;
  std::vector<Rows> rows;
  for (std::size_t i = 0; i < info.columns.size(); ++i) {
    const Column& column = info.columns[i];
    const std::uint64_t size = range.count * column.dimension * size_of(column.dtype);
    std::vector<std::byte>& memory = values.emplace_back(static_cast<std::size_t>(size));
    targets.push_back({{column.dtype, memory.data(), range.count, column.dimension}, i});
    rows.emplace_back(column.dtype, memory.data(), range.count, column.dimension);
  }
  NUMPACT_TRY(last->read({&range, 1}, targets).status());
  NUMPACT_TRY(writer->append(rows));
  count_rows(range.count);
  return {};
}

// ---- the end ----

// The index with the new file in the place of the one whose rows it has.
Status CollectionWriter::State::write_index(NewFile& made, Failure* failure) {
  const std::string hidden =
      platform::hidden_name(path + "/", kCollectionName, numpact::internal::new_tag());
  const std::string text = internal::collection_text(index);
  Status status = made.create(hidden, true);
  if (status.ok()) status = made.write(std::as_bytes(std::span(text)));
  if (status.ok()) status = made.close();
  if (status.ok()) status = made.take_access_of(lock.path());
  if (status.ok() && config.sync) status = made.sync();
  return status.ok() ? status : fail(failure, status, kCollectionName);
}

Status CollectionWriter::State::commit(WriteReport& report, Failure* failure) {
  if (is_committed) return fail(failure, invalid("the rows were added already"));
  is_committed = true;
  const std::string name = platform::name_part(file.path());
  Status status = writer->finish().into(report);
  if (!status.ok()) {
    const std::string& place = writer->error_place();
    if (place.empty()) return fail(failure, status, name);
    return fail(failure, status, "", place + ": " + status.message());
  }
  const bool stays = last && report.rows == copied_rows;
  const std::uint64_t rows = report.rows;
  report.rows -= copied_rows;
  writer.reset();
  last.reset();  // Windows removes no file that is mapped
  if (stays) {
    lock.release();
    return {};
  }
  CollectionFile made{name, rows, 0, 0};
  status = find_sum(file.path(), made);
  if (!status.ok()) return fail(failure, status, name);
  std::string merged;
  if (is_merged) {
    merged = path + "/" + index.back().name;
    index.pop_back();
  }
  index.push_back(std::move(made));
  NewFile replaced;
  NUMPACT_TRY(write_index(replaced, failure));
  status = lock.replace(replaced.path());
  if (!status.ok()) return fail(failure, status, kCollectionName);
  // From here on the new rows are there.
  file.keep();
  replaced.keep();
  if (config.sync) platform::sync_folder(path);
  if (!merged.empty()) platform::remove_file(merged);
  return {};
}

// ---- the interface ----

CollectionWriter::CollectionWriter() : state_(std::make_unique<State>()) {}
CollectionWriter::CollectionWriter(CollectionWriter&& other) noexcept = default;
CollectionWriter& CollectionWriter::operator=(CollectionWriter&& other) noexcept = default;
CollectionWriter::~CollectionWriter() = default;

Result<CollectionWriter> CollectionWriter::open(const std::string& folder,
                                                const WriteConfig& config,
                                                Failure* failure) noexcept {
  std::optional<CollectionWriter> made;
  const Status status = guarded([&] {
    made = CollectionWriter();
    made->state_->config = config;
    return made->state_->open(folder, failure);
  });
  if (!status.ok()) return status;
  return *std::move(made);
}

Writer& CollectionWriter::file() noexcept { return *state_->writer; }
const std::vector<ColumnSpec>& CollectionWriter::columns() const noexcept {
  return state_->config.columns;
}
std::uint64_t CollectionWriter::copied_rows() const noexcept { return state_->copied_rows; }
std::uint64_t CollectionWriter::copied_chunks() const noexcept { return state_->copied_chunks; }

Result<WriteReport> CollectionWriter::commit(Failure* failure) noexcept {
  return numpact::internal::guarded_value<WriteReport>(
      [&](WriteReport& report) { return state_->commit(report, failure); });
}

}  // namespace numpact::cvc
