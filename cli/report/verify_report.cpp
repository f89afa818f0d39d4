// SPDX-License-Identifier: Apache-2.0
#include "report/verify_report.hpp"

#include <fmt/format.h>

#include "numpact/inspect.hpp"
#include "signature/file_format.hpp"

namespace numpact::cli {
namespace {

Json optional_json(const std::optional<std::uint64_t>& number) {
  return number ? Json(*number) : Json();
}

Json damage_json(const DamagedPart& damage) {
  return Json{{"chunk", damage.chunk},
              {"first", damage.first},
              {"count", optional_json(damage.count)},  // null: all numbers up to the end
              {"offset", damage.offset},
              {"bytes", damage.bytes},
              {"kind", to_string(damage.status.kind())},
              {"message", message_of(damage.status)}};
}

const char* kind_of(ExitCode code) {
  switch (code) {
    case ExitCode::kUsage:
      return to_string(ErrorKind::kInvalidArgument);
    case ExitCode::kCorrupt:
      return to_string(ErrorKind::kCorrupt);
    case ExitCode::kLimit:
      return to_string(ErrorKind::kLimitExceeded);
    default:
      return to_string(ErrorKind::kIo);
  }
}

}  // namespace

VerifyError error_of(const Failure& failure, const std::string& place) {
  std::string message = failure.what();
  if (message.starts_with(place + ": ")) message.erase(0, place.size() + 2);
  // Of a column of a folder, the place goes on.
  const std::string_view checksum = to_string(ErrorKind::kChecksum);
  const char* kind = kind_of(failure.code());
  if (message.starts_with(internal::signature::kOtherFormat)) kind = "another format";
  if (message.find(fmt::format("{}: ", checksum)) != std::string::npos) kind = checksum.data();
  return {kind, message};
}

VerifyError error_of(const Status& status) {
  return {is_other_format(status) ? "another format" : to_string(status.kind()),
          message_of(status)};
}

std::optional<VerifyError> error_of(const Verification& found) {
  if (!found.header_status.ok()) return error_of(found.header_status);
  if (!found.damage.empty()) return error_of(found.damage.front().status);
  if (!found.trailer_status.ok()) return error_of(found.trailer_status);
  return std::nullopt;  // also if unrecognised bytes follow
}

Json verified_json(const VerifiedFile& file) {
  Json json;
  json["path"] = file.path;
  if (file.column) json["column"] = *file.column;
  json["ok"] = !file.error;
  json["error"] = Json();
  if (file.error) json["error"] = {{"kind", file.error->kind}, {"message", file.error->message}};
  for (const char* key : {"type", "numbers", "good_numbers", "bytes", "chunks", "trailer"}) {
    json[key] = nullptr;
  }
  json["checksums"] = file.checksums ? Json(*file.checksums) : Json();
  json["damage"] = Json::array();
  if (!file.found) return json;
  const Verification& found = *file.found;
  if (found.type) json["type"] = std::string(name_of(*found.type));
  json["numbers"] = found.index.count();
  json["good_numbers"] = found.sound_count;
  json["bytes"] = file.bytes;
  json["chunks"] = found.index.chunk_count();
  json["trailer"] = to_string(found.trailer);
  for (const DamagedPart& damage : found.damage) json["damage"].push_back(damage_json(damage));
  return json;
}

}  // namespace numpact::cli
