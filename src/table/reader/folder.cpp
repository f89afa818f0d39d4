// SPDX-License-Identifier: Apache-2.0
#include "table/reader/folder.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "platform/folders.hpp"
#include "platform/mapped_files.hpp"
#include "platform/paths.hpp"
#include "table/reader/failure.hpp"

namespace numpact::internal {
namespace {

// Links within a folder that are followed to a file of it.
constexpr int kMaxLinks = 8;
// Bytes of a name in a folder, of common file systems.
constexpr std::size_t kMaxNameBytes = 255;
// Files that are mapped when a table is opened: a process may have 65,530 maps.
constexpr std::size_t kMaxMappedFiles = 4096;

// A Status that keeps errno, whose text is `why`.
Status system_failure(const char* what, std::string& why) {
  const int error = errno;
  why = std::generic_category().message(error);
  return Status(ErrorKind::kIo, what).because_of(error);
}

// Mapped bytes, which are the folder's or this object's own.
class MappedRange final : public RangeSource {
 public:
  MappedRange(std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
      : bytes_(bytes), owner_(std::move(owner)) {}
  std::uint64_t size() const noexcept override { return bytes_.size(); }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
    if (offset >= bytes_.size()) return std::size_t{0};
    const auto rest = bytes_.subspan(static_cast<std::size_t>(offset));
    const std::size_t count = rest.size() < out.size() ? rest.size() : out.size();
    std::copy_n(rest.begin(), count, out.begin());
    return count;
  }
  std::optional<std::span<const std::byte>> bytes() const noexcept override { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
};

struct Mapping {
  explicit Mapping(std::span<const std::byte> mapped) : bytes(mapped) {}
  ~Mapping() { platform::unmap_file(bytes); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  std::span<const std::byte> bytes;
};

Status not_regular(std::string& why) {
  why = "is not a regular file";
  return Status(ErrorKind::kIo, "it is not a regular file").because_of(ENODEV);
}

// Maps an open file, and closes it.
Status map_descriptor(int descriptor, platform::FileInfo& info,
                      std::optional<std::span<const std::byte>>& bytes, std::string& why) {
  Status status;
  if (!platform::look_at(descriptor, info)) {
    status = system_failure("the file cannot be looked at", why);
  } else if (!info.is_regular()) {
    status = not_regular(why);
  } else if (info.bytes == 0) {
    bytes.emplace();
  } else if (info.bytes > SIZE_MAX) {
    status = Status(ErrorKind::kIo, "the file is too large to be mapped").because_of(EFBIG);
  } else {
    const auto size = static_cast<std::size_t>(info.bytes);
    const std::byte* const map = platform::map_file(descriptor, size);
    if (map == nullptr) {
      status = system_failure("the file cannot be mapped", why);
    } else {
      bytes = std::span(map, size);
    }
  }
  platform::close_file(descriptor);
  return status;
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes && name != "." && name != ".." &&
         platform::name_start(name) == 0;
}

// Follows the links of a name within its folder, to the name of a regular file. Other kinds are not
// even opened: a pipe would block, and a device might act.
Status follow(int folder, std::string& name, platform::FileInfo& info, std::string& why) {
  for (int links = 0; links <= kMaxLinks; ++links) {
    if (!platform::look_in(folder, name, info)) {
      return system_failure("the file cannot be found", why);
    }
    if (info.is_folder()) {
      why = "is a folder";
      return Status(ErrorKind::kIo, "it is a folder").because_of(EISDIR);
    }
    if (info.kind != platform::FileKind::kLink)
      return info.is_regular() ? Status() : not_regular(why);
    std::string target;
    if (!platform::read_link_in(folder, name, target)) {
      return system_failure("the link cannot be read", why);
    }
    if (!is_plain_name(target)) {
      why = "corrupt: is a link that leads out of the folder";
      return Status(ErrorKind::kCorrupt, "it is a link that leads out of the folder");
    }
    name = std::move(target);
  }
  why = "the links lead back to themselves";
  return Status(ErrorKind::kIo, "the links lead back to themselves").because_of(ELOOP);
}

}  // namespace

Status map_file_at(const std::string& path, std::unique_ptr<RangeSource>& file, std::string& why) {
  platform::FileInfo info;
  const int descriptor =
      platform::open_file(path, platform::Access::kRead, platform::Opening::kAtOnce);
  if (descriptor < 0) return system_failure("the file cannot be opened", why);
  std::optional<std::span<const std::byte>> bytes;
  NUMPACT_TRY(map_descriptor(descriptor, info, bytes, why));
  auto owner = std::make_shared<const Mapping>(*bytes);
  file = std::make_unique<MappedRange>(*bytes, std::move(owner));
  return {};
}

Status Folder::open(const std::string& path, std::shared_ptr<Folder>& folder, std::string& why,
                    const char* index) {
  const int descriptor = platform::open_folder(path);
  if (descriptor < 0) return system_failure("the folder cannot be opened", why);
  folder.reset(new Folder(path, descriptor, index));
  return {};
}

Folder::~Folder() {
  for (const auto& [name, held] : files_) {
    if (held.bytes) platform::unmap_file(*held.bytes);
  }
  platform::close_file(descriptor_);
}

bool Folder::is_current() const {
  platform::FileInfo named;
  platform::FileInfo opened;
  if (!platform::look_at(descriptor_, opened) || !platform::look_at(path_, named)) return true;
  if (!named.is_same_file(opened)) return false;
  if (!opened_index_) return true;
  // Appending replaces the index alone, and removes files that the new one does not name.
  const Held index = look(index_, false);
  return !index.status.ok() || index.info.is_same_file(*opened_index_);
}

Folder::Held Folder::look(const std::string& name, bool may_map) const {
  Held held;
  std::string at = name;
  held.status =
      name.size() <= kMaxNameBytes
          ? follow(descriptor_, at, held.info, held.why)
          : (errno = ENAMETOOLONG, system_failure("the name of the file is too long", held.why));
  if (!held.status.ok() || !may_map) return held;
  const int descriptor = platform::open_in(descriptor_, at);
  if (descriptor < 0) {
    held.status = system_failure("the file cannot be opened", held.why);
  } else {
    held.status = map_descriptor(descriptor, held.info, held.bytes, held.why);
  }
  return held;
}

Status Folder::hold(std::span<const std::string> names) {
  const bool may_map = names.size() <= kMaxMappedFiles;
  for (const std::string& name : names) {
    if (files_.contains(name)) continue;
    Held held = look(name, may_map);
    // Too many are open or mapped: it is mapped when it is used.
    const int error = held.status.system_error();
    if (error == EMFILE || error == ENFILE || error == ENOMEM) held = look(name, false);
    is_missing_ = is_missing_ || !held.status.ok();
    files_.emplace(name, std::move(held));
  }
  return {};
}

// Maps a file that was only looked at, if it is still the same.
Status Folder::map(const std::string& name, Held& held) const {
  Held now = look(name, true);
  const bool is_same = now.bytes && now.info.is_same_file(held.info) &&
                       now.info.bytes == held.info.bytes && now.info.changed == held.info.changed;
  if (is_same || (!now.bytes && now.status.system_error() != ENOENT)) {
    held = std::move(now);
    return held.status;
  }
  if (now.bytes) platform::unmap_file(*now.bytes);
  held.why = "was replaced after the table was opened, which would mix two tables: open it again";
  return Status(ErrorKind::kIo, "the file was replaced after the table was opened");
}

Status Folder::open_now(const std::string& name, table::FolderFile& file, std::string& why) const {
  Held held = look(name, true);
  why = std::move(held.why);
  NUMPACT_TRY(held.status);
  auto owner = std::make_shared<const Mapping>(*held.bytes);
  file.source = std::make_unique<MappedRange>(*held.bytes, std::move(owner));
  file.changed = held.info.changed;
  return {};
}

Result<std::unique_ptr<RangeSource>> Folder::open(const std::string& name, std::string& why) {
  const Lock lock(mutex_);
  const auto found = files_.find(name);
  if (found == files_.end()) {  // the index, or a file that is not held
    Held held = look(name, true);
    why = held.why;
    if (!held.status.ok()) return held.status;
    if (name == index_) opened_index_ = held.info;
    auto owner = std::make_shared<const Mapping>(*held.bytes);
    return std::unique_ptr<RangeSource>(
        std::make_unique<MappedRange>(*held.bytes, std::move(owner)));
  }
  Held& held = found->second;
  const Status status = held.status.ok() && !held.bytes ? map(name, held) : held.status;
  why = held.why;
  if (!status.ok()) return status;
  return std::unique_ptr<RangeSource>(std::make_unique<MappedRange>(*held.bytes, nullptr));
}

}  // namespace numpact::internal

namespace numpact::table {

Result<FolderFile> open_file_in(const std::string& folder, const std::string& name,
                                Failure* failure) noexcept {
  return internal::guarded_value<FolderFile>([&](FolderFile& file) -> Status {
    if (!is_file_name(name)) return Status(ErrorKind::kInvalidArgument, "it is no name of a file");
    std::string why;
    std::shared_ptr<internal::Folder> opened;
    if (const Status status = internal::Folder::open(folder, opened, why); !status.ok()) {
      return internal::fail(failure, status, folder, "", why);
    }
    const Status status = opened->open_now(name, file, why);
    return status.ok() ? status : internal::fail(failure, status, folder + "/" + name, "", why);
  });
}

}  // namespace numpact::table
