// SPDX-License-Identifier: Apache-2.0
#include "io/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "failure.hpp"
#include "platform/files.hpp"
#include "platform/mapped_files.hpp"
#include "platform/terminal.hpp"

namespace numpact::cli {

OpenFile::OpenFile(const std::string& path)
    : path_(path), name_(path == "-" ? "(stdin)" : path), descriptor_(platform::kStandardInput) {
  if (path != "-") descriptor_ = platform::open_file(path, platform::Access::kRead);
  if (descriptor_ < 0) fail_errno(name_, "");
  look();
}

OpenFile::OpenFile(int descriptor, const std::string& path)
    : path_(path), name_(path), descriptor_(descriptor) {
  look();
}

OpenFile::OpenFile(std::unique_ptr<RangeSource> mapped, const std::string& path)
    : path_(path), name_(path), mapped_(std::move(mapped)), end_(mapped_->size()) {
  size_ = limit_ = end_;
}

OpenFile::~OpenFile() {
  if (descriptor_ > platform::kStandardInput) platform::close_file(descriptor_);
}

void OpenFile::look() {
  platform::FileInfo found;
  const bool is_known = platform::look_at(descriptor_, found);
  if (!is_known || found.is_folder()) {
    const int error = errno;
    if (descriptor_ > platform::kStandardInput)
      platform::close_file(descriptor_);  // since the destructor does not run
    errno = error;
    if (!is_known) fail_errno(name_, "");
    fail(name_, "is a folder");
  }
  if (!found.is_regular()) return;
  end_ = found.bytes;
  if (path_ != "-") size_ = end_;
  // Virtual files such as those in /proc report size 0 but have contents.
  const std::int64_t at = platform::position_of(descriptor_);
  if (end_ == 0 || at < 0) return;
  limit_ = end_ - std::min(static_cast<std::uint64_t>(at), end_);
}

std::optional<char> OpenFile::byte_after_end() const {
  std::byte next{};
  if (!limit_ || platform::read_some_at(descriptor_, end_, {&next, 1}) != 1) return {};
  return static_cast<char>(next);
}

FileRef open_file(const std::string& path) { return std::make_shared<OpenFile>(path); }

std::size_t Input::read_some(std::span<std::byte> out) {
  if (file_->limit()) {
    const std::uint64_t left = *file_->limit() - std::min(taken_, *file_->limit());
    out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left)));
  }
  if (out.empty()) return 0;
  if (const auto bytes = file_->bytes()) {
    std::memcpy(out.data(), bytes->data() + taken_, out.size());
    taken_ += out.size();
    return out.size();
  }
  // Reads at an explicit offset, so that several readers can share the descriptor.
  const int descriptor = file_->descriptor();
  const bool has_places = file_->size().has_value();
  const std::int64_t got = has_places ? platform::read_some_at(descriptor, taken_, out)
                                      : platform::read_some(descriptor, out);
  if (got < 0) fail_errno(name(), "cannot be read");
  taken_ += static_cast<std::uint64_t>(got);
  return static_cast<std::size_t>(got);
}

std::span<const std::byte> Input::peek(std::size_t count) {
  peeked_.erase(peeked_.begin(), peeked_.begin() + static_cast<std::ptrdiff_t>(peeked_used_));
  peeked_used_ = 0;
  std::size_t have = peeked_.size();
  if (have < count) {
    peeked_.resize(count);
    while (have < count) {
      const std::size_t got = read_some(std::span(peeked_).subspan(have));
      if (got == 0) break;
      have += got;
    }
    peeked_.resize(have);
  }
  return std::span(peeked_).first(std::min(count, have));
}

Result<std::size_t> Input::read(std::span<std::byte> out) {
  std::size_t got = std::min(out.size(), peeked_.size() - peeked_used_);
  if (got > 0) {
    std::memcpy(out.data(), peeked_.data() + peeked_used_, got);
    peeked_used_ += got;
    bytes_read_ += got;
    return got;
  }
  try {
    got = read_some(out);
    bytes_read_ += got;
    return got;
  } catch (const Failure&) {
    return Status(ErrorKind::kIo, "the file cannot be read");
  }
}

std::size_t Input::read_full(std::span<std::byte> out) {
  std::size_t have = 0;
  while (have < out.size()) {
    std::size_t got = 0;
    check(read(out.subspan(have)).into(got), name());
    if (got == 0) break;
    have += got;
  }
  return have;
}

std::vector<std::byte> Input::read_rest() {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::vector<std::byte> all;
  for (;;) {
    const std::size_t have = all.size();
    all.resize(have + kBlock);
    const std::size_t got = read_full(std::span(all).subspan(have));
    all.resize(have + got);
    if (got < kBlock) return all;
  }
}

FileBytes::FileBytes(const FileRef& file) {
  const std::uint64_t size = file->size().value_or(0);
  if (const auto bytes = file->bytes()) {
    owner_ = file;
    bytes_ = *bytes;
    return;
  }
  if (size == 0) {
    read_ = Input(file).read_rest();
    bytes_ = read_;
    return;
  }
  if (size > SIZE_MAX) fail(file->name(), "is too large to be mapped");
  const std::byte* const map =
      platform::map_file(file->descriptor(), static_cast<std::size_t>(size));
  if (map == nullptr) fail_errno(file->name(), "cannot be mapped");
  is_mapped_ = true;
  bytes_ = {map, static_cast<std::size_t>(size)};
}

FileBytes::~FileBytes() {
  if (is_mapped_) platform::unmap_file(bytes_);
  if (owner_ != nullptr) release_first(bytes_.size());
}

void FileBytes::release_first(std::uint64_t size) const {
  if (!is_mapped_ && owner_ == nullptr) return;
  const std::uint64_t end = std::min<std::uint64_t>(size, bytes_.size());
  platform::release_pages(bytes_.first(static_cast<std::size_t>(end)));
}

ProgressCallback FileBytes::releasing() const {
  return [this](const Progress& progress) {
    release_first(progress.bytes);
    return true;
  };
}

bool is_folder(const std::string& path) {
  platform::FileInfo found;
  return platform::look_at(path, found) && found.is_folder();
}

bool is_regular_file(const std::string& path) {
  platform::FileInfo found;
  return platform::look_at(path, found) && found.is_regular();
}

void refuse_same_file(const std::string& input, const std::string& output,
                      std::string_view advice) {
  platform::FileInfo first;
  platform::FileInfo second;
  if (input == "-" || output == "-") return;
  if (!platform::look_at(input, first) || !platform::look_at(output, second)) return;
  if ((first.is_regular() || first.is_folder()) && first.is_same_file(second)) {
    const std::string text = "is the input itself";
    fail(output, advice.empty() ? text : text + ": " + std::string(advice));
  }
}

}  // namespace numpact::cli
