/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NNLOOP_DEBUGFS_H
#define NNLOOP_DEBUGFS_H

struct file;
struct nnloop_device;
struct seq_file;

void nnloop_debugfs_init(struct nnloop_device *ndev);
void nnloop_show_fdinfo(struct seq_file *m, struct file *filp);

#endif
