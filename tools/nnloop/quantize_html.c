// SPDX-License-Identifier: MIT
/*
 * The report of nnloop quantize as a page that needs nothing else: the outputs, a picture of the
 * network in which layers are coloured by what each costs, and a histogram of each tensor with the
 * range that its integers have.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnloop.h"
#include "out_file.h"
#include "quantize.h"

/* Sizes of the pictures, in pixels. */
#define BOX_WIDTH	200
#define BOX_HEIGHT	22
#define COLUMN		220
#define ROW		40
#define BAR		3
#define CHART_HEIGHT	60

#define BEST_SQNR	60.0 /* green, in dB */
#define WORST_SQNR	20.0 /* red */

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>nnloop quantize</title>\n"
	"<style>body{font:14px sans-serif;margin:2em}table{border-collapse:collapse}"
	"td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid #ccc}"
	"td:first-child,th:first-child{text-align:left}text{font:11px sans-serif}"
	".t{display:inline-block;margin:.5em;vertical-align:top;width:220px;overflow:hidden}"
	"</style></head><body>\n";

static void print_text(FILE *file, const char *text)
{
	for (; *text; text++) {
		if (strchr("<>&\"", *text))
			fprintf(file, "&#%d;", *text);
		else
			fputc(*text, file);
	}
}

/* The end of a name, which tells more than its beginning. */
static const char *end_of(const char *name, size_t most)
{
	size_t length = strlen(name);

	return length > most ? name + length - most : name;
}

static void print_outputs(FILE *file, const struct nn_quantizer *quantizer)
{
	struct nn_quantized_output output;

	fputs("<table><tr><th>output<th>SQNR<th>cosine<th>greatest difference<th>same best class</tr>\n",
	      file);
	for (uint32_t i = 0; !nn_quantizer_get_output(quantizer, i, &output); i++) {
		fputs("<tr><td>", file);
		print_text(file, output.name);
		fprintf(file, "<td>%.2f dB<td>%.6f<td>%.6g<td>%" PRIu64 " of %" PRIu64 "</tr>\n",
			output.sqnr, output.cosine, output.worst, output.agree_count,
			output.row_count);
	}
	fputs("</table>\n", file);
}

/* ---- The network ---- */

/* A place for each layer: below all that it reads, beside others of that depth. */
struct place {
	uint32_t row, column;
};

static uint32_t place_layers(const struct nn_quantizer *quantizer, struct place *places,
			     uint32_t *used, uint32_t count)
{
	uint32_t columns = 1, other;

	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t k = 0; !nn_quantizer_get_layer_input(quantizer, i, k, &other); k++) {
			if (places[other].row >= places[i].row)
				places[i].row = places[other].row + 1;
		}
		places[i].column = used[places[i].row]++;
		if (places[i].column >= columns)
			columns = places[i].column + 1;
	}
	return columns;
}

/*
 * From red to green; layers in float are blue, those of 16 bits, whose figure is that of 8, violet, and
 * those that were not measured grey.
 */
static void print_colour(FILE *file, const struct nn_quantized_layer *layer)
{
	double part = (layer->sqnr - WORST_SQNR) / (BEST_SQNR - WORST_SQNR);

	if (layer->kept)
		fputs("#9cf", file);
	else if (layer->widened)
		fputs("#dbf", file);
	else if (!layer->sqnr)
		fputs("#ddd", file);
	else
		fprintf(file, "hsl(%.0f,80%%,75%%)", fmin(fmax(part, 0), 1) * 120);
}

static void print_edges(FILE *file, const struct nn_quantizer *quantizer,
			const struct place *places, uint32_t i)
{
	uint32_t other;

	for (uint32_t k = 0; !nn_quantizer_get_layer_input(quantizer, i, k, &other); k++)
		fprintf(file, "<path d=\"M%u %uL%u %u\" stroke=\"#888\" fill=\"none\"/>\n",
			places[other].column * COLUMN + BOX_WIDTH / 2,
			places[other].row * ROW + BOX_HEIGHT,
			places[i].column * COLUMN + BOX_WIDTH / 2, places[i].row * ROW);
}

static void print_layer(FILE *file, const struct nn_quantized_layer *layer,
			const struct place *place)
{
	fprintf(file, "<g><rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" rx=\"4\" fill=\"",
		place->column * COLUMN, place->row * ROW, BOX_WIDTH, BOX_HEIGHT);
	print_colour(file, layer);
	fprintf(file, "\"/><text x=\"%u\" y=\"%u\">", place->column * COLUMN + 4, place->row * ROW + 15);
	print_text(file, layer->op);
	fputc(' ', file);
	print_text(file, end_of(layer->name, 20));
	fputs("</text><title>", file);
	print_text(file, layer->op);
	fputc(' ', file);
	print_text(file, layer->name);
	if (layer->kept || layer->widened) {
		fputs(layer->kept ? ", in float: " : ", of 16 bits: ", file);
		print_text(file, layer->kept ? layer->kept : layer->widened);
	}
	if (layer->sqnr)
		fprintf(file, ", alone %.2f dB, costs %.2f dB", layer->sqnr, layer->cost);
	fputs("</title></g>\n", file);
}

static int print_network(FILE *file, const struct nn_quantizer *quantizer, uint32_t count)
{
	struct place *places = calloc(count + 1, sizeof(*places));
	uint32_t *used = calloc(count + 1, sizeof(*used)), rows = 0, columns;
	struct nn_quantized_layer layer;

	if (!places || !used) {
		free(places);
		free(used);
		return fail("out of memory");
	}
	columns = place_layers(quantizer, places, used, count);
	while (rows < count && used[rows])
		rows++;
	fprintf(file, "<h2>Layers</h2><p>Red: alone it leaves the outputs %.0f dB or less; green: %.0f dB or more; violet: of 16 bits; blue: in float.</p>\n<svg width=\"%u\" height=\"%u\">\n",
		WORST_SQNR, BEST_SQNR, columns * COLUMN, rows * ROW);
	for (uint32_t i = 0; i < count; i++)
		print_edges(file, quantizer, places, i);
	for (uint32_t i = 0; !nn_quantizer_get_layer(quantizer, i, &layer); i++)
		print_layer(file, &layer, &places[i]);
	fputs("</svg>\n", file);
	free(places);
	free(used);
	return 0;
}

/* ---- Tensors ---- */

/* A line where the range of the integers ends, if that is within what occurred. */
static void print_end(FILE *file, const struct nn_quantized_tensor *tensor, double value)
{
	double part = (value - (double)tensor->low) / ((double)tensor->high - (double)tensor->low);

	if (part > 0 && part < 1)
		fprintf(file, "<path d=\"M%.1f 0V%d\" stroke=\"#c00\"/>", part * QUANTIZE_BINS * BAR,
			CHART_HEIGHT);
}

static void print_tensor(FILE *file, const struct nn_quantizer *quantizer, uint32_t index,
			 const struct nn_quantized_tensor *tensor)
{
	const int32_t least = tensor->type == NN_INT8 ? INT8_MIN :
			      tensor->type == NN_INT16 ? INT16_MIN : 0;
	const int32_t steps = nn_data_type_size((enum nn_data_type)tensor->type) == 2 ? 65535 : 255;
	uint64_t bins[QUANTIZE_BINS], most = 1;

	nn_quantizer_get_histogram(quantizer, index, bins, QUANTIZE_BINS);
	for (uint32_t i = 0; i < QUANTIZE_BINS; i++)
		most = bins[i] > most ? bins[i] : most;
	fprintf(file, "<div class=\"t\"><svg width=\"%d\" height=\"%d\">", QUANTIZE_BINS * BAR, CHART_HEIGHT);
	for (uint32_t i = 0; i < QUANTIZE_BINS; i++) {
		double height = log1p(bins[i]) / log1p(most) * CHART_HEIGHT;

		fprintf(file, "<rect x=\"%u\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"#69c\"/>",
			i * BAR, CHART_HEIGHT - height, BAR, height);
	}
	print_end(file, tensor, (double)(least - tensor->zero_point) * (double)tensor->scale);
	print_end(file, tensor, (double)(least + steps - tensor->zero_point) * (double)tensor->scale);
	fputs("</svg><br>", file);
	print_text(file, end_of(tensor->name, 28));
	fprintf(file, "<br>%.4g to %.4g, scale %.4g, %s</div>\n", (double)tensor->low,
		(double)tensor->high, (double)tensor->scale, quantize_methods[tensor->method]);
}

int quantize_write_html(const struct nn_quantizer *quantizer, const char *model, const char *path)
{
	struct nn_quantized_tensor tensor;
	struct nn_quantized_info info;
	struct out_file *out;
	FILE *file;
	int status = out_file_open(path, &out);

	if (status)
		return status;
	file = out_file_stream(out);
	nn_quantizer_get_info(quantizer, &info);
	fputs(head, file);
	fputs("<h1>", file);
	print_text(file, model);
	fprintf(file, "</h1><p>%u of %u layers of 8 bits, %u of 16, %u in float; ranges: %s, over %u of %u examples; estimated packets on the DSP: %" PRIu64 " before, %" PRIu64 " after</p>\n",
		info.layer_count - info.float_count - info.int16_count, info.layer_count,
		info.int16_count, info.float_count, quantize_methods[info.method],
		info.measured_count, info.example_count, info.packets_before, info.packets_after);
	print_outputs(file, quantizer);
	status = print_network(file, quantizer, info.layer_count);
	fputs("<h2>Tensors</h2><p>How often elements occurred, from the least to the greatest, logarithmically; a red line is an end of the range.</p>\n",
	      file);
	for (uint32_t i = 0; !nn_quantizer_get_tensor(quantizer, i, &tensor); i++)
		print_tensor(file, quantizer, i, &tensor);
	fputs("</body></html>\n", file);
	return status ? status : out_file_finish(out);
}
