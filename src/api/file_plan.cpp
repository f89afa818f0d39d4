// SPDX-License-Identifier: Apache-2.0
#include "api/file_plan.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/context.hpp"
#include "api/decode_checks.hpp"
#include "api/file_end.hpp"
#include "api/trailer_use.hpp"
#include "base/crc.hpp"
#include "base/internal.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "bits/bit_writer.hpp"
#include "numpact/pco.hpp"
#include "numpact/trailer.hpp"
#include "pco/limits.hpp"
#include "pco/standalone/chunk_scanner.hpp"
#include "pco/standalone/file_walker.hpp"
#include "pco/trailer/layout.hpp"
#include "pco/wire.hpp"

namespace numpact {
namespace {

// Numbers decoded at a time by a repair; they fit the L2 cache.
constexpr std::size_t kRepairStepN = std::size_t{1} << 14;

// The old file, as far as appending needs it.
struct OldFile {
  standalone::Header header;
  std::vector<std::byte> header_bytes;
  std::uint64_t end = 0;  // of the last chunk: the offset of the terminator
  std::uint64_t numbers = 0;
  std::vector<std::byte> rest;  // the bytes behind the terminator, if they are an intact trailer
  std::optional<trailer::View> view;  // of these
};

// Finds the end of a file without a trailer: codes are read, and no numbers computed.
Status walk_to_end(std::span<const std::byte> bytes, OldFile& file, NumberType type) {
  ScratchArena arena(static_cast<DecodeContext*>(nullptr));
  standalone::FileWalker walker(bytes, *arena);
  NUMPACT_TRY(walker.read_header());
  while (true) {
    bool is_end = false;
    file.end = walker.offset();
    NUMPACT_TRY(walker.enter_chunk(is_end));
    if (is_end) break;
    if (walker.head().type != type) {
      return Status(ErrorKind::kTypeMismatch, "the file holds numbers of another type");
    }
    file.numbers += walker.head().n;
    std::array<PageVariableSizes, kVariables> sizes{};
    NUMPACT_TRY(walker.skip(sizes));
    NUMPACT_TRY(walker.leave_chunk());
  }
  return check_end(end_of_file(bytes.subspan(walker.offset()), walker.offset()));
}

Status read_old_file(std::span<const std::byte> bytes, NumberType type, OldFile& file) {
  BitReader reader(bytes);
  NUMPACT_TRY(standalone::parse_header(reader, file.header));
  const std::span<const std::byte> header = bytes.first(reader.byte_position());
  file.header_bytes.assign(header.begin(), header.end());
  if (file.header.format.major < 4) {
    return Status(ErrorKind::kUnsupportedVersion,
                  "files of a format version before 4 cannot be appended to");
  }
  if (file.header.uniform_type && *file.header.uniform_type != type) {
    return Status(ErrorKind::kTypeMismatch, "the file holds numbers of another type");
  }
  std::optional<trailer::View> found;
  NUMPACT_TRY(find_own_trailer(bytes, found));
  if (!found) return walk_to_end(bytes, file, type);
  file.end = found->file_bytes - 1;
  const std::span<const std::byte> rest = bytes.subspan(to_size(found->file_bytes));
  file.rest.assign(rest.begin(), rest.end());
  NUMPACT_TRY(trailer::parse({file.rest, found->file_bytes}, file.view.emplace()));
  file.numbers = file.view->front.number_n;
  if (file.view->front.type && *file.view->front.type != type) {
    return Status(ErrorKind::kTypeMismatch, "the file holds numbers of another type");
  }
  const bool fits = bytes[to_size(file.end)] == std::byte{wire::kTerminator} &&
                    file.view->front.header_bytes == file.header_bytes.size() &&
                    file.view->front.header_crc == crc32(file.header_bytes);
  if (fits) return {};
  return Status(ErrorKind::kCorrupt, "the trailer contradicts the file", file.end);
}

// Compares the chunks of a file whose trailer, the evidence of damage to them, will be gone.
Status compare_chunks(std::span<const std::byte> bytes, const trailer::View& view) {
  TrailerCheck check;
  NUMPACT_TRY(check.start(bytes, TrailerPolicy::kUse));
  for (std::uint64_t i = 0; i < view.front.chunk_n; ++i) {
    NUMPACT_TRY(check.before_chunk(i, view.record(i).offset, kMaxChunkN));
  }
  return {};
}

// The new chunks as a file of their own, of the old file's format version and trailer.
Status encode_new_chunks(const NumberView& numbers, const EncodeConfig& config, const OldFile& file,
                         const TrailerSpec& spec, std::vector<std::byte>& bytes) {
  const Compatibility version =
      file.header.format.minor == 0 ? Compatibility::kV4_0 : Compatibility::kV4_1;
  if (config.compatibility < version) {
    return Status(ErrorKind::kInvalidArgument, "the file's format version is newer than asked for");
  }
  EncodeConfig own = config;
  own.compatibility = version;
  own.trailer = spec;
  return compress(numbers, own).into(bytes);
}

// The header with the new count, if it states the old one and its size does not change: readers may
// plan by it. A header from another writer, whose layout is unknown here, stays.
std::vector<std::byte> header_with(const OldFile& file, std::uint64_t numbers) {
  const auto bytes_of = [](const standalone::Header& header) {
    std::vector<std::byte> bytes(standalone::kMaxHeaderBytes);
    BitWriter writer(bytes);
    standalone::write_header(writer, header);
    bytes.resize(writer.size());
    return bytes;
  };
  if (file.header.n_hint == 0 || bytes_of(file.header) != file.header_bytes) {
    return file.header_bytes;
  }
  standalone::Header header = file.header;
  header.n_hint = numbers;
  std::vector<std::byte> bytes = bytes_of(header);
  return bytes.size() == file.header_bytes.size() ? bytes : file.header_bytes;
}

// Adds the chunks of a trailer, whose offsets become larger by `shift`.
Status add_chunks(const trailer::View& view, std::uint64_t shift, trailer::Builder& builder) {
  trailer::PointsWalker walker(view);
  for (std::uint64_t i = 0; i < view.front.chunk_n; ++i) {
    trailer::ChunkRecord record = view.record(i);
    const std::span<const std::byte> before = walker.rest();
    trailer::ChunkPoints points;
    NUMPACT_TRY(walker.next(record.n, points));
    record.offset += shift;
    builder.add(*view.front.type, record, before.first(before.size() - walker.rest().size()));
  }
  return {};
}

class Steps {
 public:
  explicit Steps(std::vector<FileStep>& steps) : steps_(steps) {}

  void write(std::uint64_t offset, std::span<const std::byte> bytes) {
    steps_.push_back({FileStep::Kind::kWrite, offset, bytes});
  }
  void resize(std::uint64_t bytes) { steps_.push_back({FileStep::Kind::kResize, bytes}); }
  void sync() { steps_.push_back({FileStep::Kind::kSync}); }
  void write_trailer(std::uint64_t offset, std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    write(offset + 1, bytes.subspan(1));
    sync();
    write(offset, bytes.first(1));
    sync();
  }

 private:
  std::vector<FileStep>& steps_;
};

// The bytes to write: chunks with their terminator, and the trailer of the whole file behind them.
struct Addition {
  std::vector<std::byte> header;
  std::span<const std::byte> chunks;
  std::vector<std::byte> trailer;
};

void add_steps(OldFile& old, Addition& added, FilePlan& plan) {
  Steps steps(plan.steps);
  steps.resize(old.end + 1);
  steps.write(old.end + 1, added.chunks.subspan(1));
  const bool is_same_header = added.header == old.header_bytes;
  if (!is_same_header) steps.write(0, plan.keep(std::move(added.header)));
  steps.sync();
  plan.commit = plan.steps.size();
  steps.write(old.end, added.chunks.first(1));
  steps.sync();
  steps.write_trailer(old.end + added.chunks.size(), plan.keep(std::move(added.trailer)));
  Steps undo(plan.undo);
  undo.resize(old.end + 1);
  if (!is_same_header) undo.write(0, plan.keep(std::move(old.header_bytes)));
  undo.write_trailer(old.end + 1, plan.keep(std::move(old.rest)));
}

// Where a file that was not finished ends, and how many numbers it has.
struct Ending {
  std::uint64_t end = 0;  // of the last whole chunk
  std::uint64_t numbers = 0;
  bool has_terminator = false;
  bool is_clean = false;  // nothing follows, or an intact trailer
};

// Tells a chunk that was cut off from a damaged one, which may claim more bytes than there are:
// behind that one, others follow.
class LaterChunks {
 public:
  LaterChunks(std::span<const std::byte> bytes, FormatVersion format)
      : window_{bytes}, format_(format), scratch_(std::pmr::get_default_resource()) {}

  // A whole chunk, by which others are recognized.
  void learn(NumberType type, std::uint64_t offset) {
    if (!scanner_) scanner_.emplace(type, format_);
    standalone::LikelyChunk chunk;
    (void)scanner_->examine_at(window_, offset, scratch_, chunk);
  }
  bool follow(std::uint64_t offset) {
    if (!scanner_) return false;
    standalone::LikelyChunk before{offset, 0, offset + standalone::kChunkHeadBytes, window_.end()};
    standalone::LikelyChunk chunk;
    return scanner_->find_next(window_, before, scratch_, chunk) ==
           standalone::ChunkScanner::Outcome::kFound;
  }

 private:
  standalone::FileWindow window_;
  FormatVersion format_;
  Arena scratch_;
  std::optional<standalone::ChunkScanner> scanner_;  // none before the first chunk
};

// Decodes the chunk that was entered.
Status decode_chunk(standalone::FileWalker& walker, std::span<std::byte> buffer) {
  while (walker.numbers_left() > 0) {
    NUMPACT_TRY(walker.decode(std::min(kRepairStepN, walker.numbers_left()), buffer.data()));
  }
  return walker.leave_chunk();
}

Status find_ending(std::span<const std::byte> bytes, Ending& ending) {
  ScratchArena arena(static_cast<DecodeContext*>(nullptr));
  const std::span<std::byte> buffer =
      (*arena).make<std::byte>(kRepairStepN * sizeof(std::uint64_t));
  standalone::FileWalker walker(bytes, *arena);
  NUMPACT_TRY(walker.read_header());
  LaterChunks later(bytes, walker.header().format);
  while (true) {
    ending.end = walker.offset();
    Status status = walker.enter_chunk(ending.has_terminator);
    if (status.ok() && ending.has_terminator) break;
    if (status.ok()) status = decode_chunk(walker, buffer);
    const bool is_cut_off = status.kind() == ErrorKind::kTruncated && !later.follow(ending.end);
    if (is_cut_off) return {};
    NUMPACT_TRY(status);
    later.learn(walker.head().type, ending.end);
    ending.numbers += walker.head().n;
  }
  const std::span<const std::byte> rest = bytes.subspan(walker.offset());
  ending.is_clean = rest.empty();
  // What an append leaves behind begins like a chunk without its first byte, or is zeros.
  const FileEnd found = end_of_file(rest, walker.offset());
  const bool may_be_left = found.foreign_at == found.file_bytes && !read_header(rest).ok();
  return may_be_left ? Status() : check_end(found);
}

}  // namespace

std::span<const std::byte> FilePlan::keep(std::vector<std::byte> bytes) {
  return kept_.emplace_back(std::move(bytes));
}

std::vector<FileStep> trailer_steps(std::uint64_t offset, std::span<const std::byte> bytes) {
  std::vector<FileStep> made;
  Steps(made).write_trailer(offset, bytes);
  return made;
}

Status plan_append(std::span<const std::byte> file, const NumberView& numbers,
                   const EncodeConfig& config, FilePlan& plan) {
  NUMPACT_TRY(check_view(numbers));
  OldFile old;
  NUMPACT_TRY(read_old_file(file, numbers.type, old));
  TrailerSpec spec = config.trailer;
  if (!spec.is_requested() && !spec.is_excluded() && old.view) {
    const std::optional<unsigned> log = old.view->front.restart_log;
    spec = log ? TrailerSpec::restarts(*log) : TrailerSpec::index();
  }
  // A trailer of the same kind is continued; another one needs the numbers of the whole file.
  const bool is_continued = spec.is_requested() && old.view && old.view->front.type &&
                            old.view->front.restart_log == spec.restart_log();
  if (old.view && !is_continued && numbers.count > 0) NUMPACT_TRY(compare_chunks(file, *old.view));
  std::vector<std::byte> made;
  NUMPACT_TRY(
      encode_new_chunks(numbers, config, old, is_continued ? spec : TrailerSpec::none(), made));
  plan.numbers = old.numbers + numbers.count;
  if (numbers.count == 0) return {};
  const std::span<const std::byte> encoded = plan.keep(std::move(made));
  FileHeader header;
  NUMPACT_TRY(read_header(encoded).into(header));
  Addition added;
  added.header = header_with(old, plan.numbers);
  added.chunks = encoded.subspan(to_size(header.size_bytes));
  if (is_continued) {
    trailer::View view;
    NUMPACT_TRY(trailer::parse({encoded}, view));
    added.chunks = added.chunks.first(to_size(view.file_bytes - header.size_bytes));
    trailer::Builder builder(added.header, old.header.format, spec.restart_log());
    NUMPACT_TRY(add_chunks(*old.view, 0, builder));
    NUMPACT_TRY(add_chunks(view, old.end - header.size_bytes, builder));
    added.trailer = builder.finish(old.end + added.chunks.size());
  } else {
    plan.trailer = spec;
  }
  add_steps(old, added, plan);
  return {};
}

Status plan_repair(std::span<const std::byte> file, FilePlan& plan) {
  static constexpr std::byte kEnd[] = {std::byte{wire::kTerminator}};
  std::optional<trailer::View> view;
  NUMPACT_TRY(find_own_trailer(file, view));
  if (view) {
    Verification found;
    NUMPACT_TRY(verify(file).into(found));
    plan.numbers = found.sound_count;
    return first_error(found);
  }
  Ending ending;
  NUMPACT_TRY(find_ending(file, ending));
  plan.numbers = ending.numbers;
  if (ending.is_clean) return {};
  Steps steps(plan.steps);
  if (!ending.has_terminator) steps.write(ending.end, kEnd);
  steps.resize(ending.end + 1);
  steps.sync();
  return {};
}

}  // namespace numpact
