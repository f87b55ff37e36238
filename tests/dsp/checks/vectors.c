// SPDX-License-Identifier: MIT
/*
 * Checks of operators on all elements of a vector or of some dimensions (check-test.h).
 */
#include "../check-test.h"

static const struct right_call calls[] = {
	{ "normalize", { .opcode = NN_OPCODE_NORMALIZE, .out_max = 127, .normalize = { .length = 5, .run = 2, .scale_output = 1 } },
	  { INT8(2, 3, 5), SCALE(4), SCALE(4), [OUTPUT] = INT8(2, 3, 5) },
	  "in0.type=2 in0.type=3 out.type=2 out.type=3" },
	{ "normalize of long rows", { .opcode = NN_OPCODE_NORMALIZE, .out_max = 127,
				    .normalize = { .length = 1, .run = 1, .scale_output = 1 } },
	  { INT8(1, 1 << 24), SCALE(1), SCALE(1), [OUTPUT] = INT8(1, 1 << 24) },
	  "in0.type=2 in0.type=3 out.type=2 out.type=3" },
	{ "normalize by given divisors",
	  { .opcode = NN_OPCODE_NORMALIZE, .out_max = 127,
	    .normalize = { .form = NN_NORMALIZE_GIVEN, .length = 5, .run = 2, .scale_output = 1 } },
	  { INT8(2, 3, 5), SCALE(4), SCALE(4), INT8(2, 3), SCALE(256), [OUTPUT] = INT8(2, 3, 5) },
	  "in0.type=2 in3.type=2 in3.rank out.type=2" },
	{ "l2_normalize", { .opcode = NN_OPCODE_L2_NORMALIZE, .out_max = 127 },
	  { INT8(2, 3, 5), [OUTPUT] = INT8(2, 3, 5) },
	  "" },
	{ "l2_normalize of 33025", { .opcode = NN_OPCODE_L2_NORMALIZE, .out_max = 127 },
	  { INT8(2, 33025), [OUTPUT] = INT8(2, 33025) },
	  "" },
	{ "softmax", { .opcode = NN_OPCODE_SOFTMAX, .out_max = 127, .softmax = { 1, NN_SOFTMAX_FLOAT } },
	  { INT8(2, 5), SCALE(256), [OUTPUT] = INT8(2, 5) },
	  "in0.type=2 out.type=2 out.type=3" },
	{ "softmax to int16", { .opcode = NN_OPCODE_SOFTMAX, .out_max = 127, .softmax = { 1, NN_SOFTMAX_TENSORFLOW } },
	  { INT8(2, 5), SCALE(256), [OUTPUT] = INT16(2, 5) },
	  "in0.type=2 out.type=1 out.type=2" },
	{ "logarithm", { .opcode = NN_OPCODE_SOFTMAX, .out_max = 127, .softmax = { 1, NN_SOFTMAX_LOG_FLOAT, 1 } },
	  { INT8(2, 3, 4), SCALE(256), [OUTPUT] = INT8(2, 3, 4) },
	  "in0.type=2 out.type=2 out.type=3" },
	{ "softmax_int16", { .opcode = NN_OPCODE_SOFTMAX_INT16, .out_max = 127 },
	  { INT16(2, 5), PACKED(NN_TYPE_INT16, 1026), [OUTPUT] = INT16(2, 5) },
	  "" },
	{ "softmax_int16 of many", { .opcode = NN_OPCODE_SOFTMAX_INT16, .out_max = 127 },
	  { INT16(2, 65535), PACKED(NN_TYPE_INT16, 1026), [OUTPUT] = INT16(2, 65535) },
	  "" },
	{ "reduce_int16", { .opcode = NN_OPCODE_REDUCE_INT16, .out_max = 127,
			    .reduce_int16 = { NN_REDUCE_INT16_MEAN_AWAY, 15, 4, 1 } },
	  { INT16(2, 5, 3, 4), [OUTPUT] = INT16(2, 4) },
	  "in0.rank out.rank" },
	{ "reduce_int16 in fixed point", { .opcode = NN_OPCODE_REDUCE_INT16, .out_max = 127,
					   .reduce_int16 = { NN_REDUCE_INT16_MEAN_FIXED, 16, 2 } },
	  { INT16(2, 3, 16, 2), [OUTPUT] = INT16(2, 3, 2) },
	  "in0.rank out.rank" },
	{ "reduce", { .opcode = NN_OPCODE_REDUCE, .out_max = 127, .reduce = { 6, NN_REDUCE_MEAN, 1, 1 } },
	  { INT8(2, 5, 3, 4), [OUTPUT] = INT8(2, 4) },
	  "in0.type=2 in0.type=3 in0.dim1 in0.dim2 out.type=2 out.type=3 in0.rank out.rank" },
	{ "reduce to the greatest", { .opcode = NN_OPCODE_REDUCE, .out_max = 127, .reduce = { 2, NN_REDUCE_MAX } },
	  { INT8(2, 5, 3, 4), [OUTPUT] = INT8(2, 1, 3, 4) },
	  "in0.dim1 in0.rank out.rank" },
	{ "arg", { .opcode = NN_OPCODE_ARG, .arg = { 2, NN_ARG_MAX, 0 } },
	  { INT8(2, 3, 4, 5), [OUTPUT] = INT32(2, 15) },
	  "in0.type=2 in0.type=3 in0.type=6 in0.dim2 in0.rank out.rank" },
	{ "top", { .opcode = NN_OPCODE_TOP },
	  { INT8(2, 3, 4), [OUTPUT] = INT32(2, 3, 4) },
	  "in0.type=2 in0.type=3 in0.type=4 in0.type=5 in0.type=6 in0.type=7 in0.type=8 in0.type=9 in0.type=10 in0.dim2 out.type=8" },
	{ "weighted_sum", { .opcode = NN_OPCODE_WEIGHTED_SUM },
	  { INT16(2, 3, 4), PACKED(NN_TYPE_INT16, 12), PACKED(NN_TYPE_INT32, 4), [OUTPUT] = INT32(2, 4) },
	  "" },
	{ "lstm", { .opcode = NN_OPCODE_LSTM, .lstm = { .cell_bits = 4 } },
	  { INT8(2, 3, 5), INT8(2, 7), INT16(2, 7), PACKED(NN_TYPE_UINT8, 8 * 128), PACKED(NN_TYPE_UINT8, 8 * 128),
	    PACKED(NN_TYPE_INT32, 256), [OUTPUT] = INT8(2, 3, 7), INT8(2, 7), INT16(2, 7) },
	  "in0.dim2" },
	{ "svdf", { .opcode = NN_OPCODE_SVDF, .svdf = { .rank = 2, .memory = 4 } },
	  { INT8(2, 5), INT16(2, 24), PACKED(NN_TYPE_UINT8, 32 * 8), PACKED(NN_TYPE_INT16, 24),
	    PACKED(NN_TYPE_INT32, 64), [OUTPUT] = INT8(2, 3), INT16(2, 24) },
	  "in0.dim1" },
	{ "cumulate", { .opcode = NN_OPCODE_CUMULATE, .out_max = 127,
			.cumulate = { 2, NN_CUMULATE_FLOAT, .scale_input = 1, .scale_output = 1 } },
	  { INT8(2, 3, 4), [OUTPUT] = INT8(2, 3, 4) },
	  "in0.type=2 out.type=2" },
	{ "cumulate integers", { .opcode = NN_OPCODE_CUMULATE, .cumulate = { 1, NN_CUMULATE_INTEGERS } },
	  { INT32(2, 3, 4), [OUTPUT] = INT32(2, 3, 4) },
	  "" },
};

static const struct parameter normalizations[] = {
	{ PLACE(normalize.form), NN_NORMALIZE_SUM, true },	{ PLACE(normalize.form), NN_NORMALIZE_GIVEN, false },
	{ PLACE(normalize.form), NN_NORMALIZE_FORMS, false },	{ PLACE(normalize.length), 15, true },
	{ PLACE(normalize.length), 1, true },			{ PLACE(normalize.length), 0, false },
	{ PLACE(normalize.length), 4, false },			{ PLACE(normalize.length), 30, false },
	{ PLACE(normalize.run), 1, true },			{ PLACE(normalize.run), 0, false },
	SCALE_AT(PLACE(normalize.scale_output)),
};

static const struct parameter long_vectors[] = {
	{ PLACE(normalize.length), 1 << 23, true },	{ PLACE(normalize.length), 1 << 24, false },
};

static const struct parameter exponentials[] = {
	SCALE_AT(PLACE(softmax.scale_output)),
	{ PLACE(softmax.form), NN_SOFTMAX_TENSORFLOW, true }, { PLACE(softmax.form), NN_SOFTMAX_FORMS, false },
};

static const struct parameter plain_softmaxes[] = {
	{ PLACE(softmax.form), NN_SOFTMAX_FLOAT, true },	   { PLACE(softmax.form), NN_SOFTMAX_LOG_TENSORFLOW, false },
	{ PLACE(softmax.form), NN_SOFTMAX_LOG_FLOAT, false },
};

/* A logarithm has no scale of the input here, and LOG_TENSORFLOW makes no int16. */
static const struct parameter softmaxes_to_int16[] = {
	{ PLACE(softmax.form), NN_SOFTMAX_FLOAT, true },	   { PLACE(softmax.form), NN_SOFTMAX_LOG_TENSORFLOW, false },
};

static const struct parameter logarithms[] = {
	{ PLACE(softmax.form), NN_SOFTMAX_FORMS, false },  { PLACE(softmax.form), NN_SOFTMAX_LOG_TENSORFLOW, true },
	SCALE_AT(PLACE(softmax.scale_input)), SCALE_AT(PLACE(softmax.scale_output)),
};

static const struct parameter reductions[] = {
	SCALE_AT(PLACE(reduce.scale_input)), SCALE_AT(PLACE(reduce.scale_output)),
	{ PLACE(reduce.form), NN_REDUCE_FORMS, false },	   { PLACE(reduce.form), NN_REDUCE_MEAN_WHOLE, true },
	{ PLACE(reduce.axes), 0, false },		   { PLACE(reduce.axes), 7, false },
	{ PLACE(reduce.axes), 14, false },		   { PLACE(reduce.axes), 6 | 1 << 4, false },
	{ PLACE(reduce.axes), 6 | (int32_t)(1u << 31), false },
};

/* Without scales, too. */
static const struct parameter greatest[] = {
	{ PLACE(reduce.form), NN_REDUCE_MIN, true },	{ PLACE(reduce.form), NN_REDUCE_MEAN_WHOLE, true },
	{ PLACE(reduce.form), NN_REDUCE_SUM, false },	{ PLACE(reduce.form), NN_REDUCE_PROD, false },
	{ PLACE(reduce.form), NN_REDUCE_MEAN, false },	{ PLACE(reduce.form), NN_REDUCE_MEAN_ONCE, false },
	{ PLACE(reduce.form), NN_REDUCE_MEAN_AWAY, false }, { PLACE(reduce.form), NN_REDUCE_SUM_AWAY, false },
	{ PLACE(reduce.form), NN_REDUCE_SQUARES, false },	{ PLACE(reduce.form), NN_REDUCE_LENGTH, false },
};

static const struct parameter wide_softmaxes[] = {
	{ PLACE(softmax_int16.by.exponent), 14, true },	  { PLACE(softmax_int16.by.exponent), 15, false },
	{ PLACE(softmax_int16.by.exponent), -31, true },  { PLACE(softmax_int16.by.exponent), -32, false },
	{ PLACE(softmax_int16.by.multiplier), INT32_MIN, false },
};

static const struct parameter wide_means[] = {
	SCALE_AT(PLACE(reduce_int16.scale)),
	{ PLACE(reduce_int16.form), NN_REDUCE_INT16_MAX, true },
	{ PLACE(reduce_int16.form), NN_REDUCE_INT16_FORMS, false },
	{ PLACE(reduce_int16.count), 0, false },	   { PLACE(reduce_int16.count), 14, false },
	{ PLACE(reduce_int16.inner), 0, false },	   { PLACE(reduce_int16.inner), 3, false },
	{ PLACE(reduce_int16.inner), 1, true },
};

/* A sum of 16 has 19 bits and a sign. */
static const struct parameter wide_fixed_means[] = {
	{ PLACE(reduce_int16.by.exponent), 10, true },	  { PLACE(reduce_int16.by.exponent), 11, false },
	{ PLACE(reduce_int16.by.exponent), -31, true },	  { PLACE(reduce_int16.by.exponent), -32, false },
};

static const struct parameter args[] = {
	{ PLACE(arg.axis), 0, false },	   { PLACE(arg.axis), 1, false }, { PLACE(arg.axis), 3, false },
	{ PLACE(arg.axis), 4, false },	   { PLACE(arg.last), 1, true },  { PLACE(arg.last), 2, false },
	{ PLACE(arg.form), NN_ARG_MIN, true }, { PLACE(arg.form), NN_ARG_FORMS, false },
};

static const struct parameter tops[] = {
	{ PLACE(top.least), 1, true }, { PLACE(top.least), 2, false },
};

static const struct parameter cumulations[] = {
	{ PLACE(cumulate.axis), 0, false },	   { PLACE(cumulate.axis), 1, true },
	{ PLACE(cumulate.axis), 3, false },	   { PLACE(cumulate.exclusive), 1, true },
	{ PLACE(cumulate.exclusive), 2, false },   { PLACE(cumulate.backwards), 1, true },
	{ PLACE(cumulate.backwards), 2, false },   { PLACE(cumulate.form), NN_CUMULATE_INTEGERS, true },
	{ PLACE(cumulate.form), NN_CUMULATE_FORMS, false },
	SCALE_AT(PLACE(cumulate.scale_input)), SCALE_AT(PLACE(cumulate.scale_output)),
};

static const struct parameter gates[] = {
	{ PLACE(lstm.input[0].exponent), 14, true },	{ PLACE(lstm.input[3].exponent), 15, false },
	{ PLACE(lstm.last[0].exponent), -31, true },	{ PLACE(lstm.last[3].exponent), -32, false },
	{ PLACE(lstm.output.exponent), 14, true },	{ PLACE(lstm.output.exponent), 15, false },
	{ PLACE(lstm.cell_bits), NN_LSTM_CELL_BITS, true },	{ PLACE(lstm.cell_bits), NN_LSTM_CELL_BITS + 1, false },
	{ PLACE(lstm.cell_clip), INT16_MAX, true },	{ PLACE(lstm.cell_clip), INT16_MAX + 1, false },
	{ PLACE(lstm.cell_clip), -1, false },
};

static const struct parameter filters[] = {
	{ PLACE(svdf.feature.exponent), 30, true },	{ PLACE(svdf.feature.exponent), 31, false },
	{ PLACE(svdf.output.exponent), -31, true },	{ PLACE(svdf.output.exponent), -32, false },
	{ PLACE(svdf.feature.multiplier), INT32_MAX, true },	{ PLACE(svdf.feature.multiplier), -1, false },
	{ PLACE(svdf.output.multiplier), -1, false },
	{ PLACE(svdf.rank), 0, false },			{ PLACE(svdf.rank), 4, false },
	{ PLACE(svdf.rank), 1 << 31, false },		{ PLACE(svdf.memory), 0, false },
	{ PLACE(svdf.memory), 2, false },		{ PLACE(svdf.memory), -4, false },
};

static const struct trial trials[] = {
	{ "svdf", PARAMETERS(filters) },
	{ "lstm", PARAMETERS(gates) },
	{ "softmax_int16", PARAMETERS(wide_softmaxes) },
	{ "reduce_int16", PARAMETERS(wide_means) },
	{ "reduce_int16 in fixed point", PARAMETERS(wide_fixed_means) },
	{ "normalize", BYTE_CLAMPS },
	{ "normalize", PARAMETERS(normalizations) },
	{ "normalize of long rows", PARAMETERS(long_vectors) },
	{ "l2_normalize", BYTE_CLAMPS },
	{ "softmax", BYTE_CLAMPS },
	{ "softmax", PARAMETERS(exponentials) },
	{ "softmax", PARAMETERS(plain_softmaxes) },
	{ "softmax to int16", PARAMETERS(softmaxes_to_int16) },
	{ "logarithm", BYTE_CLAMPS },
	{ "logarithm", PARAMETERS(logarithms) },
	{ "reduce", BYTE_CLAMPS },
	{ "reduce", PARAMETERS(reductions) },
	{ "reduce to the greatest", PARAMETERS(greatest) },
	{ "arg", PARAMETERS(args) },
	{ "top", PARAMETERS(tops) },
	{ "cumulate", BYTE_CLAMPS },
	{ "cumulate", PARAMETERS(cumulations) },
};

static const struct right_call refused[] = {
	/* The sum of these squares needs more than 31 bits. */
	{ "l2_normalize of 33026", { .opcode = NN_OPCODE_L2_NORMALIZE, .out_max = 127 },
	  { INT8(2, 33026), [OUTPUT] = INT8(2, 33026) }, "" },
	/* Nothing to take the scales of runs from. */
	{ "normalize without scales", { .opcode = NN_OPCODE_NORMALIZE, .out_max = 127,
				      .normalize = { .length = 5, .run = 2, .scale_output = 1 } },
	  { INT8(2, 3, 5), SCALE(NO_ROWS), SCALE(NO_ROWS), [OUTPUT] = INT8(2, 3, 5) }, "" },
	{ "l2_normalize of rows alone", { .opcode = NN_OPCODE_L2_NORMALIZE, .out_max = 127 },
	  { INT8(2), [OUTPUT] = INT8(2) }, "" },
	{ "softmax of rows alone", { .opcode = NN_OPCODE_SOFTMAX, .out_max = 127, .softmax = { 1, NN_SOFTMAX_FLOAT } },
	  { INT8(2), SCALE(256), [OUTPUT] = INT8(2) }, "" },
	/* More elements than 32 bits, and then than 64, can count. */
	{ "reduce of 2^33", { .opcode = NN_OPCODE_REDUCE, .out_max = 127, .reduce = { 14, NN_REDUCE_MAX } },
	  { INT8(2, 1 << 11, 1 << 11, 1 << 11), [OUTPUT] = INT8(2) }, "" },
	{ "reduce of 2^32", { .opcode = NN_OPCODE_REDUCE, .out_max = 127, .reduce = { 6, NN_REDUCE_MAX } },
	  { INT8(2, 1 << 16, 1 << 16), [OUTPUT] = INT8(2) }, "" },
	/* Beyond the rank a dimension is 1, and so as long as the output would be. */
	{ "arg of no dimension", { .opcode = NN_OPCODE_ARG, .arg = { 2, NN_ARG_MAX, 0 } },
	  { INT8(2, 15), [OUTPUT] = INT32(2, 15) }, "" },
	{ "top of rows alone", { .opcode = NN_OPCODE_TOP }, { INT8(2), [OUTPUT] = INT32(2) }, "" },
};

static const struct size sizes[] = {
	{ "reduce to the greatest", 0, 1, 1 << 23, true },
	{ "reduce to the greatest", 0, 1, (1 << 23) + 1, false },
	{ "reduce to the greatest", 0, 1, UINT32_MAX, false },
	{ "arg", 0, 2, INT32_MAX, true },
	{ "arg", 0, 2, 1u << 31, false },
	{ "top", 0, 2, INT32_MAX, true },
	{ "top", 0, 2, 1u << 31, false },
	{ "top", 0, 2, 3, false },
};

const struct check_test nn_vector_checks = {
	CALLS_TRIALS_SIZES,
	REFUSED,
};
