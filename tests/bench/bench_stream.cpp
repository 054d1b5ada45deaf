// SPDX-License-Identifier: Apache-2.0
//
// What the other commands of a stream cost, on a stream that runs them inline.
#include "areas.hpp"
#include "plain_call.hpp"
#include "subject.hpp"

namespace collet::bench {
namespace {

void do_nothing(void* /*user_data*/, collet_status_t /*upstream*/) {}

Figures host_function() {
  const Stream stream(open_device("cpu"));
  const Batch subject = commands(
      stream, [&] { return collet_stream_host_function(stream.get(), do_nothing, nullptr); });
  return in_nanoseconds(take_turns(subject, plain_call()));
}

Figures record_query() {
  const Stream stream(open_device("cpu"));
  const Event event(stream.device());
  const Batch subject = repeat([&] {
    check(collet_event_record(event.get(), stream.get()));
    check(collet_event_query(event.get()));
  });
  return in_nanoseconds(take_turns(subject, plain_call()));
}

}  // namespace

std::vector<Row> stream_rows() {
  return {{"stream/host_function/-/cpu", "ns", "a function call", host_function},
          {"stream/record_query/-/cpu", "ns", "a function call", record_query}};
}

}  // namespace collet::bench
