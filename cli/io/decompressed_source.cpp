// SPDX-License-Identifier: Apache-2.0
#include "io/decompressed_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "failure.hpp"

#if NUMPACT_HAVE_ZLIB
#include <zlib.h>
#endif
#if NUMPACT_HAVE_ZSTD
#include <zstd.h>
#endif

namespace numpact::cli {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
// Size of one read of compressed bytes.
[[maybe_unused]] constexpr std::size_t kBlockBytes = std::size_t{1} << 17;

// Passes the file through unchanged.
class PlainSource final : public ByteSource {
 public:
  explicit PlainSource(Input& input) : input_(input) {}
  Result<std::size_t> read(std::span<std::byte> out) override { return input_.read(out); }

 private:
  Input& input_;
};

// Buffers compressed bytes, one block at a time.
class InputBuffer {
 public:
  explicit InputBuffer(Input& input) : input_(input), block_(kBlockBytes) {}

  // Ensures that rest() is not empty unless the file has ended.
  Status fill() {
    if (!rest_.empty()) return {};
    std::size_t got = 0;
    const Status status = input_.read(block_).into(got);
    rest_ = std::span(block_).first(status.ok() ? got : 0);
    return status;
  }
  std::span<const std::byte> rest() const { return rest_; }
  void use(std::size_t bytes) { rest_ = rest_.subspan(bytes); }
  // The error for a file that ends within compressed data. If the file is still growing this is no
  // damage, but the number of complete lines before the end is unknown.
  Status truncated(const char* ends_too_early, const char* is_being_written) const {
    const bool has_grown = input_.file()->byte_after_end().has_value();
    return {ErrorKind::kTruncated, has_grown ? is_being_written : ends_too_early};
  }

 private:
  Input& input_;
  std::vector<std::byte> block_;
  std::span<const std::byte> rest_;
};

#if NUMPACT_HAVE_ZLIB
class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(Input& input) : buffer_(input) {
    constexpr int kGzipOnly = 16;  // added to the window size: require a gzip header
    if (::inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { ::inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  Result<std::size_t> read(std::span<std::byte> out) override {
    std::size_t got = 0;
    while (got == 0) {
      if (const Status status = buffer_.fill(); !status.ok()) return status;
      const std::span<const std::byte> rest = buffer_.rest();
      if (rest.empty() && !in_member_) return std::size_t{0};
      if (rest.empty()) {
        return buffer_.truncated("the gzip file ends too early",
                                 "the gzip file is still being written: it has grown since it was "
                                 "opened, and ended within compressed data then");
      }
      // Skips zero padding after the last member, which archives may have.
      if (!in_member_ && after_member_ && rest[0] == std::byte{0}) {
        buffer_.use(1);
        continue;
      }
      if (const Status status = inflate_some(rest, out, got); !status.ok()) return status;
    }
    return got;
  }

 private:
  Status inflate_some(std::span<const std::byte> rest, std::span<std::byte> out, std::size_t& got) {
    in_member_ = true;
    const std::size_t capacity = std::min<std::size_t>(out.size(), std::size_t{1} << 30);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(rest.data()));
    stream_.avail_in = static_cast<uInt>(rest.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(capacity);
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    buffer_.use(rest.size() - stream_.avail_in);
    got = capacity - stream_.avail_out;
    if (result == Z_STREAM_END) {
      in_member_ = false;
      after_member_ = true;
      ::inflateReset(&stream_);
      return {};
    }
    if (result == Z_OK || result == Z_BUF_ERROR) return {};
    if (result == Z_MEM_ERROR) return {ErrorKind::kOutOfMemory, "out of memory"};
    return {ErrorKind::kCorrupt, "the gzip file is damaged"};
  }

  InputBuffer buffer_;
  z_stream stream_ = {};
  bool in_member_ = false;
  bool after_member_ = false;
};
#endif

#if NUMPACT_HAVE_ZSTD
class ZstdSource final : public ByteSource {
 public:
  explicit ZstdSource(Input& input) : buffer_(input), stream_(::ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~ZstdSource() override { ::ZSTD_freeDStream(stream_); }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;

  Result<std::size_t> read(std::span<std::byte> out) override {
    ZSTD_outBuffer capacity{out.data(), out.size(), 0};
    while (capacity.pos == 0) {
      if (const Status status = buffer_.fill(); !status.ok()) return status;
      const std::span<const std::byte> rest = buffer_.rest();
      if (rest.empty() && !in_frame_) break;
      ZSTD_inBuffer in{rest.data(), rest.size(), 0};
      const std::size_t result = ::ZSTD_decompressStream(stream_, &capacity, &in);
      if (::ZSTD_isError(result) != 0U) {
        return Status(ErrorKind::kCorrupt, "the zstd file is damaged");
      }
      in_frame_ = result != 0;
      buffer_.use(in.pos);
      if (rest.empty() && capacity.pos == 0) {
        return buffer_.truncated("the zstd file ends too early",
                                 "the zstd file is still being written: it has grown since it was "
                                 "opened, and ended within compressed data then");
      }
    }
    return capacity.pos;
  }

 private:
  InputBuffer buffer_;
  ZSTD_DStream* stream_;
  bool in_frame_ = false;
};
#endif

bool begins_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

[[maybe_unused, noreturn]] void fail_without(const Input& input, std::string_view library,
                                             std::string_view program) {
  fail(input.name(),
       "this program was built without {} ({} -dc FILE | numpact ... - does "
       "without)",
       library, program);
}

}  // namespace

std::unique_ptr<ByteSource> decompressed(Input& input) {
  const std::span<const std::byte> front = input.peek(kZstdMagic.size());
  if (begins_with(front, kGzipMagic)) {
#if NUMPACT_HAVE_ZLIB
    return std::make_unique<GzipSource>(input);
#else
    fail_without(input, "zlib", "gzip");
#endif
  }
  if (begins_with(front, kZstdMagic)) {
#if NUMPACT_HAVE_ZSTD
    return std::make_unique<ZstdSource>(input);
#else
    fail_without(input, "zstd", "zstd");
#endif
  }
  return std::make_unique<PlainSource>(input);
}

bool is_plain(Input& input) {
  const std::span<const std::byte> front = input.peek(kZstdMagic.size());
  return !begins_with(front, kGzipMagic) && !begins_with(front, kZstdMagic);
}

std::string_view compressed_ending(std::string_view name) {
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (name.ends_with(ending)) return name.substr(name.size() - ending.size());
  }
  return {};
}

}  // namespace numpact::cli
