/* SPDX-License-Identifier: MIT */
/*
 * The parts of the command nnloop.
 *
 *	main.c		which command
 *	options.c	command lines
 *	interrupt.c	what ^C does
 *	error.c		what it says when something is wrong
 *	run.c		nnloop run: model and data in, data out
 *	run_execute.c	the execution: buffers, what is counted
 *	progress.c	the progress bar
 *	run_results.c	what is made of the outputs
 *	classes.c	what an item is, by the model's greatest outputs
 *	plan.c		nnloop plan: how a graph is split and where it runs
 *	plan_format.c	the same for other programs: JSON, dot
 *	info.c		nnloop info: what a model takes and gives, and what it is made of
 *	dump.c		nnloop run --dump: each tensor as a file
 *	tensors.c	which tensors there are, and their files' names
 *	compare.c	nnloop compare: a model's tensors beside another runtime's; _names.c, _array.c: one of them
 *	bench.c		nnloop bench: how long a model takes
 *	bench_report.c	what it says, as text and JSON
 *	bench_memory.c	the same about L2
 *	bench_best.c	what it says in the end
 *	quantize.c	nnloop quantize: of a float model one of integers
 *	quantize_report.c	what it says
 *	quantize_json.c, quantize_html.c	the same in files
 *	examples.c	the inputs that it is given
 *	doctor.c	nnloop doctor: can the DSP be used?
 *	doctor_report.c	what it writes for bug reports
 *	top.c		nnloop top: who uses the DSP
 *	cdi.c		nnloop cdi: the DSP as container engines are told of devices
 *	metadata.c	what a .tflite file says of itself
 *	looks.c		what a wrong file looks like
 *	refusals.c	why a model cannot run
 *	portable.c	which operators a DSP runs in portable C
 *	graph.c		opens models
 *	given.c		what a model leaves open, and what the command line says of that
 *	model.c		prepares them
 *	page_size.c	how large the pages are that a reader of any size is given
 *	numbers.c	what a reader's outputs say: the digits on each page
 *	number_lines.c	which of them are a number, and in which order numbers are read
 *	annotate.c	the same as a picture
 *	labels.c	where its labels go
 *	trace.c		a timeline of the passes
 *	picture.c	PNG files, and scaling to what a model takes
 *	jpeg.c		JPEG files
 *	contrast.c	evens out low contrast
 *	takes.c		which inputs take pictures or sound
 *	sound.c		WAV files
 *	input.c		pictures, sound, .npy files and raw tensors to what a graph's input takes
 *	output.c	what a graph's output gives to text, .npy and raw files
 *	json.c		strings and tensors in JSON
 *	file.c		whole files
 *	npy.c		.npy files
 *	out_file.c	files that are made: as a whole or not at all
 */
#ifndef NNLOOP_TOOL_H
#define NNLOOP_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "model.h"
#include "nn_graph.h"

#define EXIT_USAGE 2 /* the command line is wrong; everything else that fails is 1 */

/* Prints `error: ...` and returns 1, to be returned as the exit status. */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for what the library said: `error: node ID: ...` or `error: graph: ...`. */
int fail_graph(const struct nn_graph *graph);
/* The same for a wrong command line, with a second line that says where help is. */
int usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A decimal number from min to max. */
bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *value);

int run_main(int argc, char **argv);
int plan_main(int argc, char **argv);
int info_main(int argc, char **argv);
int bench_main(int argc, char **argv);
int compare_main(int argc, char **argv);
int quantize_main(int argc, char **argv);
int doctor_main(int argc, char **argv);
int top_main(int argc, char **argv);
int cdi_main(int argc, char **argv);

/* ---- plan_format.c ---- */

int plan_print_json(struct nn_graph *graph, bool verbose);
/* " on the device" or " on the host", where data decide about a loop or condition; or "". */
const char *plan_decided_on(const struct nn_plan_node *node);
int plan_print_dot(struct nn_graph *graph, bool verbose);

/* ---- plan.c ---- */

/* Why passes, rows of the outputs and what follows from them are not known, in words; NULL if they
 * are. */
const char *plan_unknown(struct nn_graph *graph);

/* ---- json.c ---- */

/* A string in JSON, and in dot's language as well. */
void print_json_string(FILE *stream, const char *string);
/* The members of an object that is a tensor: name, type, shape and quantization. rows: what
 * to print for dimension 0, in JSON, or NULL for the number. */
void print_json_tensor(const struct nn_tensor_info *info, const char *rows);

/* ---- refusals.c ---- */

/* A line for each reason why the graph's last call failed: all for which an import was refused, or
 * its only error; none if there was none. */
void print_refusals(FILE *stream, const struct nn_graph *graph);
/* The same as members of an object. */
void print_json_refusals(const struct nn_graph *graph);

/* ---- portable.c ---- */

/*
 * Prints, behind `before`, how many operators of a planned graph a DSP runs in portable C, and which;
 * nothing where no operator runs on it.
 */
int print_portable(const struct nn_graph *graph, const char *before);

/* ---- file.c ---- */

struct file {
	const char *path;
	uint8_t *data;
	size_t size;
	bool is_mapped;	/* data is the file itself: nothing of it is read that nobody looks at */
};

/* 0, or the exit status after an error was printed. "-" is standard input. */
int file_read(const char *path, struct file *file);
/* The same of a file that will be read again: one that can be read only once is kept for that. */
int file_read_first(const char *path, struct file *file);
void file_free(struct file *file);
/* Whether files can be made in a folder, which is made if need be. 0, or the exit status after an
 * error was printed. */
int folder_check(const char *folder);
bool file_has_suffix(const char *path, const char *suffix);

/* ---- looks.c ---- */

/* "a PNG picture" and so on, or NULL. */
const char *file_looks_like(const struct file *file);

struct out_file;

/* ---- picture.c ---- */

#define MAX_PIXELS ((uint64_t)1 << 28)	/* of a picture, times its channels */

/* 8-bit pixels, channels of one pixel side by side, no padding. */
struct picture {
	uint32_t width, height, channels;
	uint8_t *pixels;
};

bool picture_is(const struct file *file);
/*
 * Reads a PNG or JPEG of any kind as 1 (grey) or 3 (red, green, blue) channels, on a grey
 * background where it is transparent. 0, or the exit status after an error was printed.
 */
int picture_read(const struct file *file, uint32_t channels, uint8_t background,
		 struct picture *picture);
int picture_write(const struct picture *picture, const char *path);
void picture_free(struct picture *picture);
/* Scales a picture into the upper left of width x height; the rest is as grey as its edge. */
int picture_fit(const struct picture *from, double scale, uint32_t width, uint32_t height,
		struct picture *to);
/* Scales a picture to width x height, whatever that does to its proportions. */
int picture_resize(const struct picture *from, uint32_t width, uint32_t height, struct picture *to);
/* The scale at which all of a picture just fits into width x height. */
double picture_fit_scale(uint32_t from_width, uint32_t from_height, uint32_t width,
			 uint32_t height);

/* ---- contrast.c ---- */

/*
 * Moves ink and paper away from each other where they are hardly apart; all else keeps its pixels.
 */
int picture_even_out(struct picture *picture);

/* ---- sound.c ---- */

/* Samples of 16 bits, where they are in the file. */
struct sound {
	const uint8_t *samples;
	uint64_t count;
};

bool sound_is(const struct file *file);
/* 0, or the exit status after an error was printed. */
int sound_read(const struct file *file, struct sound *sound);
int16_t sound_sample(const struct sound *sound, uint64_t i);

/* ---- takes.c ---- */

struct picture_shape {
	uint32_t height, width, channels;
	bool channels_first;
};

/* Whether an input takes pictures, and which. */
bool takes_pictures(const struct nn_tensor_info *info, bool channels_first,
		    struct picture_shape *shape);
/* Whether it takes sound: its items are a row of samples. */
bool takes_sound(const struct nn_tensor_info *info, uint64_t *samples);
struct normalization;
/* Prints a line about that, if there is anything to say. normalization: of its pixels, or NULL. */
void takes_print(const struct nn_tensor_info *info, bool channels_first,
		 const struct normalization *normalization);

/* ---- input.c ---- */

#define MAX_BYTES ((uint64_t)1 << 31)	/* of an input or output */

/* A picture that was scaled to fit. */
struct page {
	const char *path;
	uint32_t width, height;	/* as it is in the file */
	double scale;		/* times these gives what the model saw */
};

/* The items of one input of a graph, as many as there are. */
struct items {
	struct nn_tensor_info info;
	uint64_t item_bytes;
	uint8_t *data;
	uint64_t count;
	bool fit;		/* pictures of any size, one a file, in proportion */
	bool keep_size;		/* and none becomes larger */
	bool resize;		/* the same, not in proportion */
	bool even_out;		/* low contrast in them */
	bool multiply;		/* real values by 1 / scale, as TensorFlow Lite does */
	uint8_t (*pixels)[256];	/* for each channel what is stored of a pixel; NULL: as it is */
	bool has_pictures;
	uint32_t fit_width, fit_height;	/* of what became of them */
	struct page *pages;	/* count of them with fit */
};

int items_init(struct items *items, const struct nn_tensor_info *info, bool fit);
/* Returns the name for messages: input ... */
const char *items_name(const struct items *items);
/* Has pixels normalized as the model says, from here on. 0, or the exit status. */
int items_normalize(struct items *items, const struct normalization *normalization);
/* Adds what is in a file. */
int items_add(struct items *items, const char *path, bool channels_first);
/* Adds an array of a file that is a .npy file. */
int items_add_npy(struct items *items, const struct file *file);
void items_free(struct items *items);

/* ---- output.c ---- */

struct output {
	struct nn_tensor_info info;
	uint64_t row_elements;
	void *data;
	uint32_t rows;
};

/*
 * Makes an output of as many rows as its shape says or, if only the data can tell, of a first
 * guess.
 */
void output_init(struct output *output, const struct nn_tensor_info *info);
/* The bytes of all its rows. */
size_t output_bytes(const struct output *output);
/* Writes in the format that the file's name says; text to standard output if there is none. */
int output_write(const struct output *output, struct out_file *file, bool real);
/* The index of a row's greatest element. */
uint32_t output_class(const struct output *output, uint32_t row);
int64_t output_element(const struct output *output, uint64_t index);
/* The real number that an element stands for. */
float output_real_element(const struct output *output, uint64_t index);

/* ---- classes.c ---- */

/*
 * Prints what each row of an output says that its item is. A file of numbers has the right class of
 * each row, and how many are right is printed, too; any other has a name for each class, in lines,
 * and the five most probable classes are printed with what the model gives for them.
 */
int classes_print(const struct output *output, const char *path);
/* The same of names that are in memory, if there is one for each class: else nothing is printed, and
 * it returns -1. */
int classes_print_text(const struct output *output, const char *name, const char *labels,
		       size_t size);

/* ---- page_size.c ---- */

/*
 * Makes the input of a reader that leaves height and width of its pages open as large as these files'
 * pictures, or as large as a page may be: one shape more in `given`, which is to be imported with then.
 * Adds none where nothing is open. 0, or the exit status after an error was printed.
 */
int page_size_give(const struct nn_graph *graph, char *const *paths, uint32_t count,
		   struct given *given);

/* ---- numbers.c ---- */

/* A digit that was read. */
struct digit {
	uint32_t page;
	uint32_t value;
	int32_t box[4];	/* y0, x0, y1, x1 in 1/16 pixel of what the model saw */
	bool sure;		/* else it counts only beside one that is */
	double score;		/* from 0 to 1 */
	uint32_t number;	/* of its page, from 0, in reading order */
};

/* All digits of all pages: page by page, number by number, from left to right. */
struct numbers {
	const struct page *pages;
	uint32_t page_count;
	struct digit *digits;
	uint32_t count;
};

/* Reads numbers from the outputs of a reader: boxes, scores, owner, logits (docs/reader.md). */
int numbers_read(struct numbers *numbers, const struct items *input, const struct output *outputs,
		 uint32_t output_count);
void numbers_free(struct numbers *numbers);
/* Each number with its score, which is the least of its digits'. */
void numbers_print(const struct numbers *numbers);
/* Prints how many digits and numbers of a truth file were read. */
int numbers_compare(const struct numbers *numbers, const char *path);

/* ---- number_lines.c ---- */

/* A page as the model saw it, in grey; pixels NULL: in colours, or unknown. */
struct seen_page {
	const uint8_t *pixels;
	uint32_t width, height;
};

/* Joins the digits of one page to numbers and puts them in order; drops those that are not sure and
 * that nothing confirms. */
int number_lines_group(struct digit *digits, uint32_t *count, const struct seen_page *page);

/* ---- annotate.c ---- */

/* Before anything is read: makes the folder, and finds out whether each page can be written there.
 * 0, or the exit status after an error was printed. */
int annotate_check(const struct page *pages, uint32_t count, const char *folder);
/* Writes each page to the folder, with its digits framed and named. */
int numbers_annotate(const struct numbers *numbers, const char *folder);

/* ---- trace.c ---- */

/* A timeline in the Trace Event Format, which Perfetto and chrome://tracing open. */
struct trace;

int trace_open(const char *path, const struct nn_device *device, const struct nn_graph *graph,
	       const char *title, struct trace **trace);
void trace_pass(struct trace *trace, const struct nn_pass_record *pass);
/* Forgets all passes so far: they are done again. */
void trace_restart(struct trace *trace);
/* NULL is fine. 0, or the exit status after an error was printed. */
int trace_close(struct trace *trace);

#endif
