// SPDX-License-Identifier: Apache-2.0
// What a caller may ask for: how to encode, and what decoding may cost.
#ifndef NUMPACT_CONFIG_HPP
#define NUMPACT_CONFIG_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "numpact/error.hpp"
#include "numpact/types.hpp"

namespace numpact {

// How numbers are split into latents (docs/format/pco.md, "Modes"). The "try" forms name a mode
// whose split always works but may not pay; where the encoder finds no use for it on the data it
// falls back to classic. A mode that does not apply to the number type is kInvalidArgument.
class ModeSpec {
 public:
  enum class Kind : std::uint8_t { kAuto, kClassic, kIntMult, kFloatMult, kFloatQuant, kDict };

  constexpr ModeSpec() = default;
  static constexpr ModeSpec automatic() { return ModeSpec(Kind::kAuto); }
  static constexpr ModeSpec classic() { return ModeSpec(Kind::kClassic); }
  // Integers only; base >= 1 and within the type's unsigned range.
  static constexpr ModeSpec try_int_mult(std::uint64_t base) {
    ModeSpec spec(Kind::kIntMult);
    spec.int_base_ = base;
    return spec;
  }
  // Floats only; base finite and not zero, also once rounded to the number type.
  static constexpr ModeSpec try_float_mult(double base) {
    ModeSpec spec(Kind::kFloatMult);
    spec.float_base_ = base;
    return spec;
  }
  // Floats only; 1 <= k <= stored mantissa bits (f16: 10, f32: 23, f64: 52).
  static constexpr ModeSpec try_float_quant(unsigned k) {
    ModeSpec spec(Kind::kFloatQuant);
    spec.quant_k_ = k;
    return spec;
  }
  static constexpr ModeSpec try_dict() { return ModeSpec(Kind::kDict); }

  constexpr Kind kind() const { return kind_; }
  constexpr std::uint64_t int_base() const { return int_base_; }
  constexpr double float_base() const { return float_base_; }
  constexpr unsigned quant_k() const { return quant_k_; }

 private:
  constexpr explicit ModeSpec(Kind kind) : kind_(kind) {}
  Kind kind_ = Kind::kAuto;
  std::uint64_t int_base_ = 0;
  double float_base_ = 0;
  unsigned quant_k_ = 0;
};

// How latents are decorrelated (docs/format/pco.md, "Delta encodings").
class DeltaSpec {
 public:
  enum class Kind : std::uint8_t { kAuto, kNone, kConsecutive, kLookback, kConv1 };

  constexpr DeltaSpec() = default;
  static constexpr DeltaSpec automatic() { return DeltaSpec(Kind::kAuto, 0); }
  static constexpr DeltaSpec none() { return DeltaSpec(Kind::kNone, 0); }
  // order 0..7; 0 is the same as none.
  static constexpr DeltaSpec try_consecutive(unsigned order) {
    return DeltaSpec(Kind::kConsecutive, order);
  }
  static constexpr DeltaSpec try_lookback() { return DeltaSpec(Kind::kLookback, 0); }
  // order 1..32; number types of at most 32 bits.
  static constexpr DeltaSpec try_conv1(unsigned order) { return DeltaSpec(Kind::kConv1, order); }

  constexpr Kind kind() const { return kind_; }
  constexpr unsigned order() const { return order_; }

 private:
  constexpr DeltaSpec(Kind kind, unsigned order) : kind_(kind), order_(order) {}
  Kind kind_ = Kind::kAuto;
  unsigned order_ = 0;
};

// How the numbers of a call are cut: into the pages of a wrapped chunk, or into the chunks of a
// standalone file (each with its own metadata).
class PagingSpec {
 public:
  static constexpr std::size_t kDefaultPageN = std::size_t{1} << 18;

  // Automatic.
  PagingSpec() = default;
  // Chunks of a standalone file end where the numbers change so much that metadata of their own
  // pay (from level 7 on, if mode and delta are automatic too), and at automatic_chunk_n(level)
  // numbers at the latest. Pages of a wrapped chunk: as
  // equal_pages_up_to(kDefaultPageN), since pages share their metadata.
  static PagingSpec automatic() { return {}; }
  // As few pages as possible of at most max_n numbers each, equal to within one number.
  static PagingSpec equal_pages_up_to(std::size_t max_n) {
    PagingSpec spec;
    spec.kind_ = Kind::kEqual;
    spec.max_page_n_ = max_n;
    return spec;
  }
  // Exactly these sizes: each at least 1, adding up to the count of numbers.
  static PagingSpec exact(std::vector<std::size_t> sizes) {
    PagingSpec spec;
    spec.kind_ = Kind::kExact;
    spec.exact_ = std::move(sizes);
    return spec;
  }

  bool is_automatic() const { return kind_ == Kind::kAutomatic; }
  // The most numbers in a page of equal pages; the default where pages are not equal.
  std::size_t max_page_n() const { return max_page_n_; }
  const std::optional<std::vector<std::size_t>>& exact_sizes() const { return exact_; }

 private:
  enum class Kind : std::uint8_t { kAutomatic, kEqual, kExact };

  Kind kind_ = Kind::kAutomatic;
  std::size_t max_page_n_ = kDefaultPageN;
  std::optional<std::vector<std::size_t>> exact_;
};

// The most numbers in a chunk of a standalone file under automatic paging, which begins with equal
// shares: as few as hold no more than this, but four instead of three, and the last of more than
// four is halved, so that threads end at about the same time. Longer chunks are smaller and can be
// read by fewer threads.
constexpr std::size_t automatic_chunk_n(unsigned level) {
  return std::size_t{1} << (level <= 5 ? 18 : 20);
}

// The oldest format version whose readers must read what is written (docs/format/pco.md, "Wrapped
// header and versions"). Older versions hold less: kV4_0 no Dict, Conv1 and 8-bit types, kV3
// neither a uniform type, kV2 no Lookback, kV1 no FloatQuant and 16-bit types. What is asked for
// but cannot be held is kInvalidArgument.
enum class Compatibility : std::uint8_t { kV1, kV2, kV3, kV4_0, kV4_1 };

// "1", "2", "3", "4.0", "4.1".
constexpr std::optional<Compatibility> compatibility_of_name(std::string_view name) {
  constexpr std::string_view kNames[] = {"1", "2", "3", "4.0", "4.1"};
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) return static_cast<Compatibility>(i);
  }
  return std::nullopt;
}

// What is written behind a standalone file, for readers that know it (docs/format/trailer.md):
// others take no notice. For each chunk its place, count, range and checksum, which takes 40 bytes,
// and 56 in all.
class TrailerSpec {
 public:
  // Restart points lie 2^8 to 2^24 numbers apart.
  static constexpr unsigned kMinRestartLog = 8;
  static constexpr unsigned kMaxRestartLog = 24;

  // None; but a file that is appended to keeps the kind it has.
  constexpr TrailerSpec() = default;
  static constexpr TrailerSpec none() {
    TrailerSpec spec;
    spec.is_unwanted_ = true;
    return spec;
  }
  static constexpr TrailerSpec index() { return TrailerSpec(true, {}); }
  // Also, every 2^log numbers within a chunk, what it takes to begin decoding there: about 20 bytes
  // each. Chunks with Lookback have none.
  static constexpr TrailerSpec restarts(unsigned log) { return TrailerSpec(true, log); }

  constexpr bool is_wanted() const { return is_wanted_; }
  constexpr bool is_unwanted() const { return is_unwanted_; }
  constexpr std::optional<unsigned> restart_log() const { return restart_log_; }

  friend constexpr bool operator==(const TrailerSpec&, const TrailerSpec&) = default;

 private:
  constexpr TrailerSpec(bool is_wanted, std::optional<unsigned> restart_log)
      : is_wanted_(is_wanted), restart_log_(restart_log) {}

  bool is_wanted_ = false;
  bool is_unwanted_ = false;
  std::optional<unsigned> restart_log_;
};

// What a reader makes of a trailer. Its checksums find damage, not malice: who writes a trailer can
// make them match whatever it says. Decoding a file to its end gives the numbers of the file, or an
// error, all the same. Parts are found where an unproven trailer says they are: one that was made
// to lie, about the place of a chunk or the state at a restart point, makes them other numbers.
enum class TrailerPolicy : std::uint8_t {
  kUse,      // if there is a sound one: kChecksum for a chunk it says is damaged, kCorrupt where it
             // contradicts the file; index and restart points are used. A damaged one is ignored.
  kIgnore,   // as if bytes behind the terminator were nothing
  kRequire,  // as kUse, and none or a damaged one is an error
  kVerify,   // as kUse, and a damaged one is an error. Where parts are read, one that is there is
             // proven before the first of them, by decoding the file once: every chunk ends where
             // the next begins, and decoding comes to the states of the restart points.
};

// What is found behind a file.
enum class TrailerState : std::uint8_t {
  kNone,          // nothing
  kSound,         // a trailer that is true of the file, but for chunks that are damaged
  kDamaged,       // one that is damaged, or says what is not so
  kUnrecognised,  // something else
};

// How far a long call has come.
struct Progress {
  std::uint64_t numbers = 0;  // encoded or decoded so far
  std::uint64_t bytes = 0;    // of the compressed form, read or written so far
};

// Called on the calling thread: after each chunk when encoding, after each piece of at most a few
// hundred thousand numbers when decoding. Returning false stops the call with kCancelled. Must not
// throw.
using ProgressCallback = std::function<bool(const Progress&)>;

class Executor;

inline constexpr unsigned kDefaultLevel = 8;
inline constexpr unsigned kMaxLevel = 12;

struct EncodeConfig {
  // 0 (fastest) to 12 (smallest); docs/benchmarks/levels.md has a table of what each costs and
  // gives.
  unsigned level = kDefaultLevel;
  ModeSpec mode;
  DeltaSpec delta;
  PagingSpec paging;
  Compatibility compatibility = Compatibility::kV4_1;
  // At nearly equal size, choose what decodes fast: Lookback and Conv1 only where they save a
  // tenth, a delta encoded secondary variable only where that saves a twentieth, Consecutive up to
  // order 2.
  bool favor_decode_speed = false;
  // Standalone files only: name the number type in the header, so that it holds for every chunk and
  // an empty file keeps its type.
  bool uniform_type = true;
  // Standalone files only. What it says is gathered by operator new, whatever memory resource a
  // context or writer has.
  TrailerSpec trailer;
  ProgressCallback progress;

  // The most numbers in a chunk of a standalone file. No bound with exact sizes.
  std::size_t max_chunk_n() const {
    return paging.is_automatic() ? automatic_chunk_n(level) : paging.max_page_n();
  }

  // Threads that encode at the same time, the calling one among them; 0: as many as the machine
  // runs at once. Those beyond one are kept in the EncodeContext or StreamWriter where there is
  // one, else begun for the call alone. The bytes are the same, errors and progress too. Chunks of
  // standalone files are what is shared: one chunk gains nothing.
  unsigned threads = 1;
  // Works instead of threads of the library's own; must outlive the calls, and a StreamWriter. With
  // either, tasks take scratch memory from the memory resource of the context or writer, from any
  // thread but one at a time.
  Executor* executor = nullptr;
};

// What decoding may cost. A call that would pass a limit stops with kLimitExceeded before it
// allocates or writes what the limit forbids.
struct DecodeLimits {
  static constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

  std::uint64_t max_numbers = kUnlimited;       // numbers in all
  std::uint64_t max_output_bytes = kUnlimited;  // numbers times their size
  std::uint64_t max_memory = kUnlimited;        // bytes of scratch memory, the output not counted
};

struct DecodeConfig {
  DecodeLimits limits;
  // Of standalone files in memory, by the functions that read them to their end or by places; a
  // StreamReader makes checksums unless this is kIgnore, and holds them against a trailer when
  // asked.
  TrailerPolicy trailer = TrailerPolicy::kUse;
  // May be called less often where several threads work: they are not interrupted for it.
  ProgressCallback progress;
  // Threads that decode at the same time, the calling one among them; 0: as many as the machine
  // runs at once. Those beyond one are kept in the DecodeContext or StreamReader where there is
  // one, else begun for the call alone. Results are the same, errors included. Chunks are what is
  // shared: a file of one gains nothing.
  unsigned threads = 1;
  // Works instead of threads of the library's own; must outlive the calls, and a StreamReader. With
  // either, tasks take scratch memory from the memory resource of the context or reader, from any
  // thread but one at a time.
  Executor* executor = nullptr;
};

namespace detail {
class ContextAccess;
}

// Scratch memory of the encoder, kept from call to call: once warm, a call of the same shape
// allocates nothing but its output. Not for two threads at once; any number may exist.
class NUMPACT_API EncodeContext {
 public:
  // Memory comes from `memory`, which must outlive the context.
  explicit EncodeContext(std::pmr::memory_resource* memory = std::pmr::get_default_resource());
  ~EncodeContext();
  EncodeContext(EncodeContext&&) noexcept;
  EncodeContext& operator=(EncodeContext&&) noexcept;

 private:
  friend class detail::ContextAccess;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Scratch memory of the decoder; the same rules.
class NUMPACT_API DecodeContext {
 public:
  explicit DecodeContext(std::pmr::memory_resource* memory = std::pmr::get_default_resource());
  ~DecodeContext();
  DecodeContext(DecodeContext&&) noexcept;
  DecodeContext& operator=(DecodeContext&&) noexcept;

 private:
  friend class detail::ContextAccess;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace numpact

#endif
