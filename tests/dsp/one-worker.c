// SPDX-License-Identifier: MIT
/* The parts of a platform that have to do with other workers, where there is one and no gang. */
#include "dsp/firmware/platform.h"

void platform_fence(void)
{
}

void platform_ring(uint32_t worker)
{
	(void)worker;
	platform_panic("rings another worker, and there is none");
}

enum board_barrier platform_barrier(uint32_t worker, uint32_t others, uint32_t barrier)
{
	(void)worker, (void)others, (void)barrier;
	platform_panic("waits for another worker, and there is none");
}
