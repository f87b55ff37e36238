/* SPDX-License-Identifier: MIT */
/*
 * Devices that run graphs: the Hexagon DSP behind /dev/nnloop, and the host's own processor.
 *
 * There is never a silent fallback from one to the other: a graph runs on the device it was
 * prepared for, or fails with an error that says why.
 */
#ifndef NN_DEVICE_H
#define NN_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct nn_error - what went wrong, in words
 * @code: the negative errno that the failing call returned, 0 if the last call succeeded
 * @node: the user's id of the node it concerns, 0 for the graph or device as a whole
 * @op: that node's operator, "" if @node is 0
 * @text: one sentence that names the thing and what to do, without a full stop or newline; where
 *	the node has a name in the model, that is in front of it, in quotes
 *
 * It will never be longer than NN_ERROR_MAX_SIZE bytes, and what nn_graph_error() returns is as
 * long as that, with zeros at the end.
 */
struct nn_error {
	int code;
	uint32_t node;
	char op[32];
	char text[468];
};

#define NN_ERROR_MAX_SIZE	1024u

/** struct nn_device - an open device; opaque */
struct nn_device;

#define NN_DEVICE_HEXAGON	1u	/* kind: the DSP through /dev/nnloop */
#define NN_DEVICE_HOST		2u	/* kind: this processor, in this process */

/**
 * struct nn_device_info - what a device is
 * @kind: NN_DEVICE_HEXAGON or NN_DEVICE_HOST
 * @workers: DSP hardware threads; threads of the host device
 * @uapi_major: version of the kernel driver's interface; 0 for the host device
 * @uapi_minor: likewise
 * @firmware_version: version of the DSP's firmware; 0 for the host device
 * @max_passes: passes that one submission can carry
 * @node: path of the device node, "" for the host device
 * @name: a line for people, such as "Hexagon DSP, 2 workers, firmware 1.9"
 */
struct nn_device_info {
	uint32_t kind;
	uint32_t workers;
	uint32_t uapi_major;
	uint32_t uapi_minor;
	uint32_t firmware_version;
	uint32_t max_passes;
	char node[64];
	char name[96];
};

/**
 * nn_device_open - open a device
 * @name: "hexagon" for /dev/nnloop, a path such as "/dev/nnloop1" for another DSP, or "host", with
 *	as many threads as this process may use processors, or "host:4", with so many, 1 to 64. NULL
 *	is "hexagon".
 * @device: set to the device on success, to NULL otherwise
 * @error: filled in on failure; may be NULL
 *
 * A device may be shared by any number of graphs and threads; each graph has a queue of its own.
 * Threads of the host device are made when they are first used, have all signals blocked, and end
 * with it; the thread that executes a graph is one of them. Where the system gives fewer, fewer do,
 * and in the child of a fork() the executing thread alone. One execution at a time has them, others
 * meanwhile only the thread they are in. What is computed is the same with any number.
 *
 * Return: 0; -EINVAL for a name that is none of the above; -ENOENT when there is no such node
 * (is the module loaded, is there a board); -EACCES without permission on it (the sentence says
 * whom the node is open to); -ENODEV when the node is not an nnloop device or the device is gone;
 * -EPROTO when driver or firmware are of a version this library cannot use; -ENOMEM.
 */
static inline int nn_device_open(const char *name, struct nn_device **device,
				 struct nn_error *error);

/**
 * nn_device_close - close a device
 * @device: may be NULL
 *
 * Graphs that are prepared for it keep it alive: it ends with the last of them.
 */
void nn_device_close(struct nn_device *device);

/**
 * nn_device_get_info - what a device is
 * @device: an open device
 * @info: filled in
 *
 * May be called from any thread.
 */
static inline void nn_device_get_info(const struct nn_device *device, struct nn_device_info *info);

/**
 * nn_device_create_dmabuf - memory for inputs and outputs that need not be copied
 * @device: an open device
 * @size: bytes, at least 1; the device may round it up to whole pages
 * @fd: set to a dma-buf of that memory, zeroed, on success, to -1 otherwise. The caller's to close;
 *	the memory lives until the last descriptor, mapping and importer of it is gone
 * @error: filled in on failure; may be NULL
 *
 * For &struct nn_buffer with NN_BUFFER_DMABUF, of graphs on this device, and for other drivers to
 * import. It can be mapped; DMA_BUF_IOCTL_SYNC goes around accesses by the processor. Of the host
 * device, which only maps it, it is a memfd, without that call.
 *
 * May be called from any thread.
 *
 * Return: 0; -EINVAL for a size of 0; -ENOMEM; -ENOSPC when the device has no room for it; -ENODEV
 * when the device is gone.
 */
static inline int nn_device_create_dmabuf(struct nn_device *device, uint64_t size, int *fd,
					  struct nn_error *error);

/* ---- The sizes of this header's structures, told to the library (see nn_graph.h) ------------- */

int nn_device_open_sized(const char *name, struct nn_device **device, struct nn_error *error,
			 size_t size);
static inline int nn_device_open(const char *name, struct nn_device **device,
				 struct nn_error *error)
{
	return nn_device_open_sized(name, device, error, sizeof(*error));
}

void nn_device_get_info_sized(const struct nn_device *device, struct nn_device_info *info,
			      size_t size);
static inline void nn_device_get_info(const struct nn_device *device, struct nn_device_info *info)
{
	nn_device_get_info_sized(device, info, sizeof(*info));
}

int nn_device_create_dmabuf_sized(struct nn_device *device, uint64_t size, int *fd,
				  struct nn_error *error, size_t error_size);
static inline int nn_device_create_dmabuf(struct nn_device *device, uint64_t size, int *fd,
					  struct nn_error *error)
{
	return nn_device_create_dmabuf_sized(device, size, fd, error, sizeof(*error));
}

#ifdef __cplusplus
}
#endif

#endif
