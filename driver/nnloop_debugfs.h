/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debugfs files of a device, and fdinfo of an open file (nnloop_debugfs.c).
 */
#ifndef NNLOOP_DEBUGFS_H
#define NNLOOP_DEBUGFS_H

struct drm_file;
struct drm_printer;
struct nnloop_device;

void nnloop_debugfs_init(struct nnloop_device *ndev);
void nnloop_show_fdinfo(struct drm_printer *p, struct drm_file *filp);

#endif
