// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/texts.hpp"

#include "text.hpp"

namespace collet::loader::validate {

std::string stream_text(std::uint32_t number, const std::string& label) {
  const std::string text = "stream " + std::to_string(number);
  return label.empty() ? text : text + ' ' + in_quotes(label);
}

std::string text_of(const Command& command) {
  return command.what + " (command " + std::to_string(command.number) + " of " +
         stream_text(command.stream, command.stream_label) +
         (command.label.empty() ? "" : ", labelled " + in_quotes(command.label)) + ", at " +
         command.place.text() + ")";
}

std::string text_of(const BufferFacts& buffer) {
  return (buffer.tag.empty() ? "a buffer (" : "buffer " + in_quotes(buffer.tag) + " (") +
         std::to_string(buffer.size_bytes) + " bytes)";
}

std::string text_of(const Access& access, std::uint64_t start_bytes) {
  const Region& region = access.region;
  const std::uint64_t first = region.offset_bytes - start_bytes;
  const char* verb = access.touch == Touch::kReads    ? "reads"
                     : access.touch == Touch::kWrites ? "writes"
                                                      : "may write";
  if (access.is_open_ended) {
    return std::string(verb) + " bytes " + std::to_string(first) + " and on";
  }
  return std::string(verb) + " bytes " + std::to_string(first) + " to " +
         std::to_string(region.end_bytes() - start_bytes - 1);
}

}  // namespace collet::loader::validate
