// SPDX-License-Identifier: Apache-2.0
// Decompresses columns for Arrow's C data interface.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/column_type.hpp"
#include "base/crc.hpp"
#include "base/load.hpp"
#include "base/size.hpp"
#include "base/try.hpp"
#include "capi/arrow_frame.hpp"
#include "capi/capi.hpp"
#include "json/json.hpp"
#include "numpact/pco.hpp"

using namespace numpact;                   // NOLINT(google-build-using-namespace)
using namespace numpact::internal;         // NOLINT(google-build-using-namespace)
using namespace numpact::internal::arrow;  // NOLINT(google-build-using-namespace)
using namespace numpact::internal::capi;   // NOLINT(google-build-using-namespace)

namespace {

// Arrow recommends this alignment, and sizes that are multiples of it, in bytes.
constexpr std::size_t kBufferAlignBytes = 64;

// ---- frames ----

struct Frame {
  std::string_view format;
  Storage storage;
  std::uint64_t length = 0;
  std::uint64_t nulls = 0;
  std::span<const std::byte> runs;
  std::span<const std::byte> numbers;
  std::size_t runs_at = 0;
  std::size_t numbers_at = 0;

  std::uint64_t number_count() const { return length - nulls; }
};

Status corrupt(const char* what, std::uint64_t offset = Status::kNoOffset) {
  return Status(ErrorKind::kCorrupt, what, offset);
}

bool is_frame(std::span<const std::byte> bytes) {
  return bytes.size() >= sizeof kMagic && std::memcmp(bytes.data(), kMagic, sizeof kMagic) == 0;
}

// Divides a frame by its head and compares its size and checksum.
Status split_frame(std::span<const std::byte> bytes, Frame& frame) {
  const Status truncated(ErrorKind::kTruncated, "the Arrow column's frame ends early",
                         bytes.size());
  if (bytes.size() < kHeadBytes + kCheckBytes) return truncated;
  const std::byte* const at = bytes.data();
  if (at[4] != std::byte{kVersion}) {
    return Status(ErrorKind::kUnsupportedVersion, "a newer version of the Arrow column's frame", 4);
  }
  std::size_t rest = bytes.size() - kHeadBytes - kCheckBytes;
  const std::uint64_t sizes[] = {load_le<std::uint16_t>(at + 6), load_le<std::uint64_t>(at + 24),
                                 load_le<std::uint64_t>(at + 32)};
  for (const std::uint64_t size : sizes) {
    if (size > rest) return truncated;
    rest -= static_cast<std::size_t>(size);
  }
  if (rest > 0) return corrupt("bytes follow the Arrow column's frame", bytes.size() - rest);
  const std::size_t end = bytes.size() - kCheckBytes;
  if (load_le<std::uint32_t>(at + end) != crc32(bytes.first(end))) {
    return Status(ErrorKind::kChecksum, "the Arrow column's checksum does not match", end);
  }
  frame.format = {reinterpret_cast<const char*>(at + kHeadBytes),
                  static_cast<std::size_t>(sizes[0])};
  frame.length = load_le<std::uint64_t>(at + 8);
  frame.nulls = load_le<std::uint64_t>(at + 16);
  frame.runs_at = kHeadBytes + frame.format.size();
  frame.runs = bytes.subspan(frame.runs_at, static_cast<std::size_t>(sizes[1]));
  frame.numbers_at = frame.runs_at + frame.runs.size();
  frame.numbers = bytes.subspan(frame.numbers_at, static_cast<std::size_t>(sizes[2]));
  return {};
}

Status read_frame(std::span<const std::byte> bytes, const DecodeLimits& limits, Frame& frame) {
  NUMPACT_TRY(split_frame(bytes, frame));
  if (bytes[5] != std::byte{0} || frame.nulls > frame.length ||
      (frame.nulls == 0) != frame.runs.empty()) {
    return corrupt("the head of the Arrow column's frame contradicts itself", 5);
  }
  const std::optional<Storage> storage = storage_of(frame.format);
  if (!storage || frame.format.find('\0') != std::string_view::npos ||
      !json::is_utf8(frame.format)) {
    return corrupt("the Arrow column's type is not one of numbers", kHeadBytes);
  }
  frame.storage = *storage;
  const std::size_t size = size_of(storage->type);
  const bool is_limited = limits.max_output_bytes != DecodeLimits::kUnlimited;
  if (frame.length > limits.max_numbers ||
      (is_limited && frame.length > numbers_in(limits.max_output_bytes, storage->type))) {
    return Status(ErrorKind::kLimitExceeded, "the Arrow column has more rows than the limits");
  }
  if (frame.length > numbers_in(std::uint64_t{INT64_MAX}, storage->type) ||
      !fits_memory(frame.length * size)) {
    return Status(ErrorKind::kOutOfMemory, "the Arrow column has more rows than memory can hold");
  }
  return {};
}

// Where the numbers of a part of a frame go. Grows with what is decoded, up to what the head says
// the part holds and to a limit on scratch memory.
template <class Vector>
struct Growing {
  Vector& out;
  std::size_t size;  // bytes of a number
  std::uint64_t max_count;
  std::uint64_t max_bytes;

  static void* grow(void* owner, std::size_t count, std::size_t expected) {
    const auto& self = *static_cast<Growing*>(owner);
    if (count > self.max_count) {
      throw_if_error(corrupt("the Arrow column holds more numbers than its head says"));
    }
    const std::size_t unit = sizeof(typename Vector::value_type);
    if (std::uint64_t{count} * self.size > self.max_bytes) {
      throw_if_error(
          Status(ErrorKind::kLimitExceeded, "scratch memory would pass the limit max_memory"));
    }
    const std::uint64_t likely = std::min<std::uint64_t>(expected, self.max_count);
    if (likely * self.size <= self.max_bytes) self.out.reserve(to_size(likely * self.size / unit));
    self.out.resize(to_size(std::uint64_t{count} * self.size / unit));
    return self.out.data();
  }
};

struct Part {
  std::span<const std::byte> file;
  std::size_t at;  // its place in the frame
  NumberType type;
};

template <class Vector>
Status decode_part(const Part& part, Growing<Vector>& growing, const DecodeConfig& config,
                   DecodeContext* context) {
  FileHeader header;
  Status status = read_header(part.file).into(header);
  if (status.ok() && header.number_type != part.type) {
    return corrupt("the Arrow column's numbers or runs have another type", part.at);
  }
  if (status.ok()) {
    status = detail::decompress_growing(part.file, part.type, Growing<Vector>::grow, &growing,
                                        config, context);
  }
  if (status.kind() == ErrorKind::kTypeMismatch) status = corrupt(status.what(), status.offset());
  return status.shifted(part.at);
}

Status decode_numbers(const Frame& frame, const DecodeConfig& config, DecodeContext* context,
                      std::vector<std::byte>& numbers) {
  const std::size_t size = size_of(frame.storage.type);
  Growing<std::vector<std::byte>> growing{numbers, size, frame.number_count(), UINT64_MAX};
  NUMPACT_TRY(
      decode_part({frame.numbers, frame.numbers_at, frame.storage.type}, growing, config, context));
  if (numbers_in(numbers.size(), frame.storage.type) != frame.number_count()) {
    return corrupt("the Arrow column holds fewer numbers than its head says");
  }
  const auto is_boolean = [](std::byte value) { return value <= std::byte{1}; };
  if (frame.storage.is_bits && !std::all_of(numbers.begin(), numbers.end(), is_boolean)) {
    return corrupt("the Arrow column's booleans are not all 0 or 1");
  }
  return {};
}

using Runs = std::pmr::vector<std::uint64_t>;

Status decode_runs(const Frame& frame, DecodeConfig config, DecodeContext* context, Runs& runs) {
  // The call's progress is that of the numbers.
  config.progress = {};
  // Runs alternate: at most two for each row of the rarer kind, and two more.
  const std::uint64_t rarer = std::min(frame.nulls, frame.number_count());
  Growing<Runs> growing{runs, sizeof(std::uint64_t), 2 * rarer + 2, config.limits.max_memory};
  NUMPACT_TRY(decode_part({frame.runs, frame.runs_at, NumberType::kU64}, growing, config, context));
  std::uint64_t rows = 0;
  std::uint64_t nulls = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if ((i > 0 && runs[i] == 0) || runs[i] > frame.length - rows) {
      return corrupt("the Arrow column's runs of nulls do not add up", frame.runs_at);
    }
    rows += runs[i];
    if (i % 2 == 1) nulls += runs[i];
  }
  if (rows == frame.length && nulls == frame.nulls) return {};
  return corrupt("the Arrow column's runs of nulls do not add up", frame.runs_at);
}

// ---- the result ----

// The format of a plain Pco file.
std::string_view format_of(NumberType type) {
  constexpr std::string_view kFormats[] = {"",  "I", "L", "i", "l", "f",
                                           "g", "S", "s", "e", "C", "c"};
  return kFormats[static_cast<std::size_t>(type)];
}

void set_bits(std::uint8_t* bits, std::size_t first, std::size_t count) {
  const std::size_t end = first + count;
  for (; first < end && first % 8 != 0; ++first) {
    bits[first / 8] = static_cast<std::uint8_t>(bits[first / 8] | 1U << (first % 8));
  }
  std::memset(bits + first / 8, 0xff, (end - first) / 8);
  for (first += (end - first) / 8 * 8; first < end; ++first) {
    bits[first / 8] = static_cast<std::uint8_t>(bits[first / 8] | 1U << (first % 8));
  }
}

// Zeroed memory. Pages of it that are never written, such as those of nulls, take no memory.
class ZeroedBuffer {
 public:
  void make(std::uint64_t bytes) {
    // Rounded up, and with room to align.
    const std::size_t whole = to_size((bytes / kBufferAlignBytes + 2) * kBufferAlignBytes);
    memory_.reset(std::calloc(whole, 1));
    if (memory_ == nullptr) throw std::bad_alloc();
    void* at = memory_.get();
    std::size_t space = whole;
    data_ = static_cast<std::uint8_t*>(
        std::align(kBufferAlignBytes, whole - kBufferAlignBytes, at, space));
  }
  std::uint8_t* data() const { return data_; }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  std::uint8_t* data_ = nullptr;
};

// The memory of a decompressed array, which outlives the context.
struct ArrayOwner {
  std::vector<std::byte> numbers;  // the values, where they need not be moved
  ZeroedBuffer values;
  ZeroedBuffer validity;
  const void* buffers[2] = {nullptr, nullptr};
};

// Moves the numbers, which are `dense`, to their rows.
void place_numbers(const Frame& frame, std::span<const std::byte> dense,
                   std::span<const std::uint64_t> runs, ArrayOwner& owner) {
  const std::size_t size = size_of(frame.storage.type);
  owner.values.make(frame.storage.is_bits ? frame.length / 8 + 1 : frame.length * size);
  std::uint8_t* const values = owner.values.data();
  owner.buffers[1] = values;
  if (frame.nulls > 0) {
    owner.validity.make(frame.length / 8 + 1);
    owner.buffers[0] = owner.validity.data();
  }
  std::size_t row = 0;
  const std::byte* from = dense.data();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto rows = static_cast<std::size_t>(runs[i]);
    if (i % 2 == 0 && rows > 0) {
      if (frame.nulls > 0) set_bits(owner.validity.data(), row, rows);
      if (frame.storage.is_bits) {
        for (std::size_t k = 0; k < rows; ++k) {
          if (from[k] != std::byte{0}) set_bits(values, row + k, 1);
        }
      } else {
        std::memcpy(values + row * size, from, rows * size);
      }
      from += rows * size;
    }
    row += rows;
  }
}

Status fill_array(numpact_context* context, const Frame& frame, ArrayOwner& owner) {
  DecodeConfig config = decode_config(context);
  // The values of the whole column were compared with its header.
  config.limits.max_numbers = DecodeLimits::kUnlimited;
  config.limits.max_output_bytes = DecodeLimits::kUnlimited;
  NUMPACT_TRY(decode_numbers(frame, config, decode_context(context), owner.numbers));
  CallersMemory memory = memory_for(context);
  Runs runs(&memory);
  if (frame.nulls > 0) {
    NUMPACT_TRY(decode_runs(frame, config, decode_context(context), runs));
  } else if (frame.storage.is_bits || owner.numbers.empty()) {
    runs.push_back(frame.length);
  } else {
    owner.buffers[1] = owner.numbers.data();
    return {};
  }
  place_numbers(frame, owner.numbers, runs, owner);
  owner.numbers = {};
  return {};
}

// A plain file is a column without nulls.
Status fill_from_file(numpact_context* context, std::span<const std::byte> file, Frame& frame,
                      ArrayOwner& owner) {
  NumberArray numbers;
  NUMPACT_TRY(decompress_any(file, decode_config(context), decode_context(context)).into(numbers));
  frame.format = format_of(numbers.type());
  frame.storage = {numbers.type()};
  frame.length = numbers.count();
  owner.numbers = std::move(numbers.storage());
  owner.buffers[1] = owner.numbers.data();
  if (owner.numbers.empty()) place_numbers(frame, {}, {}, owner);
  return {};
}

extern "C" {

static void release_schema(ArrowSchema* schema) {
  delete static_cast<std::string*>(schema->private_data);
  schema->release = nullptr;
}

static void release_array(ArrowArray* array) {
  delete static_cast<ArrayOwner*>(array->private_data);
  array->release = nullptr;
}

}  // extern "C"

void give_column(const Frame& frame, std::unique_ptr<std::string> format,
                 std::unique_ptr<ArrayOwner> owner, ArrowSchema& schema, ArrowArray& array) {
  schema = {};
  schema.format = format->c_str();
  schema.name = "";
  schema.flags = frame.nulls > 0 ? ARROW_FLAG_NULLABLE : 0;
  schema.release = release_schema;
  schema.private_data = format.release();
  array = {};
  array.length = static_cast<std::int64_t>(frame.length);
  array.null_count = static_cast<std::int64_t>(frame.nulls);
  array.n_buffers = 2;
  array.buffers = owner->buffers;
  array.release = release_array;
  array.private_data = owner.release();
}

}  // namespace

extern "C" {

numpact_status numpact_decompress_arrow(numpact_context* context, const void* bytes, size_t size,
                                        struct ArrowSchema* schema, struct ArrowArray* array,
                                        numpact_error* error) {
  if (schema != nullptr) schema->release = nullptr;
  if (array != nullptr) array->release = nullptr;
  return run(context, error, [&]() -> Status {
    NUMPACT_TRY(check_given(schema));
    NUMPACT_TRY(check_given(array));
    if (size > 0) NUMPACT_TRY(check_given(bytes));
    const std::span<const std::byte> given = bytes_of(bytes, size);
    Frame frame;
    auto owner = std::make_unique<ArrayOwner>();
    if (is_frame(given)) {
      NUMPACT_TRY(read_frame(given, decode_config(context).limits, frame));
      NUMPACT_TRY(fill_array(context, frame, *owner));
    } else {
      NUMPACT_TRY(fill_from_file(context, given, frame, *owner));
    }
    auto format = std::make_unique<std::string>(frame.format);
    give_column(frame, std::move(format), std::move(owner), *schema, *array);
    return {};
  });
}

}  // extern "C"
