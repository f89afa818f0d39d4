// SPDX-License-Identifier: Apache-2.0
// Adds rows to collections.
#include <algorithm>
#include <cerrno>
#include <numeric>
#include <utility>

#include "base/crc.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "cvc/collection/collection.hpp"
#include "cvc/collection/copier.hpp"
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

Status invalid(const char* what) { return Status(ErrorKind::kInvalidArgument, what); }

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
  Status append(const Reader& rows, Failure* failure);
  Status commit(WriteReport& report, Failure* failure);

  WriteConfig config;
  bool is_like_file = false;  // compressions of the config are for new collections
  std::string file_metadata;  // for new collections, unless the config has some
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
  Status find_columns(const std::vector<ColumnSpec>& given, std::vector<std::size_t>& order,
                      Failure* failure) const;
  Status write_index(NewFile& file, Failure* failure);

  std::string path;
  FileLock lock;
  CollectionIndex index;
  std::optional<Info> last_info;  // of the last file, if there is one
  std::optional<Reader> last;     // it, if its rows are copied
  bool is_merged = false;         // and the new file begins with its rows
  NewFile file;                   // keeps the name, and removes the file without commit()
  bool is_committed = false;      // or given up
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
  if (!is_merged) {
    return internal::open_header(*folder, path, index.back(), last_info.emplace(), failure);
  }
  std::vector<Reader> readers;
  NUMPACT_TRY(internal::open_file(*folder, path, index.back(), {}, true, readers, failure));
  last = std::move(readers[0]);
  last_info = last->info();
  return {};
}

// The places among `given` of the columns of the new file, which they must be.
Status CollectionWriter::State::find_columns(const std::vector<ColumnSpec>& given,
                                             std::vector<std::size_t>& order,
                                             Failure* failure) const {
  const auto refuse = [&](ErrorKind kind, const std::string& text) {
    return fail(failure, Status(kind, "the collection has other columns"), "",
                text + " given; the collection has " + internal::text_of(config.columns));
  };
  if (given.size() != config.columns.size()) {
    return refuse(ErrorKind::kInvalidArgument, std::to_string(given.size()) + " columns are");
  }
  const bool is_unnamed = given.size() == 1 && given[0].name.empty();
  for (const ColumnSpec& column : config.columns) {
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
    order.push_back(static_cast<std::size_t>(found - given.begin()));
  }
  return {};
}

// The columns of the new file: those that are asked for must be those of the last one.
Status CollectionWriter::State::set_columns(Failure* failure) {
  std::vector<ColumnSpec>& specs = config.columns;
  if (!last_info) {
    if (specs.empty()) return fail(failure, invalid("a new collection needs columns"));
    if (specs.size() == 1 && specs[0].name.empty()) specs[0].name = kDefaultColumn;
    for (ColumnSpec& spec : specs) {
      if (!spec.compression) spec.compression = internal::default_compression(spec.dtype);
    }
    if (config.metadata.empty()) config.metadata = file_metadata;
    return {};
  }
  if (!config.metadata.empty()) {
    return fail(failure, invalid("the collection has metadata of its own"), "",
                "metadata is given when a collection is made");
  }
  if (last_info->metadata) config.metadata = *last_info->metadata;
  std::vector<ColumnSpec> given;
  given.swap(specs);
  specs = columns_like(*last_info);
  if (given.empty()) return {};
  std::vector<std::size_t> order;
  NUMPACT_TRY(find_columns(given, order, failure));
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::optional<Compression>& asked = given[order[i]].compression;
    if (asked && !is_like_file) specs[i].compression = asked;
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
  std::vector<std::size_t> order(config.columns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  status = internal::Copier(*writer, config.columns, config.chunk_rows).copy(*last, order);
  if (!status.ok()) return fail(failure, status, index.back().name);
  copied_rows = writer->rows();
  copied_chunks = writer->chunks();
  writer->count_rows_from(copied_rows);
  return {};
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

Status CollectionWriter::State::append(const Reader& rows, Failure* failure) {
  if (is_committed) return fail(failure, invalid("the rows were added already, or could not be"));
  std::vector<std::size_t> order;
  NUMPACT_TRY(find_columns(columns_like(rows.info()), order, failure));
  const Status status =
      internal::Copier(*writer, config.columns, config.chunk_rows).copy(rows, order);
  is_committed = !status.ok();
  return status.ok() ? status : fail(failure, status);
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
  if (is_committed) return fail(failure, invalid("the rows were added already, or could not be"));
  is_committed = true;
  const std::string name = platform::name_part(file.path());
  Status status = writer->finish().into(report);
  if (!status.ok()) {
    const std::string& place = writer->error_place();
    if (place.empty()) return fail(failure, status, name);
    return fail(failure, status, "", place + ": " + status.message());
  }
  const bool stays = last_info && report.rows == copied_rows;
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

Result<CollectionWriter> CollectionWriter::open_for(const std::string& folder, const Reader& rows,
                                                    const WriteConfig& config,
                                                    Failure* failure) noexcept {
  std::optional<CollectionWriter> made;
  const Status status = guarded([&] {
    made = CollectionWriter();
    State& state = *made->state_;
    state.config = config;
    state.config.columns = columns_like(rows.info());
    state.is_like_file = true;
    if (rows.info().metadata) state.file_metadata = *rows.info().metadata;
    return state.open(folder, failure);
  });
  if (!status.ok()) return status;
  return *std::move(made);
}

Writer& CollectionWriter::file() noexcept { return *state_->writer; }
Status CollectionWriter::append(const Reader& rows, Failure* failure) noexcept {
  return guarded([&] { return state_->append(rows, failure); });
}
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
