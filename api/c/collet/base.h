/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Types that every other header shares: status codes, descriptor heads, handles, element types.
 *
 * Common contract of all functions declared in `collet/`:
 * - Any function may return, besides the statuses it documents, one of the *common set*:
 *   INVALID_ARGUMENT (a NULL pointer where one is not allowed, an enum outside its values, an
 *   unknown flag, a malformed descriptor), INVALID_HANDLE, WRONG_BACKEND, FORKED, DEVICE_LOST,
 *   OUT_OF_HOST_MEMORY, INTERNAL.
 * - Out parameters are written on every path: on error pointers become NULL and numbers 0.
 * - On error nothing is half done, and collet_last_error() tells more.
 * - Release functions return nothing, accept NULL, and succeed on a lost device.
 */
#ifndef COLLET_BASE_H
#define COLLET_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define COLLET_API __attribute__((visibility("default")))
#else
#define COLLET_API
#endif

#ifdef __cplusplus
#define COLLET_BEGIN_DECLS extern "C" {
#define COLLET_END_DECLS }
#else
#define COLLET_BEGIN_DECLS
#define COLLET_END_DECLS
#endif

/** Version of this product, as in `collet --version`. */
#define COLLET_VERSION_MAJOR 0
#define COLLET_VERSION_MINOR 1
#define COLLET_VERSION_PATCH 0
/** The same as text: "0.1.0". */
#define COLLET_VERSION_TEXT                \
  COLLET_DETAIL_TEXT(COLLET_VERSION_MAJOR) \
  "." COLLET_DETAIL_TEXT(COLLET_VERSION_MINOR) "." COLLET_DETAIL_TEXT(COLLET_VERSION_PATCH)
#define COLLET_DETAIL_TEXT(value) COLLET_DETAIL_TEXT_OF(value)
#define COLLET_DETAIL_TEXT_OF(value) #value

/** Version of the ABI: the major number is in the library's soname and in the plugin's symbol. */
#define COLLET_ABI_MAJOR 1
#define COLLET_ABI_MINOR 0
#define COLLET_ABI_VERSION ((COLLET_ABI_MAJOR << 16) | COLLET_ABI_MINOR)

/** A time-out that never ends a wait. Time-outs are nanoseconds; 0 only looks. */
#define COLLET_TIMEOUT_INFINITE UINT64_MAX

/** Most dimensions of a tensor layout. */
#define COLLET_MAX_RANK 8

COLLET_BEGIN_DECLS

/**
 * What a call answers. Zero is success, positive values inform, negative values are errors.
 *
 * Of each status: what it means, and behind "To do:" what its reader can do. `collet explain`
 * prints these texts.
 */
typedef enum collet_status_t {
  /** The call has done what it says. */
  COLLET_OK = 0,
  /** The work asked about is not complete yet. Not an error. To do: ask again, or wait. */
  COLLET_NOT_READY = 1,
  /**
   * An argument is not allowed: a NULL pointer, a value outside its enumeration, an unknown flag, a
   * malformed descriptor. To do: the text names the argument; the header says what it takes.
   */
  COLLET_ERROR_INVALID_ARGUMENT = -1,
  /**
   * The handle is NULL, released, or of another kind. To do: look for a release that comes too
   * early, or an object that was never made because of an error that was not looked at.
   */
  COLLET_ERROR_INVALID_HANDLE = -2,
  /**
   * The objects belong to different back ends. To do: copy through host memory between devices of
   * different back ends; the text names both devices.
   */
  COLLET_ERROR_WRONG_BACKEND = -3,
  /**
   * The objects belong to different devices of one back end. To do: use objects of the stream's own
   * device; the text names both.
   */
  COLLET_ERROR_WRONG_DEVICE = -4,
  /**
   * A range ends past its object, or an index past its bound. To do: compare the offset and the
   * size in the text with the size of the object.
   */
  COLLET_ERROR_OUT_OF_RANGE = -5,
  /** Source and destination share bytes. To do: copy by way of another buffer. */
  COLLET_ERROR_OVERLAP = -6,
  /**
   * The device cannot do this; the text says which capability is missing. To do: choose another
   * device, or do without; `collet devices --json` lists what each device can do.
   */
  COLLET_ERROR_UNSUPPORTED = -7,
  /** The host has no memory left. To do: free some, or give the process more. */
  COLLET_ERROR_OUT_OF_HOST_MEMORY = -8,
  /**
   * The device has no memory left, or not in one piece. To do: release buffers, use smaller ones,
   * or look for other processes on the device; the text says what is free.
   */
  COLLET_ERROR_OUT_OF_DEVICE_MEMORY = -9,
  /**
   * A well-formed selector names a back end or a device that does not exist. To do: `collet
   * devices` shows those that do, and COLLET_VISIBLE_DEVICES may hide some; the text proposes the
   * nearest.
   */
  COLLET_ERROR_NO_SUCH_DEVICE = -10,
  /**
   * A selector or setting cannot be parsed. To do: change it where the caret is; `collet --help`
   * shows how each variable is written.
   */
  COLLET_ERROR_MALFORMED = -11,
  /**
   * The back end is known but cannot be used here; the text says why. To do: mostly, install or
   * start the driver of the device; `collet doctor` looks at all back ends.
   */
  COLLET_ERROR_UNAVAILABLE = -12,
  /**
   * Host and plugin do not speak a common version of the ABI, or a table is incomplete. To do:
   * install a plugin that is built for this version of Collet.
   */
  COLLET_ERROR_INCOMPATIBLE = -13,
  /** The wait ended before the work did. To do: wait longer, or find out what the work waits for.
   */
  COLLET_ERROR_TIMEOUT = -14,
  /**
   * The device is gone for this process; frees still succeed. To do: start the process again; if it
   * happens again, look into the log of the driver.
   */
  COLLET_ERROR_DEVICE_LOST = -15,
  /**
   * A command failed while it ran. The stream returns this until it is reset. To do: the failure of
   * the stream names the command; correct it, and reset the stream.
   */
  COLLET_ERROR_COMMAND_FAILED = -16,
  /** A program cannot be built. To do: the build log says where its source is wrong. */
  COLLET_ERROR_BUILD_FAILED = -17,
  /**
   * A named thing inside an object (a kernel of a program) does not exist. To do: compare the name
   * with those in the source of the program.
   */
  COLLET_ERROR_NOT_FOUND = -18,
  /**
   * The event was never recorded, or without the timing it is asked for. To do: record it first,
   * and ask for timing when it is made.
   */
  COLLET_ERROR_NOT_RECORDED = -19,
  /**
   * The process was forked after Collet was first used; drivers do not survive that. To do: fork
   * before the first use, or start the child by exec (in Python: the start method "spawn").
   */
  COLLET_ERROR_FORKED = -20,
  /**
   * A plugin or host function called back into Collet where that is not allowed. To do: record the
   * work on a stream instead.
   */
  COLLET_ERROR_REENTRANT = -21,
  /**
   * The call comes at the wrong time, e.g. configuration after first use. To do: the text says what
   * must come first.
   */
  COLLET_ERROR_INVALID_STATE = -22,
  /**
   * A size computed from the arguments does not fit in 64 bits. To do: look for a size that was
   * never set, or is negative.
   */
  COLLET_ERROR_OVERFLOW = -23,
  /**
   * A fault of Collet or of a plugin. To do: report it, with the output of `collet doctor` and a
   * log made by COLLET_LOG=debug.
   */
  COLLET_ERROR_INTERNAL = -24,
  /**
   * A file cannot be read or written. To do: the text names the file and what the system says; look
   * at its folder, its permissions, and the room on its disk.
   */
  COLLET_ERROR_IO = -25,
  COLLET_STATUS_MAX = 0x7fffffff
} collet_status_t;

/** Says which descriptor a collet_struct_t heads. */
typedef enum collet_struct_type_t {
  COLLET_STRUCT_CONFIG = 1,
  COLLET_STRUCT_DEVICE_PROPERTIES = 2,
  COLLET_STRUCT_BACKEND_INFO = 3,
  COLLET_STRUCT_ALLOC_DESC = 4,
  COLLET_STRUCT_BUFFER_INFO = 5,
  COLLET_STRUCT_STREAM_DESC = 6,
  COLLET_STRUCT_STREAM_FAILURE = 7,
  COLLET_STRUCT_EVENT_DESC = 8,
  COLLET_STRUCT_TRANSFER_DESC = 9,
  COLLET_STRUCT_PROGRAM_DESC = 10,
  COLLET_STRUCT_KERNEL_INFO = 11,
  COLLET_STRUCT_OP_DESC = 12,
  COLLET_STRUCT_OP_SUPPORT = 13,
  COLLET_STRUCT_STREAM_INFO = 14,
  COLLET_STRUCT_ALLOCATOR_DESC = 15,
  COLLET_STRUCT_MEMORY_STATISTICS = 16,
  COLLET_STRUCT_MEMORY_HISTORY_DESC = 17,
  /** Or-ed to a type: a reader that does not know the struct may skip it. */
  COLLET_STRUCT_IGNORABLE = 0x40000000,
  COLLET_STRUCT_TYPE_MAX = 0x7fffffff
} collet_struct_type_t;

/**
 * Head of every descriptor.
 *
 * `struct_size` is the size the writer was compiled with: a reader treats a missing tail as zero.
 * In structs that the callee fills, the callee writes at most `struct_size` bytes. `next` chains
 * further structs; one of an unknown type is an INVALID_ARGUMENT unless its type has the
 * COLLET_STRUCT_IGNORABLE bit.
 */
typedef struct collet_struct_t {
  collet_struct_type_t type;
  uint32_t struct_size;
  const struct collet_struct_t *next;
} collet_struct_t;

/** Initialises a descriptor: its head is filled in, and all else is 0. What ..._INIT are made of.
 */
#ifdef __cplusplus
#define COLLET_DESCRIPTOR_INIT(descriptor_type, struct_type) \
  (collet_descriptor_init<descriptor_type>(struct_type))
extern "C++" {
template <class Descriptor>
inline Descriptor collet_descriptor_init(collet_struct_type_t struct_type) {
  Descriptor descriptor = Descriptor();
  descriptor.base.type = struct_type;
  descriptor.base.struct_size = static_cast<uint32_t>(sizeof(Descriptor));
  return descriptor;
}
}
#else
#define COLLET_DESCRIPTOR_INIT(descriptor_type, struct_type) \
  {                                                          \
    .base = { struct_type, sizeof(descriptor_type), NULL }   \
  }
#endif

/* Handles. All are created by the library and opaque. A value that is no live handle of the right
 * kind (NULL, released, of another kind, or never a handle) is answered with INVALID_HANDLE. */
typedef struct collet_device_t collet_device_t;
typedef struct collet_allocator_t collet_allocator_t;
typedef struct collet_buffer_t collet_buffer_t;
typedef struct collet_stream_t collet_stream_t;
typedef struct collet_event_t collet_event_t;
typedef struct collet_program_t collet_program_t;
typedef struct collet_kernel_t collet_kernel_t;
typedef struct collet_plan_t collet_plan_t;

/** Element types. Booleans are one byte; any byte that is not zero is true. */
typedef enum collet_type_t {
  COLLET_TYPE_NONE = 0,
  COLLET_TYPE_BOOL = 1,
  COLLET_TYPE_I8 = 2,
  COLLET_TYPE_U8 = 3,
  COLLET_TYPE_I16 = 4,
  COLLET_TYPE_U16 = 5,
  COLLET_TYPE_I32 = 6,
  COLLET_TYPE_U32 = 7,
  COLLET_TYPE_I64 = 8,
  COLLET_TYPE_U64 = 9,
  COLLET_TYPE_F16 = 10,
  COLLET_TYPE_BF16 = 11,
  COLLET_TYPE_F32 = 12,
  COLLET_TYPE_F64 = 13,
  /* Reserved: no operation of ABI 1.0 takes them. */
  COLLET_TYPE_F8_E4M3 = 14,
  COLLET_TYPE_F8_E5M2 = 15,
  COLLET_TYPE_C64 = 16,
  COLLET_TYPE_C128 = 17,
  COLLET_TYPE_I4 = 18,
  COLLET_TYPE_U4 = 19,
  COLLET_TYPE_MAX = 0x7fffffff
} collet_type_t;

/**
 * Returns the size of one element, in bytes.
 *
 * @return 0 for COLLET_TYPE_NONE, sub-byte types and values outside the enumeration.
 * @threadsafety Any thread.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API uint32_t collet_type_size_bytes(collet_type_t type);

/**
 * Returns the short name of a type, such as "f32"; "?" for values outside the enumeration.
 *
 * @lifetime     The text is static.
 * @threadsafety Any thread.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API const char *collet_type_name(collet_type_t type);

/**
 * Returns the version of the loaded library as "major.minor.patch".
 *
 * @lifetime     The text is static.
 * @threadsafety Any thread.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API const char *collet_version(void);

/**
 * Returns COLLET_ABI_VERSION of the loaded library, which may be newer than the header's.
 *
 * @threadsafety Any thread.
 * @blocking     Never.
 * @since        ABI 1.0
 */
COLLET_API uint32_t collet_abi_version(void);

COLLET_END_DECLS

#endif
