// SPDX-License-Identifier: MIT
/*
 * Tests of what operators can do, at the limit: of each case the last value that is taken, and the
 * first that is refused, with the sentence that says so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "tap.h"

#define TAKEN "1 Input shape=2,3,4,5 type=int8\n2 Input shape=2,3,2 type=int32\n"
#define IMAGE	"1 Input shape=1,6,6,2 type=int8 scale=0.5\n"
#define ROWS	"1 Input shape=4,6 type=int8 scale=0.5\n"
#define LOOP	ROWS "2 BatchLoop 1:0 step=1\n"
#define CONV	IMAGE "2 Const shape=4,3,3,2 type=int8 scale=0.5\n"
#define MATRIX	"1 Input shape=2,3,4,5 type=int8 scale=0.5\n"
#define WIDE	"1 Input shape=2,3,4,5 type=int16 scale=1\n2 Input shape=2,3,5,4 type=int16 scale=1\n"
#define POINT	"1 Input shape=1,1,1,1 type=int8 scale=0.5\n"
#define GRID	"1 Input shape=2,3,4,5 type=uint8 scale=1\n2 Input shape=2,3,4,20 type=uint8 scale=1\n"
#define FACTORS	"2 Const shape=2 type=float32\n3 Const shape=2 type=float32\n"
#define VECTORS	"1 Input shape=2,3,4 type=int8 scale=0.5\n" FACTORS
#define TABLE	"4 Const shape=256 type=float32\n5 Input shape=2,3 type=int8\n6 Input shape=2,1,3 type=uint8 scale=1\n"     \
		"7 Input shape=2,4 type=int8\n8 Input shape=1,3 type=int8\n"
#define ANCHORS	"3 Const shape=5,2 type=int32 values=1,1,2,2,3,3,4,4,4096,4096\n"
#define SIZE	"4 Const shape=1,2 type=int32 values=1,4096\n"
#define PROPOSAL(stride, zero, shift, score, size, before, after, iou, step)                             \
	"9 Proposal 1:0 2:0 3:0 4:0 stride=" stride " delta_zero=" zero " delta_shift=" shift            \
	" score_min=" score " min_size=" size " before=" before " after=" after " iou=" iou " step=" step
#define FOUND_BOXES	"1 Input shape=2,5,4 type=uint8 scale=1\n"
#define FOUND_SCORES	"2 Input shape=2,5,3 type=uint8 scale=1\n"
#define FOUND_ANCHORS	"3 Const shape=5,4 type=float32\n"
#define FOUND_NODE(most, classes, all, each, y, x, h, w, score, iou)                                     \
	"9 DetectionPostProcess 1:0 2:0 3:0 max_detections=" most " max_classes_per_detection=" classes  \
	" num_classes=" all " detections_per_class=" each " y_scale=" y " x_scale=" x " h_scale=" h      \
	" w_scale=" w " nms_score_threshold=" score " nms_iou_threshold=" iou
#define FOUND(...)	FOUND_BOXES FOUND_SCORES FOUND_ANCHORS FOUND_NODE(__VA_ARGS__)
#define SUPPRESSED(boxes, scores, most, iou, score, sigma)                                              \
	"1 Input " boxes " scale=1\n2 Input " scores " scale=1\n"                                       \
	"9 NonMaxSuppression 1:0 2:0 max_output_size=" most " iou_threshold=" iou                        \
	" score_threshold=" score " soft_nms_sigma=" sigma
#define SUPPRESS(...)	SUPPRESSED("shape=2,5,4 type=int8", "shape=2,5 type=uint8", __VA_ARGS__)
#define BOXES	"1 Input shape=1,6,6,2 type=int8 scale=0.5\n2 Input shape=3,4 type=int32\n3 Input shape=3 type=int32\n"
#define CROP	"9 CropResize 1:0 2:0 3:0 "
#define ROI_IMAGES	"1 Input shape=2,3,6,7,2 type=int8 scale=0.5\n"
#define ROI_BOXES	"2 Input shape=2,4,4 type=uint8 scale=0.25\n"
#define ROI_INDICES	"3 Input shape=2,4 type=int32\n"
#define ROIS	ROI_IMAGES ROI_BOXES ROI_INDICES
#define ALIGN	"9 RoiAlign 1:0 2:0 3:0 "

/* Node 9 is the one that is refused; $ stands for a value. Values are apart by blanks. */
static const struct {
	const char *text, *taken, *refused, *says;
} cases[] = {
	/*
	 * How outputs are quantized: what says something is complete, and of more than one scale
	 * are constants and sums alone.
	 */
	{ "9 Input shape=1,4 type=int8 $", "scale=1 scale=1~zero_point=-128", "zero_point=1", "zero point 1 is of no scale" },
	{ "9 Const shape=4,2 type=int8 $", "scales=1,2,3,4 scales=1,2~scale_axis=1", "scale=1~scales=1,2,3,4 scales=1,2~scale_axis=1~scale=2",
	  "a scale for each index and one for all" },
	{ "9 Const shape=4,2 type=int8 $", "scale=1", "scale=1~scale_axis=1 scale_axis=1", "a dimension or a number of scales, and no scales" },
	{ IMAGE "9 Nop 1:0 $", "scale=0.5 type=int8", "zero_point=1 zero_point=1~type=int8", "zero point 1 is of no scale" },
	{ IMAGE "9 LeakyRelu 1:0 alpha=0.5 scale=1 $", "zero_point=127 zero_point=-128", "zero_point=128 zero_point=-129", "is outside of int8" },
	{ "9 Input shape=1,4 type=int32 $", "scales=1,2,3,4~scale_axis=1", "scales=1~scale_axis=1 scales=1,2,3,4", "one scale for each index" },
	{ "9 Input shape=1,4 type=$ scales=1,2,3,4 scale_axis=1", "int32", "int8 uint8 int16 bool", "only constants and sums of int32" },
	{ IMAGE "9 Nop 1:0 $", "", "scales=1,2 scales=1,2~scale_axis=3", "only constants and sums of int32" },
	{ "1 Input shape=1,2,3 type=int32 scales=1,2 scale_axis=1\n9 Concat 1:0 1:0 axis=$", "2", "1", "one scale for each index of dimension 1, not 2" },
	{ "1 Const shape=1,4 type=int8 scales=1,2,3,4 scale_axis=1\n2 Const shape=1,4 type=int8 scale=1\n3 Const shape=4,4 type=int8 scale=1\n9 $", "",
	  "Relu~1:0 Relu6~1:0 Clamp~1:0~max=3 Sigmoid~1:0~type=uint8~scale=1 Tanh~1:0~type=uint8~scale=1 LeakyRelu~1:0~alpha=0.5 "
	  "Softmax~1:0~type=uint8~scale=1 L2Normalize~1:0 Add~1:0~2:0~type=uint8~scale=1 Add~2:0~1:0~type=uint8~scale=1 "
	  "Sub~1:0~2:0~type=uint8~scale=1 Mul~2:0~1:0~type=uint8~scale=1 Div~1:0~2:0~type=uint8~scale=1 Maximum~2:0~1:0~type=uint8~scale=1 "
	  "PRelu~2:0~1:0~type=uint8~scale=1 FullyConnected~1:0~3:0~type=uint8~scale=1 Cumulate~1:0~axis=1~type=uint8~scale=1",
	  "more than one scale" },
	/* Windows. */
	{ CONV "9 Conv2d 1:0 2:0 type=int8 scale=1 stride=$", "1 255 1,255 255,1", "0 256 1,256 256,1 0,1 1,0",
	  "stride must be 1 to 255 in both" },
	{ POINT "2 Const shape=1,1,1,1 type=int8 scale=1\n9 Conv2d 1:0 2:0 type=int8 scale=1 dilation=$",
	  "1 255 1,255 255,1", "0 256 1,256 256,1 0,1 1,0", "dilation must be 1 to 255 in both" },
	{ CONV "9 Conv2d 1:0 2:0 type=int8 scale=1 padding=$", "0,0,0,0 2,2,2,2 2,0,0,0 0,2,0,0 0,0,2,0 0,0,0,2 same valid",
	  "3,0,0,0 0,3,0,0 0,0,3,0 0,0,0,3 -1,0,0,0 0,-1,0,0 0,0,-1,0 0,0,0,-1 full", "padding" },
	{ CONV "9 Conv2d 1:0 2:0 type=int8 scale=1 dilation=2 padding=$", "4,4,4,4", "5,0,0,0 0,0,0,5 0,5,0,0 0,0,5,0",
	  "smaller than the kernel" },
	{ CONV "9 Conv2d 1:0 2:0 type=int8 scale=1 dilation=$", "1 2 1,2 2,1", "3 1,3 3,1", "does not fit an image of 1x6x6x2" },
	{ IMAGE "9 MaxPool 1:0 kernel=$", "1 6 1,6 6,1", "0 7 1,7 7,1 256 1,256", "kernel" },
	{ IMAGE "9 AveragePool 1:0 type=int8 scale=1 kernel=$", "1 6 1,6 6,1", "0 7 1,7 7,1 256,1", "kernel" },
	{ "1 Input shape=1,255,255,1 type=int8 scale=1\n9 MaxPool 1:0 kernel=$", "255 1,255 255,1", "256 1,256 256,1",
	  "1 to 255 in both" },
	{ "1 Input shape=$ type=int8 scale=1\n9 MaxPool 1:0 kernel=1", "1,2,2,1", "1,2,2 1,2,2,1,1 4", "rank 4" },
	{ "1 Input shape=1,2,2,1 type=$ scale=1\n9 MaxPool 1:0 kernel=1", "int8 uint8 int16", "int32 float32",
	  "must be int8 or uint8" },

	/* Layers. */
	{ "1 Input shape=1,300,300,1 type=int8 scale=1\n2 Const shape=1,$,1 type=int8 scale=1\n"
	  "9 Conv2d 1:0 2:0 type=int8 scale=1", "255,1 1,255", "256,1 1,256", "kernels of 255" },
	{ "1 Input shape=1,$ type=int8 scale=1\n2 Const shape=1,$ type=int8 scale=1\n9 FullyConnected 1:0 2:0 type=int8 scale=1",
	  "1048575", "1048576", "at most 1048575 channels" },
	{ "1 Input shape=1,1 type=int8 scale=1\n2 Const shape=$,1 type=int8 scale=1\n9 FullyConnected 1:0 2:0 type=int8 scale=1",
	  "1048575", "1048576", "at most 1048575 channels" },
	{ CONV "3 Const shape=$\n9 Conv2d 1:0 2:0 3:0 type=int8 scale=1", "4~type=int32 1,4~type=int32",
	  "3~type=int32 5~type=int32 4~type=int8 16~type=int8 8~type=int16 4~type=float32", "constant of 4 int32" },
	{ CONV "3 Input shape=4 type=int32\n9 Conv2d 1:0 2:0 $ type=int8 scale=1", "", "3:0", "bias must be a constant" },
	{ IMAGE "2 Const shape=4,3,3,2 type=int8 scales=1,2,3,4 $\n9 Conv2d 1:0 2:0 type=int8 scale=1", "scale_axis=0", "", "" },
	{ IMAGE "2 Const shape=4,3,3,2 type=int8 $\n9 Conv2d 1:0 2:0 type=int8 scale=1", "scales=1,2,3,4",
	  "scales=1,2~scale_axis=3 scales=1,2,3~scale_axis=1", "scales must be for dimension 0" },
	{ IMAGE "2 Const shape=1,3,3,4 type=int8 $\n9 DepthwiseConv2d 1:0 2:0 type=int8 scale=1", "scales=1,2,3,4~scale_axis=3",
	  "scales=1 scales=1,2,3~scale_axis=2", "scales must be for dimension 3" },
	{ IMAGE "2 Const shape=$ type=int8 scale=1\n9 DepthwiseConv2d 1:0 2:0 type=int8 scale=1",
	  "1,3,3,2 1,3,3,4 1,1,1,2", "2,3,3,2 1,3,3,3 1,3,3,1 1,3,3,5", "multiple" },
	{ CONV "9 Conv2d 1:0 2:0 type=int32 $", "activation=none", "activation=relu activation=relu6", "8-bit output" },
	{ CONV "9 Conv2d 1:0 2:0 type=int32 $", "", "scale=0.25", "must not be given another" },
	{ "1 Input shape=1,6,6,2 type=int16 scale=1 zero_point=5\n2 Const shape=4,3,3,2 type=int8 scale=0.5\n"
	  "9 Conv2d 1:0 2:0 type=int16 scale=1 zero_point=7 $", "rounding=exact", "rounding=twice", "zero point" },
	{ "1 Input shape=1,6,6,2 type=int16 scale=1 zero_point=5\n2 Const shape=4,3,3,2 type=int8 scale=0.5\n"
	  "9 Conv2d 1:0 2:0 type=int16 scale=1 rounding=exact $", "padding=valid", "padding=same padding=0,0,1,0", "pad its input first" },
	{ CONV "9 Conv2d 1:0 2:0 type=$", "int8~scale=1 uint8~scale=1 int32", "int16~scale=1 float32", "must be int8 or uint8" },
	{ CONV "9 Conv2d 1:0 2:0 type=int8 scale=$", "1e30", "1e38", "is not a normal number" },

	/* Sums. */
	{ IMAGE "2 Input shape=$ type=int8 scale=1\n9 Add 1:0 2:0 type=int8 scale=1", "1,6,6,2 1,6,6,1",
	  "1,6,6 1,6,6,2,1 2,6,6,2 1,5,6,2 1,6,6,3", "the same dimensions, or 1 in one" },
	{ ROWS "2 CountLoop 1:0 current=4 total=4\n3 Nop $\n9 Add 2:0 3:0 type=int8 scale=1", "2:0", "1:0", "counts rows of loop level 0" },
	{ IMAGE "9 Add 1:0 1:0 type=int8 scale=$", "4.7684e-7 1e30", "4.76837158203125e-7", "differ too much" },
	{ IMAGE "9 Add 1:0 1:0 type=int8 rounding=float32 scale=$", "1.1755e-38", "1.1754e-38", "2^-126" },
	{ "1 Input shape=1,2 type=int8 scale=$\n2 Input shape=1,2 type=int8 scale=1\n"
	  "9 Add 1:0 2:0 type=int8 scale=1 rounding=float32", "1.1755e-38", "1.1754e-38", "2^-126" },
	{ "1 Input shape=1,2 type=int8 scale=$\n2 Input shape=1,2 type=int8 scale=1\n"
	  "9 Add 2:0 1:0 type=int8 scale=1 rounding=float32", "1.1755e-38", "1.1754e-38", "2^-126" },
	{ "1 Input shape=1,2 type=$ scale=1\n2 Input shape=1,2 type=int8 scale=1\n9 Add 1:0 2:0 type=int8 scale=1",
	  "int8 uint8", "int32", "first input must be" },
	{ "1 Input shape=1,2 type=$ scale=1\n2 Input shape=1,2 type=int8 scale=1\n9 Add 2:0 1:0 type=int8 scale=1",
	  "int8 uint8", "int32", "second input must be" },
	{ IMAGE "9 Add 1:0 1:0 $", "type=int8~scale=1 type=uint8~scale=1 type=int16~scale=1~rounding=float32", "type=int32~scale=1 type=int8", "output" },
	{ "1 Input shape=1,2 type=int16 scale=1 zero_point=3\n2 Input shape=1,2 type=int8 scale=1\n9 Add 2:0 1:0 type=int8 scale=1 $",
	  "rounding=float32", "activation=relu", "of int16 has no other rounding than float32" },
	{ "1 Input shape=1,2 type=$ scale=1\n2 Const shape=1,2 type=float32\n9 Mul 1:0 2:0 type=int16 scale=1 rounding=float32", "int16",
	  "int8 uint8", "second input must be" },

	/* Integers and bools. */
	{ "1 Input shape=1,2 type=$\n9 Integers 1:0 1:0 function=add", "int8 uint8~scale=1 int16 uint16 int32 int64 bool", "float32",
	  "of one type of integers" },
	{ "1 Input shape=1,2 type=int32\n2 Input shape=1,2 type=$\n9 Integers 1:0 2:0 function=add", "int32", "int64 int16 bool",
	  "of one type of integers, not int32 and" },
	{ ROWS "9 Integers 1:0 1:0 function=$", "add sub mul div floor_div mod floor_mod min max and or xor", "equal pow x",
	  "there is no function" },
	{ ROWS "9 Integers 1:0 1:0 $", "", "function=add~type=uint8", "cannot make uint8 of int8" },
	{ ROWS "9 Integers 1:0 1:0 $", "function=add~scale=2", "type=int8", "there is no function" },
	{ IMAGE "2 Input shape=$ type=int8\n9 Integers 1:0 2:0 function=add", "1,6,6,2 1,1,6,1",
	  "1,6,6 1,6,6,2,1 2,6,6,2 1,5,6,2 1,6,6,3", "the same dimensions, or 1 in one" },
	{ "1 Input shape=1,2 type=$\n9 Compare 1:0 1:0 function=less", "int8 uint8 int16 uint16 int32 int64 bool", "float32",
	  "of one type of integers" },
	{ "1 Input shape=1,2 type=int8\n2 Input shape=1,2 type=$\n9 Compare 1:0 2:0 function=less", "int8", "uint8 bool",
	  "of one type of integers" },
	{ ROWS "9 Compare 1:0 1:0 function=$", "equal not_equal less less_or_equal", "greater add", "there is no function" },
	{ ROWS "9 Compare 1:0 1:0 function=less rounding=$", "stored float32 fixed_point", "once", "rounding is one of" },
	{ ROWS "9 Compare 1:0 1:0 function=less $", "type=bool", "type=uint8 type=bool~scale=1 scale=1", "is of bool, without a scale" },
	{ "1 Input shape=1,2 type=int8 scale=$\n2 Input shape=1,2 type=uint8 scale=1\n9 Compare 1:0 2:0 function=less rounding=float32",
	  "1.1755e-38", "1.1754e-38", "2^-126" },
	{ "1 Input shape=1,2 type=int8 scale=$\n2 Input shape=1,2 type=uint8 scale=1\n9 Compare 2:0 1:0 function=less rounding=float32",
	  "1.1755e-38", "1.1754e-38", "2^-126" },
	{ "1 Input shape=1,2 type=int8 scale=$\n9 Compare 1:0 1:0 function=less rounding=fixed_point", "32767", "32768", "differ too much" },
	{ "1 Input shape=1,2 type=$ scale=1\n9 Compare 1:0 1:0 function=less rounding=float32", "int8 uint8", "int16 int32",
	  "first input must be" },
	{ "1 Input shape=1,2 type=$\n9 Select 1:0 1:0 1:0", "bool", "uint8 int32", "condition must be of bool" },
	{ "1 Input shape=1,2 type=bool\n2 Input shape=1,2 type=int8 scale=1\n3 Input shape=1,2 type=int8 $\n9 Select 1:0 2:0 3:0",
	  "scale=1", "scale=2 zero_point=1~scale=1 scale=0", "different types or quantizations" },
	{ "1 Input shape=1,2 type=bool\n2 Input shape=1,2 type=int8 scale=1\n9 Select 1:0 2:0 2:0 $", "scale=1", "scale=2 type=uint8",
	  "cannot change" },
	{ "1 Input shape=1,2 type=bool\n2 Const shape=1,2 type=int8 $\n9 Select 1:0 2:0 2:0", "scale=1", "scales=1,2~scale_axis=1",
	  "more than one scale" },
	{ "1 Input shape=1,2 type=bool\n2 Input shape=1,2 type=int8\n3 Input shape=$ type=int8\n9 Select 1:0 2:0 3:0", "1,1", "1,3 2,2 2",
	  "the same dimensions, or 1 in one" },
	{ "1 Input shape=1,2 type=$\n9 Cast 1:0 type=bool", "int8 uint8 int16 uint16 int32 int64 bool", "float32", "must be of integers" },
	{ "1 Input shape=1,2 type=int64\n9 Cast 1:0 $", "type=int8 type=uint8~scale=1 type=bool type=int64", "type=float32",
	  "must be given a type of integers" },
	{ "1 Input shape=1,2 type=int64\n9 Cast 1:0 $", "type=int16", "scale=1", "must be given a type of integers" },
	{ "1 Input shape=1,2,2 type=$\n9 Pad 1:0 before=0,0,1 after=0,0,0", "int8 uint16 int32 bool float32", "int64",
	  "pads integers of up to 32 bits" },

	/* Pools. */
	{ IMAGE "9 AveragePool 1:0 kernel=2 type=int8 scale=$", "0.0625 524288", "0.0624 524289", "between 2^-20 and 8" },
	{ IMAGE "9 AveragePool 1:0 kernel=2 rounding=half_away $", "type=int8~scale=0.5 type=int8~scale=0.5~count_padding=0",
	  "type=int8~scale=1 type=int8~scale=0.5~zero_point=1 type=uint8~scale=0.5 type=int8~scale=0.5~count_padding=1",
	  "half_away needs an output that is quantized as the input" },
	{ "1 Input shape=1,2,2,1 type=int8 scale=$\n9 AveragePool 1:0 kernel=2 type=int8 scale=1 rounding=float32_rows",
	  "1.1755e-38", "1.1754e-38", "2^-126" },
	{ IMAGE "9 AveragePool 1:0 kernel=2 type=int8 scale=$ rounding=float32_once", "1.1755e-38", "1.1754e-38", "2^-126" },
	{ IMAGE "9 AveragePool 1:0 kernel=2 type=int8 scale=$ rounding=float32_zero_point", "1.1920929e-7 1e30", "1.1920e-7", "differ too much" },
	{ "1 Input shape=1,8,9,1 type=int8 scale=$\n9 AveragePool 1:0 kernel=8,9 type=int8 scale=1e34 rounding=float32_zero_point",
	  "1.8533e34", "1.8535e34", "float32 cannot hold the sum of a window" },

	/* Functions of one element. */
	{ IMAGE "9 LeakyRelu 1:0 alpha=$", "0 1e30 -1e30", "1e39 -1e39", "must be a number" },
	{ IMAGE "9 Rescale 1:0 type=int8 scale=$", "7.6294e-6 1e30", "7.62939453125e-6 1e-30", "below 65536" },
	{ IMAGE "9 Rescale 1:0 type=int8 scale=1 alpha=$", "131071 -131071 0", "131072 -131072", "below 65536" },
	{ IMAGE "9 Rescale 1:0 type=$", "int8~scale=1 uint8~scale=1 int16~scale=1", "int32~scale=1", "output" },
	{ "1 Input shape=1,4 type=int16 scale=1\n2 Const $\n9 Table 1:0 2:0", "shape=65536~type=int16",
	  "shape=65535~type=int16 shape=65537~type=int16 shape=256~type=int16 shape=65536~type=uint8 shape=1,65536~type=int16",
	  "must be a constant of 65536 int16" },
	{ IMAGE "2 Const $\n9 Table 1:0 2:0 type=int16 scale=1", "shape=256~type=int16",
	  "shape=256~type=uint8 shape=65536~type=int16", "must be a constant of 256 int16" },
	{ IMAGE "2 Const $\n9 Table 1:0 2:0", "shape=256~type=uint8", "shape=256~type=int16 shape=255~type=uint8",
	  "must be a constant of 256 uint8" },
	{ "1 Input shape=1,4 type=int16 scale=1\n2 Const shape=65536 type=int16\n9 Table 1:0 2:0 $",
	  "type=int16~scale=1 type=int16~scale=1~zero_point=1 type=uint16~scale=1 type=int8~scale=1~zero_point=3 type=uint8~scale=1",
	  "type=int32~scale=1", "output" },
	{ IMAGE "2 Const shape=256 type=int16\n9 Table 1:0 2:0 scale=1 type=$", "int16", "uint16", "makes no uint16 of 8 bits" },
	{ IMAGE "9 Spread 1:0 padding=$",
	  "1048576,0,0,0 0,0,1048576,0 -1048576,0,1048576,0 1048576,0,-1048576,0",
	  "1048577,0,0,0 0,0,1048577,0 -1048577,0,1048576,0 1048576,0,-1048577,0", "padding must be" },
	{ IMAGE "9 Softmax 1:0 type=int8 scale=$", "1.1755e-38 1", "1.1754e-38", "2^-126" },
	{ IMAGE "9 Softmax 1:0 type=int8 scale=1 beta=$", "0 1e30", "-1e-30 -1", "beta must be a finite number" },
	{ "1 Input shape=$ type=int8 scale=1\n9 Softmax 1:0 type=int8 scale=1", "4,1 1,2,3", "4", "2 dimensions or more" },
	{ "1 Input shape=1,2 type=$ scale=1\n9 Softmax 1:0 type=int8 scale=1", "int8 uint8", "int32", "input must be" },
	{ "1 Input shape=1,2 type=int16 scale=1\n9 Softmax 1:0 type=$", "int16~scale=0.000030517578125",
	  "int8~scale=1 int16~scale=1 int16~scale=0.00003", "of int16 it makes int16 with scale 2^-15 only" },
	{ IMAGE "9 Softmax 1:0 $", "type=int8~scale=1", "type=int32~scale=1 type=int8", "output" },
	{ IMAGE "9 Softmax 1:0 type=int8 scale=1 log=$", "0 1", "2 -1", "0 or 1" },
	{ IMAGE "9 Softmax 1:0 type=int8 scale=1 $", "beta=0 log=1~beta=3e-38", "log=1~beta=0 log=1~beta=2e-38", "times beta, of at least 2^-126" },

	/* Matrices. */
	{ MATRIX "2 Input shape=$ type=int8 scale=1\n9 MatMul 1:0 2:0 type=int8 scale=1", "2,3,5,6 2,1,5,1",
	  "2,3,6,5 2,2,5,6 1,3,5,6 3,3,5,6 3,5,6 2,3,1,5,6 2,3,5", "must have matrices behind" },
	{ MATRIX "2 Const shape=$ type=int8 scale=1\n9 MatMul 1:0 2:0 type=int8 scale=1", "1,3,5,6 1,1,5,1 2,3,5,6", "3,3,5,6 3,5,6",
	  "must have matrices behind" },
	{ MATRIX "2 Input shape=$ type=int8 scale=1\n9 MatMul 1:0 2:0 type=int8 scale=1 transpose_b=1", "2,3,6,5", "2,3,5,6",
	  "must have matrices behind" },
	{ MATRIX "2 Input shape=$ type=int8 scale=1\n9 MatMul 1:0 2:0 type=int8 scale=1 transpose_a=1", "2,3,4,6", "2,3,5,6",
	  "must have matrices behind" },
	{ "1 Input shape=$ type=int8 scale=1\n2 Input shape=$ type=int8 scale=1\n9 MatMul 1:0 2:0 type=int8 scale=1", "2,3,3 2,1,3,3",
	  "3,3 3", "must have matrices behind" },
	{ MATRIX "9 MatMul 1:0 1:0 transpose_b=1 type=$", "int8~scale=1 uint8~scale=1 int32", "int16~scale=1 float32~scale=1 int8", "output" },
	{ WIDE "9 MatMul 1:0 2:0 type=$", "int16~scale=1 int8~scale=1 uint8~scale=1", "int32 int16 float32~scale=1", "output" },
	{ WIDE "9 MatMul 2:0 1:0 transpose_a=1 transpose_b=1 type=int16 scale=1 rounding=$", "fixed_point once_even", "float32_once",
	  "rounding is one of" },
	{ WIDE "9 MatMul 1:0 2:0 type=int16 scale=1 $", "activation=relu", "zero_points=0,0", "zero_points are for an int32 output" },
	{ WIDE "9 MatMul 1:0 2:0 type=int16 scale=$", "6.2e-5 1e8", "6.1e-5", "differ too much" },
	{ WIDE "9 MatMul 1:0 2:0 type=int16 rounding=once_even scale=$", "1e-9 1e8", "9e-10", "differ too much" },
	{ "1 Input shape=2,3,5,6 type=int16 scale=1\n2 Input shape=$ type=int16 scale=1\n9 MatMul 1:0 2:0 type=int16 scale=1", "2,3,6,4", "2,3,5,6",
	  "must have matrices behind" },
	{ MATRIX "9 MatMul 1:0 1:0 transpose_b=1 type=int32 $", "activation=none", "scale=1 scale=1~zero_point=1",
	  "must not be given another" },
	{ MATRIX "9 MatMul 1:0 1:0 transpose_b=1 type=int32 rounding=$", "", "float32_once fixed_point", "rounding is for an 8-bit output" },
	{ MATRIX "9 MatMul 1:0 1:0 transpose_b=1 type=int32 activation=$", "none", "relu relu6", "needs an 8-bit output" },
	{ MATRIX "9 MatMul 1:0 1:0 transpose_b=1 type=int32 zero_points=$", "0,0 -128,127 127,-128", "-129,0 128,0 0,-129 0,128",
	  "must be values of the inputs' types" },
	{ MATRIX "8 MatMul 1:0 1:0 transpose_b=1 type=int32 $\n9 Requantize 8:0 type=int8 scale=1", "", "zero_points=0,0", "scale" },
	{ MATRIX "9 MatMul 1:0 1:0 transpose_b=1 type=int8 scale=1 $", "rounding=fixed_point rounding=float32_once", "zero_points=0,0",
	  "zero_points are for an int32 output" },
	{ MATRIX "9 MatMul 1:0 1:0 transpose_b=1 type=int8 scale=1 rounding=$", "fixed_point", "float32 half_up", "rounding is one of" },
	/*
	 * 5 products of 16 bits have 19 bits, and so 12 are left for what they are multiplied by.
	 */
	{ MATRIX "9 MatMul 1:0 1:0 transpose_b=1 type=int8 rounding=fixed_point scale=$", "6.2e-5 1e8", "6.1e-5", "differ too much" },
	{ MATRIX "9 MatMul 1:0 1:0 transpose_b=1 type=int8 scale=$", "1e-30 2e37", "3e37", "differ too much" },
	{ "1 Input shape=1,2,2 type=$\n2 Input shape=1,2,2 type=int8 scale=1\n9 MatMul 1:0 2:0 type=int8 scale=1", "int8~scale=1 uint8~scale=1",
	  "int32~scale=1 int8", "first input" },
	{ "1 Input shape=1,2,2 type=$\n2 Input shape=1,2,2 type=int8 scale=1\n9 MatMul 2:0 1:0 type=int8 scale=1", "int8~scale=1 uint8~scale=1",
	  "int32~scale=1 int8", "second input" },
	{ "1 Const shape=1,2,2 type=int8 $\n2 Input shape=1,2,2 type=int8 scale=1\n9 MatMul 2:0 1:0 type=int32", "scale=1 scale=0",
	  "scales=1,2~scale_axis=1", "more than one scale" },
	{ "1 Const shape=1,2,2 type=int8 $\n2 Input shape=1,2,2 type=int8 scale=1\n9 MatMul 1:0 2:0 type=int8 scale=1", "scale=1",
	  "scales=1,2~scale_axis=1", "more than one scale" },

	/* Elements by indices that are computed. */
	{ TAKEN "9 Take 1:0 2:0 axis=$", "1 2 3", "0 4 -1", "are not among the 4" },
	{ TAKEN "9 Take 1:0 2:0 depth=$", "0 2", "-1 8", "depth is 0 to 7" },
	{ TAKEN "9 Take 1:0 2:0 depth=$", "2", "1 3", "indices' last dimension is 2" },
	{ TAKEN "9 Take 1:0 2:0 depth=2 axis=$", "1 2", "3", "are not among the 4" },
	{ TAKEN "9 Take 1:0 2:0 each=1 axis=$", "1 2", "3", "do not begin with the input's" },
	{ TAKEN "9 Take 1:0 2:0 $", "type=int8", "type=uint8 scale=3", " " },
	{ "1 Input shape=2,3 type=int8\n2 Input shape=2,4 type=$\n9 Take 1:0 2:0", "int32 int64", "int8 int16", "the indices must be" },
	{ "1 Input shape=2,3 type=int8\n2 Input shape=$ type=int32\n9 Take 1:0 2:0", "2,4 2", "1,4 3,4", "as many rows" },
	{ "1 Const shape=$ type=int8\n2 Input shape=2,4 type=int32\n9 Take 1:0 2:0", "1,3 2,3", "3,3", "as many rows" },
	{ "1 Input shape=2,3,1,1,1,1 type=int8\n2 Input shape=$ type=int32\n9 Take 1:0 2:0", "2,1,1,2", "2,1,1,1,1", "makes more than 8" },
	{ TAKEN "3 Input shape=$ type=int8\n9 Scatter 1:0 2:0 3:0", "2,3,2,4,5", "2,3,2,4 2,3,2,4,6 2,3,2,4,5,1 3,3,2,4,5", " " },
	{ TAKEN "3 Input shape=2,3,2,4,5 type=$\n9 Scatter 1:0 2:0 3:0", "int8", "uint8 int8~scale=1 bool", "another type or quantization" },
	{ TAKEN "3 Input shape=2,3,2,4,5 type=int8\n9 Scatter 1:0 2:0 3:0 function=$", "put add mul min max", "sub none", "there is no function" },
	{ TAKEN "3 Input shape=2,3,2,4,5 type=int8\n9 Scatter 1:0 2:0 3:0 $", "type=int8", "type=uint8 scale=3", " " },
	{ TAKEN "3 Input shape=2,3,3,2,5 type=int8\n9 Scatter 1:0 2:0 3:0 axis=$", "2", "0 1 3 4", " " },
	{ "1 Input shape=2,3 type=float32\n2 Input shape=2,4 type=int32\n3 Input shape=2,4 type=float32\n9 Scatter 1:0 2:0 3:0 function=$", "put", "add max",
	  "of float32 cannot have function" },
	{ "1 Const shape=$ type=int8\n2 Input shape=2,4 type=int32\n3 Input shape=2,4 type=int8\n9 Scatter 1:0 2:0 3:0", "1,3 2,3", "3,3", "as many rows" },
	{ "1 Input shape=2,3 type=int8\n2 Input shape=2,4 type=int32\n3 Const shape=$ type=int8\n9 Scatter 1:0 2:0 3:0", "1,4 2,4", "3,4", "as many rows" },
	{ "1 Input shape=2,3 $\n9 Top 1:0 count=1", "type=int8 type=bool type=int64 type=int32~scale=1 type=float32", "", "" },
	{ "1 Input shape=$ type=int8\n9 Top 1:0 count=1", "2,3 2,1", "2", "needs 2 dimensions" },
	{ "1 Input shape=2,3 type=int8\n9 Top 1:0 $", "count=1 count=3", "least=1 count=0 count=4 count=-1", "is not 1 to 3" },
	{ "1 Input shape=2,3 type=int8\n9 Top 1:0 count=2 $", "type=int32 type=int64 least=1", "type=int8 type=int32~scale=1", "makes plain numbers" },

	/* Sums along a dimension. */
	{ IMAGE "9 Cumulate 1:0 axis=$", "1 3 -1 -3", "4 -5", "not one of the dimensions" },
	{ IMAGE "9 Cumulate 1:0 axis=$", "1", "0 -4", "cannot go along dimension 0" },
	{ IMAGE "9 Cumulate 1:0 axis=1 $", "exclusive=1 backwards=1 type=uint8~scale=9", "type=int32", "output must be" },
	{ IMAGE "9 Cumulate 1:0 type=int8 scale=$", "1.2e-38", "1.1e-38", "needs scales of at least 2^-126" },
	{ "1 Input shape=1,2 type=int8 scale=$\n9 Cumulate 1:0 type=int8 scale=1", "1.2e-38", "1.1e-38", "needs scales of at least 2^-126" },
	{ "1 Input shape=1,2 type=$\n9 Cumulate 1:0", "int8~scale=1 uint8~scale=1 int16~scale=1~zero_point=3 int32 int64 int32~scale=3", "bool", "input, where" },
	{ "1 Input shape=1,2 type=$\n9 Cumulate 1:0 type=int16 scale=1", "int16~scale=1", "int8~scale=1", "of int16 makes int16" },
	{ "1 Input shape=1,4,3,2 type=int16 scale=1 zero_point=7\n9 Reduce 1:0 function=$", "max~axes=1,3 min~axes=3,1 max~axes=1,2", "mean_whole~axes=1,3",
	  "zero point 0" },
	{ "1 Input shape=1,2 type=int32\n9 Cumulate 1:0 $", "type=int32", "type=int64 scale=1", " " },

	/* Where the greatest is. */
	{ IMAGE "9 Arg 1:0 function=$", "max min", "sum mean", "function is max or min" },
	{ IMAGE "9 Arg 1:0 $", "function=max", "axis=1 last=1", "function is max or min" },
	{ IMAGE "9 Arg 1:0 function=max axis=$", "1 3 -1 -3", "4 -5", "not one of the dimensions" },
	{ IMAGE "9 Arg 1:0 function=max axis=$", "1", "0 -4", "cannot go along dimension 0" },
	{ IMAGE "9 Arg 1:0 function=max axis=1 $", "type=int32 keep_dims=1 last=1 last=0", "type=int8 type=int32~scale=1",
	  "makes plain numbers" },
	{ "1 Input shape=1,2 type=$ scale=1\n9 Arg 1:0 function=max", "int8 uint8 int16", "int32 uint16", "input must be" },

	{ "1 Input shape=1,4 type=$\n9 Requantize 1:0 type=int8 scale=1",
	  "int32~scale=1 int32~scales=1,2,3,4~scale_axis=1 int8~scale=1", "int32~scale=1~zero_point=1 int32~scales=1~scale_axis=0",
	  "zero point 0 and scales of the last" },
	{ "1 Const shape=1,4 type=$\n9 Requantize 1:0 type=int8 scale=1", "uint8~scale=1", "int8~scales=1,2,3,4~scale_axis=1",
	  "more than one scale" },
	{ "1 Input shape=1,4 type=$\n9 Requantize 1:0 type=int8 scale=1", "", "int32 int8", "has no scale" },
	{ "1 Input shape=1,4 type=int32 scale=$\n9 Requantize 1:0 type=int8 scale=1", "1.1755e-38", "1.1754e-38",
	  "is not a normal number" },
	{ "1 Input shape=1,4 type=int32 scales=1,$,1,1 scale_axis=1\n9 Requantize 1:0 type=int8 scale=1", "1.1755e-38",
	  "1.1754e-38", "is not a normal number" },

	/* Normalizations. */
	{ VECTORS "9 Normalize 1:0 2:0 3:0 type=int8 scale=1 function=$", "scale center deviation rms l1 l2", "mean", "has no function" },
	{ VECTORS "9 Normalize 1:0 2:0 3:0 type=int8 scale=1 $", "function=l1", "length=2", "has no function" },
	{ VECTORS "9 Normalize 1:0 2:0 3:0 type=int8 scale=$ function=l1", "1.1755e-38 1", "1.1754e-38", "2^-126" },
	{ "1 Input shape=1,4 type=int8 scale=$\n" FACTORS "9 Normalize 1:0 2:0 3:0 type=int8 scale=1 function=scale",
	  "1.1755e-38 1e38", "1.1754e-38", "2^-126" },
	{ "1 Input shape=1,4 type=int8 scale=$\n" FACTORS "9 Normalize 1:0 2:0 3:0 type=int8 scale=1 function=rms",
	  "1e-30 1e19", "1e20", "square" },
	{ VECTORS "9 Normalize 1:0 2:0 3:0 type=int8 scale=1 function=deviation epsilon=$", "0 1e-38 1e30", "-1e-30", "epsilon must be" },
	{ VECTORS "9 Normalize 1:0 2:0 3:0 type=int8 scale=1 function=rms epsilon=$", "0 1", "-1", "epsilon must be" },
	{ VECTORS "9 Normalize 1:0 2:0 3:0 type=int8 scale=1 epsilon=1 function=$", "deviation rms", "scale center l1 l2",
	  "epsilon for deviation and rms" },
	{ VECTORS "9 Normalize 1:0 2:0 3:0 type=int8 scale=1 function=rms length=$", "1 2 3 4 6 12", "0 -1 5 13 24 8388609",
	  "length must be 1 to" },
	{ "1 Input shape=1,$ type=int8 scale=1\n" FACTORS "9 Normalize 1:0 2:0 3:0 type=int8 scale=1 function=rms", "8388608",
	  "8388610", "length must be 1 to" },
	{ VECTORS "9 Normalize 1:0 2:0 3:0 type=int8 scale=1 function=rms run=$", "1 2 3 6", "0 -1 4 5 12 13", "do not go into a row" },
	{ VECTORS "9 Normalize 1:0 2:0 $ type=int8 scale=1 function=rms", "3:0 2:0", "1:0", "bias must be a constant" },
	{ VECTORS "9 Normalize 1:0 $ 3:0 type=int8 scale=1 function=rms", "2:0 3:0", "1:0", "scale must be a constant" },
	{ "1 Input shape=1,4 type=int8 scale=1\n2 Const shape=2 type=float32\n3 Const shape=$\n"
	  "9 Normalize 1:0 2:0 3:0 type=int8 scale=1 function=rms", "2~type=float32", "1~type=float32 2,1~type=float32 2~type=int32",
	  "bias must be a constant of as many float32" },
	{ "1 Input shape=1,2 type=$ scale=1\n" FACTORS "9 Normalize 1:0 2:0 3:0 type=int8 scale=1 function=rms", "int8 uint8 int16",
	  "int32", "input must be" },
	{ VECTORS "9 Normalize 1:0 2:0 3:0 function=rms $", "type=int8~scale=1", "type=int32~scale=1 type=int8", "output" },
	{ VECTORS TABLE "9 Normalize 1:0 2:0 3:0 $ type=int8 scale=1 function=given", "5:0~4:0 6:0~4:0", "7:0~4:0 8:0~4:0",
	  "one divisor for each vector" },
	{ VECTORS TABLE "9 Normalize 1:0 2:0 3:0 5:0 $ type=int8 scale=1 function=given", "4:0", "2:0 5:0", "table must be a constant of 256" },
	{ VECTORS TABLE "9 Normalize 1:0 2:0 3:0 $ type=int8 scale=1 function=given", "5:0~4:0", "5:0", "needs a divisor and a table" },
	{ VECTORS TABLE "9 Normalize 1:0 2:0 3:0 5:0 4:0 type=int8 scale=1 function=$", "given", "rms", "takes no divisor" },

	{ "1 Input shape=1,$ type=int8 scale=1\n9 L2Normalize 1:0", "1 33025", "33026", "normalizes 33025 elements at most" },
	{ "1 Input shape=$ type=int8 scale=1\n9 L2Normalize 1:0", "4,1 1,2,3", "4", "2 dimensions or more" },
	{ "1 Input shape=1,2 type=$ scale=1\n9 L2Normalize 1:0", "int8 uint8", "int16 int32", "input must be" },
	{ "1 Input shape=1,2 type=int8 scale=1\n9 L2Normalize 1:0 $", "scale=0.0078125 type=int8~scale=0.0078125",
	  "scale=0.0078126 type=uint8~scale=0.0078125~zero_point=128 scale=0.0078125~zero_point=1", "makes what its input is of" },
	{ "1 Input shape=1,2 type=uint8 scale=1\n9 L2Normalize 1:0 $", "scale=0.0078125~zero_point=128", "scale=0.0078125",
	  "makes what its input is of" },

	/* Operators that move elements. */
	{ IMAGE "9 Reshape 1:0 shape=$", "1,72 0,0,0,0 1,-1 0,-1 1,1,1,1,1,1,1,72 -1,2 72", "1,73 1,71 0,5,0 1,4294967295", "fit" },
	{ IMAGE "9 Reshape 1:0 shape=$", "1,-1", "1,-2 1,4294967296 1,72,1,1,0", "of the new shape is wrong" },
	{ IMAGE "9 Reshape 1:0 shape=$", "-1,1", "-1,-1 72,-1,-1", "only one" },
	{ IMAGE "9 Reshape 1:0 shape=$", "", "4294967295,4294967295,4294967295", "too large" },
	{ LOOP "9 Reshape 2:0 shape=$", "1,6 1,2,3 0,-1", "6,1 2,3 6", "cannot change from 1 to" },
	{ IMAGE "9 Slice 1:0 axis=$", "1 3 -1 -3", "4 -5 100", "not one of the dimensions" },
	{ IMAGE "9 Slice 1:0 axis=$", "2", "0 -4", "cannot slice dimension 0" },
	{ IMAGE "9 Slice 1:0 axis=1 begin=$", "0 5", "-1 6", "of 6" },
	{ IMAGE "9 Slice 1:0 axis=1 begin=2 size=$", "1 4", "0 5 -1", "of the 4 left" },
	{ IMAGE "9 Slice 1:0 axis=1 $", "type=int8 scale=0.5 type=int8~scale=0.5", "scale=1 type=uint8~scale=0.5 scale=0.5~zero_point=1",
	  "cannot change type or quantization" },
	{ IMAGE "9 Transpose 1:0 perm=0,1,2,3 $", "scale=0.5", "scale=1 type=uint8", "cannot change type or quantization" },
	{ IMAGE "9 Transpose 1:0 perm=$", "0,3,2,1 0,1,2,3", "0,1,2,4 0,1,2,-1 0,1,1,3", "not an order" },
	{ IMAGE "9 Transpose 1:0 $", "perm=0,1,2,3", "perm=0 perm=0,1,2 perm=0,1,2,3,4", "perm with 4" },
	{ "1 Input shape=3 type=int8 scale=1\n9 Transpose 1:0 $", "perm=0", "", "" },
	{ IMAGE "9 Concat 1:0 1:0 axis=$", "1 2 3 -1 -3", "4 -5", "axis" },
	{ IMAGE "9 Concat 1:0 1:0 axis=$", "1", "0 -4", "dimension 0" },
	{ IMAGE "9 Concat 1:0 1:0 axis=1 $", "scale=0.5", "scale=1 type=uint8", "cannot change" },
	{ IMAGE "2 Input shape=$ type=int8 scale=0.5\n9 Concat 1:0 2:0 axis=2", "1,6,1,2 1,6,100,2", "1,6,6 1,5,6,2 1,6,6,1 2,6,6,2 1,6,6,2,1",
	  "fit" },
	{ "1 Input shape=1,1500000000 type=int8\n2 Input shape=1,$ type=int8\n9 Concat 1:0 2:0 1:0", "", "1500000000", "too large" },

	{ "1 Input shape=1,2,3 type=int32 scales=1,2 scale_axis=1\n2 Input shape=1,2,3 type=int32 $\n9 Concat 1:0 2:0 axis=2",
	  "scales=1,2~scale_axis=1", "scales=1,3~scale_axis=1 scales=1,2,3~scale_axis=2 scale=1 scales=1~scale_axis=0", "requantize" },
	{ "1 Input shape=1,2,3 type=int32 $\n2 Input shape=1,2,3 type=int32 scale=0\n9 Concat 1:0 2:0 axis=2",
	  "scale=0", "scale=1 scales=1,3~scale_axis=1", "requantize" },

	/* Reductions. */
	{ IMAGE "9 Reduce 1:0 function=max axes=$", "1 3 -1 -3 1,2,3 3,1 -1,1", "4 -5 1,1 1,-3 3,-1", "different ones of the dimensions" },
	{ IMAGE "9 Reduce 1:0 function=max axes=$", "", "0 -4 1,0", "cannot reduce dimension 0" },
	{ IMAGE "9 Reduce 1:0 function=max $", "axes=1", "keep_dims=1", "needs axes" },
	{ IMAGE "9 Reduce 1:0 axes=1 function=$", "max min sum sum_away prod mean mean_once mean_away mean_whole squares length", "maximum mea mean_ all", "has no function" },
	{ IMAGE "9 Reduce 1:0 axes=1 $", "function=max", "keep_dims=0", "has no function" },
	{ "1 Input shape=1,$ type=int8 scale=1\n9 Reduce 1:0 function=max axes=1", "8388608", "8388609", "more than 8388608 elements" },
	{ "1 Input shape=2,$,1 type=int8 scale=1\n9 Reduce 1:0 function=sum axes=1,2", "8388607", "8388609", "more than 8388608 elements" },
	{ IMAGE "9 Reduce 1:0 axes=1 $", "function=max~scale=0.5 function=sum~scale=1 function=mean~scale=1~zero_point=3 function=mean~type=uint8~scale=1",
	  "function=max~scale=1 function=min~zero_point=1~scale=0.5 function=mean_whole~type=uint8~scale=0.5", "cannot change quantization" },
	{ "1 Input shape=1,4 type=$\n9 Reduce 1:0 function=max axes=1", "int8 uint8 int8~scale=1", "int16 int32 float32", "input" },
	{ "1 Input shape=1,4 type=$\n9 Reduce 1:0 function=sum axes=1 type=int8 scale=1", "int8~scale=1 uint8~scale=1", "int8 int32~scale=1",
	  "input" },
	{ "1 Input shape=1,4 type=int16 scale=1\n9 Reduce 1:0 function=mean_away axes=1 type=$ scale=1", "int16", "int8 uint8", "of int16 it makes int16" },
	{ "1 Const shape=1,4 type=int8 scales=1,2,3,4 scale_axis=1\n9 Reduce 1:0 function=$ axes=1 type=int8 scale=1", "", "sum mean",
	  "more than one scale" },
	{ "1 Input shape=1,4 type=int8 scale=1\n9 Reduce 1:0 function=sum axes=1 type=$ scale=1", "int8 uint8 int16", "int32", "output" },
	{ "1 Input shape=1,4 type=int16 scale=1 zero_point=5\n9 Reduce 1:0 axes=1 type=int16 scale=1 zero_point=5 function=$",
	  "sum prod mean squares length max min", "mean_away mean_scaled", "zero point" },
	{ "1 Input shape=1,4 type=int8 scale=$\n9 Reduce 1:0 function=mean axes=1 type=int8 scale=1", "1.1755e-38", "1.1754e-38", "2^-126" },
	{ "1 Input shape=1,4 type=int8 scale=1\n9 Reduce 1:0 function=mean axes=1 type=int8 scale=$", "1.1755e-38", "1.1754e-38", "2^-126" },

	/* Images of another size. */
	{ IMAGE "9 Resize 1:0 size=$", "1,1 65535,1 1,65535", "0,1 1,0 65536,1 1,65536 -1,1", "1 to 65535 can be" },
	{ "1 Input shape=1,$,1 type=int8 scale=1\n9 Resize 1:0 size=2,2", "65535,1 1,65535", "65536,1 1,65536", "1 to 65535 can be" },
	{ "1 Input shape=$ type=int8 scale=1\n9 Resize 1:0 size=2,2", "1,2,3,4", "2,3,4 1,2,3,4,5", "needs images of rank 4" },
	{ IMAGE "9 Resize 1:0 size=3,3 scale_height=$", "1.1755e-38 0.5 2 1e30", "0 -1 1.1754e-38", "scale_height must be a positive number" },
	{ IMAGE "9 Resize 1:0 size=3,3 scale_width=$", "1.1755e-38 0.5 2 1e30", "0 -1 1.1754e-38", "scale_width must be a positive number" },
	{ IMAGE "9 Resize 1:0 size=3,3 mode=$", "nearest linear", "linea cubic", "has no mode" },
	{ IMAGE "9 Resize 1:0 size=3,3 coordinates=$", "half_pixel tensorflow tensorflow_align_corners", "half tensorflow_", "has no coordinates" },
	{ IMAGE "9 Resize 1:0 size=3,3 round=$", "half_down ceil_if_smaller", "half round", "has no round" },
	{ IMAGE "9 Resize 1:0 size=3,3 mode=linear coordinates=$", "half_pixel half_pixel_symmetric pytorch_half_pixel half_pixel_for_nearest asymmetric align_corners",
	  "tensorflow tensorflow_half_pixel tensorflow_align_corners", "does not go with coordinates" },
	{ IMAGE "9 Resize 1:0 size=3,3 mode=linear_fixed coordinates=$", "tensorflow tensorflow_half_pixel tensorflow_align_corners",
	  "half_pixel align_corners half_pixel_for_nearest", "does not go with coordinates" },
	{ "1 Input shape=1,2,2,1 type=$\n9 Resize 1:0 size=3,3", "int8 uint8 int16 int32 float32 int8~scale=1", "", "" },
	{ "1 Input shape=1,2,2,1 type=$\n9 Resize 1:0 size=3,3 mode=linear", "int8~scale=1 uint8~scale=1 int16~scale=1~zero_point=2", "int8 int16 int32", "input" },
	{ "1 Input shape=1,2,2,1 type=$\n9 Resize 1:0 size=3,3 mode=linear_fixed coordinates=tensorflow", "int8~scale=1 int16~scale=1", "int16~scale=1~zero_point=2 int32 int8", "input" },
	{ IMAGE "9 Resize 1:0 size=3,3 mode=linear type=$ scale=1", "int8 uint8 int16", "int32", "output" },
	{ IMAGE "9 Resize 1:0 size=3,3 mode=linear type=int8 scale=$", "1.1755e-38", "1.1754e-38", "2^-126" },
	{ "1 Input shape=1,2,2,1 type=int8 scale=$\n9 Resize 1:0 size=3,3 mode=linear type=int8 scale=1", "1.1755e-38", "1.1754e-38", "2^-126" },
	{ IMAGE "9 Resize 1:0 size=3,3 $", "scale=0.5 mode=linear~scale=1", "scale=1 mode=linear_fixed~coordinates=tensorflow~scale=1 type=uint8~scale=0.5",
	  "cannot change type or quantization" },

	/* More operators that move elements. */
	{ IMAGE "9 Pad 1:0 before=$ after=0,0,0,0", "0,1,0,0 0,0,0,2147483", "0,-1,0,0 0,0,0,-1", "by -1, not 0 to" },
	{ IMAGE "9 Pad 1:0 after=$ before=0,0,0,0", "0,1,0,0 0,0,0,2147483", "0,-1,0,0 0,0,0,-1", "by -1, not 0 to" },
	{ IMAGE "9 Pad 1:0 before=0,0,0,0 after=$", "0,0,0,0", "0,0,0 0,0,0,0,0 0", "needs after with 4 numbers" },
	{ IMAGE "9 Pad 1:0 after=0,0,0,0 before=$", "0,0,0,0", "0,0,0 0,0,0,0,0 0", "needs before with 4 numbers" },
	{ IMAGE "9 Pad 1:0 after=0,0,0,0 before=$", "", "1,0,0,0 -1,0,0,0", "cannot pad dimension 0" },
	{ IMAGE "9 Pad 1:0 before=0,0,0,0 after=$", "", "1,0,0,0", "cannot pad dimension 0" },
	{ IMAGE "9 Pad 1:0 before=0,0,0,0 mode=reflect after=$", "0,5,0,0 0,0,5,0 0,0,0,1", "0,6,0,0 0,0,6,0 0,0,0,2", "pads dimension" },
	{ IMAGE "9 Pad 1:0 before=$ mode=reflect after=0,0,0,0", "0,5,0,0 0,0,5,0 0,0,0,1", "0,6,0,0 0,0,6,0 0,0,0,2", "pads dimension" },
	{ IMAGE "9 Pad 1:0 before=0,0,0,0 mode=symmetric after=$", "0,6,0,0 0,0,0,2", "0,7,0,0 0,0,0,3", "pads dimension" },
	{ IMAGE "9 Pad 1:0 before=$ mode=wrap after=0,0,0,0", "0,6,0,0 0,0,0,2", "0,7,0,0 0,0,0,3", "pads dimension" },
	{ IMAGE "9 Pad 1:0 before=0,0,0,0 after=0,1,0,0 mode=$", "constant edge reflect symmetric wrap", "mirror const", "mode must be" },
	{ IMAGE "9 Pad 1:0 before=0,0,0,0 after=0,1,0,0 value=$", "-128 127", "-129 128", "which is no int8" },
	{ "1 Input shape=1,2 type=$\n9 Pad 1:0 before=0,0 after=0,1", "int8 uint8 int16 int32 float32", "int64", "pads integers of up to 32 bits, and float32" },
	{ "1 Input shape=1,2147483647 type=int8\n9 Pad 1:0 before=0,2147483647 after=$", "", "0,2147483647", "too large" },
	{ IMAGE "9 Gather 1:0 axis=1 indices=$", "0 5 0,5,0 5,4,3,2,1,0", "-1 6 0,6 0,-1", "is not one of 6" },
	{ IMAGE "9 Gather 1:0 indices=0 axis=$", "1 3 -1 -3", "4 -5", "axis" },
	{ IMAGE "9 Gather 1:0 indices=0 axis=$", "", "0 -4", "dimension 0" },
	{ IMAGE "9 Gather 1:0 axis=1 $", "indices=0", "scale=0.5", "needs indices" },
	{ IMAGE "9 Move 1:0 shape=0,$ strides=0,1", "1 72", "0 -1 2147483648", "is wrong, or too large" },
	{ IMAGE "9 Move 1:0 shape=0,2 strides=0,$", "1 71 0", "2147483648 -2147483648", "is wrong, or too large" },
	{ IMAGE "9 Move 1:0 shape=0,2 strides=0,$", "", "72 -1", "from outside of the input's rows" },
	{ IMAGE "9 Move 1:0 shape=0,2 strides=0,-1 offset=$", "1 71", "0 72 -1 2147483648", "from outside of the input's rows" },
	{ IMAGE "9 Move 1:0 shape=0,3,2 strides=0,2,-1 offset=$", "1 67", "0 68", "from outside of the input's rows" },
	{ IMAGE "9 Move 1:0 shape=$ strides=0,1", "0,2", "1,2 0,2,2 0", "the first 0" },
	{ IMAGE "9 Move 1:0 shape=0,2 strides=$", "0,1", "1,1 0,1,1 0", "the first 0" },
	{ IMAGE "9 Move 1:0 $", "shape=0,2~strides=0,1", "shape=0,2 strides=0,1", "needs shape and strides" },
	{ IMAGE "9 Spread 1:0 stride=$", "1 255 1,255 255,1", "0 256 1,256 256,1", "stride" },
	{ IMAGE "9 Spread 1:0 padding=$", "-5,0,0,0 0,-5,0,0 0,0,-5,0 0,0,0,-5", "-6,0,0,0 0,-6,0,0 0,0,-6,0 0,0,0,-6", "which must be 1 or more" },
	{ "1 Input shape=1,$,1,1 type=int8 scale=1\n9 Spread 1:0 stride=255", "100", "4210754", "below 2^30" },

	/* Sums that are rescaled. */
	{ "1 Input shape=1,4 type=int32\n2 Const $\n9 Rescale 1:0 2:0 type=int8 scale=1", "shape=4,2~type=int32 shape=8~type=int32",
	  "shape=3,2~type=int32 shape=5,2~type=int32 shape=8,4~type=int8 shape=8~type=float32", "a constant of a multiplier and a shift" },
	{ "1 Input shape=1,4 type=int32\n2 Input shape=4,2 type=int32\n9 Rescale 1:0 $ type=int8 scale=1", "", "2:0", "a constant of a multiplier and a shift" },
	{ "1 Input shape=$ type=int32\n2 Const shape=4,2 type=int32\n9 Rescale 1:0 2:0 type=int8 scale=1", "1,4 2,3,4", "4", "a constant of a multiplier and a shift" },
	{ "1 Input shape=1,2 type=int32\n2 Const shape=2,2 type=int32 values=1,$\n9 Rescale 1:0 2:0 type=int8 scale=1", "0,1,0 30,1,-31 -31,1,30",
	  "31,1,0 0,1,31 -32,1,0 0,1,-32", "shifts must be -31 to 30" },
	{ "1 Input shape=1,2 type=int32 $\n2 Const shape=2,2 type=int32\n9 Rescale 1:0 2:0 type=int8 scale=1", "scale=1", "scale=1~zero_point=1", "zero point 0 and no alpha" },
	{ "1 Input shape=1,2 type=int32\n2 Const shape=2,2 type=int32\n9 Rescale 1:0 2:0 type=int8 scale=1 $", "", "alpha=1", "zero point 0 and no alpha" },
	{ "1 Input shape=1,2 type=int8 scale=1\n2 Const shape=2,2 type=int32\n9 Rescale 1:0 $ type=int8 scale=1", "", "2:0", "multipliers for int32 only" },
	{ "1 Input shape=1,2 type=int16 scale=$\n9 Rescale 1:0 type=int8 scale=1", "16383", "16384", "below 16384" },
	{ "1 Input shape=1,2 type=int8 scale=$\n9 Rescale 1:0 type=int16 scale=1", "16383", "16384", "below 16384" },
	{ "1 Input shape=1,2 type=int16 scale=1\n9 Rescale 1:0 type=int16 scale=1 alpha=$", "16383 -16383", "16384 -16384", "below 16384" },

	/* Boxes that overlap. */
	{ SUPPRESS("$", "0.5", "0", "0"), "1 65536", "0 65537 -1", "max_output_size must be 1 to 65536" },
	{ SUPPRESS("1", "$", "0", "0"), "0 0.5 1", "-0.001 1.001", "iou_threshold must be 0 to 1" },
	{ SUPPRESS("1", "0.5", "$", "0"), "0 -1 2", "1e39", "score_threshold must be a" },
	{ SUPPRESS("1", "0.5", "0", "$"), "0 2e-39 3", "-0.001 1e-39", "soft_nms_sigma must be 0, or above it" },
	{ SUPPRESS("1", "0.5", "0", "0 form=$"), "onnx tflite", "soft", "has no form" },
	{ SUPPRESS("1", "0.5", "0", "$ form=onnx"), "0", "1", "has no soft_nms_sigma" },
	{ SUPPRESSED("shape=2,$,4 type=int8", "shape=2,$ type=uint8", "1", "0.5", "0", "0"), "262144", "262145", "more than 262144 boxes" },
	{ SUPPRESSED("shape=$ type=int8", "shape=2,5 type=uint8", "1", "0.5", "0", "0"), "2,5,4 1,5,4", "2,5,3 2,4,4 3,5,4 2,20 2,5,4,1", "do not fit" },
	{ SUPPRESSED("shape=2,5,4 type=int8", "shape=$ type=uint8", "1", "0.5", "0", "0"), "2,5 4,5", "2,4 1,5 3,5 10 2,5,1", "do not fit" },
	{ "1 Input shape=2,5,4 type=int8 scale=$\n2 Input shape=2,5 type=int8 scale=1\n9 NonMaxSuppression 1:0 2:0 max_output_size=1 "
	  "iou_threshold=0.5 score_threshold=0", "1.1755e-38 3e38", "1.1754e-38", "2^-126" },
	{ "1 Input shape=2,5,4 type=int8 scale=1\n2 Input shape=2,5 type=int8 scale=$\n9 NonMaxSuppression 1:0 2:0 max_output_size=1 "
	  "iou_threshold=0.5 score_threshold=0", "1.1755e-38 3e38", "1.1754e-38", "2^-126" },
	{ SUPPRESSED("shape=2,5,4 type=$", "shape=2,5 type=uint8", "1", "0.5", "0", "0"), "int8 uint8", "int16", "the boxes must be int8, uint8 or float32" },
	{ SUPPRESSED("shape=2,5,4 type=int8", "shape=2,5 type=$", "1", "0.5", "0", "0"), "int8 uint8", "int16", "the scores must be int8, uint8 or float32" },

	/* Boxes that are found. */
	{ FOUND("$", "1", "2", "100", "1", "1", "1", "1", "0", "0.5"), "1 65536", "0 65537 -1", "max_detections must be 1 to 65536" },
	{ FOUND("1", "$", "2", "100", "1", "1", "1", "1", "0", "0.5"), "1 65536", "0 65537 -1", "max_classes_per_detection must be 1 to 65536" },
	{ "1 Input shape=2,$,4 type=uint8 scale=1\n2 Input shape=2,$,3 type=uint8 scale=1\n3 Const shape=$,4 type=float32\n"
	  FOUND_NODE("1", "1", "2", "100", "1", "1", "1", "1", "0", "0.5"), "262144", "262145", "more than 262144 anchors" },
	{ FOUND("65536", "$", "2", "100", "1", "1", "1", "1", "0", "0.5"), "", "2047", "is larger than 2 GiB" },
	{ FOUND("65536", "$", "2", "100", "1", "1", "1", "1", "0", "0.5"), "", "2048", "it makes too many boxes" },
	{ FOUND("1", "1", "$", "100", "1", "1", "1", "1", "0", "0.5"), "2 3", "1 4", "there are scores of 3 classes" },
	{ FOUND("1", "1", "$", "100", "1", "1", "1", "1", "0", "0.5"), "", "0 65537 -1", "num_classes must be 1 to 65536" },
	{ FOUND("1", "1", "2", "$", "1", "1", "1", "1", "0", "0.5"), "1 2147483647", "0 2147483648 -1", "detections_per_class must be 1 to 2147483647" },
	{ FOUND("1", "1", "2", "100", "$", "1", "1", "1", "0", "0.5"), "1 -1", "0 1e39", "y_scale must be a" },
	{ FOUND("1", "1", "2", "100", "1", "$", "1", "1", "0", "0.5"), "1 -1", "0 1e39", "x_scale must be a" },
	{ FOUND("1", "1", "2", "100", "1", "1", "$", "1", "0", "0.5"), "1 -1", "0 1e39", "h_scale must be a" },
	{ FOUND("1", "1", "2", "100", "1", "1", "1", "$", "0", "0.5"), "1 -1", "0 1e39", "w_scale must be a" },
	{ FOUND("1", "1", "2", "100", "1", "1", "1", "1", "$", "0.5"), "0 -1 2", "1e39", "nms_score_threshold must be a" },
	{ FOUND("1", "1", "2", "100", "1", "1", "1", "1", "0", "$"), "1 0.001", "0 1.001 -1", "nms_iou_threshold must be above 0, and 1 at most" },
	{ "1 Input shape=$ type=uint8 scale=1\n" FOUND_SCORES FOUND_ANCHORS FOUND_NODE("1", "1", "2", "100", "1", "1", "1", "1", "0", "0.5"), "2,5,4 2,5,7",
	  "2,5,3 2,4,4 1,5,4 2,20 2,5,4,1", "do not fit" },
	{ FOUND_BOXES "2 Input shape=$ type=uint8 scale=1\n" FOUND_ANCHORS FOUND_NODE("1", "1", "2", "100", "1", "1", "1", "1", "0", "0.5"), "2,5,2 2,5,3",
	  "2,4,3 1,5,3 2,15 2,5,3,1", "do not fit" },
	{ FOUND_BOXES FOUND_SCORES "3 Const shape=$ type=float32\n" FOUND_NODE("1", "1", "2", "100", "1", "1", "1", "1", "0", "0.5"), "5,4", "5,3 4,4 20 5,4,1", "do not fit" },
	{ FOUND_BOXES FOUND_SCORES "3 Const shape=5,4 type=$\n" FOUND_NODE("1", "1", "2", "100", "1", "1", "1", "1", "0", "0.5"), "float32", "int32", "constant of float32" },
	{ FOUND_BOXES FOUND_SCORES "3 Input shape=5,4 type=$\n" FOUND_NODE("1", "1", "2", "100", "1", "1", "1", "1", "0", "0.5"), "", "float32", "constant of float32" },
	{ "1 Input shape=2,5,4 type=$\n" FOUND_SCORES FOUND_ANCHORS FOUND_NODE("1", "1", "2", "100", "1", "1", "1", "1", "0", "0.5"), "uint8~scale=1 int8~scale=1",
	  "int16~scale=1 uint8", "boxes" },
	{ FOUND_BOXES "2 Input shape=2,5,3 type=$\n" FOUND_ANCHORS FOUND_NODE("1", "1", "2", "100", "1", "1", "1", "1", "0", "0.5"), "uint8~scale=1 int8~scale=1",
	  "int16~scale=1 uint8", "scores" },

	/* Two operands. */
	{ IMAGE "2 Input shape=$ type=int8 scale=1\n9 Mul 1:0 2:0 type=int8 scale=1", "1,6,6,2 1,6,6,1 1,1,1,1", "1,6,6 1,6,6,2,1 2,6,6,2 1,5,6,2 1,6,6,3",
	  "the same dimensions, or 1 in one" },
	{ IMAGE "2 Const shape=$ type=int8 scale=1\n9 Mul 2:0 1:0 type=int8 scale=1", "1,6,6,2 1,6,6,1 1,1,1,1", "1,6,6 1,6,6,2,1 2,6,6,2 1,5,6,2 1,6,6,3",
	  "the same dimensions, or 1 in one" },
	{ "1 Input shape=3,2 type=int8 scale=1\n2 Const shape=$,2 type=int8 scale=1\n9 Mul 2:0 1:0 type=int8 scale=1", "1 3", "2 4", "as many rows" },
	{ "1 Input shape=3,2 type=int8 scale=1\n2 Input shape=$,2 type=int8 scale=1\n9 Mul 2:0 1:0 type=int8 scale=1", "3", "1 2 4", "as many rows" },
	{ "1 Const shape=1,2 type=int8 scale=1\n2 Const shape=$,2 type=int8 scale=1\n9 Mul 2:0 1:0 type=int8 scale=1", "1 2 3", "", "" },

	/* Loops. */
	{ ROWS "9 BatchLoop 1:0 step=$", "1 4294967295", "0 -1 4294967296", "from 1 to 4294967295" },
	{ ROWS "9 BatchLoop 1:0 graph_batch=$", "1 4294967295", "0 -1 4294967296", "from 1 to 4294967295" },
	{ ROWS "9 BatchLoop 1:0 graph_batch=2 quantum=$", "1 4294967295", "0 -1 4294967296", "from 1 to 4294967295" },
	{ ROWS "9 BatchLoop 1:0 step=1 $", "owner=1 owner=0", "quantum=1 options=0 quantum=1~options=0", "go with graph_batch" },
	{ ROWS "9 BatchLoop 1:0 $", "step=1 graph_batch=1", "step=1~graph_batch=1 quantum=1 options=1", "needs step, or graph_batch" },
	{ ROWS "2 CountLoop 1:0 current=4 total=4\n3 Nop 1:0\n9 BatchLoop 2:0 $ step=1", "2:0", "3:0", "level 0" },
	{ ROWS "9 CountLoop 1:0 current=$ total=0", "0 1 4", "-1 4294967296", "from 0 to 4294967295" },
	{ ROWS "9 CountLoop 1:0 current=1 total=$", "0 4294967295", "-1 4294967296", "from 0 to 4294967295" },
	{ ROWS "9 CountLoop 1:0 $", "total=1~current=1", "total=1 current=1", "needs current and total" },
	{ LOOP "3 Const shape=1,6 type=int8 scale=0.5\n9 Variable 3:0 level=$", "1", "2 4", "but the graph has only 1" },
	{ LOOP "3 Const shape=1,6 type=int8 scale=0.5\n9 Variable 3:0 level=$", "", "0 -1 5 4294967297", "level=1 to 4" },
	{ LOOP "3 Const shape=1,6 type=int8 scale=0.5\n9 Variable 3:0 level=1 $", "scale=0.5 fixed=1", "scale=1 type=uint8 zero_point=1~scale=0.5",
	  "another type or quantization" },
	{ LOOP "3 Nop $\n9 Variable 3:0 level=1 fixed=1", "1:0", "2:0", "without a loop's rows" },
	{ "1 Input shape=8,6 type=int8 scale=1\n2 BatchLoop 1:0 step=4\n3 Const shape=$ type=int8 scale=1\n9 Variable 3:0 level=1",
	  "1,6 4,6 4,1 4,2,3", "2,6 3,6 5,6 8,6", "1 row, or the 4 of a full pass" },

	/* Proposal. */
	{ GRID ANCHORS SIZE PROPOSAL("$", "0", "1", "0", "1", "1", "1", "0", "1"), "1 4096 1,4096 4096,1",
	  "0 4097 1,0 0,1 1,4097 4097,1 -1", "stride must be 1 to 4096" },
	{ GRID ANCHORS SIZE PROPOSAL("1", "$", "1", "0", "1", "1", "1", "0", "1"), "0 255", "-1 256", "delta_zero must be 0 to 255" },
	{ GRID ANCHORS SIZE PROPOSAL("1", "0", "$", "0", "1", "1", "1", "0", "1"), "1 8", "0 9", "delta_shift must be 1 to 8" },
	{ GRID ANCHORS SIZE PROPOSAL("1", "0", "1", "$", "1", "1", "1", "0", "1"), "0 255", "-1 256", "score_min must be 0 to 255" },
	{ GRID ANCHORS SIZE PROPOSAL("1", "0", "1", "0", "$", "1", "1", "0", "1"), "1 65536", "0 65537", "min_size must be 1 to 65536" },
	{ GRID ANCHORS SIZE PROPOSAL("1", "0", "1", "0", "1", "$", "1", "0", "1"), "1 1048576", "0 1048577", "before must be 1 to 1048576" },
	{ GRID ANCHORS SIZE PROPOSAL("1", "0", "1", "0", "1", "1", "$", "0", "1"), "1 65536", "0 65537", "after must be 1 to 65536" },
	{ GRID ANCHORS SIZE PROPOSAL("1", "0", "1", "0", "1", "1", "1", "$", "1"), "0 256", "-1 257", "iou must be 0 to 256" },
	{ GRID ANCHORS SIZE PROPOSAL("1", "0", "1", "0", "1", "1", "1", "0", "$"), "1 4294967295", "0 4294967296",
	  "step must be 1 to 4294967295" },
	{ GRID ANCHORS SIZE "9 Proposal 1:0 2:0 3:0 4:0 stride=1 delta_zero=0 delta_shift=1 score_min=0 min_size=1 before=1 after=1 $",
	  "iou=0~step=1", "iou=0", "needs the attribute step" },
	{ GRID ANCHORS SIZE "9 Proposal 1:0 2:0 3:0 4:0 delta_zero=0 delta_shift=1 score_min=0 min_size=1 before=1 after=1 iou=0 step=1 $",
	  "stride=1", "", "" },
	{ GRID "3 Const type=int32 $\n" SIZE PROPOSAL("1", "0", "1", "0", "1", "1", "1", "0", "1"),
	  "shape=5,2~values=1,1,2,2,3,3,4,4,4096,4096 shape=10~values=1,1,2,2,3,3,4,4,5,5",
	  "shape=5,2~values=0,1,1,1,1,1,1,1,1,1 shape=5,2~values=1,1,1,1,1,1,1,1,1,4097 shape=5,2~values=1,1,1,1,1,1,1,1,4097,1 "
	  "shape=4,2~values=1,1,1,1,1,1,1,1 shape=6,2~values=1,1,1,1,1,1,1,1,1,1,1,1", "the anchors must be" },
	{ GRID ANCHORS "4 Const shape=1,2 type=int32 values=$\n" PROPOSAL("1", "0", "1", "0", "1", "1", "1", "0", "1"),
	  "1,1 4096,4096", "0,1 1,0 4097,1 1,4097 -1,1", "the image size must be 1 to 4096" },
	{ GRID ANCHORS "4 $\n" PROPOSAL("1", "0", "1", "0", "1", "1", "1", "0", "1"), "Const~shape=1,2~type=int32~values=1,1",
	  "Input~shape=1,2~type=int32 Const~shape=1,2~type=float32~values=1,1 Const~shape=1,4~type=int16~values=1,1,1,1",
	  "the image size must be a constant" },
	{ "1 Input shape=$\n2 Input shape=2,3,4,20 type=uint8\n" ANCHORS SIZE PROPOSAL("1", "0", "1", "0", "1", "1", "1", "0", "1"),
	  "2,3,4,5~type=uint8", "1,3,4,5~type=uint8 2,2,4,5~type=uint8 2,3,3,5~type=uint8 2,3,4,4~type=uint8 2,3,20~type=uint8",
	  "do not fit" },
	{ "1 Input shape=2,3,4,5 type=$\n2 Input shape=2,3,4,20 type=uint8\n" ANCHORS SIZE
	  PROPOSAL("1", "0", "1", "0", "1", "1", "1", "0", "1"), "uint8", "int8 int32", "scores and deltas must be uint8" },
	{ "1 Input shape=2,3,4,5 type=uint8\n2 Input shape=2,3,4,20 type=$\n" ANCHORS SIZE
	  PROPOSAL("1", "0", "1", "0", "1", "1", "1", "0", "1"), "uint8", "int8 int32", "scores and deltas must be uint8" },
	{ "1 Input shape=2,3,4,5 type=uint8\n2 Input shape=$ type=uint8\n" ANCHORS SIZE
	  PROPOSAL("1", "0", "1", "0", "1", "1", "1", "0", "1"), "2,3,4,20", "2,3,80 2,3,4,19 2,3,4,21 2,3,4,20,1", "do not fit" },
	{ "1 Input shape=1,4096,$,1 type=uint8\n2 Input shape=1,4096,$,4 type=uint8\n3 Const shape=1,2 type=int32 values=1,1\n" SIZE
	  PROPOSAL("1", "0", "1", "0", "1", "1", "1", "0", "1"), "4096", "4097", "2^24 candidates" },
	{ "1 Input shape=$,1,1,1 type=uint8\n2 Input shape=$,1,1,4 type=uint8\n3 Const shape=1,2 type=int32 values=1,1\n" SIZE
	  PROPOSAL("1", "0", "1", "0", "1", "1", "65536", "0", "1"), "100", "4096", "more boxes in a pass than fit" },

	/* 2^28 - 1 boxes, for which there is no memory, and one more. */
	{ "1 Input shape=4859,1,1,1 type=uint8\n2 Input shape=4859,1,1,4 type=uint8\n3 Const shape=1,2 type=int32 values=1,1\n" SIZE
	  PROPOSAL("1", "0", "1", "0", "1", "1", "$", "0", "1"), "", "55246", "more boxes in a pass than fit" },
	{ "1 Input shape=4859,1,1,1 type=uint8\n2 Input shape=4859,1,1,4 type=uint8\n3 Const shape=1,2 type=int32 values=1,1\n" SIZE
	  PROPOSAL("1", "0", "1", "0", "1", "1", "$", "0", "1"), "", "55245", "more memory than a device can address" },

	/* CropResize. */
	{ BOXES CROP "height=$ width=1", "1 65536", "0 65537", "height and width must be 1 to 65536" },
	{ BOXES CROP "width=$ height=1", "1 65536", "0 65537", "height and width must be 1 to 65536" },
	{ "1 Input shape=$ type=int8 scale=1\n2 Input shape=3,4 type=int32\n3 Input shape=3 type=int32\n" CROP "height=1 width=1",
	  "1,65536,1,1 1,1,65536,1", "1,65537,1,1 1,1,65537,1 1,6,6 1,6,6,1,1", "at most 65536 high and wide" },
	{ "1 Input shape=1,2,2,1 type=$ scale=1\n2 Input shape=3,4 type=int32\n3 Input shape=3 type=int32\n" CROP "height=1 width=1",
	  "int8 uint8", "int16 int32", "images must be int8 or uint8" },
	{ IMAGE "2 Input $\n3 Input shape=3 type=int32\n" CROP "height=1 width=1", "shape=3,4~type=int32",
	  "shape=3,4~type=int8 shape=3,3~type=int32 shape=3,5~type=int32 shape=3,4,1~type=int32 shape=3~type=int32",
	  "boxes must be int32 [boxes, 4]" },
	{ IMAGE "2 Input shape=3,4 type=int32\n3 Input $\n" CROP "height=1 width=1", "shape=3~type=int32",
	  "shape=3~type=int8 shape=4~type=int32 shape=2~type=int32 shape=3,1~type=int32", "one int32 owner" },
	{ BOXES "4 CountLoop 3:0 current=3 total=3\n9 CropResize 1:0 2:0 $ height=1 width=1\n8 Nop 4:0", "", "4:0", "one int32 owner" },
	{ BOXES CROP "height=1 width=1 $", "scale=0.5", "scale=1 type=uint8", "cannot change" },

	/* RoiAlign. */
	{ ROIS ALIGN "size=$", "1,1 65536,1 1,65536", "0,1 1,0 65537,1 1,65537", "size must be 1 to 65536" },
	{ ROIS ALIGN "$", "size=1,1", "samples=1", "size must be 1 to 65536" },
	{ ROIS ALIGN "size=1,1 samples=$", "0 1 1024", "-1 1025", "samples are 0 to 1024" },
	{ ROIS ALIGN "size=1,1 function=$", "average max", "mean", "has no function" },
	{ ROIS ALIGN "size=1,1 half_pixel=$", "0 1", "2", "half_pixel" },
	{ ROIS ALIGN "size=1,1 spatial_scale=$", "1.1755e-38 2", "1.1754e-38 0 -1", "positive number of at least 2^-126" },
	{ "1 Input shape=$ type=int8 scale=1\n" ROI_BOXES ROI_INDICES ALIGN "size=1,1", "2,1,65536,1,1 2,1,1,65536,1",
	  "2,1,65537,1,1 2,1,1,65537,1 2,6,7,1 2,1,6,7,1,1", "rows of images (rank 5), at most 65536 high and wide" },
	{ "1 Input shape=2,3,6,7,2 type=$\n" ROI_BOXES ROI_INDICES ALIGN "size=1,1 type=int8 scale=1", "int8~scale=1 uint8~scale=1",
	  "int16~scale=1 int8", "the images" },
	{ ROI_IMAGES "2 Input shape=$ type=uint8 scale=0.25\n" ROI_INDICES ALIGN "size=1,1", "2,4,4", "2,4,5 2,4,3 2,4 2,4,4,1",
	  "must be [rows, boxes, 4]" },
	{ ROI_IMAGES "2 Input shape=2,4,4 type=$\n" ROI_INDICES ALIGN "size=1,1", "int8~scale=1 uint8~scale=1",
	  "int16~scale=1 float32 uint8", "the boxes, which are no constant of float32," },
	{ ROI_IMAGES "2 Const shape=2,4,4 type=$\n" ROI_INDICES ALIGN "size=1,1", "int8~scale=1 float32", "int16~scale=1 int32",
	  "the boxes, which are no constant of float32," },
	{ ROI_IMAGES "2 $ type=uint8 scale=0.25\n" ROI_INDICES ALIGN "size=1,1", "Input~shape=2,4,4 Const~shape=2,4,4 Const~shape=1,4,4",
	  "Input~shape=1,4,4 Input~shape=3,4,4 Const~shape=3,4,4", "as many rows" },
	{ ROI_IMAGES ROI_BOXES "3 Input shape=$ type=int32\n" ALIGN "size=1,1", "2,4", "2,3 2,5 2 2,4,1", "one index for each box" },
	{ ROI_IMAGES ROI_BOXES "3 $ type=int32\n" ALIGN "size=1,1", "Input~shape=2,4 Const~shape=1,4", "Input~shape=1,4 Const~shape=3,4",
	  "as many rows" },
	{ ROI_IMAGES ROI_BOXES "3 Input shape=2,4 type=$\n" ALIGN "size=1,1", "int32 int64", "int8 int16 float32", "of int32 or int64" },
	{ ROIS ALIGN "size=1,1 $", "type=int8 scale=2 type=uint8~scale=1", "type=int16~scale=1 type=uint8", "the output" },
	{ ROIS ALIGN "size=1,1 scale=$", "1.1755e-38", "1.1754e-38", "2^-126" },
	{ "1 Input shape=2,3,6,7,2 type=int8 scale=$\n" ROI_BOXES ROI_INDICES ALIGN "size=1,1 scale=1", "1.1755e-38", "1.1754e-38", "2^-126" },
	{ "1 Input shape=2,3,6,7,2 type=int8 scale=$\n" ROI_BOXES ROI_INDICES ALIGN "size=1,1 scale=1", "1.2676506e30", "1.2676508e30",
	  "at most 2^100" },
	{ ROI_IMAGES "2 Input shape=2,4,4 type=uint8 scale=$\n" ROI_INDICES ALIGN "size=1,1", "1.1755e-38", "1.1754e-38", "2^-126" },
	{ ROI_IMAGES "2 Input shape=2,4,4 type=uint8 $\n" ROI_INDICES ALIGN "size=1,1 samples=1",
	  "scale=4112 scale=8192~zero_point=128 scale=4112~zero_point=255", "scale=4112.1 scale=8193~zero_point=128 scale=4112.1~zero_point=255",
	  "2^20 can be" },
	{ ROI_IMAGES "2 Input shape=2,4,4 type=int8 scale=4096\n" ROI_INDICES ALIGN "size=1,1 samples=1 spatial_scale=$", "2", "2.001", "2^20 can be" },
	{ ROI_IMAGES "2 Input shape=2,4,4 type=uint8 scale=$\n" ROI_INDICES ALIGN "size=1,1", "4.0117", "4.012", "say how many" },
	{ ROI_IMAGES "2 Input shape=2,4,4 type=uint8 scale=8\n" ROI_INDICES ALIGN "size=$", "2,2", "1,2 2,1", "say how many" },
	{ ROI_IMAGES "2 Const shape=1,1,4 type=float32 values=$\n3 Const shape=1,1 type=int32\n" ALIGN "size=1,1",
	  "0,0,1023,1 0,0,1,1023 5000,5000,1,1 1048576,0,1048576,0 0,-1048576,0,-1048576", "0,0,1023.5,1 0,0,1,1023.5 -1,0,1023,1", "say how many" },
	{ ROI_IMAGES "2 Const shape=1,1,4 type=float32 values=0,0,1500,1\n3 Const shape=1,1 type=int32\n" ALIGN "size=$", "1,2", "2,1",
	  "say how many" },
	{ ROI_IMAGES "2 Const shape=1,1,4 type=float32 values=0,0,1,1500\n3 Const shape=1,1 type=int32\n" ALIGN "size=$", "2,1", "1,2",
	  "say how many" },
	{ ROI_IMAGES "2 Const shape=1,2,4 type=float32 values=0,0,0,0,$\n3 Const shape=1,2 type=int32\n" ALIGN "size=1,1 samples=1",
	  "1048576,0,0,0 0,-1048576,0,0 0,0,-1048576,0 0,0,0,1048576", "1048577,0,0,0 0,-1048577,0,0 0,0,-1048577,0 0,0,0,1048577", "2^20 can be" },
	{ ROI_IMAGES "2 Const shape=1,1,4 type=float32 values=$\n3 Const shape=1,1 type=int32\n" ALIGN "size=1,1 spatial_scale=0.5 samples=1",
	  "2097152,0,0,0", "2097153,0,0,0", "2^20 can be" },
};

/* $ by the value, in which ~ stands for a blank. */
static void fill_in(char *text, size_t size, const char *with, const char *value, size_t length)
{
	size_t used = 0;

	for (; *with && used + length + 1 < size; with++) {
		if (*with != '$') {
			text[used++] = *with;
			continue;
		}
		for (size_t i = 0; i < length; i++)
			text[used++] = value[i] == '~' ? ' ' : value[i];
	}
	snprintf(text + used, size - used, "\n99 OUTPUT 9:0\n");
}

static bool is_taken(const char *text, const char *says)
{
	struct nn_graph *graph = new_graph();
	bool taken;

	taken = !nn_graph_import_text(graph, text, strlen(text)) && !nn_graph_prepare(graph, device, NULL);
	if (!CHECK(taken == !says) || (says && !CHECK(strstr(nn_graph_error(graph)->text, says))))
		printf("# %s# says: %s\n", text, nn_graph_error(graph)->text);
	/* Too much for a device is all nodes together. */
	CHECK(taken || nn_graph_error(graph)->node == (says && strstr(says, "a device can address") ? 0 : 9));
	nn_graph_destroy(graph);
	return taken;
}

/* Each of the values. */
static void try(const char *with, const char *values, const char *says)
{
	char text[2048];

	for (const char *value = values; *value; value += strspn(value, " ")) {
		size_t length = strcspn(value, " ");

		fill_in(text, sizeof(text), with, value, length);
		is_taken(text, says);
		value += length;
	}
}

static void test_limits(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		try(cases[i].text, cases[i].taken, NULL);
		try(cases[i].text, cases[i].refused, cases[i].says);
	}
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("the last that is taken, and the first that is not", test_limits);
	nn_device_close(device);
	return tap_end();
}
