/* SPDX-License-Identifier: MIT */
/*
 * The reasons why a model cannot run, collected while an importer goes on, so that all of them are
 * told at once.
 *
 * An importer notes what nnloop cannot do (-EOPNOTSUPP) and passes over what depends on it; the
 * graph that it builds meanwhile is dropped in the end. A model that is broken (any other error)
 * ends the import where that shows: what is behind it cannot be judged.
 *
 * Nothing of a file is trusted: texts are cut to fit, of kinds only the first NN_MAX_REFUSALS are
 * kept, and of each refusal 16 bytes, which are counted when all are known.
 */
#ifndef NN_REFUSALS_H
#define NN_REFUSALS_H

#include "graph/graph.h"
#include "nn_import.h"

/* A refusal, or what broke the model. Strings are copied. */
struct nn_reason {
	const char *op; /* as struct nn_refusal has it */
	const char *part; /* NULL, or what else tells kinds apart, such as an attribute's name */
	const char *text; /* a sentence without the node; numbers and what is quoted in it do not
			   * tell kinds apart */
	const char *help; /* NULL: nothing in particular */
	const char *name; /* an example's; NULL: it has none */
	const void *node; /* that tells nodes apart; NULL: it is about none */
	bool is_float; /* all that is wrong is that something is in float */
	bool is_form; /* and of that, that it has a form of float32 only */
};

/* All zero is none. What it has is freed by nn_refusals_end(). */
struct nn_refusals {
	struct nn_refusal_list *list; /* the graph's in the end */
	struct nn_refused *refused; /* each node, and its kind */
	size_t count, room;
	struct nn_error first; /* as it was told when it was noted */
};

/* Takes in the graph's error, which is cleared, with what is said about it. 0 or -ENOMEM. */
int nn_refusals_add(struct nn_refusals *refusals, struct nn_graph *graph,
		    const struct nn_reason *reason);
/*
 * The end of an import of a model with so many nodes: err, or the first refusal, which becomes the
 * graph's error; nn_graph_get_refusal() has all of them then. The graph is cleared after an error.
 */
int nn_refusals_end(struct nn_refusals *refusals, struct nn_graph *graph, uint32_t node_count,
		    int err);
/* Whether all that keeps a graph's model from running is that parts of it are in float. */
bool nn_refusals_are_float(const struct nn_graph *graph);
/* Whether that is so, and all these parts have a form of float32 only. */
bool nn_refusals_are_forms(const struct nn_graph *graph);

/* The reasons of a refused import are kept here while another way of importing the model is tried. */
struct nn_verdict {
	struct nn_refusal_list *refusals;
	struct nn_open_list *open;
	struct nn_error error;
};

/* Takes it from the graph, which is empty then. */
void nn_verdict_take(struct nn_verdict *verdict, struct nn_graph *graph);
/* Ends the other try: if that failed the verdict is the graph's again, and its error is returned; but
 * not after -ENOMEM, nor where the latest reasons are wanted. Then err is, and the verdict is freed. */
int nn_verdict_end(struct nn_verdict *verdict, struct nn_graph *graph, int err, bool latest);

#endif
