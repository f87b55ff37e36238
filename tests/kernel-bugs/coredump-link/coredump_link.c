// SPDX-License-Identifier: GPL-2.0
/*
 * A device that fails, and leaves a dump of a second's work to free, whenever somebody writes to
 * /sys/module/coredump_link/parameters/fail. Whatever is said about links, the kernel's core does.
 */
#include <linux/delay.h>
#include <linux/devcoredump.h>
#include <linux/module.h>
#include <linux/platform_device.h>

static struct platform_device *coredump_link_pdev;
static const char coredump_link_dump[] = "nothing\n";

static ssize_t coredump_link_read(char *buffer, loff_t offset, size_t count, void *data,
				  size_t size)
{
	return memory_read_from_buffer(buffer, count, &offset, coredump_link_dump, size);
}

/* Freeing takes as long as that of a dump of some hundred megabytes. */
static void coredump_link_free(void *data)
{
	ssleep(1);
}

static int coredump_link_fail(const char *value, const struct kernel_param *param)
{
	if (IS_ERR_OR_NULL(coredump_link_pdev))
		return -ENODEV;
	dev_coredumpm(&coredump_link_pdev->dev, THIS_MODULE, NULL, sizeof(coredump_link_dump) - 1,
		      GFP_KERNEL, coredump_link_read, coredump_link_free);
	return 0;
}

static const struct kernel_param_ops coredump_link_ops = { .set = coredump_link_fail };
module_param_cb(fail, &coredump_link_ops, NULL, 0200);
MODULE_PARM_DESC(fail, "whatever is written makes the device fail");

static int __init coredump_link_init(void)
{
	coredump_link_pdev = platform_device_register_simple("coredump_link", -1, NULL, 0);
	return PTR_ERR_OR_ZERO(coredump_link_pdev);
}
module_init(coredump_link_init);

static void __exit coredump_link_exit(void)
{
	platform_device_unregister(coredump_link_pdev);
}
module_exit(coredump_link_exit);

MODULE_DESCRIPTION("A device that fails when it is told to");
MODULE_LICENSE("GPL");
