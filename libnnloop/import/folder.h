/* SPDX-License-Identifier: MIT */
/*
 * Files that an import reads: the model's own, and those in its folder that the model names.
 *
 * Small files are copied. Large ones, most of which are weights, are mapped, and nothing of them is
 * read that nobody looks at. Such a file may be changed by others meanwhile: one that has become
 * shorter reads as zeros there (base/guard.h), and any that is another one in the end fails the
 * import.
 */
#ifndef NN_IMPORT_FOLDER_H
#define NN_IMPORT_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nn_folder;

/*
 * Opens a file, and the folder that it is in. *failed: what could not be done with it, for a
 * sentence. 0 or a negative errno.
 */
int nn_folder_open(const char *path, struct nn_folder **folder, const void **data, size_t *size,
		   const char **failed);
/*
 * The bytes of a file by its name in the folder, which may be one of a folder in that, and of no
 * other: no link leads out of it. They are there until the folder is closed. 0; -EXDEV: it is no
 * such name, or leads elsewhere; -EISDIR: it is no regular file; or another negative errno.
 */
int nn_folder_get(struct nn_folder *folder, const char *name, const void **data, size_t *size);
/* Whether one of the files has been changed since it was opened. Nothing is read after that. */
bool nn_folder_is_changed(struct nn_folder *folder);
/* NULL is allowed. */
void nn_folder_close(struct nn_folder *folder);

#endif
