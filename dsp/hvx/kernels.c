// SPDX-License-Identifier: MIT
/*
 * On the DSP the interpreter runs these kernels: vector code where there is some.
 */
#include "../kernels/checks.h"
#include "kernels.h"

static const struct nn_kernel kernels[NN_OPCODE_END] = {
	[NN_OPCODE_CONV2D] = { "conv2d", nn_conv2d_check, nn_conv2d_hvx },
	[NN_OPCODE_DEPTHWISE_CONV2D] = { "depthwise_conv2d", nn_depthwise_conv2d_check,
					 nn_depthwise_conv2d_hvx },
	[NN_OPCODE_FULLY_CONNECTED] = { "fully_connected", nn_fully_connected_check,
					nn_fully_connected_hvx },
	[NN_OPCODE_MAX_POOL] = { "max_pool", nn_max_pool_check, nn_max_pool_hvx },
	[NN_OPCODE_AVERAGE_POOL] = { "average_pool", nn_average_pool_check, nn_average_pool_hvx },
	[NN_OPCODE_ADD] = { "add", nn_add_check, nn_add_hvx },
	[NN_OPCODE_REQUANTIZE] = { "requantize", nn_requantize_check, nn_requantize_hvx },
	[NN_OPCODE_TABLE] = { "table", nn_table_check, nn_table_hvx },
	[NN_OPCODE_COPY] = { "copy", nn_copy_check, nn_copy_hvx },
	[NN_OPCODE_TRANSPOSE] = { "transpose", nn_transpose_check, nn_transpose_portable },
	[NN_OPCODE_CROP_RESIZE] = { "crop_resize", nn_crop_resize_check, nn_crop_resize_portable },
	[NN_OPCODE_ROTATE_ROWS] = { "rotate_rows", nn_rotate_rows_check, nn_rotate_rows_portable },
	[NN_OPCODE_ROW_NUMBERS] = { "row_numbers", nn_row_numbers_check, nn_row_numbers_portable },
};

const struct nn_kernel *const nn_kernels = kernels;
