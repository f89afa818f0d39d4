// SPDX-License-Identifier: Apache-2.0
#include "commands/byte_codecs.hpp"

#ifdef NUMPACT_HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef NUMPACT_HAVE_LZ4
#include <lz4.h>
#endif

#include <cstring>

#include "failure.hpp"

namespace numpact::cli {
namespace {

#ifdef NUMPACT_HAVE_ZSTD
class Zstd final : public ByteCodec {
 public:
  ~Zstd() override {
    ZSTD_freeCCtx(compressor_);
    ZSTD_freeDCtx(decompressor_);
  }
  Zstd() = default;
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  const char* title() const override { return "zstd -3"; }
  const char* key() const override { return "zstd_3"; }
  std::size_t bound(std::size_t size) const override { return ZSTD_compressBound(size); }
  std::size_t compress(std::span<const std::byte> raw, std::span<std::byte> packed) override {
    return check(ZSTD_compressCCtx(compressor_, packed.data(), packed.size(), raw.data(),
                                   raw.size(), kLevel));
  }
  std::size_t decompress(std::span<const std::byte> packed, std::span<std::byte> raw) override {
    return check(
        ZSTD_decompressDCtx(decompressor_, raw.data(), raw.size(), packed.data(), packed.size()));
  }

 private:
  static constexpr int kLevel = 3;

  static std::size_t check(std::size_t result) {
    if (ZSTD_isError(result) != 0) fail("zstd", ZSTD_getErrorName(result));
    return result;
  }

  ZSTD_CCtx* compressor_ = ZSTD_createCCtx();
  ZSTD_DCtx* decompressor_ = ZSTD_createDCtx();
};
#endif

#ifdef NUMPACT_HAVE_LZ4
// Compresses the input as one block.
class Lz4 final : public ByteCodec {
 public:
  const char* title() const override { return "lz4"; }
  const char* key() const override { return "lz4"; }
  std::size_t bound(std::size_t size) const override {
    if (size > LZ4_MAX_INPUT_SIZE) return 0;
    return static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(size)));
  }
  std::size_t compress(std::span<const std::byte> raw, std::span<std::byte> packed) override {
    return check(LZ4_compress_default(chars(raw), chars(packed), static_cast<int>(raw.size()),
                                      static_cast<int>(packed.size())),
                 true);
  }
  std::size_t decompress(std::span<const std::byte> packed, std::span<std::byte> raw) override {
    return check(LZ4_decompress_safe(chars(packed), chars(raw), static_cast<int>(packed.size()),
                                     static_cast<int>(raw.size())),
                 false);
  }

 private:
  static const char* chars(std::span<const std::byte> bytes) {
    return reinterpret_cast<const char*>(bytes.data());
  }
  static char* chars(std::span<std::byte> bytes) { return reinterpret_cast<char*>(bytes.data()); }
  static std::size_t check(int result, bool compressing) {
    if (result < 0 || (compressing && result == 0)) {
      fail("lz4", compressing ? "cannot compress" : "bad block");
    }
    return static_cast<std::size_t>(result);
  }
};
#endif

class Memcpy final : public ByteCodec {
 public:
  const char* title() const override { return "memcpy"; }
  const char* key() const override { return "memcpy"; }
  bool compresses() const override { return false; }
  std::size_t bound(std::size_t size) const override { return size; }
  std::size_t compress(std::span<const std::byte> raw, std::span<std::byte>) override {
    return raw.size();
  }
  std::size_t decompress(std::span<const std::byte> packed, std::span<std::byte> raw) override {
    if (!packed.empty()) std::memcpy(raw.data(), packed.data(), packed.size());
    return packed.size();
  }
};

}  // namespace

std::vector<std::unique_ptr<ByteCodec>> byte_codecs() {
  std::vector<std::unique_ptr<ByteCodec>> codecs;
#ifdef NUMPACT_HAVE_ZSTD
  codecs.push_back(std::make_unique<Zstd>());
#endif
#ifdef NUMPACT_HAVE_LZ4
  codecs.push_back(std::make_unique<Lz4>());
#endif
  codecs.push_back(std::make_unique<Memcpy>());
  return codecs;
}

}  // namespace numpact::cli
