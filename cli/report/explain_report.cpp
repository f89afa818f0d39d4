// SPDX-License-Identifier: Apache-2.0
#include "report/explain_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "report/text_table.hpp"
#include "text/printable.hpp"

namespace numpact::cli {
namespace {

// Maximum number of chunks to show one by one. More chunks are shown as groups.
constexpr std::size_t kMaxDetailedChunks = 3;

double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string bits_text(std::uint64_t bits, std::uint64_t count) {
  return count == 0 ? "-" : fmt::format("{:.3f}", share_of(bits, count));
}

std::uint64_t bytes_of(const ChunkInfo& chunk) { return chunk.meta_bytes + chunk.page_bytes; }

std::uint64_t rounded(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

std::string change_text(std::uint64_t old_bytes, std::uint64_t new_bytes) {
  if (old_bytes == 0) return "";
  return fmt::format("{:+.2f} %", 100 * (share_of(new_bytes, old_bytes) - 1));
}

void add_line(std::string& text, std::string_view name, const std::string& value) {
  text += fmt::format("{:<10}{}\n", name, value);
}

std::string_view warning_of(const EntropyBound& bound) {
  return 2 * bound.distinct > bound.count ? "; most of them differ, so it says little" : "";
}

std::string head(const ExplainedColumn& column) {
  const FileInfo& info = column.explanation.file;
  const auto type = info.header.number_type;
  const std::uint64_t raw = type ? info.count * size_of(*type) : 0;
  std::string text;
  add_line(text, "column", one_line(column.place));
  add_line(text, "numbers",
           fmt::format("{} {}, {} bytes", grouped(info.count), type ? name_of(*type) : "of no type",
                       grouped(raw)));
  add_line(text, "packed",
           fmt::format("{} bytes, {} bits a number, ratio {:.3f}, {}{} chunk{}",
                       grouped(info.file_bytes), bits_text(8 * info.file_bytes, info.count),
                       share_of(raw, info.file_bytes),
                       column.level ? fmt::format("level {}, ", *column.level) : "",
                       info.chunk_count, info.chunk_count == 1 ? "" : "s"));
  if (info.count == 0) return text;
  const EntropyBound& bound = column.explanation.numbers;
  add_line(text, "entropy",
           fmt::format("{:.3f} bits a number of the numbers: what each costs at least if all are\n"
                       "          coded by themselves and it is known how often each of the {} "
                       "different ones\n          occurs{}",
                       bound.bits, grouped(bound.distinct), warning_of(bound)));
  const SizeParts parts = parts_of(info);
  add_line(text, "",
           fmt::format("{:.3f} bits a number of the latents that are stored: the same after mode\n"
                       "          and delta, chunk by chunk; codes and offsets take {}",
                       latent_bits(column.explanation),
                       bits_text(parts.codes + parts.offsets, info.count)));
  return text;
}

std::string parts_text(const SizeParts& parts, std::uint64_t count, std::size_t indent) {
  TextTable table({"what the bytes are", ">bytes", ">share", ">bits a number"});
  const auto add = [&](std::string_view name, std::uint64_t bits) {
    table.add_row({std::string(name),
                   bits % 8 == 0 ? grouped(bits / 8)
                                 : fmt::format("{}.{}", grouped(bits / 8), bits % 8 * 10 / 8),
                   fmt::format("{:.2f} %", 100 * share_of(bits, parts.total())),
                   bits_text(bits, count)});
  };
  add("codes: which bin each latent is in", parts.codes);
  add("offsets: where in the bin", parts.offsets);
  add("bins: their list", parts.bins);
  add("modes, deltas, dictionaries", parts.choices);
  add("states of the deltas", parts.delta_states);
  add("states of the codes", parts.ans_states);
  add("headers of file and chunks", parts.framing);
  add("padding", parts.padding);
  table.add_rule();
  add("all", parts.total());
  return table.text(indent);
}

// The accepted candidate first, the others by estimated cost.
std::vector<CandidateInfo> ranked(std::vector<CandidateInfo> candidates) {
  const auto key = [](const CandidateInfo& candidate) {
    return std::pair(!candidate.is_chosen, candidate.estimated_bits.value_or(HUGE_VAL));
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const CandidateInfo& a, const CandidateInfo& b) { return key(a) < key(b); });
  return candidates;
}

std::string candidates_text(const ChunkInfo& info, const ChunkExplanation& chunk) {
  TextTable table({"mode", "delta", ">estimated bits", ">error", ">estimated bytes", ">bytes", ""});
  for (const CandidateInfo& candidate : ranked(chunk.candidates)) {
    const auto& bits = candidate.estimated_bits;
    table.add_row(
        {candidate.mode_text, candidate.delta_text, bits ? fmt::format("{:.3f}", *bits) : "-",
         bits ? fmt::format("{:.3f}", candidate.error_bits) : "-",
         bits ? grouped(rounded(*bits * static_cast<double>(info.count) / 8)) : "-",
         candidate.bytes ? grouped(*candidate.bytes) : "-", to_string(candidate.outcome)});
  }
  std::string text = "\n  what was tried (estimates are made on a sample)\n" + table.text(2);
  if (chunk.is_fallback) {
    text += "  nothing of that was smaller than one bin over all numbers, which was taken\n";
  }
  return text;
}

std::string variables_text(const ChunkInfo& info, const ChunkExplanation& chunk) {
  TextTable table({"variable", ">latents", ">different", ">entropy", ">codes", ">offsets", ">bins",
                   ">bytes of bins", ">bytes of states"});
  for (std::size_t i = 0; i < info.variables.size(); ++i) {
    const LatentVariableInfo& variable = info.variables[i];
    const EntropyBound& bound = chunk.latents[i];
    table.add_row(
        {to_string(variable.variable), grouped(variable.stored), grouped(bound.distinct),
         fmt::format("{:.3f}", bound.bits), bits_text(variable.code_bits, variable.stored),
         bits_text(variable.offset_bits, variable.stored), std::to_string(variable.bins.size()),
         grouped((variable.meta_bits + 7) / 8), grouped((variable.state_bits + 7) / 8)});
  }
  return "\n  what is stored (entropy, codes and offsets in bits a latent)\n" + table.text(2);
}

std::string chunk_text(std::size_t index, const ChunkInfo& info, const ChunkExplanation& chunk,
                       bool with_parts) {
  std::string text =
      fmt::format("\nchunk {}: {} numbers, mode {}, delta {}, {} bytes, {} bits a number\n", index,
                  grouped(info.count), info.mode_text(), info.delta_text(), grouped(bytes_of(info)),
                  bits_text(8 * bytes_of(info), info.count));
  text += fmt::format("  entropy of its numbers {:.3f} bits, {} different{}\n", chunk.numbers.bits,
                      grouped(chunk.numbers.distinct), warning_of(chunk.numbers));
  if (with_parts) text += '\n' + parts_text(parts_of(info), info.count, 2);
  if (!chunk.candidates.empty()) text += candidates_text(info, chunk);
  return text + variables_text(info, chunk);
}

// Chunks with the same encoding, or candidates that were considered in several chunks.
struct Group {
  std::size_t chunks = 0;
  std::size_t accepted = 0;
  std::uint64_t numbers = 0;
  std::uint64_t bytes = 0;
  std::uint64_t estimated_numbers = 0;  // numbers of the chunks that have an estimate
  double estimated_bits = 0;
};
using Groups = std::map<std::pair<std::string, std::string>, Group>;

Groups groups_of(const Explanation& explanation) {
  Groups groups;
  for (std::size_t i = 0; i < explanation.chunks.size(); ++i) {
    const ChunkInfo& info = explanation.file.chunks[i];
    Group& own = groups[{info.mode_text(), info.delta_text()}];
    ++own.accepted;
    own.numbers += info.count;
    own.bytes += bytes_of(info);
    if (explanation.chunks[i].candidates.empty()) ++own.chunks;
    for (const CandidateInfo& candidate : explanation.chunks[i].candidates) {
      Group& group = groups[{candidate.mode_text, candidate.delta_text}];
      ++group.chunks;
      if (!candidate.estimated_bits) continue;
      group.estimated_numbers += info.count;
      group.estimated_bits += *candidate.estimated_bits * static_cast<double>(info.count);
    }
  }
  return groups;
}

std::string groups_text(const Explanation& explanation) {
  const Groups groups = groups_of(explanation);
  std::vector<Groups::const_iterator> order;
  for (auto at = groups.begin(); at != groups.end(); ++at) order.push_back(at);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::pair(a->second.bytes, a->second.chunks) >
           std::pair(b->second.bytes, b->second.chunks);
  });
  TextTable table({"mode", "delta", ">tried in chunks", ">estimated bits", ">taken in", ">numbers",
                   ">bytes", ">bits a number"});
  for (const auto& at : order) {
    const Group& group = at->second;
    const double estimate = group.estimated_bits / static_cast<double>(group.estimated_numbers);
    table.add_row({at->first.first, at->first.second, std::to_string(group.chunks),
                   group.estimated_numbers == 0 ? "-" : fmt::format("{:.3f}", estimate),
                   std::to_string(group.accepted),
                   group.accepted == 0 ? "-" : grouped(group.numbers),
                   group.accepted == 0 ? "-" : grouped(group.bytes),
                   bits_text(8 * group.bytes, group.numbers)});
  }
  const std::size_t last = explanation.chunks.size() - 1;
  return fmt::format("\nall {} chunks (--chunk 0 to --chunk {} show one)\n", last + 1, last) +
         table.text(2);
}

// The runs for which segments were estimated.
std::string runs_text(const Explanation& explanation) {
  TextTable table(
      {">first chunk", ">one chunk: bits", ">error", ">segments", ">bits", ">error", ""});
  bool any = false;
  for (const RunExplanation& run : explanation.runs) {
    if (!run.segment_bits || !run.single_bits) continue;
    any = true;
    table.add_row({std::to_string(run.first_chunk), fmt::format("{:.3f}", *run.single_bits),
                   fmt::format("{:.3f}", run.single_error_bits),
                   run.segment_count == 0 ? "-" : grouped(run.segment_count),
                   fmt::format("{:.3f}", *run.segment_bits),
                   fmt::format("{:.3f}", run.segment_error_bits), to_string(run.segments)});
  }
  return any ? "\none chunk or segments (estimates, in bits a number)\n" + table.text(2) : "";
}

std::string body(const Explanation& explanation, std::optional<std::size_t> chunk) {
  const std::vector<ChunkInfo>& infos = explanation.file.chunks;
  if (chunk) return chunk_text(*chunk, infos[*chunk], explanation.chunks[*chunk], true);
  std::string text(1, '\n');
  text += parts_text(parts_of(explanation.file), explanation.file.count, 0);
  text += runs_text(explanation);
  if (infos.size() > kMaxDetailedChunks) return text + groups_text(explanation);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    text += chunk_text(i, infos[i], explanation.chunks[i], false);
  }
  return text;
}

}  // namespace

double latent_bits(const Explanation& explanation) {
  double bits = 0;
  for (const ChunkExplanation& chunk : explanation.chunks) {
    for (const EntropyBound& bound : chunk.latents) {
      bits += bound.bits * static_cast<double>(bound.count);
    }
  }
  return explanation.numbers.count == 0 ? 0 : bits / static_cast<double>(explanation.numbers.count);
}

std::string explain_report(const ExplainedColumn& column, std::optional<std::size_t> chunk) {
  std::string text = head(column) + body(column.explanation, chunk);
  if (!column.again) return text;
  const FileInfo& now = column.again->file;
  text += fmt::format(
      "\nchosen anew at level {}: {} bytes instead of {} ({}), {} bits a number, {} chunk{}\n",
      column.again_level, grouped(now.file_bytes), grouped(column.explanation.file.file_bytes),
      change_text(column.explanation.file.file_bytes, now.file_bytes),
      bits_text(8 * now.file_bytes, now.count), now.chunk_count, now.chunk_count == 1 ? "" : "s");
  return text + body(*column.again, std::nullopt);
}

}  // namespace numpact::cli
