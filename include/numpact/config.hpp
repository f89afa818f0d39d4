// SPDX-License-Identifier: Apache-2.0
// Encoder and decoder options, limits, and contexts that keep scratch memory between calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "numpact/encoding.hpp"
#include "numpact/error.hpp"
#include "numpact/types.hpp"

namespace numpact {

// How the numbers of a call are divided: into the pages of a wrapped chunk, or into the chunks of a
// standalone file (each with its own metadata).
class PagingSpec {
 public:
  static constexpr std::size_t kDefaultPageN = std::size_t{1} << 18;

  PagingSpec() = default;  // automatic()
  // A chunk of a standalone file ends where new metadata pay (from level 7 on, and only if mode and
  // delta are automatic too), and after automatic_chunk_n(level) numbers at the latest. A wrapped
  // chunk, whose pages share their metadata, is divided as by equal_pages_up_to(kDefaultPageN).
  static PagingSpec automatic() { return {}; }
  // The fewest pages of at most max_n numbers each; sizes differ by at most one number.
  static PagingSpec equal_pages_up_to(std::size_t max_n) { return {max_n, std::nullopt}; }
  // Exactly these sizes: each at least 1, their sum the count of numbers.
  static PagingSpec exact(std::vector<std::size_t> sizes) {
    return {kDefaultPageN, std::move(sizes)};
  }

  bool is_automatic() const { return is_automatic_; }
  // Maximum numbers per page under equal_pages_up_to(); kDefaultPageN otherwise.
  std::size_t max_page_n() const { return max_page_n_; }
  const std::optional<std::vector<std::size_t>>& exact_sizes() const { return exact_; }
  // For a StreamWriter that gets `count` numbers (0: not known): pages of equal_pages_up_to() are
  // then equal to within one number, as compress() makes them.
  PagingSpec evened(std::uint64_t count) const {
    if (is_automatic_ || exact_ || count == 0) return *this;
    const std::uint64_t pages = (count - 1) / max_page_n_ + 1;
    return equal_pages_up_to(static_cast<std::size_t>((count - 1) / pages + 1));
  }

 private:
  PagingSpec(std::size_t max_page_n, std::optional<std::vector<std::size_t>> exact)
      : is_automatic_(false), max_page_n_(max_page_n), exact_(std::move(exact)) {}

  bool is_automatic_ = true;
  std::size_t max_page_n_ = kDefaultPageN;
  std::optional<std::vector<std::size_t>> exact_;
};

// Maximum numbers per chunk of a standalone file under automatic paging. The input is split into
// the fewest equal shares; three become four, and of more than four the last is halved.
NUMPACT_API std::size_t automatic_chunk_n(unsigned level) noexcept;

// The oldest format version whose readers must be able to read the output (docs/format/pco.md,
// "Wrapped header and versions"). Older versions lack features: kV4_0 Dict, Conv1 and 8-bit types;
// kV3 also uniform types; kV2 also Lookback; kV1 also FloatQuant and 16-bit types.
// kInvalidArgument: a requested feature is missing in the version.
enum class Compatibility : std::uint8_t { kV1, kV2, kV3, kV4_0, kV4_1 };

// "1", "2", "3", "4.0", "4.1".
NUMPACT_API std::optional<Compatibility> compatibility_of_name(std::string_view name) noexcept;

// The trailer written after a standalone file (docs/format/trailer.md); other readers ignore it. It
// stores offset, count, value range and checksum of each chunk: 56 bytes plus 40 per chunk.
class TrailerSpec {
 public:
  // log2 of the distance between restart points, in numbers.
  static constexpr unsigned kMinRestartLog = 8;
  static constexpr unsigned kMaxRestartLog = 24;

  // Default: no trailer, except that appending keeps the kind of trailer the file has. none(): no
  // trailer in any case.
  constexpr TrailerSpec() = default;
  static constexpr TrailerSpec none() { return {false, std::nullopt}; }
  static constexpr TrailerSpec index() { return {true, std::nullopt}; }
  // Also stores points from which decoding can start, every 2^log numbers within a chunk without
  // Lookback: about 20 bytes each.
  static constexpr TrailerSpec restarts(unsigned log) { return {true, log}; }

  constexpr bool is_requested() const { return is_requested_; }
  constexpr bool is_excluded() const { return is_excluded_; }
  constexpr std::optional<unsigned> restart_log() const { return restart_log_; }
  friend constexpr bool operator==(const TrailerSpec&, const TrailerSpec&) = default;

 private:
  constexpr TrailerSpec(bool is_requested, std::optional<unsigned> restart_log)
      : is_requested_(is_requested), is_excluded_(!is_requested), restart_log_(restart_log) {}

  bool is_requested_ = false;
  bool is_excluded_ = false;
  std::optional<unsigned> restart_log_;
};

// How a reader uses a trailer. Checksums detect accidental damage, not tampering. Decoding a file
// to its end gives its numbers or an error. Random access trusts an unverified trailer: false
// chunk offsets or restart states yield wrong numbers.
enum class TrailerPolicy : std::uint8_t {
  kUse,      // use an intact trailer: its index and restart points; kChecksum for a chunk that it
             // reports as damaged, kCorrupt where it contradicts the file. A damaged trailer is
             // ignored.
  kIgnore,   // treat bytes after the terminator as absent
  kRequire,  // as kUse, but a missing or damaged trailer is an error
  kVerify,   // as kUse, but a damaged trailer is an error. Random access first verifies the trailer
             // by decoding the whole file once: chunk boundaries and restart states must match.
};

// The bytes after the terminator of a file.
enum class TrailerState : std::uint8_t {
  kNone,          // nothing
  kSound,         // a valid trailer that matches the file, except for damaged chunks
  kDamaged,       // a trailer that is damaged or contradicts the file
  kUnrecognised,  // other bytes
};

// The end of a standalone file, and what follows it there. Everything that takes numbers from a
// file stops at its end: of files that were joined (cat a.pco b.pco) the first one is read.
struct FileEnd {
  std::uint64_t file_bytes = 0;  // up to and including the terminator; 0: not known
  // The bytes behind it, by their own checksums.
  TrailerState trailer = TrailerState::kNone;
  // kDamaged: no trailer, but the remains of one whose writer was stopped before its last write
  // (append_in_place()). What appends and adds trailers replaces these.
  bool is_unfinished = false;
  // kUnrecognised: where the bytes begin that are neither of the file nor of its trailer.
  std::optional<std::uint64_t> foreign_at;

  // A sentence for a warning; empty if there is nothing to warn of.
  NUMPACT_API std::string_view warning() const noexcept;
};

// Progress of a call.
struct Progress {
  std::uint64_t numbers = 0;  // encoded or decoded so far
  std::uint64_t bytes = 0;    // compressed bytes read or written so far
};

// Called on the calling thread: after each chunk when encoding, after at most a few hundred
// thousand numbers when decoding. False stops the call with kCancelled. Must not throw.
using ProgressCallback = std::function<bool(const Progress&)>;

class Executor;

inline constexpr unsigned kDefaultLevel = 8;
inline constexpr unsigned kMaxLevel = 12;
inline constexpr float kMaxDecodeWeight = 128;

struct EncodeConfig {
  unsigned level = kDefaultLevel;  // 0 (fastest) to 12 (smallest); docs/benchmarks/levels.md
  ModeSpec mode;
  DeltaSpec delta;
  // Instead of mode and delta: nothing is searched, also not where chunks should end. Numbers that
  // it does not suit take at most the bytes of plain ones. Outlives the calls and StreamWriters.
  const Recipe* recipe = nullptr;
  PagingSpec paging;
  Compatibility compatibility = Compatibility::kV4_1;
  // How many bits per number a nanosecond is worth that decoding it takes longer, by prices of the
  // parts of an encoding. 0: sizes decide. kMaxDecodeWeight: chunks of one bin, without a delta.
  float decode_weight = 0;
  bool favor_decode_speed = false;  // at least a weight of 1
  // Standalone files only: the header has the type of every chunk, also of an empty file.
  bool uniform_type = true;
  TrailerSpec trailer;  // Standalone files only. Collected in memory from operator new.
  ProgressCallback progress;
  // Limit of the result. Encoding stops with kOutputTooSmall once estimates exceed it, which may
  // reject a result that would just fit. A StreamWriter stops once its output exceeds it.
  std::optional<std::uint64_t> max_bytes;

  // Maximum numbers per chunk of a standalone file. Does not apply to exact sizes.
  std::size_t max_chunk_n() const {
    return paging.is_automatic() ? automatic_chunk_n(level) : paging.max_page_n();
  }

  // Threads that encode concurrently, including the calling thread; 0: one per hardware thread.
  // Threads beyond the first are kept in the EncodeContext or StreamWriter if there is one,
  // otherwise they are started for the call. Output, errors and progress do not depend on the
  // number. The unit of work is a chunk of a standalone file: a single chunk is not sped up.
  unsigned threads = 1;
  // Runs the tasks instead of the library's own threads; must outlive the calls, and any
  // StreamWriter. With several threads or an executor, tasks allocate scratch memory from the
  // memory resource of the context or writer: from any thread, but never concurrently.
  Executor* executor = nullptr;
};

// Bounds on decoding: a call stops with kLimitExceeded before it allocates or writes more.
struct DecodeLimits {
  static constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

  std::uint64_t max_numbers = kUnlimited;       // total numbers
  std::uint64_t max_output_bytes = kUnlimited;  // total numbers times their size
  std::uint64_t max_memory = kUnlimited;        // bytes of scratch memory; excludes the output
};

struct DecodeConfig {
  DecodeLimits limits;
  // Applies to standalone files in memory: to functions that read them to the end and to random
  // access. A StreamReader computes checksums unless this is kIgnore, and compares them with the
  // trailer on request.
  TrailerPolicy trailer = TrailerPolicy::kUse;
  // May be called less often with several threads, which are not interrupted for it.
  ProgressCallback progress;
  // Set by a call that finds the end of a standalone file in memory and succeeds, else unchanged:
  // decompress...(), count_numbers(), count_where(), FileReader::create(), ChunkIndex::build().
  // With kIgnore nothing counts as following.
  FileEnd* file_end = nullptr;
  // As in EncodeConfig, with a DecodeContext or StreamReader. Results and errors do not depend on
  // them. The unit of work is a chunk or, for a file in memory with a trailer, the numbers between
  // restart points.
  unsigned threads = 1;
  Executor* executor = nullptr;
};

namespace detail {
class ContextAccess;
// Owns an object whose type is complete only inside the library.
template <class T>
using Owned = std::unique_ptr<T, void (*)(T*)>;
}  // namespace detail

// Encoder scratch memory that is reused: once warm, a call of the same shape allocates only its
// output. One thread at a time, and one call: the functions of the caller that a call runs
// (progress, memory resource, executor) cannot use its context (kInvalidArgument).
class NUMPACT_API EncodeContext {
 public:
  // `memory` must outlive the context.
  explicit EncodeContext(std::pmr::memory_resource* memory = std::pmr::get_default_resource());

 private:
  friend class detail::ContextAccess;
  struct Impl;
  detail::Owned<Impl> impl_;
};

// Decoder scratch memory; same rules.
class NUMPACT_API DecodeContext {
 public:
  explicit DecodeContext(std::pmr::memory_resource* memory = std::pmr::get_default_resource());

 private:
  friend class detail::ContextAccess;
  struct Impl;
  detail::Owned<Impl> impl_;
};

}  // namespace numpact
