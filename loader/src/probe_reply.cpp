// SPDX-License-Identifier: Apache-2.0
#include "probe_reply.hpp"

namespace collet::loader {
namespace {

enum Kind : std::uint8_t { kStep = 1, kFacts = 2, kFailure = 3, kLinkFailure = 4 };

std::string record(Kind kind, const std::string& content) {
  ByteWriter writer;
  writer.put(static_cast<std::uint8_t>(kind));
  writer.put_text(content);
  return writer.bytes();
}

void read_record(std::uint8_t kind, ByteReader content, ProbeReply& reply) {
  switch (kind) {
    case kStep: {
      const auto step = content.get<std::uint8_t>();
      if (step > static_cast<std::uint8_t>(ProbeStep::kDescribe)) {
        throw BadBytes();
      }
      reply.step = static_cast<ProbeStep>(step);
      break;
    }
    case kFacts:
      reply.facts.emplace(read_facts(content));
      break;
    case kFailure:
    case kLinkFailure:
      reply.failure.emplace(read_error(content));
      reply.link_failed = kind == kLinkFailure;
      break;
    default:
      throw BadBytes();
  }
  if (content.size() != 0) {
    throw BadBytes();
  }
}

}  // namespace

const char* step_text(ProbeStep step) noexcept {
  switch (step) {
    case ProbeStep::kStart:
      return "before it was loaded";
    case ProbeStep::kLoad:
      return "while it was being loaded";
    case ProbeStep::kNegotiate:
      return "in its query function";
    case ProbeStep::kCount:
      return "while it counted its devices";
    case ProbeStep::kDescribe:
      return "while it described its devices";
  }
  return "";
}

ProbeReply parse_reply(std::string_view bytes) {
  ProbeReply reply;
  ByteReader reader(bytes);
  try {
    while (reader.size() != 0 && !reply.is_answer()) {
      const auto kind = reader.get<std::uint8_t>();
      read_record(kind, ByteReader(reader.get_text()), reply);
    }
    reply.garbled = reader.size() != 0;
  } catch (const BadBytes&) {
    reply.garbled = true;
    reply.facts.reset();
    reply.failure.reset();
  }
  return reply;
}

std::string step_record(ProbeStep step) {
  ByteWriter content;
  content.put(static_cast<std::uint8_t>(step));
  return record(kStep, content.bytes());
}

std::string facts_record(const PluginFacts& facts) {
  ByteWriter content;
  write_facts(content, facts);
  return record(kFacts, content.bytes());
}

std::string failure_record(const Error& failure, bool link_failed) {
  ByteWriter content;
  write_error(content, failure);
  return record(link_failed ? kLinkFailure : kFailure, content.bytes());
}

}  // namespace collet::loader
