// SPDX-License-Identifier: MIT
/*
 * DetectionPostProcess where TensorFlow Lite says nothing, because it leaves what was in memory,
 * and no golden model shows it: fewer boxes than places, and none; batches of any size. And what is
 * refused. What is expected is written out here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "make-graph.h"
#include "nn_graph.h"
#include "tap.h"

#define ROWS	3
#define PLACES	3

/* Two anchors at one place and a third beside them; boxes of zero are the anchors themselves. */
#define HEAD                                                                                    \
	"1 Input shape=0,3,4 type=uint8 scale=0.1 zero_point=128\n"                             \
	"2 Input shape=0,3,3 type=uint8 scale=0.00390625\n"                                     \
	"3 Const shape=3,4 type=float32 values=0.5,0.5,1,1,0.5,0.5,1,1,3,3,2,2\n"
#define SCALES " y_scale=10 x_scale=10 h_scale=5 w_scale=5"
#define COMMON " max_detections=3 max_classes_per_detection=1 num_classes=2 nms_score_threshold=0.5"
#define NODE "4 DetectionPostProcess 1:0 2:0 3:0"
#define TAIL "\n5 OUTPUT 4:0 4:1 4:2 4:3\n"

struct results {
	float boxes[ROWS][PLACES][4], classes[ROWS][PLACES], scores[ROWS][PLACES], count[ROWS];
};

/*
 * Runs the first rows of: nothing that is good enough; two boxes that overlap and one that does
 * not; the background only.
 */
static void run(struct nn_graph *graph, uint32_t rows, uint32_t step, struct results *out)
{
	static const uint8_t scores[ROWS][3][3] = {
		{ { 255, 127, 0 }, { 0, 0, 0 }, { 9, 9, 9 } },
		{ { 0, 130, 0 }, { 0, 0, 192 }, { 200, 160, 160 } },
		{ { 255, 0, 0 }, { 255, 0, 0 }, { 255, 0, 0 } },
	};
	uint8_t boxes[ROWS][3][4];
	struct nn_buffer in[2] = {
		{ .data = boxes, .size = rows * 12, .rows = rows },
		{ .data = (void *)scores, .size = rows * 9, .rows = rows },
	};
	struct nn_buffer to[4] = {
		{ .data = out->boxes, .size = rows * sizeof(*out->boxes) },
		{ .data = out->classes, .size = rows * sizeof(*out->classes) },
		{ .data = out->scores, .size = rows * sizeof(*out->scores) },
		{ .data = out->count, .size = rows * sizeof(*out->count) },
	};
	const struct nn_prepare_options options = {
		.step = step, .input_rows = (uint32_t[]) { rows, rows }, .input_count = 2
	};

	memset(boxes, 128, sizeof(boxes));
	memset(out, 0x55, sizeof(*out));
	if (!CHECK(!nn_graph_prepare(graph, device, &options) &&
		   !nn_graph_execute(graph, in, 2, to, 4)))
		printf("# %s\n", nn_graph_error(graph)->text);
	CHECK(to[0].rows == rows && to[3].rows == rows);
}

static void check(const char *attrs, uint32_t step)
{
	static const float left[4] = { 0, 0, 1, 1 }, right[4] = { 2, 2, 4, 4 };
	static const float none[PLACES][4];
	struct results out;
	char text[1024];
	struct nn_graph *graph;

	snprintf(text, sizeof(text), HEAD NODE COMMON SCALES "%s" TAIL, attrs);
	graph = make_graph(text);
	for (uint32_t rows = 0; rows <= ROWS; rows++) {
		run(graph, rows, step, &out);
		for (uint32_t i = 0; i < rows; i++) {
			if (i == 1)
				continue;
			CHECK(out.count[i] == 0 && !memcmp(out.boxes[i], none, sizeof(none)) &&
			      !memcmp(out.classes[i], none, sizeof(out.classes[i])) &&
			      !memcmp(out.scores[i], none, sizeof(out.scores[i])));
		}
	}
	CHECK(!memcmp(out.boxes[1][0], left, sizeof(left)) && out.classes[1][0] == 1 &&
	      out.scores[1][0] == 0.75f);
	CHECK(!memcmp(out.boxes[1][1], right, sizeof(right)) && out.scores[1][1] == 0.625f);
	nn_graph_destroy(graph);
	/* By class: box 2 is there for both, the earlier class first; box 0 is not suppressed. */
	if (strstr(attrs, "use_regular_nms=1")) {
		CHECK(out.count[1] == 3 && out.classes[1][1] == 0 && out.classes[1][2] == 1 &&
		      out.scores[1][2] == 0.625f);
		return;
	}
	CHECK(out.count[1] == 2 && out.classes[1][1] == 0);
	CHECK(!memcmp(out.boxes[1][2], none, sizeof(none[0])) && out.scores[1][2] == 0);
}

static void test_places(void)
{
	for (uint32_t step = 0; step < 3; step++) {
		check(" nms_iou_threshold=0.5", step);
		check(" nms_iou_threshold=0.5 use_regular_nms=1", step);
	}
}

/*
 * One cell, one anchor: how many boxes there are of a score. size: of the memory for outputs, as it
 * is said to be.
 */
static uint32_t count_proposals(uint8_t score, size_t size)
{
	static const uint8_t deltas[4] = { 128, 128, 128, 128 };
	struct nn_graph *graph = make_graph("1 Input shape=0,1,1,1\n2 Input shape=0,1,1,4\n"
					    "4 Const shape=1,2 type=int32 values=64,64\n"
					    "5 Const shape=2 type=int32 values=16,16\n"
					    "6 Proposal 1:0 2:0 4:0 5:0 stride=8,8 delta_zero=128 delta_shift=6 "
					    "score_min=5 min_size=1 before=9 after=4 iou=128 step=2\n"
					    "8 OUTPUT 6:0 6:1\n");
	struct nn_buffer in[2] = {
		{ .data = &score, .size = 1, .rows = 1 }, { .data = (void *)deltas, .size = 4, .rows = 1 },
	};
	int32_t boxes[4][4] = { 0 };
	uint8_t scores[4] = { 0 };
	struct nn_buffer to[2] = { { .data = boxes, .size = size }, { .data = scores, .size = sizeof(scores) } };

	if (!CHECK(!nn_graph_prepare(graph, device, NULL) && !nn_graph_execute(graph, in, 2, to, 2)))
		printf("# %s\n", nn_graph_error(graph)->text);
	CHECK(!to[0].rows || scores[0] == score);
	nn_graph_destroy(graph);
	return to[0].rows;
}

static void test_proposals(void)
{
	CHECK(count_proposals(4, 64) == 0);
	CHECK(count_proposals(5, 64) == 1);
	CHECK(count_proposals(6, 64) == 1);
	/* More memory than a device can address is as good as that much. */
	for (uint32_t bits = 30; bits <= 40; bits += 2)
		CHECK(!on_host || count_proposals(6, (size_t)1 << bits) == 1);
}

static void test_refused(void)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ HEAD NODE COMMON SCALES TAIL, "nms_iou_threshold must be above 0" },
		{ HEAD NODE COMMON SCALES " nms_iou_threshold=1.5" TAIL, "nms_iou_threshold must be above 0" },
		{ HEAD NODE COMMON " nms_iou_threshold=0.5" TAIL, "y_scale must be" },
		{ HEAD NODE SCALES " nms_iou_threshold=0.5" TAIL, "max_detections must be 1 to" },
		{ HEAD NODE COMMON SCALES " nms_iou_threshold=0.5 detections_per_class=0" TAIL, "detections_per_class must be 1 to" },
		{ HEAD NODE SCALES " nms_iou_threshold=0.5 nms_score_threshold=0 max_detections=3 max_classes_per_detection=1 num_classes=4" TAIL,
		  "scores of 3 classes, and num_classes is 4" },
		{ HEAD NODE SCALES " nms_iou_threshold=0.5 nms_score_threshold=0 max_detections=3 max_classes_per_detection=1 num_classes=1" TAIL,
		  "scores of 3 classes, and num_classes is 1" },
		{ HEAD "4 DetectionPostProcess 2:0 2:0 3:0" COMMON SCALES " nms_iou_threshold=0.5" TAIL, "do not fit" },
		{ HEAD "4 DetectionPostProcess 1:0 2:0 1:0" COMMON SCALES " nms_iou_threshold=0.5" TAIL, "anchors must be a constant" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nn_graph *graph = make_graph(cases[i].text);

		if (!CHECK(nn_graph_prepare(graph, device, NULL) < 0 &&
			   strstr(nn_graph_error(graph)->text, cases[i].words)))
			printf("# case %zu: %s\n", i, nn_graph_error(graph)->text);
		nn_graph_destroy(graph);
	}
}

int main(int argc, char **argv)
{
	open_device(argc, argv);
	tap_run("fewer boxes than places, in batches of any size", test_places);
	tap_run("a score that is just enough", test_proposals);
	tap_run("what is refused", test_refused);
	nn_device_close(device);
	return tap_end();
}
