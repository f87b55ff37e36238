// SPDX-License-Identifier: MIT
/*
 * The table of portable kernels.
 */
#include "checks.h"

const struct nn_kernel nn_kernels_portable[NN_OPCODE_END] = {
	[NN_OPCODE_CONV2D] = { "conv2d", nn_conv2d_check, nn_conv2d_portable },
	[NN_OPCODE_DEPTHWISE_CONV2D] = { "depthwise_conv2d", nn_depthwise_conv2d_check,
					 nn_depthwise_conv2d_portable },
	[NN_OPCODE_FULLY_CONNECTED] = { "fully_connected", nn_fully_connected_check,
					nn_fully_connected_portable },
	[NN_OPCODE_MAX_POOL] = { "max_pool", nn_max_pool_check, nn_max_pool_portable },
	[NN_OPCODE_AVERAGE_POOL] = { "average_pool", nn_average_pool_check,
				     nn_average_pool_portable },
	[NN_OPCODE_ADD] = { "add", nn_add_check, nn_add_portable },
	[NN_OPCODE_REQUANTIZE] = { "requantize", nn_requantize_check, nn_requantize_portable },
	[NN_OPCODE_TABLE] = { "table", nn_table_check, nn_table_portable },
	[NN_OPCODE_COPY] = { "copy", nn_copy_check, nn_copy_portable },
	[NN_OPCODE_TRANSPOSE] = { "transpose", nn_transpose_check, nn_transpose_portable },
	[NN_OPCODE_CROP_RESIZE] = { "crop_resize", nn_crop_resize_check, nn_crop_resize_portable },
	[NN_OPCODE_ROTATE_ROWS] = { "rotate_rows", nn_rotate_rows_check, nn_rotate_rows_portable },
	[NN_OPCODE_ROW_NUMBERS] = { "row_numbers", nn_row_numbers_check, nn_row_numbers_portable },
};
