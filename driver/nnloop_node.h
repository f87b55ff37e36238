/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/nnloop, a second name for the DRM node (nnloop_node.c).
 */
#ifndef NNLOOP_NODE_H
#define NNLOOP_NODE_H

struct drm_device;
struct nnloop_node;

int nnloop_node_class_register(void);
void nnloop_node_class_unregister(void);

struct nnloop_node *nnloop_node_create(struct drm_device *drm);
void nnloop_node_remove(struct nnloop_node *node);
const char *nnloop_node_name(const struct nnloop_node *node);

#endif
