/* SPDX-License-Identifier: MIT */
/*
 * The host device: its memory is in host.c, its queues and how it runs jobs in host_run.c.
 */
#ifndef NN_DEVICE_HOST_INTERNAL_H
#define NN_DEVICE_HOST_INTERNAL_H

#include "device.h"
#include "team.h"

#define NN_HOST_ALIGNMENT	128u

struct nn_host_device {
	struct nn_device device;
	struct nn_team *team;
	uint8_t *scratch;	/* NN_SCRATCH_SIZE bytes for each of the team but the caller */
};

static inline struct nn_host_device *nn_host_of(struct nn_device *device)
{
	return (struct nn_host_device *)device;	/* its first member */
}

int nn_host_queue_create(struct nn_device *device, struct nn_queue **queue, struct nn_error *error);
void nn_host_queue_destroy(struct nn_queue *queue);
void nn_host_jobs_run(struct nn_device *device, struct nn_job *jobs, uint32_t count,
		      const struct nn_watch *watch);

#endif
