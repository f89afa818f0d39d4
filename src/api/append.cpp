// SPDX-License-Identifier: Apache-2.0
// Appending to a standalone file on disk: walk it, copy it beside, write on from its terminator,
// rename.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "api/guard.hpp"
#include "api/paging.hpp"
#include "base/try.hpp"
#include "numpact/inspect.hpp"
#include "numpact/stream.hpp"
#include "pco/choose/choice.hpp"

namespace numpact {
namespace {

Status io_error(const char* what) { return Status(ErrorKind::kIo, what); }

Status read_file(const std::string& path, std::vector<std::byte>& bytes) {
  FileSource source(path);
  std::size_t size = 0;
  while (true) {
    if (bytes.size() - size < 4096) bytes.resize(std::max<std::size_t>(2 * bytes.size(), 1 << 16));
    std::size_t got = 0;
    NUMPACT_TRY(source.read({bytes.data() + size, bytes.size() - size}, got));
    if (got == 0) break;
    size += got;
  }
  bytes.resize(size);
  return {};
}

// A new file beside `path` that replaces it or goes away.
class Replacement final : public ByteSink {
 public:
  explicit Replacement(const std::string& path) : path_(path), name_(path + ".XXXXXX") {
    descriptor_ = ::mkostemp(name_.data(), O_CLOEXEC);
  }
  ~Replacement() override {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    if (!done_) ::unlink(name_.c_str());
  }
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  bool is_open() const { return descriptor_ >= 0; }

  Status write(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
      if (count < 0) {
        if (errno == EINTR) continue;
        return io_error("writing the new file failed");
      }
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return {};
  }

  Status replace() {
    struct stat old {};
    if (::stat(path_.c_str(), &old) != 0 || ::fchmod(descriptor_, old.st_mode & 07777) != 0) {
      return io_error("the file's permissions cannot be kept");
    }
    if (::fsync(descriptor_) != 0) return io_error("the new file cannot be synced");
    if (::rename(name_.c_str(), path_.c_str()) != 0) return io_error("the file cannot be replaced");
    done_ = true;
    sync_folder();
    return {};
  }

 private:
  // So that the rename lasts; a folder that cannot be synced is no failure of the file.
  void sync_folder() const {
    const std::size_t slash = path_.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    (void)::fsync(descriptor);
    ::close(descriptor);
  }

  std::string path_;
  std::string name_;
  int descriptor_ = -1;
  bool done_ = false;
};

Status check_appendable(const FileInfo& info, NumberType type) {
  if (info.header.number_type && *info.header.number_type != type) {
    return Status(ErrorKind::kTypeMismatch, "the file holds numbers of another type");
  }
  if (info.header.format_major < 4) {
    return Status(ErrorKind::kUnsupportedVersion,
                  "files of a format version before 4 cannot be appended to");
  }
  return {};
}

}  // namespace

Status try_append_to_file(const std::string& path, const NumberView& numbers,
                          const EncodeConfig& config) noexcept {
  return guarded([&]() -> Status {
    NUMPACT_TRY(check_specs(numbers.type, config));
    NUMPACT_TRY(check_chunk_sizes(config.paging));
    std::vector<std::byte> bytes;
    NUMPACT_TRY(read_file(path, bytes));
    FileInfo info;
    NUMPACT_TRY(try_inspect(bytes, info));
    NUMPACT_TRY(check_appendable(info, numbers.type));
    // Through links, so that what they point to is replaced and not they.
    std::error_code error;
    const std::filesystem::path target = std::filesystem::canonical(path, error);
    if (error) return io_error("the file's folder cannot be read");
    Replacement file(target.string());
    if (!file.is_open()) return io_error("a file beside it cannot be made");
    NUMPACT_TRY(file.write(std::span(bytes).first(static_cast<std::size_t>(info.file_bytes) - 1)));
    StreamWriter writer(file, numbers.type, config);
    writer.continue_file();
    NUMPACT_TRY(writer.try_write(numbers));
    NUMPACT_TRY(writer.try_finish());
    return file.replace();
  });
}

}  // namespace numpact
