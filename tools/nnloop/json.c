// SPDX-License-Identifier: MIT
/* JSON that several commands print: strings and tensors. */
#include <stdio.h>

#include "nnloop.h"

/* Bytes of the well-formed UTF-8 sequence, of more than one, that text begins with; 0 if it does
 * not. */
static size_t utf8_size(const unsigned char *text)
{
	size_t size = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
	uint32_t code = text[0] & (0x7fu >> size);

	if (text[0] < 0xc2 || text[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < size; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (size == 3 && (code < 0x800 || (code >= 0xd800 && code < 0xe000)))
		return 0;
	return size == 4 && (code < 0x10000 || code > 0x10ffff) ? 0 : size;
}

void print_json_string(FILE *stream, const char *string)
{
	const unsigned char *at = (const unsigned char *)string;

	putc('"', stream);
	while (*at) {
		size_t size = *at < 0x80 ? 1 : utf8_size(at);

		if (!size)
			putc('?', stream);
		else if (*at < ' ' || *at == 0x7f)
			fprintf(stream, "\\u%04x", *at);
		else
			fprintf(stream, "%s%.*s", *at == '"' || *at == '\\' ? "\\" : "", (int)size,
				(const char *)at);
		at += size ? size : 1;
	}
	putc('"', stream);
}

static void print_quantization(const struct nn_tensor_info *info)
{
	if (info->scales) {
		printf("\"scales\": [");
		for (uint32_t i = 0; i < info->scale_count; i++)
			printf("%s%.9g", i ? ", " : "", (double)info->scales[i]);
		printf("], \"axis\": %u", info->axis);
	} else if (info->scale) {
		printf("\"scale\": %.9g", (double)info->scale);
	} else {
		printf("\"scale\": null");
	}
	printf(", \"zero_point\": %d", info->zero_point);
}

void print_json_tensor(const struct nn_tensor_info *info, const char *rows)
{
	printf("\"name\": ");
	print_json_string(stdout, info->name ? info->name : "");
	printf(", \"type\": \"%s\", \"shape\": [", nn_data_type_name(info->type));
	for (uint32_t i = 0; i < info->rank; i++) {
		if (!i && rows)
			printf("%s", rows);
		else
			printf("%s%u", i ? ", " : "", info->dims[i]);
	}
	printf("], ");
	print_quantization(info);
}
