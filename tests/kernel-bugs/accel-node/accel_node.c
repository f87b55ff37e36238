// SPDX-License-Identifier: GPL-2.0
/*
 * The least driver that has an accel node: no calls of its own, nothing behind it. Whatever a call
 * on /dev/accel/accel0 does here, the kernel's own code does.
 */
#include <linux/module.h>
#include <linux/platform_device.h>

#include <drm/drm_accel.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>

DEFINE_DRM_ACCEL_FOPS(accel_node_fops);

static const struct drm_driver accel_node_driver = {
	.driver_features = DRIVER_COMPUTE_ACCEL,
	.fops = &accel_node_fops,
	.name = "accel_node",
	.desc = "an accel node with nothing behind it",
	.major = 1,
};

static struct platform_device *accel_node_pdev;
static struct drm_device *accel_node_drm;

static int __init accel_node_init(void)
{
	int ret;

	accel_node_pdev = platform_device_register_simple("accel_node", -1, NULL, 0);
	if (IS_ERR(accel_node_pdev))
		return PTR_ERR(accel_node_pdev);

	accel_node_drm = drm_dev_alloc(&accel_node_driver, &accel_node_pdev->dev);
	if (IS_ERR(accel_node_drm)) {
		ret = PTR_ERR(accel_node_drm);
		goto err_unregister;
	}

	ret = drm_dev_register(accel_node_drm, 0);
	if (ret)
		goto err_put;
	return 0;

err_put:
	drm_dev_put(accel_node_drm);
err_unregister:
	platform_device_unregister(accel_node_pdev);
	return ret;
}
module_init(accel_node_init);

static void __exit accel_node_exit(void)
{
	drm_dev_unregister(accel_node_drm);
	drm_dev_put(accel_node_drm);
	platform_device_unregister(accel_node_pdev);
}
module_exit(accel_node_exit);

MODULE_DESCRIPTION("An accel node with nothing behind it");
MODULE_LICENSE("GPL");
