// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/nnloop: a second name for the DRM node.
 *
 * People look for /dev/nnloop, not for /dev/accel/accel0 on one kernel and /dev/dri/renderD128 on
 * another, and on a bare initramfs there is no udev to make a symbolic link.
 *
 * The node is a character device of our own whose minor number equals the index of the DRM minor.
 * drm_open() and accel_open() find the DRM minor by iminor(inode) alone, so calling them with our
 * inode opens the DRM device, and from there on the file is an ordinary DRM file.
 *
 * It is not promised anywhere that they look at nothing else. A DRM minor that was freed may be
 * given to another driver, so open checks that this node is still registered and holds a lock
 * across drm_open(), and the node goes before the DRM device does.
 */
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/rwsem.h>
#include <linux/slab.h>

#include <drm/drm_gem.h>

#include "nnloop_compat.h"
#include "nnloop_drv.h"
#include "nnloop_file.h"
#include "nnloop_node.h"

/* @dev owns the memory. An open file holds @cdev, which holds @dev. */
struct nnloop_node {
	struct device dev;
	struct cdev cdev;
	int number;		/* 0 for nnloop, n for nnloop<n> */
	struct rw_semaphore lock;	/* protects registered */
	bool registered;
};

static struct class nnloop_node_class = {
	.name = "nnloop",
};

static DEFINE_IDA(nnloop_node_numbers);

static int nnloop_node_open(struct inode *inode, struct file *filp)
{
	struct nnloop_node *node = container_of(inode->i_cdev, struct nnloop_node, cdev);
	int ret = -ENODEV;

	/*
	 * The lock is shared, so that an open which takes its time, because its memory cgroup has
	 * it wait, holds up no other.
	 */
	down_read(&node->lock);
	if (node->registered)
		ret = nnloop_drm_open(inode, filp);
	up_read(&node->lock);
	return ret;
}

static const struct file_operations nnloop_node_fops = {
	NNLOOP_FOPS
	.open = nnloop_node_open,
};

static void nnloop_node_release(struct device *dev)
{
	struct nnloop_node *node = container_of(dev, struct nnloop_node, dev);

	unregister_chrdev_region(dev->devt, 1);
	kfree(node);
}

/**
 * nnloop_node_class_register - for module init
 */
int nnloop_node_class_register(void)
{
	return class_register(&nnloop_node_class);
}

/**
 * nnloop_node_class_unregister - for module exit
 */
void nnloop_node_class_unregister(void)
{
	class_unregister(&nnloop_node_class);
	ida_destroy(&nnloop_node_numbers);
}

/**
 * nnloop_node_create - make /dev/nnloop, or /dev/nnloop1 for the second device
 * @drm: a registered DRM device
 *
 * Return: the node or an error.
 */
struct nnloop_node *nnloop_node_create(struct drm_device *drm)
{
	struct nnloop_node *node;
	dev_t devt;
	int ret;

	node = kzalloc(sizeof(*node), GFP_KERNEL);
	if (!node)
		return ERR_PTR(-ENOMEM);

	node->number = ida_alloc(&nnloop_node_numbers, GFP_KERNEL);
	if (node->number < 0) {
		ret = node->number;
		goto err_free;
	}
	ret = alloc_chrdev_region(&devt, nnloop_drm_minor(drm)->index, 1, "nnloop");
	if (ret)
		goto err_free_number;

	/* The release function undoes all of it but the number from here on. */
	init_rwsem(&node->lock);
	node->registered = true;
	device_initialize(&node->dev);
	node->dev.class = &nnloop_node_class;
	node->dev.parent = drm->dev;
	node->dev.devt = devt;
	node->dev.release = nnloop_node_release;
	ret = node->number ? dev_set_name(&node->dev, "nnloop%d", node->number) :
			     dev_set_name(&node->dev, "nnloop");
	if (ret)
		goto err_put;

	cdev_init(&node->cdev, &nnloop_node_fops);
	node->cdev.owner = THIS_MODULE;
	ret = cdev_device_add(&node->cdev, &node->dev);
	if (ret)
		goto err_put;
	return node;

err_put:
	ida_free(&nnloop_node_numbers, node->number);
	put_device(&node->dev);
	return ERR_PTR(ret);

err_free_number:
	ida_free(&nnloop_node_numbers, node->number);
err_free:
	kfree(node);
	return ERR_PTR(ret);
}

/**
 * nnloop_node_remove - no open succeeds any more; files that are open stay
 * @node: the node
 */
void nnloop_node_remove(struct nnloop_node *node)
{
	down_write(&node->lock);
	node->registered = false;
	up_write(&node->lock);

	cdev_device_del(&node->cdev, &node->dev);
	/*
	 * The name is free for another device now, and the major number when the last file is
	 * closed.
	 */
	ida_free(&nnloop_node_numbers, node->number);
	put_device(&node->dev);
}

/**
 * nnloop_node_name - what it is called under /dev
 * @node: the node
 */
const char *nnloop_node_name(const struct nnloop_node *node)
{
	return dev_name(&node->dev);
}
