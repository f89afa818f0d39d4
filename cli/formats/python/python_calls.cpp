// SPDX-License-Identifier: Apache-2.0
#include "formats/python/python_calls.hpp"

#include <cstring>
#include <optional>
#include <stdexcept>

#include "failure.hpp"

namespace numpact::cli {
namespace {

constexpr int kReadOnly = 0x100;  // PyBUF_READ, which the headers for Python 3.10 do not have

}  // namespace

void fail_as_python(const nb::python_error& error, const std::string& place) {
  const nb::tuple parts(
      nb::module_::import_("numpact._tables.errors").attr("described")(error.value()));
  const auto code = nb::cast<std::string>(parts[0]);
  const nb::object other = parts[2];
  throw Failure(code == "corrupt" ? ExitCode::kCorrupt
                : code == "limit" ? ExitCode::kLimit
                                  : ExitCode::kFailure,
                other.is_none() ? place : nb::cast<std::string>(other),
                nb::cast<std::string>(parts[1]));
}

PythonObject tables_module(const char* name, const char* needs, const std::string& place) {
  return with_python(place, [&] {
    return PythonObject(nb::module_::import_("numpact._tables").attr("module")(name, needs));
  });
}

nb::object PythonSink::function() const {
  return nb::cpp_function([state = state_](const nb::bytes& bytes) {
    if (state->file == nullptr) return;
    try {
      check(state->file->write(bytes_in(bytes)), state->place);
    } catch (...) {
      state->error = std::current_exception();
      throw std::runtime_error("the file cannot be written");
    }
  });
}

nb::object python_text(std::string_view text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

nb::object limits_for_python(const ValueLimits& limits) {
  const auto number = [](const std::optional<std::uint64_t>& limit) -> nb::object {
    return limit ? nb::cast(*limit) : nb::none();
  };
  return nb::module_::import_("numpact._limits")
      .attr("Limits")(number(limits.left()), number(limits.max_memory()));
}

void add_rows(const nb::handle& rows, TextBlock& block) {
  const nb::bytes texts = bytes_at(rows, 0);
  const nb::bytes ends = bytes_at(rows, 1);
  const nb::bytes valid = bytes_at(rows, 2);
  const std::uint64_t begin = block.bytes.size();
  const std::size_t before = block.rows();
  block.bytes.append(texts.c_str(), texts.size());
  block.ends.resize(before + ends.size() / sizeof(std::uint64_t));
  if (ends.size() > 0) std::memcpy(block.ends.data() + before, ends.data(), ends.size());
  for (std::size_t row = before; row < block.rows(); ++row) block.ends[row] += begin;
  if (block.valid.empty() && valid.size() == 0) return;
  block.valid.resize(before, 1);
  block.valid.resize(block.rows(), 1);
  if (valid.size() > 0) std::memcpy(block.valid.data() + before, valid.data(), valid.size());
}

OtherColumn other_in(const nb::object& written) {
  return {nb::cast<std::string>(written[1]), nb::cast<std::uint64_t>(written[0])};
}

nb::list metadata_for_python(const Metadata& metadata) {
  nb::list list;
  for (const auto& [key, value] : metadata) {
    list.append(
        nb::make_tuple(nb::bytes(key.data(), key.size()), nb::bytes(value.data(), value.size())));
  }
  return list;
}

nb::dict file_for_python(const OtherFile& file) {
  nb::dict made;
  made["place"] = python_text(place_of(file));
  if (const auto bytes = file.file->bytes()) {  // which stay as long as the table is open
    auto* const begin = const_cast<char*>(reinterpret_cast<const char*>(bytes->data()));
    made["content"] = nb::steal(
        PyMemoryView_FromMemory(begin, static_cast<Py_ssize_t>(bytes->size()), kReadOnly));
  } else {
    made["content"] = file.file->descriptor();
  }
  made["name"] = python_text(file.name);
  made["rows"] = file.rows;
  made["part"] = nb::none();
  if (!file.part.has_checksums()) return made;
  nb::list ends;
  nb::list crc32;
  for (const auto end : file.part.ends) ends.append(end);
  for (const auto sum : file.part.crc32) crc32.append(sum);
  made["part"] = nb::make_tuple(file.part.bytes, ends, crc32);
  return made;
}

nb::list files_for_python(const OtherFiles& files) {
  nb::list made;
  for (const OtherFile& file : files) made.append(file_for_python(file));
  return made;
}

}  // namespace numpact::cli
