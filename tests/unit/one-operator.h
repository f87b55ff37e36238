/* SPDX-License-Identifier: MIT */
/*
 * Graphs of one operator each, which reads the graph's first input first, for any number of rows.
 */
#ifndef ONE_OPERATOR_H
#define ONE_OPERATOR_H

#define ONE_IMAGE	"1 Input shape=0,6,6,2 type=int8 scale=0.5 zero_point=3\n"
#define ONE_ROW		"1 Input shape=0,6 type=int8 scale=0.5 zero_point=3\n"
#define ONE_WIDE_IMAGE	"1 Input shape=0,6,6,2 type=int16 scale=0.5\n"
#define ONE_WIDE_ROW	"1 Input shape=0,6 type=int16 scale=0.5\n"
#define ONE_END		"\n9 OUTPUT 8:0\n"

static const char *const one_operator[] = {
	ONE_IMAGE "2 Const shape=4,3,3,2 type=int8 scale=0.5\n8 Conv2d 1:0 2:0 type=int8 scale=1" ONE_END,
	ONE_IMAGE "2 Const shape=4,3,3,2 type=int8 scales=1,2,3,4\n8 Conv2d 1:0 2:0 type=int32" ONE_END,
	ONE_IMAGE "2 Const shape=1,3,3,4 type=int8 scale=0.5\n3 Const shape=4 type=int32\n"
		  "8 DepthwiseConv2d 1:0 2:0 3:0 type=int8 scale=1" ONE_END,
	ONE_ROW "2 Const shape=3,6 type=int8 scale=0.5\n8 FullyConnected 1:0 2:0 type=int8 scale=1" ONE_END,
	ONE_ROW "8 Add 1:0 1:0 type=int8 scale=1" ONE_END,
	ONE_ROW "2 Input shape=0,6 type=uint8 scale=1\n8 Add 1:0 2:0 type=int8 scale=1 rounding=float32" ONE_END,
	ONE_IMAGE "8 MaxPool 1:0 kernel=2" ONE_END,
	ONE_IMAGE "8 AveragePool 1:0 kernel=2 type=int8 scale=1" ONE_END,
	ONE_IMAGE "8 AveragePool 1:0 kernel=2 rounding=half_away type=int8 scale=0.5 zero_point=3" ONE_END,
	ONE_IMAGE "8 AveragePool 1:0 kernel=2 rounding=float32_rows type=int8 scale=1" ONE_END,
	ONE_ROW "8 Sigmoid 1:0 type=uint8 scale=0.00390625" ONE_END,
	ONE_ROW "8 Integers 1:0 1:0 function=mul" ONE_END,
	ONE_ROW "2 Const shape=1,6 type=int8 values=3\n8 Compare 1:0 2:0 function=less" ONE_END,
	ONE_ROW "2 Const shape=1,6 type=bool values=0,1,1,0,0,1\n3 Const shape=1,1 type=int8 scale=0.5 zero_point=3 values=7\n"
		"8 Select 2:0 1:0 3:0" ONE_END,
	ONE_ROW "8 Cast 1:0 type=int64" ONE_END,
	ONE_ROW "8 Cast 1:0 type=bool" ONE_END,
	ONE_ROW "8 Rescale 1:0 type=int8 scale=1 alpha=0.1" ONE_END,
	ONE_ROW "8 LeakyRelu 1:0" ONE_END,
	ONE_ROW "8 Relu 1:0" ONE_END,
	ONE_ROW "8 Softmax 1:0 type=uint8 scale=0.00390625" ONE_END,
	ONE_ROW "8 Requantize 1:0 type=uint8 scale=1" ONE_END,
	"1 Input shape=0,2 type=int32 scales=1,2 scale_axis=1\n8 Requantize 1:0 type=uint8 scale=1" ONE_END,
	ONE_ROW "8 Copy 1:0" ONE_END,
	ONE_ROW "8 Nop 1:0" ONE_END,
	ONE_ROW "8 Reshape 1:0 shape=0,2,3" ONE_END,
	ONE_ROW "8 Reshape 1:0 shape=0,-1,3" ONE_END,
	ONE_ROW "8 Slice 1:0 axis=1 begin=1 size=3" ONE_END,
	ONE_IMAGE "8 Transpose 1:0 perm=0,3,1,2" ONE_END,
	ONE_ROW "2 Input shape=0,2 type=int8 scale=0.5 zero_point=3\n8 Concat 1:0 2:0 axis=1" ONE_END,
	ONE_ROW "8 BatchLoop 1:0 step=2" ONE_END,
	ONE_ROW "8 BatchLoop 1:0 graph_batch=3 owner=1" ONE_END,
	ONE_ROW "2 Const shape=1,6 type=uint8 scale=0.25 zero_point=9 values=77\n8 Mul 1:0 2:0 type=int8 scale=1" ONE_END,
	ONE_ROW "2 Input shape=0,1 type=int8 scale=1\n8 Sub 1:0 2:0 type=int8 scale=1 activation=relu6" ONE_END,
	ONE_ROW "2 Const shape=1,6 type=uint8 scale=0.25 zero_point=9 values=77\n8 Div 1:0 2:0 type=int8 scale=1" ONE_END,
	ONE_ROW "2 Const shape=1,1 type=int8 scale=0.5 zero_point=3 values=5\n8 Minimum 1:0 2:0 type=int8 scale=0.5" ONE_END,
	ONE_ROW "2 Const shape=1,6 type=int8 scale=0.5 values=5\n8 PRelu 1:0 2:0 type=int8 scale=0.5" ONE_END,
	ONE_ROW "2 Const shape=1,6 type=int8 scale=0.5 values=5\n8 SquaredDifference 1:0 2:0 type=int8 scale=2" ONE_END,
	ONE_ROW "8 Clamp 1:0 min=-1 max=2.5" ONE_END,
	ONE_ROW "8 Tanh 1:0 type=int8 scale=0.0078125" ONE_END,
	ONE_ROW "2 Const shape=256 type=uint8 values=7\n8 Table 1:0 2:0 type=int8 scale=1" ONE_END,
	ONE_IMAGE "8 Spread 1:0 stride=2,3 padding=0,1,-1,0" ONE_END,
	ONE_IMAGE "8 Move 1:0 shape=0,2,6 strides=0,36,2 offset=3" ONE_END,
	ONE_ROW "8 Gather 1:0 axis=1 indices=5,0,5" ONE_END,
	ONE_IMAGE "2 Const shape=1,3 type=int32 values=1,0,-5\n8 Take 1:0 2:0 axis=2" ONE_END,
	ONE_IMAGE "2 Const shape=1,3 type=int32 values=1,0,-5\n3 Const shape=1,3,6,2 type=int8 scale=0.5 zero_point=3 values=9\n"
		  "8 Scatter 1:0 2:0 3:0 function=max" ONE_END,
	ONE_ROW "8 Pad 1:0 before=0,2 after=0,1 mode=reflect" ONE_END,
	ONE_IMAGE "8 Resize 1:0 size=4,9" ONE_END,
	ONE_IMAGE "8 Resize 1:0 size=4,9 mode=linear type=int8 scale=1" ONE_END,
	ONE_IMAGE "8 Reduce 1:0 axes=1,2 function=mean type=int8 scale=1" ONE_END,
	ONE_IMAGE "8 Reduce 1:0 axes=-1 function=max keep_dims=1" ONE_END,
	ONE_ROW "8 Arg 1:0 function=max" ONE_END,
	ONE_ROW "8 Top 1:0 count=2" ONE_END,
	ONE_ROW "8 Cumulate 1:0 exclusive=1" ONE_END,
	"1 Input shape=0,2,3 type=int8 scale=0.05 zero_point=3\n2 Input shape=0,2 type=int8 scale=0.01 zero_point=-5\n"
		"3 Input shape=0,2 type=int16 scale=0.00048828125\n4 Const shape=2,3 type=int8 scale=0.01 values=99\n"
		"5 Const shape=2,2 type=int8 scale=0.02 values=3,-70,9,100\n6 Const shape=2 type=int32 values=900,-80\n"
		"8 LSTM 1:0 2:0 3:0 4:0 4:0 4:0 4:0 5:0 5:0 5:0 5:0 6:0 6:0 6:0 6:0 cell_clip=9000" ONE_END,
	"1 Input shape=0,2,3 type=int16 scale=0.5 zero_point=0\n2 Const shape=2,3 type=int16 values=1,-2,3,4,5,-6\n"
		"3 Const shape=3 type=int32 values=7,8,-9\n8 WeightedSum 1:0 2:0 3:0" ONE_END,
	ONE_ROW "2 Const shape=6 type=float32 values=1.5\n3 Const shape=6 type=float32 values=0.25\n"
		"8 Normalize 1:0 2:0 3:0 function=deviation epsilon=0.001 type=int8 scale=0.01" ONE_END,
	ONE_ROW "8 L2Normalize 1:0 type=int8 scale=0.0078125" ONE_END,
	ONE_IMAGE "2 Input shape=0,6,2,5 type=int8 scale=0.5\n8 MatMul 1:0 2:0 type=int8 scale=4" ONE_END,
	ONE_IMAGE "2 Const shape=1,1,2,5 type=int8 scale=0.5 values=3\n8 MatMul 1:0 2:0 type=int32 zero_points=3,1" ONE_END,
	ONE_WIDE_IMAGE "2 Const shape=4,3,3,2 type=int8 scale=0.5 values=7\n3 Const shape=4,2 type=int32 values=9\n"
		       "8 Conv2d 1:0 2:0 3:0 type=int16 scale=1 rounding=once" ONE_END,
	ONE_WIDE_IMAGE "8 MaxPool 1:0 kernel=2" ONE_END,
	ONE_WIDE_IMAGE "8 AveragePool 1:0 kernel=2 rounding=half_away" ONE_END,
	ONE_WIDE_ROW "2 Const shape=1,6 type=int16 scale=0.125 values=300\n8 AddInt16 1:0 2:0 type=int16 scale=1" ONE_END,
	ONE_WIDE_ROW "2 Input shape=0,6 type=int16 scale=0.125\n8 AddInt16 1:0 2:0 type=int16 scale=0.5 subtract=1 shift=1" ONE_END,
	ONE_WIDE_ROW "2 Const shape=1,6 type=int16 scale=0.125 values=300\n8 Mul 1:0 2:0 type=int16 scale=1 rounding=fixed_point" ONE_END,
	ONE_WIDE_ROW "2 Const shape=1,6 type=int16 scale=0.5 values=300\n8 Maximum 1:0 2:0 type=int16 scale=0.5 rounding=fixed_point" ONE_END,
	ONE_WIDE_ROW "8 Rescale 1:0 type=int8 scale=1" ONE_END,
	ONE_WIDE_ROW "8 Softmax 1:0 type=int16 scale=0.000030517578125" ONE_END,
	ONE_WIDE_IMAGE "8 Reduce 1:0 axes=1,2 function=mean_fixed" ONE_END,
	ONE_WIDE_IMAGE "8 Reduce 1:0 axes=3 function=max" ONE_END,
	ONE_ROW "2 Const shape=256 type=int16 values=7\n8 Table 1:0 2:0 type=int16 scale=1" ONE_END,
	"1 Input shape=0,6,6,2 type=int8 scale=0.5\n2 Input shape=0,4 type=int32\n3 Input shape=0 type=int32\n"
	"8 CropResize 1:0 2:0 3:0 height=2 width=3" ONE_END,
	"1 Input shape=0,6,4 type=uint8 scale=0.0078125\n2 Input shape=0,6 type=int8 scale=0.0078125\n"
	"8 NonMaxSuppression 1:0 2:0 max_output_size=3 iou_threshold=0.25 score_threshold=0.125 soft_nms_sigma=0.5" ONE_END,
	"1 Input shape=0,2,6,6,3 type=int8 scale=0.5 zero_point=3\n2 Input shape=0,3,4 type=uint8 scale=0.05\n"
	"3 Const shape=1,3 type=int32 values=1,0,-5\n8 RoiAlign 1:0 2:0 3:0 size=2,3" ONE_END,
	"1 Input shape=0,2,6,6,3 type=int8 scale=0.5 zero_point=3\n2 Const shape=1,2,4 type=float32 values=0.5,1,3,4,2,1,6,7\n"
	"3 Input shape=0,2 type=int64\n"
	"8 RoiAlign 1:0 2:0 3:0 size=2,2 function=max samples=2 spatial_scale=0.75 half_pixel=0 type=uint8 scale=1" ONE_END,
};
#define ONE_OPERATOR_COUNT	(sizeof(one_operator) / sizeof(*one_operator))

#endif
