// SPDX-License-Identifier: MIT
/*
 * Tests of what all importers share: which format a file is of; and the builder, by the same small
 * model in both orders of images, N, C, H, W and N, H, W, C, which must compute the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/guard.h"
#include "import/build.h"
#include "import/folder.h"
#include "make-graph.h"
#include "nn_import.h"
#include "tap.h"

/* ---- Formats ---- */

static bool taken_for(enum nn_model_format wanted, const char *bytes, size_t size)
{
	enum nn_model_format format = 0;
	struct nn_graph *graph = new_graph();

	nn_graph_import(graph, bytes, size, &format);
	nn_graph_import(graph, bytes, size, NULL);
	nn_graph_destroy(graph);
	return format == wanted;
}

#define TAKEN_FOR(format, text) taken_for(format, text, sizeof(text) - 1)

static void test_formats(void)
{
	static const char long_text[600] = "# ";

	CHECK(TAKEN_FOR(NN_MODEL_TEXT, "1 Input shape=0,2\n2 OUTPUT 1:0\n"));
	CHECK(TAKEN_FOR(NN_MODEL_TEXT, "# a comment"));
	CHECK(TAKEN_FOR(NN_MODEL_TEXT, "\n\t 12\tInput"));
	CHECK(TAKEN_FOR(NN_MODEL_TEXT, "\xef\xbb\xbf# with a mark"));
	CHECK(TAKEN_FOR(NN_MODEL_TEXT, "# Z\xc3\xa4hler\n"));
	CHECK(TAKEN_FOR(NN_MODEL_TEXT, "no graph, but text"));
	/* Damaged, and text for all that. */
	CHECK(TAKEN_FOR(NN_MODEL_TEXT, "1 Input shape=0,2\001\n"));
	CHECK(taken_for(NN_MODEL_TEXT, long_text, sizeof(long_text)));

	CHECK(TAKEN_FOR(NN_MODEL_ONNX, "\010\010\022\004test"));
	CHECK(TAKEN_FOR(NN_MODEL_ONNX, "12\001"));
	CHECK(TAKEN_FOR(NN_MODEL_TFLITE, "\x1c\0\0\0TFL3"));
	CHECK(TAKEN_FOR(NN_MODEL_TEXT, "1 LTFL3"));
	CHECK(TAKEN_FOR(NN_MODEL_ONNX, "\x1c\0\0\0TFL2"));
	CHECK(TAKEN_FOR(NN_MODEL_ONNX, ""));
	CHECK(TAKEN_FOR(NN_MODEL_ONNX, "\x89PNG\r\n\x1a\n"));
}

/* ---- Files ---- */

static const char small_model[] = "1 Input shape=0,2 type=int8\n2 OUTPUT 1:0\n";

static void write_file(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");

	CHECK(file && fwrite(data, 1, size, file) == size && !fclose(file));
}

/* Imported, or refused with an error whose sentence ends with `end`. */
static void import_file(const char *path, enum nn_model_format wanted, int error, const char *end)
{
	enum nn_model_format format = 0;
	struct nn_graph *graph = new_graph();
	const char *said;
	size_t length;

	CHECK(nn_graph_import_file(graph, path, &format) == error && format == wanted);
	CHECK(nn_graph_error(graph)->code == error);
	said = nn_graph_error(graph)->text;
	length = strlen(said);
	if (!CHECK(length >= strlen(end) && !strcmp(said + length - strlen(end), end)))
		printf("# %s\n", said);
	CHECK(nn_graph_get_input_count(graph) == !error);
	nn_graph_destroy(graph);
}

static void test_files(void)
{
	static const char broken[] = "1 Input shape=0,2 type=int8\n2 OUTPUT 3:0\n";
	static const char refused[] = "1 Input shape=0,2 type=int8\n2 Nobody 1:0\n";
	char folder[] = "/tmp/nnloop-files-XXXXXX", path[64], end[512], longer[512];
	const size_t large_size = 1 << 18;
	struct nn_refusals_info refusals;
	struct nn_graph *graph;
	char *large;

	if (!CHECK(mkdtemp(folder)))
		return;
	snprintf(path, sizeof(path), "%s/model", folder);
	write_file(path, small_model, strlen(small_model));
	import_file(path, NN_MODEL_TEXT, 0, "");
	graph = new_graph();
	CHECK(!nn_graph_import_file(graph, path, NULL));
	nn_graph_destroy(graph);

	/* The path behind the sentence of the importer, and of what could not be read. */
	snprintf(end, sizeof(end), " (%s)", path);
	write_file(path, broken, strlen(broken));
	import_file(path, NN_MODEL_TEXT, -ENOENT, end);
	write_file(path, "\x1c\0\0\0TFL3", 8);
	import_file(path, NN_MODEL_TFLITE, -EINVAL, end);
	write_file(path, "", 0);
	import_file(path, NN_MODEL_ONNX, -EINVAL, end);
	snprintf(end, sizeof(end), "cannot read the file: Is a directory (%s)", folder);
	import_file(folder, 0, -EISDIR, end);
	import_file("/nonexistent/model", 0, -ENOENT,
		    "cannot open the file: No such file or directory (/nonexistent/model)");
	import_file(NULL, 0, -EINVAL, "no file of a model is given");
	/* No more than the end of a long one. */
	memset(longer, 'x', 300);
	strcpy(longer + 300, "/model");
	snprintf(end, sizeof(end), "cannot open the file: File name too long (...%s)",
		 longer + strlen(longer) - 200);
	import_file(longer, 0, -ENAMETOOLONG, end);
	/* The end of a long sentence makes room. */
	snprintf(longer, sizeof(longer), "1 Input shape=0,2 type=int8\n2 Relu 1:0 %0440d=1\n", 0);
	write_file(path, longer, strlen(longer));
	snprintf(end, sizeof(end), "000 (%s)", path);
	import_file(path, NN_MODEL_TEXT, -EINVAL, end);
	import_file("/dev/null", 0, -ENODEV, "cannot read the file: it is a device (/dev/null)");
	/* One without an end. */
	import_file("/dev/zero", 0, -ENODEV, "cannot read the file: it is a device (/dev/zero)");

	large = malloc(large_size);
	if (CHECK(large)) {
		memset(large, '#', large_size);
		large[large_size - sizeof(small_model)] = '\n';
		memcpy(large + large_size - strlen(small_model), small_model, strlen(small_model));
		write_file(path, large, large_size);
		import_file(path, NN_MODEL_TEXT, 0, "");
		free(large);
	}

	/* The reasons of a refusal are there as after any import. */
	write_file(path, refused, strlen(refused));
	graph = new_graph();
	CHECK(nn_graph_import_file(graph, path, NULL) == -EOPNOTSUPP);
	CHECK(!nn_graph_get_refusals(graph, &refusals) && refusals.refused_count == 1);
	nn_graph_destroy(graph);
	CHECK(!remove(path) && !remove(folder));
}

/* Its size is not known before. */
static void test_pipe(void)
{
	char path[32];
	int ends[2];

	if (!CHECK(!pipe(ends)))
		return;
	CHECK(write(ends[1], small_model, strlen(small_model)) == (ssize_t)strlen(small_model));
	close(ends[1]);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	import_file(path, NN_MODEL_TEXT, 0, "");
	close(ends[0]);
}

/* ---- Large files, which are mapped ---- */

#define LARGE ((size_t)20 << 20)

static volatile sig_atomic_t faults;
static sigjmp_buf behind_fault;

static void count_fault(int number)
{
	(void)number;
	faults++;
	siglongjmp(behind_fault, 1);
}

/* Others make a file shorter, or write to it, while it is read. */
static void test_changed_files(void)
{
	char folder[] = "/tmp/nnloop-large-XXXXXX", path[64];
	struct nn_folder *files;
	const char *failed;
	const void *data;
	sigset_t blocked;
	size_t size;
	int fd;

	if (!CHECK(mkdtemp(folder)))
		return;
	snprintf(path, sizeof(path), "%s/model", folder);
	write_file(path, small_model, strlen(small_model));
	CHECK(!truncate(path, LARGE));
	/* A signal that is blocked would end the process. */
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGBUS);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	if (!CHECK(!nn_folder_open(path, &files, &data, &size, &failed) && size == LARGE))
		return;
	CHECK(!memcmp(data, small_model, strlen(small_model)));
	CHECK(!truncate(path, 0));
	/* Bytes that are gone are zeros, also those that were read before. */
	CHECK(!((const volatile uint8_t *)data)[0] && !((const volatile uint8_t *)data)[LARGE - 1]);
	CHECK(nn_folder_is_changed(files));
	nn_folder_close(files);
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	CHECK(sigismember(&blocked, SIGBUS));
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);

	/* One that has its length, and other bytes. */
	CHECK(!truncate(path, LARGE));
	CHECK(!nn_folder_open(path, &files, &data, &size, &failed));
	fd = open(path, O_WRONLY);
	CHECK(pwrite(fd, "x", 1, LARGE / 2) == 1);
	close(fd);
	CHECK(nn_folder_is_changed(files));
	nn_folder_close(files);
	CHECK(!nn_folder_open(path, &files, &data, &size, &failed) && !nn_folder_is_changed(files));
	nn_folder_close(files);

	/* Small ones are copied. */
	write_file(path, small_model, strlen(small_model));
	CHECK(!nn_folder_open(path, &files, &data, &size, &failed));
	CHECK(!truncate(path, 0) && !memcmp(data, small_model, strlen(small_model)));
	CHECK(!nn_folder_is_changed(files));
	nn_folder_close(files);
	CHECK(!remove(path) && !remove(folder));
}

/* A mapping of a file that has become empty. */
static const volatile uint8_t *map_nothing(void)
{
	int fd = memfd_create("nothing", MFD_CLOEXEC);
	void *data;

	CHECK(fd >= 0 && !ftruncate(fd, 4096));
	data = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	CHECK(data != MAP_FAILED && !ftruncate(fd, 0));
	close(fd);
	return data;
}

/* The handler is for guarded mappings alone, and gone when there is none. */
static void test_other_faults(void)
{
	const struct sigaction ours = { .sa_handler = count_fault };
	const volatile uint8_t *guarded = map_nothing(), *other = map_nothing();
	struct sigaction before, now;
	int first, second, status;
	pid_t child;

	sigaction(SIGBUS, &ours, &before);
	first = nn_guard_begin((const void *)guarded, 4096);
	second = nn_guard_begin((const void *)&first, 1);
	CHECK(first >= 0 && second >= 0 && first != second);
	if (!sigsetjmp(behind_fault, 1))
		(void)other[0];
	CHECK(faults == 1);
	CHECK(!guarded[5] && faults == 1);
	CHECK(!nn_guard_end(second));
	CHECK(nn_guard_end(first));
	sigaction(SIGBUS, NULL, &now);
	CHECK(now.sa_handler == count_fault);

	/* Who has none is ended by it. */
	signal(SIGBUS, SIG_DFL);
	child = fork();
	if (!child) {
		nn_guard_begin((const void *)guarded, 4096);
		(void)other[0];
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
	sigaction(SIGBUS, &before, NULL);
	munmap((void *)(uintptr_t)guarded, 4096);
	munmap((void *)(uintptr_t)other, 4096);
}

static void test_many_guards(void)
{
	int guards[NN_MAX_GUARDS];

	for (int i = 0; i < NN_MAX_GUARDS; i++)
		CHECK((guards[i] = nn_guard_begin(&guards[i], 1)) >= 0);
	CHECK(nn_guard_begin(guards, 1) == -1);
	for (int i = 0; i < NN_MAX_GUARDS; i++)
		CHECK(!nn_guard_end(guards[i]));
}

/* ---- Constants ---- */

static void test_transpose(void)
{
	static const int16_t elements[24] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
					      12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23 };
	static const uint32_t perm[3] = { 2, 0, 1 };
	struct nn_const c = { NN_ELEMENT_INT16, 3, { 2, 3, 4 }, 24, elements, false };
	struct nn_builder builder = { .next_id = 1 };

	CHECK(!nn_const_transpose(&builder, &c, perm, &c));
	CHECK(c.dims[0] == 4 && c.dims[1] == 2 && c.dims[2] == 3);
	for (int i = 0; i < 24; i++)
		CHECK(nn_const_int(&c, i) == elements[i % 6 * 4 + i / 6]);
	nn_pool_free(&builder.pool);
}

/*
 * With a scale and a zero point for each index of one dimension, whichever that is; ties to even,
 * and to the ends.
 */
static void test_quantize(void)
{
	static const float elements[24] = { 0, 6, -6, 3, 5, 1e9f };
	static const float scales[4] = { 1, 2, 3, 4 };
	static const int8_t zeros[4] = { 0, 10, -20, 30 };
	/* Each of the six numbers, by scale and zero point. */
	static const int8_t want[4][6] = {
		{ 0, 6, -6, 3, 5, 127 },
		{ 10, 13, 7, 12, 12, 127 },
		{ -20, -18, -22, -19, -18, 127 },
		{ 30, 32, 28, 31, 31, 127 },
	};
	float repeated[24];

	for (int i = 0; i < 24; i++)
		repeated[i] = elements[i % 6];
	for (uint32_t axis = 0; axis < 4; axis++) {
		static const uint32_t inner[3] = { 12, 4, 1 };
		struct nn_const c = { NN_ELEMENT_FLOAT, 3, { 2, 3, 4 }, 24, repeated, false };
		struct nn_const zero_points = { NN_ELEMENT_INT8, 1, { 4 }, 4, zeros, false };
		struct nn_quant quant = { .type = NN_INT8, .scales = scales, .zero_points = &zero_points, .axis = axis };
		struct nn_quant plain = { .type = NN_INT8, .scale = 2, .zero_point = 10 };
		struct nn_builder builder = { .next_id = 1 };

		/* The last time per tensor. */
		CHECK(!nn_const_quantize(&builder, &c, axis < 3 ? &quant : &plain, &c));
		CHECK(c.element == NN_ELEMENT_INT8 && c.rank == 3 && c.count == 24);
		for (int i = 0; i < 24; i++) {
			uint32_t index = axis < 3 ? i / inner[axis] % (axis + 2) : 1;

			CHECK(nn_const_int(&c, i) == want[index][i % 6]);
		}
		/*
		 * And back: what is at the end of the range, or was rounded, is another number
		 * then.
		 */
		CHECK(!nn_const_dequantize(&builder, &c, axis < 3 ? &quant : &plain, &c) && c.element == NN_ELEMENT_FLOAT);
		for (int i = 0; i < 24; i++) {
			uint32_t index = axis < 3 ? i / inner[axis] % (axis + 2) : 1;

			CHECK(((const float *)c.data)[i] == scales[index] * (float)(want[index][i % 6] - zeros[index]));
		}
		nn_pool_free(&builder.pool);
	}
}

/* ---- The same model in both orders ---- */

#define ITEMS	3
#define HEIGHT	5
#define WIDTH	7
#define IN	2
#define OUT	4
#define KERNEL	3
#define CLASSES	3

static const float conv_scales[OUT] = { 0.02f, 0.01f, 0.03f, 0.015f };
static const struct nn_quant input_quant = { .type = NN_UINT8, .scale = 0.5f, .zero_point = 3 };
static const struct nn_quant image_quant = { .type = NN_UINT8, .scale = 0.25f };
static const struct nn_quant output_quant = { .type = NN_INT8, .scale = 0.5f, .zero_point = 10 };

static int noise(uint32_t i)
{
	i = (i + 1) * 2654435761u;
	return (int)(i >> 24) - 128;
}

static uint32_t count_nodes(const struct nn_graph *graph, const char *op)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < graph->node_count; i++)
		count += !strcmp(graph->nodes[i]->op_name, op);
	return count;
}

/* A convolution, with weights in the model's order and padding that is more after than before. */
static int build_conv(struct nn_builder *builder, const struct nn_build_tensor *x,
		      struct nn_build_tensor *out)
{
	bool first = builder->channels_first;
	struct nn_quant quant = { .type = NN_INT8, .scales = conv_scales };
	int8_t *elements = nn_builder_alloc(builder, OUT * IN * KERNEL * KERNEL, 1);
	struct nn_const values = { .element = NN_ELEMENT_INT8,
				   .count = OUT * IN * KERNEL * KERNEL,
				   .data = elements };
	struct nn_build_weights weights = {
		.parameter = { "w", &values, &quant },
		.outputs = OUT,
		.height = KERNEL,
		.width = KERNEL,
		.inputs = IN,
		.output_stride = IN * KERNEL * KERNEL,
		.row_stride = first ? KERNEL : KERNEL * IN,
		.column_stride = first ? 1 : IN,
		.input_stride = first ? KERNEL * KERNEL : 1,
	};
	struct nn_window window = { .kernel = { KERNEL, KERNEL },
				    .stride = { 2, 2 },
				    .dilation = { 1, 1 } };
	static const int32_t bias_values[OUT] = { 10, -200, 0, 35 };
	static const struct nn_quant steps = { .type = NN_INT32 };
	struct nn_const bias = { NN_ELEMENT_INT32, 1, { OUT }, OUT, bias_values, false };
	struct nn_parameter parameter = { .name = "b", .values = &bias, .quant = &steps };
	int err;

	for (uint32_t o = 0; o < OUT; o++) {
		for (uint32_t i = 0; i < IN; i++) {
			for (uint32_t k = 0; k < KERNEL * KERNEL; k++)
				elements[o * weights.output_stride + i * weights.input_stride +
					 k * weights.column_stride] = noise((o * IN + i) * 9 + k);
		}
	}
	err = nn_window_place(builder, &window, x, NN_PADDING_SAME_UPPER, NULL, false);
	if (err)
		return err;
	CHECK(window.windows[0] == 3 && window.windows[1] == 4);
	return nn_build_conv(builder, x, &weights, 1, &parameter, &window, "relu", &image_quant,
			     out);
}

/* The image as one vector, and unsigned weights around 128. The model's order of the vector is that
 * of its image. */
static int build_classes(struct nn_builder *builder, const struct nn_build_tensor *image,
			 struct nn_build_tensor *out)
{
	const struct nn_quant quant = { .type = NN_UINT8, .scale = 0.01f, .zero_point = 128 };
	uint32_t area = image->dims[nn_image_axis(builder, NN_IMAGE_HEIGHT)] *
			image->dims[nn_image_axis(builder, NN_IMAGE_WIDTH)];
	uint32_t dims[2] = { NN_ROWS, OUT * area };
	uint8_t *elements = nn_builder_alloc(builder, CLASSES * dims[1], 1);
	struct nn_const values = { .element = NN_ELEMENT_UINT8,
				   .count = CLASSES * dims[1],
				   .data = elements };
	struct nn_build_weights weights = {
		.parameter = { "c", &values, &quant },
		.outputs = CLASSES,
		.height = 1,
		.width = 1,
		.inputs = dims[1],
		.output_stride = dims[1],
		.input_stride = 1,
	};
	struct nn_build_tensor flat;
	int err = nn_build_reshape(builder, image, 2, dims, &flat);

	for (uint32_t o = 0; o < CLASSES; o++) {
		for (uint32_t c = 0; c < OUT; c++) {
			for (uint32_t k = 0; k < area; k++) {
				uint32_t at = builder->channels_first ? c * area + k : k * OUT + c;

				elements[o * dims[1] + at] = 128 + noise((o * OUT + c) * area + k);
			}
		}
	}
	return err ? err : nn_build_fully_connected(builder, &flat, &weights, NULL, NULL,
						    &output_quant, out);
}

static int build_model(struct nn_builder *builder)
{
	static const struct nn_range range = { -INFINITY, 20 };
	struct nn_build_tensor x = { .name = "x", .rank = 4, .quant = input_quant }, outputs[3];
	struct nn_build_tensor image;
	struct nn_window cover;
	int err;

	x.dims[0] = NN_ROWS;
	x.dims[nn_image_axis(builder, NN_IMAGE_CHANNELS)] = IN;
	x.dims[nn_image_axis(builder, NN_IMAGE_HEIGHT)] = HEIGHT;
	x.dims[nn_image_axis(builder, NN_IMAGE_WIDTH)] = WIDTH;
	err = nn_build_input(builder, &x);
	if (!err)
		err = build_conv(builder, &x, &image);
	if (!err)
		err = nn_build_clamp(builder, &image, &range, &image_quant, &image);
	outputs[0] = image;
	if (!err)
		err = build_classes(builder, &image, &outputs[1]);
	if (!err)
		err = nn_window_cover(builder, &cover, &image);
	if (!err)
		err = nn_build_pool(builder, "AveragePool", &image, &cover, &image_quant,
				    &outputs[2]);
	return err ? err : nn_build_graph_outputs(builder, outputs, 3);
}

/* Builds it, runs it, and gives the outputs, images as N, H, W, C. */
static void run_model(bool channels_first, uint8_t image[ITEMS][12][OUT],
		      uint8_t classes[ITEMS][CLASSES], uint8_t mean[ITEMS][OUT])
{
	uint8_t x[ITEMS * HEIGHT * WIDTH * IN], stored[ITEMS * 12 * OUT];
	struct nn_buffer input = { .data = x, .size = sizeof(x), .rows = ITEMS };
	struct nn_buffer outputs[3] = { { .data = stored, .size = sizeof(stored) },
					{ .data = classes, .size = ITEMS * CLASSES },
					{ .data = mean, .size = ITEMS * OUT } };
	struct nn_builder builder = { .next_id = 1, .channels_first = channels_first };
	struct nn_device *host;

	if (nn_graph_create(&builder.graph) || nn_device_open("host", &host, NULL))
		exit(1);
	nn_graph_lock(builder.graph);
	CHECK(build_model(&builder) == 0);
	CHECK(count_nodes(builder.graph, "Transpose") == (channels_first ? 2 : 0));
	nn_graph_unlock(builder.graph);
	for (uint32_t i = 0; i < sizeof(x); i++) {
		uint32_t c = i % IN, place = i / IN % (HEIGHT * WIDTH);
		uint32_t item = i / (IN * HEIGHT * WIDTH);

		x[channels_first ? (item * IN + c) * HEIGHT * WIDTH + place : i] = noise(i) + 128;
	}
	CHECK(nn_graph_prepare(builder.graph, host, NULL) == 0);
	CHECK(nn_graph_execute(builder.graph, &input, 1, outputs, 3) == 0);
	for (uint32_t i = 0; i < sizeof(stored); i++) {
		uint32_t c = i % OUT, place = i / OUT % 12, item = i / (OUT * 12);

		image[item][place][c] = stored[channels_first ? (item * OUT + c) * 12 + place : i];
	}
	nn_pool_free(&builder.pool);
	nn_graph_destroy(builder.graph);
	nn_device_close(host);
}

static bool varies(const uint8_t *bytes, size_t size)
{
	return memcmp(bytes, bytes + 1, size - 1);
}

static void test_orders(void)
{
	uint8_t images[2][ITEMS][12][OUT], classes[2][ITEMS][CLASSES], means[2][ITEMS][OUT];

	for (int first = 0; first < 2; first++)
		run_model(first, images[first], classes[first], means[first]);
	CHECK(!memcmp(images[0], images[1], sizeof(images[0])));
	CHECK(!memcmp(classes[0], classes[1], sizeof(classes[0])));
	CHECK(!memcmp(means[0], means[1], sizeof(means[0])));
	CHECK(varies(images[0][0][0], sizeof(images[0])));
	CHECK(varies(classes[0][0], sizeof(classes[0])));
	CHECK(varies(means[0][0], sizeof(means[0])));
}

/* Where one channel or one pixel is all there is, both orders are the same. */
static void test_thin_images(void)
{
	static const struct {
		uint32_t dims[4], transposes;
	} images[] = {
		{ { NN_ROWS, 1, 4, 5 }, 0 }, { { NN_ROWS, 3, 1, 1 }, 0 }, { { NN_ROWS, 1, 1, 1 }, 0 },
		{ { NN_ROWS, 3, 1, 2 }, 1 }, { { NN_ROWS, 3, 2, 1 }, 1 }, { { NN_ROWS, 2, 4, 5 }, 1 },
	};

	for (size_t i = 0; i < sizeof(images) / sizeof(*images); i++) {
		struct nn_builder builder = { .next_id = 1, .channels_first = true };
		struct nn_build_tensor x = { .name = "x", .rank = 4, .quant = input_quant }, turned, back;
		unsigned int transposes = images[i].transposes;

		memcpy(x.dims, images[i].dims, sizeof(images[i].dims));
		if (nn_graph_create(&builder.graph))
			exit(1);
		nn_graph_lock(builder.graph);
		CHECK(!nn_build_input(&builder, &x));
		CHECK(!nn_build_layout(&builder, &x, NN_LAYOUT_NHWC, &turned));
		CHECK(count_nodes(builder.graph, "Transpose") == transposes);
		CHECK(!nn_build_layout(&builder, &turned, NN_LAYOUT_PLAIN, &back));
		CHECK(count_nodes(builder.graph, "Transpose") == 2 * transposes);
		nn_graph_unlock(builder.graph);
		nn_pool_free(&builder.pool);
		nn_graph_destroy(builder.graph);
	}
}

/* ---- Windows ---- */

/* By ONNX's definition; `windows` 0: refused. Both directions are alike. */
static const struct {
	uint32_t size, kernel, stride, dilation;
	enum nn_padding padding;
	int64_t given[2];
	bool ceil_mode;
	uint32_t windows, before, after;
} windows[] = {
	{ 7, 3, 2, 1, NN_PADDING_GIVEN, { 1, 0 }, false, 3, 1, 0 },
	{ 7, 3, 2, 1, NN_PADDING_GIVEN, { 1, 0 }, true, 4, 1, 1 },
	/* Nothing is left over; or what is left begins behind the input. */
	{ 9, 4, 3, 1, NN_PADDING_GIVEN, { 1, 0 }, true, 3, 1, 0 },
	{ 4, 2, 4, 1, NN_PADDING_GIVEN, { 0, 1 }, true, 1, 0, 1 },
	{ 9, 3, 1, 2, NN_PADDING_GIVEN, { 2, 2 }, false, 9, 2, 2 },
	{ 9, 3, 1, 2, NN_PADDING_GIVEN, { 4, 4 }, false, 13, 4, 4 },
	{ 9, 3, 1, 2, NN_PADDING_GIVEN, { 5, 0 }, false, 0, 0, 0 },
	{ 9, 3, 1, 2, NN_PADDING_GIVEN, { 0, 5 }, false, 0, 0, 0 },
	{ 9, 3, 1, 2, NN_PADDING_GIVEN, { -1, 0 }, false, 0, 0, 0 },
	{ 3, 3, 1, 1, NN_PADDING_GIVEN, { 0, 0 }, false, 1, 0, 0 },
	{ 2, 3, 1, 1, NN_PADDING_GIVEN, { 0, 0 }, false, 0, 0, 0 },
	{ 5, 3, 2, 1, NN_PADDING_SAME_UPPER, { 0, 0 }, false, 3, 1, 1 },
	{ 6, 3, 2, 1, NN_PADDING_SAME_UPPER, { 0, 0 }, false, 3, 0, 1 },
	{ 6, 3, 2, 1, NN_PADDING_SAME_LOWER, { 0, 0 }, false, 3, 1, 0 },
	{ 6, 1, 2, 1, NN_PADDING_SAME_UPPER, { 0, 0 }, false, 3, 0, 0 },
	{ 6, 2, 1, 3, NN_PADDING_SAME_LOWER, { 0, 0 }, false, 6, 2, 1 },
};

static void test_windows(void)
{
	for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++) {
		uint32_t size = windows[i].size, kernel = windows[i].kernel;
		int64_t before = windows[i].given[0], after = windows[i].given[1];
		int64_t given[4] = { before, before, after, after };
		struct nn_builder builder = { .next_id = 1 };
		struct nn_build_tensor image = { .rank = 4, .dims = { NN_ROWS, size, size, 2 } };
		struct nn_window window = {
			.kernel = { kernel, kernel },
			.stride = { windows[i].stride, windows[i].stride },
			.dilation = { windows[i].dilation, windows[i].dilation },
		};
		int err;

		if (nn_graph_create(&builder.graph))
			exit(1);
		builder.node.op = "MaxPool";
		err = nn_window_place(&builder, &window, &image, windows[i].padding, given, windows[i].ceil_mode);
		if (!CHECK(!err == !!windows[i].windows))
			printf("# window %zu: %s\n", i, builder.graph->error.text);
		for (int direction = 0; !err && direction < 2; direction++) {
			if (!CHECK(window.windows[direction] == windows[i].windows &&
				   window.padding[direction] == windows[i].before &&
				   window.padding[2 + direction] == windows[i].after))
				printf("# window %zu: %u of them, padding %u and %u\n", i, window.windows[direction],
				       window.padding[direction], window.padding[2 + direction]);
		}
		nn_pool_free(&builder.pool);
		nn_graph_destroy(builder.graph);
	}
}

/* ---- Errors ---- */

static void test_errors(void)
{
	struct nn_builder builder = { .next_id = 1 };
	struct nn_build_tensor x = { .rank = 2, .dims = { NN_ROWS, 6 }, .quant = input_quant };
	uint32_t value;

	if (nn_graph_create(&builder.graph))
		exit(1);
	builder.node.op = "CONV_2D";
	builder.node.result = "model/conv\n";
	CHECK(nn_window_set(&builder, &value, "stride_w", 256, 0) == -EOPNOTSUPP);
	CHECK(!strcmp(builder.graph->error.text,
		      "node CONV_2D that makes \"model/conv?\": its attribute stride_w is 256, not 1 to 255"));
	CHECK(nn_builder_failed(&builder) == -EOPNOTSUPP);
	builder.node.name = "c";
	CHECK(nn_build_reshape(&builder, &x, 2, (uint32_t []) { NN_ROWS, 5 }, &x) == -EOPNOTSUPP);
	CHECK(strstr(builder.graph->error.text, "node \"c\" (CONV_2D): it makes items"));
	builder.node.op = NULL;
	CHECK(nn_build_reshape(&builder, &x, 2, (uint32_t []) { NN_ROWS, 0 }, &x) == -EOPNOTSUPP);
	CHECK(!strcmp(builder.graph->error.text, "dimension 1 of it is 0"));
	nn_pool_free(&builder.pool);
	nn_graph_destroy(builder.graph);
}

/* ---- Signatures ---- */

/* How many inputs a file's model has; 0: it was refused. */
static uint32_t count_inputs(const char *path, const char *signature)
{
	const struct nn_import_options options = { .signature = signature };
	struct nn_graph *graph = new_graph();
	uint32_t count = 0;

	if (!nn_graph_import_file_with(graph, path, &options, NULL))
		count = nn_graph_get_input_count(graph);
	else
		CHECK(strstr(nn_graph_error(graph)->text, "signature"));
	nn_graph_destroy(graph);
	return count;
}

/* One of the models adds two images, the other convolves one. */
static void test_signatures(void)
{
	static const char path[] = MODELS_DIR "tflite/control_signatures.tflite";

	CHECK(count_inputs(path, NULL) == 2);
	CHECK(count_inputs(path, "adds") == 2);
	CHECK(count_inputs(path, "convolves") == 1);
	CHECK(count_inputs(path, "convolve") == 0);
	CHECK(count_inputs(MODELS_DIR "tflite/conv_same.tflite", "adds") == 0);
	CHECK(count_inputs(MODELS_DIR "ops/conv.onnx", "adds") == 0);
}

/* ---- Integers only ---- */

static int import_options(const char *path, uint32_t integers_only, const char *error)
{
	const struct nn_import_options options = { .integers_only = integers_only };
	struct nn_graph *graph = new_graph();
	int err = nn_graph_import_file_with(graph, path, &options, NULL);

	CHECK(!err == !error);
	if (err && error)
		CHECK(strstr(nn_graph_error(graph)->text, error));
	nn_graph_destroy(graph);
	return err;
}

/* A model in float runs, unless it must be of integers; one of integers always does. */
static void test_integers_only(void)
{
	static const char onnx[] = "tests/models/floats/long_conv.onnx";
	static const char tflite[] = "tests/models/floats/reduce_all.tflite";

	CHECK(import_options(onnx, 0, NULL) == 0);
	CHECK(import_options(onnx, 1, "only quantized models") == -EOPNOTSUPP);
	CHECK(import_options(tflite, 0, NULL) == 0);
	CHECK(import_options(tflite, 1, "nnloop computes with integers") == -EOPNOTSUPP);
	CHECK(import_options("tests/models/digits.onnx", 1, NULL) == 0);
	CHECK(import_options(onnx, 2, "integers_only is 0 or 1") == -EINVAL);
}

int main(void)
{
	tap_run("the format of a file", test_formats);
	tap_run("files", test_files);
	tap_run("a pipe", test_pipe);
	tap_run("large files that are changed while they are read", test_changed_files);
	tap_run("faults elsewhere", test_other_faults);
	tap_run("as many guards as there can be", test_many_guards);
	tap_run("transposed constants", test_transpose);
	tap_run("quantized constants", test_quantize);
	tap_run("a model in both orders of images", test_orders);
	tap_run("images of one channel or one pixel are not transposed", test_thin_images);
	tap_run("where windows are", test_windows);
	tap_run("signatures", test_signatures);
	tap_run("integers only", test_integers_only);
	tap_run("errors", test_errors);
	return tap_end();
}
