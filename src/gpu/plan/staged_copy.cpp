// SPDX-License-Identifier: Apache-2.0
#include "gpu/plan/staged_copy.hpp"

#include <algorithm>
#include <cstring>

#include "base/crc.hpp"
#include "gpu/plan/copy_crc_kernel.hpp"

namespace numpact {
namespace {

// Bytes that a thread copies at a time: a part of 16 MiB occupies 32 threads, and joining the
// checksums of two portions (about 1 us) takes 2 % of the time that one needs.
constexpr std::size_t kPortionBytes = std::size_t{1} << 19;

std::span<const std::byte> input_of(const DevicePlan& plan, std::span<const std::byte> file) {
  return file.subspan(static_cast<std::size_t>(plan.input_begin),
                      static_cast<std::size_t>(plan.input_bytes));
}

}  // namespace

StagedCopy::StagedCopy(std::size_t segment_bytes)
    : portion_bytes_(std::min(kPortionBytes, segment_bytes)),
      segment_bytes_(segment_bytes / portion_bytes_ * portion_bytes_) {}

void StagedCopy::add(std::span<const std::byte> from, std::size_t to) {
  add_fragments(from, to, kNoCheck);
}

void StagedCopy::add_input(const DevicePlan& plan, std::span<const std::byte> file,
                           std::size_t to) {
  const auto input = input_of(plan, file);
  if (plan.checks.empty()) return add(input, to);
  for (std::size_t i = 0; i < plan.checks.size(); ++i) {
    const PlannedCheck& check = plan.checks[i];
    const auto begin = static_cast<std::size_t>(check.begin);
    add_fragments(input.subspan(begin, static_cast<std::size_t>(check.bytes)), to + begin,
                  static_cast<std::uint32_t>(i));
  }
}

void StagedCopy::add_locked_input(const DevicePlan& plan, std::span<const std::byte> file,
                                  std::size_t to) {
  locked_ = input_of(plan, file);
  locked_to_ = to;
}

// Fragments end where portions do.
void StagedCopy::add_fragments(std::span<const std::byte> from, std::size_t to,
                               std::uint32_t check) {
  while (!from.empty()) {
    const std::size_t bytes = std::min(from.size(), portion_bytes_ - to % portion_bytes_);
    fragments_.push_back({from.data(), to, bytes, check, 0});
    from = from.subspan(bytes);
    to += bytes;
  }
}

std::vector<StagedCopy::Range> StagedCopy::portions_of_segment(std::size_t first) const {
  const std::size_t segment = fragments_[first].to / segment_bytes_;
  std::vector<Range> portions;
  for (std::size_t i = first; i < fragments_.size(); ++i) {
    if (fragments_[i].to / segment_bytes_ != segment) break;
    if (i == first || portion_of(fragments_[i]) != portion_of(fragments_[i - 1])) {
      portions.push_back({i, i});
    }
    portions.back().end = i + 1;
  }
  return portions;
}

void StagedCopy::copy(const Range& portion, std::byte* segment, std::size_t segment_at) {
  for (std::size_t i = portion.first; i < portion.end; ++i) {
    Fragment& fragment = fragments_[i];
    std::byte* const to = segment + (fragment.to - segment_at);
    if (fragment.check == kNoCheck) {
      std::memcpy(to, fragment.from, fragment.bytes);
    } else {
      fragment.crc = copy_crc32({fragment.from, fragment.bytes}, to, 0);
    }
  }
}

Status StagedCopy::compare(const DevicePlan& plan) const {
  for (std::size_t i = 0; i < fragments_.size();) {
    const std::uint32_t check = fragments_[i].check;
    std::uint32_t crc = fragments_[i].crc;
    std::size_t end = i + 1;
    for (; check != kNoCheck && end < fragments_.size() && fragments_[end].check == check; ++end) {
      crc = join_crc32(crc, fragments_[end].crc, fragments_[end].bytes);
    }
    i = end;
    if (check == kNoCheck || crc == plan.checks[check].crc) continue;
    return plan.wrong_checksum(check);
  }
  return {};
}

}  // namespace numpact
