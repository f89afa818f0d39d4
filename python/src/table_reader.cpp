// SPDX-License-Identifier: Apache-2.0
// Opens tables: folders on disk, or files that an object of Python opens.
#include "table_reader.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "bindings.hpp"
#include "buffers.hpp"
#include "collected.hpp"
#include "manifest_tuple.hpp"

namespace numpact::python {
namespace {

// Copies of at least this many bytes release the GIL.
constexpr std::size_t kLongRangeBytes = std::size_t{1} << 20;
// Memory that decoding a page may need, whatever the limit of the caller, which bounds values.
constexpr std::uint64_t kMinDecodeMemory = std::uint64_t{1} << 20;

// A file that Python opened: read by ranges, or all of it in memory. Made with the GIL.
class OpenedFile final : public RangeSource {
 public:
  explicit OpenedFile(nb::object file) : file_(std::move(file)) {
    if (nb::hasattr(file_, "read_at")) {
      if (const nb::object size = file_.attr("size"); !size.is_none()) {
        size_ = nb::cast<std::uint64_t>(size);
      }
      return;
    }
    bytes_.emplace(file_);
    size_ = bytes_->span().size();
  }
  ~OpenedFile() override {
    const GilAcquire acquire;
    bytes_.reset();
    file_.reset();
  }
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;

  std::uint64_t size() const noexcept override { return size_; }
  std::optional<std::span<const std::byte>> bytes() const noexcept override {
    if (!bytes_) return std::nullopt;
    return bytes_->span();
  }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
    std::size_t got = 0;
    const Status status = call_python([&] {
      const nb::object given = file_.attr("read_at")(offset, out.size());
      const Bytes bytes(given);
      got = bytes.span().size();
      if (got == 0 || got > out.size()) return;
      std::optional<GilRelease> release;
      if (got >= kLongRangeBytes) release.emplace();
      std::memcpy(out.data(), bytes.span().data(), got);
    });
    if (!status.ok()) return status;
    return got;
  }

 private:
  nb::object file_;
  std::optional<Bytes> bytes_;
  std::uint64_t size_ = kUnknownSize;
};

// The files that an object of Python opens.
class OpenedFiles final : public table::Files {
 public:
  explicit OpenedFiles(nb::object opener) : opener_(std::move(opener)) {}
  ~OpenedFiles() override {
    const GilAcquire acquire;
    opener_.reset();
  }
  OpenedFiles(const OpenedFiles&) = delete;
  OpenedFiles& operator=(const OpenedFiles&) = delete;

  Result<std::unique_ptr<RangeSource>> open(const std::string& name, std::string&) override {
    std::unique_ptr<RangeSource> file;
    const Status status = call_python([&] {
      file = std::make_unique<OpenedFile>(opener_.attr("open")(nb::str(name.data(), name.size())));
    });
    if (!status.ok()) return status;
    return file;
  }

 private:
  nb::object opener_;
};

nb::bytes path_of(const std::string& path) { return nb::bytes(path.data(), path.size()); }

struct MappedFile {
  std::shared_ptr<table::Files> files;  // which have the map, or null
  std::unique_ptr<RangeSource> file;
};

// The bytes of a file, which are mapped until the array goes.
nb::object array_of(std::unique_ptr<MappedFile> kept) {
  const auto bytes = kept->file->bytes().value_or(std::span<const std::byte>());
  const std::size_t shape[] = {bytes.size()};
  const nb::capsule owner(kept.release(),
                          [](void* object) noexcept { delete static_cast<MappedFile*>(object); });
  return nb::cast(
      nb::ndarray<nb::numpy, nb::ro, const std::uint8_t>(bytes.data(), 1, shape, owner));
}

// The bytes of a file of a folder, and when they were changed last.
nb::tuple open_file_in(const nb::bytes& folder, const nb::bytes& name) {
  table::FolderFile file;
  run_table_work([&](table::Failure* failure) {
    return table::open_file_in({folder.c_str(), folder.size()}, {name.c_str(), name.size()},
                               failure)
        .into(file);
  });
  auto kept = std::make_unique<MappedFile>();
  kept->file = std::move(file.source);
  return nb::make_tuple(array_of(std::move(kept)), file.changed);
}

}  // namespace

std::exception_ptr& raised_by_python() {
  thread_local std::exception_ptr raised;
  return raised;
}

TableReader::TableReader(nb::handle source, std::optional<std::uint64_t> max_memory) {
  DecodeConfig config;
  if (max_memory) config.limits.max_memory = std::max(*max_memory, kMinDecodeMemory);
  std::shared_ptr<table::Files> files;
  std::string path;
  if (nb::isinstance<nb::bytes>(source)) {
    const auto bytes = nb::cast<nb::bytes>(source);
    path.assign(bytes.c_str(), bytes.size());
  } else {
    source_ = nb::borrow(source);
    place_ = nb::cast<std::string>(source.attr("place"));
    files = std::make_shared<OpenedFiles>(source_);
  }
  std::optional<table::Manifest> manifest;
  if (files != nullptr && nb::hasattr(source_, "manifest_tuple")) {
    manifest = manifest_in(source_.attr("manifest_tuple")());
  }
  run([&](table::Failure* failure) {
    auto made = files == nullptr ? table::Reader::open(path, config, failure)
                : manifest
                    ? table::Reader::open(std::move(*manifest), std::move(files), config, failure)
                    : table::Reader::open(std::move(files), config, failure);
    if (made.ok()) reader_ = std::make_unique<const table::Reader>(std::move(*made));
    return made.status();
  });
  if (!source_.is_valid()) place_ = reader_->path();
}

nb::tuple TableReader::manifest() const { return manifest_tuple(reader_->manifest()); }

void TableReader::load(std::size_t column) const {
  run([&](table::Failure* failure) { return reader_->load(column, failure); });
}

nb::tuple TableReader::texts(std::size_t column) const {
  std::shared_ptr<const table::TextValues> texts;
  run([&](table::Failure* failure) { return reader_->texts(column, failure).into(texts); });
  const std::span<const std::uint64_t> offsets = texts->offsets();
  NewArray made(NumberType::kU64, offsets.size());
  std::memcpy(made.view().data, offsets.data(), offsets.size_bytes());
  const std::string_view bytes = texts->bytes();
  return nb::make_tuple(made.release(offsets.size()), nb::bytes(bytes.data(), bytes.size()));
}

nb::object TableReader::file(const std::string& name, const std::string& column) const {
  auto kept = std::make_unique<MappedFile>();
  kept->files = reader_->files();
  run([&](table::Failure* failure) {
    const Status status = kept->files->open(name, failure->text).into(kept->file);
    if (!status.ok()) {
      failure->file = place_ + "/" + name;
      failure->column = column;
    }
    return status;
  });
  return array_of(std::move(kept));
}

std::string TableReader::place_of(const table::Column& column) const {
  return table::Failure{place_ + "/" + column.first_file(), column.name, ""}.message();
}

void raise_table_error(const Status& status, table::Failure failure, const std::string& place) {
  if (const auto cause = std::exchange(raised_by_python(), nullptr)) std::rethrow_exception(cause);
  if (!place.empty() && !failure.file.empty()) failure.file = place + "/" + failure.file;
  if (failure.text.empty()) failure.text = status.message();
  const nb::object make = nb::module_::import_("numpact._errors").attr("make_table_error");
  const auto number = [](std::uint64_t at) -> nb::object {
    if (at == Status::kNoOffset) return nb::none();
    return nb::int_(at);
  };
  const nb::object error =
      make(static_cast<int>(status.kind()), path_of(failure.file), path_of(failure.column),
           path_of(failure.text), number(status.offset()), number(status.chunk()),
           status.system_error());
  PyErr_SetObject(reinterpret_cast<PyObject*>(error.type().ptr()), error.ptr());
  throw nb::python_error();
}

void bind_table_reader(nb::module_& m) {
  nb::class_<TableReader>(m, "TableReader", nb::type_slots(kCollected<TableReader>))
      .def(nb::init<nb::handle, std::optional<std::uint64_t>>(), nb::arg("source"),
           nb::arg("max_memory").none() = nb::none())
      .def("manifest", &TableReader::manifest)
      .def("load", &TableReader::load, nb::arg("column"))
      .def("texts", &TableReader::texts, nb::arg("column"))
      .def("file", &TableReader::file, nb::arg("name"), nb::arg("column"));
  m.def("open_file_in", &open_file_in, nb::arg("folder"), nb::arg("name"));
}

}  // namespace numpact::python
