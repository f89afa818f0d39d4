// SPDX-License-Identifier: Apache-2.0
// Text that grows at its end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

namespace numpact::cli {

class TextBuffer {
 public:
  std::string_view view() const { return {memory_.data(), size_}; }
  // Keeps the memory.
  void clear() { size_ = 0; }

  // Memory for `bytes` more bytes, to be written by the caller, who then calls end_at(). Valid
  // until the next call. The memory is cleared only when it grows; a std::string would clear it
  // each time.
  char* room(std::size_t bytes) {
    if (bytes > memory_.size() - size_) memory_.resize(std::max(2 * memory_.size(), size_ + bytes));
    return memory_.data() + size_;
  }
  // `end`: in the memory that room() returned last, behind the last byte written.
  void end_at(const char* end) { size_ = static_cast<std::size_t>(end - memory_.data()); }

  void add(char c) {
    char* const to = room(1);
    *to = c;
    end_at(to + 1);
  }
  void add(std::string_view text) {
    if (text.empty()) return;
    char* const to = room(text.size());
    std::memcpy(to, text.data(), text.size());
    end_at(to + text.size());
  }

 private:
  std::vector<char> memory_;  // all of it may be used
  std::size_t size_ = 0;      // of the text
};

}  // namespace numpact::cli
