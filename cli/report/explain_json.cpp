// SPDX-License-Identifier: Apache-2.0
#include "report/explain_report.hpp"
#include "report/inspect_json.hpp"

namespace numpact::cli {
namespace {

Json bound_json(const EntropyBound& bound) {
  return Json{{"bits", bound.bits}, {"count", bound.count}, {"distinct", bound.distinct}};
}

Json parts_json(const SizeParts& parts) {
  return Json{{"framing", parts.framing},
              {"choices", parts.choices},
              {"bins", parts.bins},
              {"delta_states", parts.delta_states},
              {"ans_states", parts.ans_states},
              {"codes", parts.codes},
              {"offsets", parts.offsets},
              {"padding", parts.padding}};
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json candidate_json(const CandidateInfo& candidate, std::uint64_t count) {
  Json json;
  json["mode"] = candidate.mode_text;
  json["delta"] = candidate.delta_text;
  json["estimated_bits"] = or_null(candidate.estimated_bits);
  json["estimated_bytes"] = candidate.estimated_bits
                                ? Json(*candidate.estimated_bits * static_cast<double>(count) / 8)
                                : Json();
  json["error_bits"] = candidate.error_bits;
  json["bytes"] = or_null(candidate.bytes);
  json["chosen"] = candidate.is_chosen;
  json["outcome"] = to_string(candidate.outcome);
  return json;
}

Json run_json(const RunExplanation& run) {
  return Json{{"first_chunk", run.first_chunk},
              {"chunk_count", run.chunk_count},
              {"single_bits", or_null(run.single_bits)},
              {"single_error_bits", run.single_error_bits},
              {"segment_bits", or_null(run.segment_bits)},
              {"segment_error_bits", run.segment_error_bits},
              {"segment_count", run.segment_count},
              {"segments", to_string(run.segments)}};
}

void add_chunk(Json& json, const ChunkInfo& info, const ChunkExplanation& chunk) {
  json["parts"] = parts_json(parts_of(info));
  json["entropy"] = bound_json(chunk.numbers);
  for (std::size_t i = 0; i < chunk.latents.size(); ++i) {
    json["variables"][i]["entropy"] = bound_json(chunk.latents[i]);
  }
  json["fallback"] = chunk.is_fallback;
  json["candidates"] = Json::array();
  for (const CandidateInfo& candidate : chunk.candidates) {
    json["candidates"].push_back(candidate_json(candidate, info.count));
  }
}

Json explanation_json(const Explanation& explanation, std::optional<std::size_t> only) {
  Json json = file_json(explanation.file, false, ListedChunks::kAll);
  Json chunks = Json::array();
  for (std::size_t i = 0; i < explanation.chunks.size(); ++i) {
    if (only && i != *only) continue;
    Json& chunk = json["chunks"][i];
    add_chunk(chunk, explanation.file.chunks[i], explanation.chunks[i]);
    chunks.push_back(chunk);
    chunks.back()["index"] = i;
  }
  json["chunks"] = std::move(chunks);
  json["runs"] = Json::array();
  for (const RunExplanation& run : explanation.runs) json["runs"].push_back(run_json(run));
  json["parts"] = parts_json(parts_of(explanation.file));
  json["entropy"] = bound_json(explanation.numbers);
  json["latent_entropy_bits"] = latent_bits(explanation);
  return json;
}

}  // namespace

std::string explain_json(const std::vector<ExplainedColumn>& columns,
                         std::optional<std::size_t> chunk) {
  Json json;
  json["columns"] = Json::array();
  for (const ExplainedColumn& column : columns) {
    Json entry;
    entry["place"] = column.place;
    entry["level"] = or_null(column.level);
    entry.update(explanation_json(column.explanation, chunk));
    if (column.again) {
      // Its chunk boundaries may differ.
      entry["again"] = explanation_json(*column.again, std::nullopt);
      entry["again"]["level"] = column.again_level;
    }
    json["columns"].push_back(std::move(entry));
  }
  return dump(json);
}

}  // namespace numpact::cli
