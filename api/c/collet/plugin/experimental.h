/* SPDX-License-Identifier: Apache-2.0 */
/**
 * EXPERIMENTAL interfaces: drafts that no host uses and no plugin offers yet.
 *
 * They show where graphs, foreign objects, collectives, profiles and faults will attach, so
 * that nothing stable has to move for them. Any of them may change; each becomes stable, under a
 * `_V1` id and in a header of its own, once it has an implementation and a user.
 */
#ifndef COLLET_PLUGIN_EXPERIMENTAL_H
#define COLLET_PLUGIN_EXPERIMENTAL_H

#include <collet/plugin/event.h>
#include <collet/plugin/memory.h>
#include <collet/plugin/stream.h>

COLLET_BEGIN_DECLS

typedef struct collet_plugin_graph_t collet_plugin_graph_t;
typedef struct collet_plugin_communicator_t collet_plugin_communicator_t;

/** COLLET_INTERFACE_GRAPH_X1: commands that are captured once and replayed. */
typedef struct collet_plugin_graph_interface_x1_t {
  uint32_t struct_size;
  uint32_t reserved;
  /** Turns the enqueues of `stream`, and of streams that wait for it, into nodes. */
  collet_status_t (*capture_begin)(collet_plugin_stream_t *stream);
  /** Ends the capture; calls that are illegal in one were answered INVALID_STATE. */
  collet_status_t (*capture_end)(collet_plugin_stream_t *stream, collet_plugin_graph_t **out_graph);
  collet_status_t (*launch)(collet_plugin_stream_t *stream, collet_plugin_graph_t *graph);
  /** Takes over the arguments of a graph of the same shape; UNSUPPORTED where shapes differ. */
  collet_status_t (*update)(collet_plugin_graph_t *graph, const collet_plugin_graph_t *from);
  void (*destroy)(collet_plugin_graph_t *graph);
} collet_plugin_graph_interface_x1_t;

typedef enum collet_external_kind_t {
  /** An address of the vendor's runtime (DLPack). */
  COLLET_EXTERNAL_POINTER = 1,
  /** A file descriptor that names memory or a semaphore (dma-buf, Vulkan). */
  COLLET_EXTERNAL_FILE_DESCRIPTOR = 2,
  /** A handle for another process on the same machine. */
  COLLET_EXTERNAL_IPC = 3,
  COLLET_EXTERNAL_KIND_MAX = 0x7fffffff
} collet_external_kind_t;

/** A foreign object: base plus offset, and who is told when it is not needed any more. */
typedef struct collet_external_t {
  collet_external_kind_t kind;
  uint32_t handle_size_bytes;
  uint8_t handle[64];
  uint64_t offset_bytes;
  uint64_t size_bytes;
  void (*deleter)(void *user_data);
  void *user_data;
} collet_external_t;

/** COLLET_INTERFACE_EXTERNAL_X1: objects of other runtimes and processes. */
typedef struct collet_plugin_external_interface_x1_t {
  uint32_t struct_size;
  uint32_t reserved;
  collet_status_t (*import_memory)(collet_plugin_device_t *device,
                                   const collet_external_t *external,
                                   collet_plugin_memory_t **out_memory);
  collet_status_t (*export_memory)(collet_plugin_memory_t *memory, collet_external_kind_t kind,
                                   collet_external_t *out_external);
  /** Wraps a native stream that stays the caller's. */
  collet_status_t (*import_stream)(collet_plugin_device_t *device, uint64_t native_stream,
                                   collet_plugin_stream_t **out_stream);
  collet_status_t (*export_stream)(collet_plugin_stream_t *stream, uint64_t *out_native_stream);
  collet_status_t (*import_event)(collet_plugin_device_t *device, const collet_external_t *external,
                                  collet_plugin_event_t **out_event);
  collet_status_t (*export_event)(collet_plugin_event_t *event, collet_external_kind_t kind,
                                  collet_external_t *out_external);
} collet_plugin_external_interface_x1_t;

typedef struct collet_communicator_id_t {
  uint8_t bytes[128];
} collet_communicator_id_t;

/** COLLET_INTERFACE_COLLECTIVE_X1: the same call on every process rank. */
typedef struct collet_plugin_collective_interface_x1_t {
  uint32_t struct_size;
  uint32_t reserved;
  collet_status_t (*unique_id)(collet_communicator_id_t *out_id);
  collet_status_t (*create)(collet_plugin_device_t *device, const collet_communicator_id_t *id,
                            uint32_t process_rank, uint32_t process_count,
                            collet_plugin_communicator_t **out_communicator);
  void (*destroy)(collet_plugin_communicator_t *communicator);
  /** Makes waiting calls of this communicator return. */
  collet_status_t (*abort)(collet_plugin_communicator_t *communicator);
  /** COLLET_OK, or the failure of work in flight. */
  collet_status_t (*async_error)(collet_plugin_communicator_t *communicator);
  /** Calls between begin and end are one operation. */
  collet_status_t (*group_begin)(void);
  collet_status_t (*group_end)(void);
  collet_status_t (*all_reduce)(collet_plugin_communicator_t *communicator,
                                collet_plugin_stream_t *stream, collet_plugin_memory_t *dst,
                                uint64_t dst_offset_bytes, collet_plugin_memory_t *src,
                                uint64_t src_offset_bytes, uint64_t element_count,
                                collet_type_t type, uint32_t reduction);
  collet_status_t (*broadcast)(collet_plugin_communicator_t *communicator,
                               collet_plugin_stream_t *stream, collet_plugin_memory_t *memory,
                               uint64_t offset_bytes, uint64_t size_bytes, uint32_t root_rank);
} collet_plugin_collective_interface_x1_t;

/** One measured command. Times are nanoseconds of the device's clock. */
typedef struct collet_profile_record_t {
  uint64_t correlation_id;
  uint64_t queued_ns;
  uint64_t start_ns;
  uint64_t end_ns;
  char command[64];
} collet_profile_record_t;

/** COLLET_INTERFACE_PROFILE_X1: what ran when. */
typedef struct collet_plugin_profile_interface_x1_t {
  uint32_t struct_size;
  uint32_t reserved;
  collet_status_t (*start)(collet_plugin_device_t *device);
  collet_status_t (*stop)(collet_plugin_device_t *device);
  /** Takes up to `capacity` records out. */
  collet_status_t (*drain)(collet_plugin_device_t *device, collet_profile_record_t *out_records,
                           uint32_t capacity, uint32_t *out_count);
  /** Reads both clocks at one moment. */
  collet_status_t (*clock)(collet_plugin_device_t *device, uint64_t *out_device_ns,
                           uint64_t *out_host_ns);
} collet_plugin_profile_interface_x1_t;

/** COLLET_INTERFACE_FAULT_X1: faults on request, so that hosts can test their error paths. */
typedef struct collet_plugin_fault_interface_x1_t {
  uint32_t struct_size;
  uint32_t reserved;
  /** Adds a rule, e.g. "allocate:nth=3:status=-9"; MALFORMED for one that cannot be parsed. */
  collet_status_t (*add_rule)(collet_plugin_device_t *device, const char *rule);
  collet_status_t (*clear)(collet_plugin_device_t *device);
} collet_plugin_fault_interface_x1_t;

COLLET_END_DECLS

#endif
