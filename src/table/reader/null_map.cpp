// SPDX-License-Identifier: Apache-2.0
#include "table/reader/null_map.hpp"

#include <algorithm>
#include <cstring>

#include "base/try.hpp"

namespace numpact::internal {

// Goes from run to run.
class NullMap::Walk {
 public:
  Walk(const NullMap& map, const Mark& mark)
      : at_(map.runs_.data() + mark.at),
        end_(map.runs_.data() + map.runs_.size()),
        row_(mark.row),
        number_(mark.number) {
    read();
  }

  bool is_null() const { return is_null_; }
  std::uint64_t row() const { return row_; }        // where the run begins
  std::uint64_t number() const { return number_; }  // numbers before it
  std::uint64_t end() const { return row_ + length_; }
  std::uint64_t numbers_end() const { return is_null_ ? number_ : number_ + length_; }
  // False at the end, where the run stays.
  bool next() {
    if (at_ == end_) return false;
    number_ = numbers_end();
    row_ += length_;
    is_null_ = !is_null_;
    read();
    return true;
  }

 private:
  void read() {
    length_ = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t byte = *at_++;
      length_ |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) return;
    }
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  std::uint64_t row_;
  std::uint64_t number_;
  std::uint64_t length_ = 0;
  bool is_null_ = false;
};

Status NullMap::add(std::span<const std::uint64_t> lengths) {
  NUMPACT_TRY(check_.add(lengths));
  for (const std::uint64_t length : lengths) {
    if (run_count_ % kStep == 0) {
      if (runs_.size() + marks_.size() * sizeof(Mark) > max_bytes_) {
        return Status(ErrorKind::kLimitExceeded, "the runs of nulls need more memory than allowed");
      }
      marks_.push_back({row_, number_, runs_.size()});
    }
    if (run_count_ % 2 == 0) number_ += length;
    row_ += length;
    ++run_count_;
    std::uint64_t rest = length;
    for (; rest >= 128; rest >>= 7) runs_.push_back(static_cast<std::uint8_t>(rest | 128));
    runs_.push_back(static_cast<std::uint8_t>(rest));
  }
  return {};
}

std::uint64_t NullMap::numbers_before(std::uint64_t row) const {
  if (empty()) return row;
  if (row >= row_) return number_;
  const auto mark = std::upper_bound(marks_.begin(), marks_.end(), row,
                                     [](std::uint64_t at, const Mark& m) { return at < m.row; });
  Walk walk(*this, *(mark - 1));
  while (walk.end() <= row) walk.next();
  return walk.is_null() ? walk.number() : walk.number() + (row - walk.row());
}

std::uint64_t NullMap::row_of(std::uint64_t number) const {
  if (empty()) return number;
  const auto mark = std::upper_bound(marks_.begin(), marks_.end(), number,
                                     [](std::uint64_t at, const Mark& m) { return at < m.number; });
  Walk walk(*this, *(mark - 1));
  while (walk.numbers_end() <= number && walk.next()) {
  }
  return walk.row() + (number - walk.number());
}

namespace {

template <class T>
void copy(std::byte* to, const std::byte* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    T number;
    std::memcpy(&number, from + i * sizeof(T), sizeof(T));
    std::memcpy(to + i * sizeof(T), &number, sizeof(T));
  }
}

// Towards lower addresses; the places may overlap. Runs are short, of a number or two: a call of
// memmove would take longer than what it copies.
void move_down(std::byte* to, const std::byte* from, std::size_t count, std::size_t size) {
  constexpr std::size_t kShort = 16;
  if (count > kShort) {
    std::memmove(to, from, count * size);
    return;
  }
  switch (size) {
    case 1:
      return copy<std::uint8_t>(to, from, count);
    case 2:
      return copy<std::uint16_t>(to, from, count);
    case 4:
      return copy<std::uint32_t>(to, from, count);
    default:
      return copy<std::uint64_t>(to, from, count);
  }
}

}  // namespace

void NullMap::spread(std::uint64_t first, std::size_t count, std::size_t size, std::byte* out,
                     std::uint8_t* valid) const {
  if (valid != nullptr) std::memset(valid, 1, count);
  if (empty() || count == 0) return;
  const std::uint64_t last = first + count;
  // A number is never before its row: the nulls that follow lie between.
  const std::byte* from =
      out + (count - static_cast<std::size_t>(numbers_before(last) - numbers_before(first))) * size;
  const auto mark = std::upper_bound(marks_.begin(), marks_.end(), first,
                                     [](std::uint64_t at, const Mark& m) { return at < m.row; });
  Walk walk(*this, *(mark - 1));
  while (walk.end() <= first) walk.next();
  for (std::size_t done = 0; done < count; walk.next()) {
    const auto rows = static_cast<std::size_t>(std::min(walk.end(), last) - (first + done));
    std::byte* const to = out + done * size;
    if (walk.is_null()) {
      std::memset(to, 0, rows * size);
      if (valid != nullptr) std::memset(valid + done, 0, rows);
    } else {
      move_down(to, from, rows, size);
      from += rows * size;
    }
    done += rows;
  }
}

}  // namespace numpact::internal
