// SPDX-License-Identifier: Apache-2.0
#include "pco/pco_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "failure.hpp"
#include "pco/verifier.hpp"
#include "report/text_table.hpp"

namespace numpact::cli {
namespace {

// Block size for decoding with several threads. Larger blocks give each thread more work and take
// more memory.
constexpr std::size_t kParallelBlockBytes = std::size_t{16} << 20;

// Passes bytes to the file and to the verifier.
class VerifiedSink final : public ByteSink {
 public:
  VerifiedSink(OutputFile& file, Verifier* verifier) : file_(file), verifier_(verifier) {}

  Status write(std::span<const std::byte> bytes) override {
    if (verifier_ != nullptr) verifier_->feed(bytes);
    return file_.write(bytes);
  }

 private:
  OutputFile& file_;
  Verifier* verifier_;
};

void check_written(const Status& status, const OutputFile& file, const std::string& place) {
  if (status.ok()) return;
  if (status.kind() == ErrorKind::kIo) file.throw_if_failed();
  check(status, place);
}

// Copies the chunks of the old file before new numbers are written.
void copy_old_chunks(const WriteOptions& options, NumberType type, OutputFile& file,
                     StreamWriter& writer, Verifier* verifier) {
  const std::string& name = options.append_name;
  PcoNumbers numbers(std::make_unique<Input>(options.append_to), name, {});
  if (numbers.type().value_or(type) != type) {
    fail(name, "holds {} numbers, not {}", name_of(*numbers.type()), name_of(type));
  }
  while (verifier != nullptr) {
    const NumberView block_buffer = numbers.next();
    if (block_buffer.count == 0) break;
    verifier->expect(block_buffer);
  }
  Input old(options.append_to);
  check_written(writer.copy_file(old), file, name);
}

// Appends a trailer for the old and new chunks.
std::uint64_t append_trailer(const TrailerSpec& spec, OutputFile& file, ByteSink& sink,
                             const std::string& place) {
  const FileBytes written(file.written_path());
  DecodeConfig config;
  config.progress = written.releasing();
  MadeTrailer trailer;
  check(Trailer::make(written.bytes(), spec, config).into(trailer), place);
  check_written(sink.write(trailer.bytes), file, place);
  return trailer.bytes.size();
}

}  // namespace

bool begins_as_pco(Input& input) {
  constexpr std::string_view kMagic = "pco!";
  const std::span<const std::byte> front = input.peek(kMagic.size());
  return front.size() == kMagic.size() &&
         std::memcmp(front.data(), kMagic.data(), front.size()) == 0;
}

void keep_restart_points(const FileRef& old_file, WriteOptions& options) {
  if (!(options.config.trailer == TrailerSpec::index())) return;
  const FileBytes file(old_file);
  std::optional<Trailer> old;
  // A damaged trailer is refused later, when the file is copied.
  if (!Trailer::read(file.bytes()).into(old).ok() || !old || !old->restart_log()) return;
  options.config.trailer = TrailerSpec::restarts(*old->restart_log());
}

WrittenFile write_pco(NumberInput& input, NumberType type, OutputFile& file,
                      const WriteOptions& options, const std::string& place) {
  const std::optional<std::uint64_t> count = input.count();
  EncodeConfig config = options.config;
  config.paging = config.paging.evened(count.value_or(0));
  const bool appends = options.append_to != nullptr;
  if (appends) config.trailer = TrailerSpec::none();

  const auto verifier = options.verify ? std::make_unique<Verifier>(type) : nullptr;
  VerifiedSink sink(file, verifier.get());
  StreamWriter writer(sink, type, config, count.value_or(0), options.memory.get());
  if (appends) copy_old_chunks(options, type, file, writer, verifier.get());
  ProgressBar progress(place, count, options.progress);
  WrittenFile written;
  for (;;) {
    const NumberView numbers = input.next();
    if (numbers.count == 0) break;
    if (verifier != nullptr) verifier->expect(numbers);
    check_written(writer.write(numbers), file, place);
    written.count += numbers.count;
    progress.add(numbers.count, numbers.count * size_of(type));
  }
  check_written(writer.finish(), file, place);
  written.bytes = writer.bytes_written();
  written.trailer_bytes = writer.trailer_bytes();
  if (appends && options.config.trailer.is_requested()) {
    written.trailer_bytes = append_trailer(options.config.trailer, file, sink, place);
    written.bytes += written.trailer_bytes;
  }
  if (verifier != nullptr) verifier->finish(file.name());
  return written;
}

MutableNumberView PcoInput::block_buffer(std::uint64_t max_n) {
  const NumberType type = type_.value_or(NumberType::kU8);
  if (keeps_last_) std::swap(numbers_, last_);
  if (block_n_ == 0) {
    block_n_ = is_parallel_ ? numbers_in(kParallelBlockBytes, type) : kBlockNumbers;
  }
  if (numbers_ == nullptr) {
    numbers_ = std::make_unique_for_overwrite<std::uint64_t[]>(block_n_ * size_of(type) / 8);
  }
  const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(max_n, block_n_));
  return MutableNumberView(type, numbers_.get(), n);
}

PcoNumbers::PcoNumbers(std::unique_ptr<ByteSource> source, std::string place,
                       const DecodeConfig& config, std::optional<NumberType> dtype)
    : PcoInput(std::move(place), config.threads),
      source_(std::move(source)),
      reader_(*source_, config) {
  check(reader_.header().into(header_), place_);
  type_ = header_.number_type ? header_.number_type : dtype;
}

Status PcoNumbers::try_next(NumberView& numbers) {
  const MutableNumberView out = block_buffer(std::numeric_limits<std::uint64_t>::max());
  std::size_t count = 0;
  const Status status = reader_.read(out).into(count);
  numbers = NumberView(out.type, out.data, count);
  return status;
}

NumberView PcoNumbers::next() {
  NumberView numbers;
  check(try_next(numbers), place_);
  return numbers;
}

PcoRecovery::PcoRecovery(const FileRef& file, std::string place, const DecodeConfig& config,
                         std::optional<NumberType> dtype)
    : PcoInput(std::move(place), config.threads), bytes_(file), config_(config) {
  check(verify(bytes_.bytes(), config, &context_).into(found_), place_);
  type_ = found_.type ? found_.type : dtype;
  if (found_.sound_count == 0) return;
  Result<FileReader> reader = FileReader::create(bytes_.bytes(), found_.index, found_.header);
  check(reader.status(), place_);
  reader_ = *reader;
}

NumberView PcoRecovery::next() {
  std::uint64_t end = found_.index.count();
  for (; damage_at_ < found_.damage.size(); ++damage_at_) {
    const DamagedPart& damage = found_.damage[damage_at_];
    if (damage.first > at_ || !damage.count) {
      end = std::min(end, damage.first);
      break;
    }
    at_ = damage.first + *damage.count;
  }
  const MutableNumberView out = block_buffer(reader_ ? end - at_ : 0);
  if (out.count > 0) check(reader_->read(at_, out, config_, &context_), place_);
  at_ += out.count;
  return NumberView(out.type, out.data, out.count);
}

void PcoParts::add(std::unique_ptr<PcoInput> part) {
  if (type_ && part->type() && *type_ != *part->type()) {
    fail_corrupt(part->place(), "corrupt: holds {} numbers, parts before it {}",
                 name_of(*part->type()), name_of(*type_));
  }
  if (part->type()) type_ = part->type();
  parts_.push_back(std::move(part));
}

NumberView PcoParts::next() {
  for (; at_ < parts_.size(); ++at_) {
    const NumberView numbers = parts_[at_]->next();
    if (numbers.count > 0) return numbers;
  }
  return {type_.value_or(NumberType::kU8), nullptr, 0};
}

std::vector<std::string> losses(const Verification& found) {
  std::vector<std::string> lines;
  for (const DamagedPart& damage : found.damage) {
    const std::string numbers =
        damage.count
            ? fmt::format("numbers {} to {}", damage.first, damage.first + *damage.count - 1)
            : fmt::format("numbers from {} on, however many", damage.first);
    lines.push_back(fmt::format("{} lost, chunk {} in {} bytes from byte {}: {}", numbers,
                                damage.chunk, damage.bytes, damage.offset,
                                message_of(damage.status)));
  }
  return lines;
}

PcoRange::PcoRange(const FileRef& file, std::string place, const NumberRange& range,
                   const DecodeConfig& config, std::optional<NumberType> dtype)
    : PcoInput(std::move(place), config.threads), bytes_(file), range_(range), config_(config) {
  // The user's limits apply to the range; the walk over the rest of the file has its own.
  DecodeConfig walk = config;
  walk.limits = walk_limits(config.limits, bytes_.bytes().size());
  ChunkIndex index;
  check_walk(ChunkIndex::build(bytes_.bytes(), walk, &context_).into(index), walk.limits, place_);
  reader_ = FileReader::create(bytes_.bytes(), index).value();
  if (range.first > index.count() || range.count > index.count() - range.first) {
    fail(place_, "holds {} numbers, not those of --range", index.count());
  }
  type_ = index.type() ? index.type() : dtype;
}

NumberView PcoRange::next() {
  const MutableNumberView out = block_buffer(range_.count - done_);
  check(reader_->read(range_.first + done_, out, config_, &context_), place_);
  done_ += out.count;
  return NumberView(out.type, out.data, out.count);
}

DecodeLimits walk_limits(const DecodeLimits& limits, std::uint64_t file_bytes) {
  // Number bytes that a walk may pass for a file of any size: half a second at the highest speed,
  // for numbers that take no bits.
  constexpr std::uint64_t kMinWalkBytes = std::uint64_t{16} << 30;
  // Number bytes that a walk may pass per byte of the file. Only files of nearly constant numbers
  // exceed this ratio.
  constexpr std::uint64_t kMaxNumberBytesPerFileByte = 1024;
  DecodeLimits walk;
  walk.max_memory = limits.max_memory;
  walk.max_output_bytes = std::max(kMinWalkBytes, kMaxNumberBytesPerFileByte * file_bytes);
  if (limits.max_output_bytes != DecodeLimits::kUnlimited) {
    walk.max_output_bytes = std::max(walk.max_output_bytes, limits.max_output_bytes);
  }
  return walk;
}

void check_walk(const Status& status, const DecodeLimits& limits, const std::string& place) {
  if (status.kind() != ErrorKind::kLimitExceeded) return check(status, place);
  throw Failure(ExitCode::kLimit, place,
                fmt::format("{} (a walk over the file passes at most {} bytes of numbers, and more "
                            "where --max-output is higher)",
                            message_of(status), limits.max_output_bytes));
}

std::string size_text(std::uint64_t raw_bytes, std::uint64_t bytes) {
  const double ratio = bytes == 0 ? 0 : static_cast<double>(raw_bytes) / static_cast<double>(bytes);
  return fmt::format("{} -> {} bytes ({:.2f}x)", grouped(raw_bytes), grouped(bytes), ratio);
}

}  // namespace numpact::cli
