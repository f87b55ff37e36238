/* SPDX-License-Identifier: MIT */
/*
 * Neural-network graphs with loops in them: building, preparing and executing.
 *
 *	nn_graph_create, nn_graph_append...	build; or nn_graph_import_onnx, _tflite, _text
 *	nn_graph_prepare			check, optimize, partition, plan memory
 *	nn_graph_execute			as often as you like
 *	nn_graph_destroy
 *
 * Unless it says otherwise, a function returns 0 or a negative errno, and nn_graph_error() then
 * has the node and a sentence. Errors that any call may return: -ENOMEM, -EINVAL for an argument
 * that breaks what is written here.
 *
 * Threads: every graph has one lock, and there is no state outside of graphs and devices, but for a
 * signal that nn_graph_import_file() (nn_import.h) handles while it is in a large file.
 * Different graphs can be used from different threads at will. On the same graph, calls wait for
 * each other, but for those marked "from any thread" (these never wait), those marked "in
 * callbacks" (they may only be called by functions that the library is calling: an operator's
 * check or execute, a loop-end function), and those that take a const graph: they only look, and
 * must not be called while another thread changes the graph.
 *
 * Names follow the field: a *graph* has *nodes*; a *loop-control node* (LCN) begins a loop; the
 * nodes with the same number of LCNs upstream are a *partition*; one run of a partition's nodes on
 * some rows of a batch is a *pass*.
 *
 * Structures that grow: a later version may add fields at the end of a structure. Programs and
 * libraries of different versions work together all the same, because the program tells the library
 * how long its structures are. A function that needs to know that is an inline one: it calls the
 * library's function of the same name with _sized behind it, and gives it the sizes that the compiler
 * saw. Programs in other languages call the _sized functions, which are at the end of each header.
 *
 * - A structure that the library fills in gets the fields that both know. What the program has behind
 *   them is zeros.
 * - In a structure that the program fills in, a field that the program does not have counts as zero.
 *   If the program has set one that the library does not have, the call fails with -E2BIG; so
 *   initialize the whole structure.
 *
 * These never grow: struct nn_input, nn_attr, nn_counters, nn_memory_counters, nn_import_shape and
 * nn_import_value, and those of the loop stack. struct nn_error never exceeds NN_ERROR_MAX_SIZE, and
 * struct nn_tensor grows with the struct nn_tensor_info at its end.
 */
#ifndef NN_GRAPH_H
#define NN_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "nn_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The version of these headers. Programs of another major version do not run with this library;
 * minor versions add something; patches change no interface.
 */
#define NN_VERSION_MAJOR	0
#define NN_VERSION_MINOR	2
#define NN_VERSION_PATCH	0
/* Versions as numbers compare: #if NN_VERSION >= NN_MAKE_VERSION(0, 2, 0) */
#define NN_MAKE_VERSION(major, minor, patch)	((major) << 16 | (minor) << 8 | (patch))
#define NN_VERSION	NN_MAKE_VERSION(NN_VERSION_MAJOR, NN_VERSION_MINOR, NN_VERSION_PATCH)

/** nn_version - the NN_VERSION of the library that the program runs with. From any thread */
uint32_t nn_version(void);

/** struct nn_graph - a graph; opaque */
struct nn_graph;
/** struct nn_node - a node of a graph; opaque, owned by the graph */
struct nn_node;

#define NN_MAX_LOOPSTACK	4	/* most loops inside of each other */
#define NN_MAX_RANK		8	/* most dimensions of a tensor */
#define NN_VARIABLE		0u	/* as dimension 0 of an Input: the caller says at execute */

/* ---- Tensors ------------------------------------------------------------------------------ */

/** enum nn_data_type - what a tensor's elements are. Numbers are only ever added */
enum nn_data_type {
	NN_INT8 = 1,
	NN_UINT8 = 2,
	NN_INT16 = 3,
	NN_UINT16 = 4,
	NN_INT32 = 5,
	NN_FLOAT32 = 6,	/* has no scale */
	NN_BOOL = 7,	/* a byte: 0, or anything else for true; operators make 1 */
	NN_INT64 = 8,
	NN_UINT32 = 9,	/* has no scale, nor has the next one */
	NN_UINT64 = 10,
};

/** nn_data_type_size - bytes of one element, 0 for an unknown type. From any thread */
uint32_t nn_data_type_size(enum nn_data_type type);
/** nn_data_type_name - "int8" and so on, "?" for an unknown type. From any thread */
const char *nn_data_type_name(enum nn_data_type type);

/**
 * struct nn_tensor_info - what a tensor is, without its data
 * @name: for messages and as the name of an input or output; may be NULL
 * @type: element type
 * @rank: 1 .. NN_MAX_RANK, or 0 where the operator is to infer rank and dimensions
 * @dims: dense, the last the fastest; images are NHWC. Dimension 0 is the number of rows: of one
 *	pass if @level is not 0
 * @level: 0 when dimension 0 is fixed over the whole execution, L when it is the row count of the
 *	L-th loop, by how deep it is; above NN_MAX_LOOPSTACK when it is what a loop has collected, as
 *	many rows as only the run knows. Read-only: the library infers it
 * @zero_point: the stored value that means 0; 0 where there is neither @scale nor @scales
 * @scale: real value of one step, positive; 0: these are plain integers
 * @scales: one scale for each index of dimension @axis instead of @scale (weights and their
 *	bias); NULL: per tensor
 * @scale_count: length of @scales
 * @axis: see @scales
 *
 * Real value = (stored value - @zero_point) * @scale.
 */
struct nn_tensor_info {
	const char *name;
	enum nn_data_type type;
	uint32_t rank;
	uint32_t dims[NN_MAX_RANK];
	uint32_t level;
	int32_t zero_point;
	float scale;
	const float *scales;
	uint32_t scale_count;
	uint32_t axis;
};

/**
 * struct nn_tensor - a tensor that an operator's execute can touch
 * @data: the elements; NULL for an input that a static LCN must not read
 * @max_rows: rows that @data has room for
 * @info: with the rows of this pass in dims[0]. Last, because it may grow
 */
struct nn_tensor {
	void *data;
	uint32_t max_rows;
	struct nn_tensor_info info;
};

/**
 * nn_tensor_info_bytes - bytes of a tensor's elements. From any thread
 * @info: a tensor with its rank and dimensions
 *
 * Where dims[0] is NN_VARIABLE they are those of one row.
 *
 * Return: how many; UINT64_MAX for more than 64 bits hold, 0 for an unknown type or no rank.
 */
uint64_t nn_tensor_info_bytes(const struct nn_tensor_info *info);

/* ---- Building a graph --------------------------------------------------------------------- */

/**
 * nn_graph_create - make an empty graph
 * @graph: set to the graph on success
 *
 * Return: 0 or -ENOMEM.
 */
int nn_graph_create(struct nn_graph **graph);

/**
 * nn_graph_destroy - free a graph and all that belongs to it
 * @graph: may be NULL. An execution that was started is cancelled and waited for
 */
void nn_graph_destroy(struct nn_graph *graph);

/**
 * nn_graph_error - the error of the last call on a graph that failed
 * @graph: a graph; NULL where nn_graph_create() failed, which is for want of memory
 *
 * Return: never NULL; valid and unchanged until the next call on this graph, also while a started
 * execution makes errors of its own, which are those of nn_graph_wait(). Calls that take a const
 * graph leave it alone.
 */
const struct nn_error *nn_graph_error(const struct nn_graph *graph);

/**
 * struct nn_input - which tensor an input is
 * @src_id: the node that makes it
 * @output_idx: which of its outputs, from 0
 *
 * {0, 0} is an optional input that is absent.
 */
struct nn_input {
	uint32_t src_id;
	uint32_t output_idx;
};

enum nn_attr_type {
	NN_ATTR_INT = 1,
	NN_ATTR_INTS = 2,
	NN_ATTR_FLOAT = 3,
	NN_ATTR_FLOATS = 4,
	NN_ATTR_STRING = 5,
};

/**
 * struct nn_attr - a named parameter of a node
 * @name: such as "stride"
 * @type: which member of the union
 * @count: how many, for NN_ATTR_INTS and NN_ATTR_FLOATS
 *
 * An integer is accepted where a list or a float is expected. An attribute that the operator does
 * not know is an error.
 */
struct nn_attr {
	const char *name;
	enum nn_attr_type type;
	uint32_t count;
	__extension__ union { /* C99 has none without a name */
		int64_t i;
		float f;
		const int64_t *ints;
		const float *floats;
		const char *string;
	};
};

/**
 * struct nn_node_desc - a node to append
 * @id: the user's id, any number but 0; unique in the graph
 * @op: name of a built-in operator (docs/operators.md has the list with their inputs, attributes
 *	and level rules) or of one registered with nn_graph_register_op()
 * @name: for messages; may be NULL
 * @inputs: tensors it reads, of nodes already appended
 * @input_count: length of @inputs
 * @attrs: parameters
 * @attr_count: length of @attrs
 * @outputs: what it makes. Input and Const: type, shape and quantization, and for Input the name.
 *	Others: type and quantization of the result; rank 0 lets the operator infer the shape, else
 *	the shape given must be the one it infers
 * @output_count: length of @outputs; may be 0 where the operator infers everything
 * @data: of a Const: its elements, copied
 * @data_size: bytes of @data; must be exactly the tensor's size
 *
 * All memory stays the caller's; nothing is referred to after the call.
 */
struct nn_node_desc {
	uint32_t id;
	const char *op;
	const char *name;
	const struct nn_input *inputs;
	uint32_t input_count;
	const struct nn_attr *attrs;
	uint32_t attr_count;
	const struct nn_tensor_info *outputs;
	uint32_t output_count;
	const void *data;
	size_t data_size;
};

/**
 * nn_graph_append - append a node
 * @graph: a graph; a plan it may have is dropped
 * @desc: the node
 *
 * Nodes execute in the order they are appended, partition by partition.
 *
 * Return: 0; -EEXIST for an id that is taken; -ENOENT for an input from a node that is not there
 * (yet); -EOPNOTSUPP for an operator that nobody knows; -EOVERFLOW for a tensor of more than 2 GiB;
 * -EINVAL for anything else wrong with the node alone. The graph is unchanged then.
 */
static inline int nn_graph_append(struct nn_graph *graph, const struct nn_node_desc *desc);

/**
 * nn_graph_import_onnx - append a whole ONNX model
 * @graph: an empty graph
 * @data: the file's bytes, which must not change meanwhile and are not needed afterwards
 * @size: how many
 *
 * Quantized models, as QuantizeLinear and DequantizeLinear pairs or with the QLinear operators,
 * become integer operators. What cannot be run exactly is an error that names the node.
 *
 * Return: 0; -EINVAL for a malformed file; -EOPNOTSUPP for what nnloop cannot do, all of which
 * nn_graph_get_refusal() (nn_import.h) tells; -EOVERFLOW for a tensor of more than 2 GiB. On failure
 * the graph is empty again.
 */
int nn_graph_import_onnx(struct nn_graph *graph, const void *data, size_t size);

/**
 * nn_graph_import_tflite - append a whole TensorFlow Lite model
 * @graph: an empty graph
 * @data: the file's bytes, fewer than 2^31
 * @size: how many
 *
 * The first subgraph of a quantized model becomes the graph, and computes what XNNPACK does for
 * TensorFlow Lite, or its own kernels where XNNPACK has none. What cannot be run so is an error
 * that names the operator.
 *
 * Return: 0; -EINVAL for a malformed file; -EOPNOTSUPP for what nnloop cannot do, all of which
 * nn_graph_get_refusal() (nn_import.h) tells; -EOVERFLOW for a tensor of more than 2 GiB. On failure
 * the graph is empty again.
 */
int nn_graph_import_tflite(struct nn_graph *graph, const void *data, size_t size);

/**
 * nn_graph_import_text - append a graph in the text format, one node a line
 * @graph: an empty graph
 * @text: `ID OP [SRC:IDX ...] [key=value ...]`, # comments; see docs/text-format.md
 * @size: bytes of @text
 *
 * Return: 0; -EINVAL for a malformed line (the sentence names it), or what nn_graph_append()
 * returned; -EOPNOTSUPP for operators that nobody knows, all of which nn_graph_get_refusal()
 * (nn_import.h) tells. On failure the graph is empty again.
 */
int nn_graph_import_text(struct nn_graph *graph, const char *text, size_t size);

/* ---- The loop stack ----------------------------------------------------------------------- */

/**
 * struct nn_loopcounts - where one loop stands
 * @itercount: iterations, not including the current one
 * @prev_batches: batches previously generated in this loop
 * @current_batches: batches in the current iteration
 * @total_batches: if prev + current >= total, this is the last run
 * @prev_outer_batches: batches this loop generated in earlier iterations of the outer loops
 *
 * A batch here is one row: one image, one box.
 */
struct nn_loopcounts {
	uint32_t itercount;
	uint32_t prev_batches;
	uint32_t current_batches;
	uint32_t total_batches;
	uint32_t prev_outer_batches;
};

/**
 * typedef nn_loopend_fp - called at the end of an iteration, when all its passes are complete
 * @nn: the graph
 * @node: the LCN that pushed the loop
 * @counts: its counts, which the function may edit
 * @opaque: as it was pushed
 *
 * One that goes on adds current_batches to prev_batches, where the next rows are to go, and 1 to
 * itercount; rows of the outputs that it skips by adding more are zeros. One that ends its loop
 * adds what it generated to prev_outer_batches and clears prev_batches and itercount, as
 * nn_loopend_default() does: counts are carried over to the next time that this loop starts, in
 * another iteration of the loop around it. Called by the thread that executes the graph, of whose
 * functions it may call those marked "in callbacks" or "from any thread".
 *
 * Return: < 0 ends the execution with that error; 0 ends this loop; > 0 runs the LCN again.
 */
typedef int (*nn_loopend_fp)(struct nn_graph *nn, struct nn_node *node,
			     struct nn_loopcounts *counts, void *opaque);

/**
 * struct nn_loopstack_entry - one loop that is running
 * @loopend_function: decides whether it goes on
 * @nodep: its LCN
 * @opaque: for @loopend_function
 * @counts: where it stands
 */
struct nn_loopstack_entry {
	nn_loopend_fp loopend_function;
	struct nn_node *nodep;
	void *opaque;
	struct nn_loopcounts counts;
};

/**
 * struct nn_loopstack - all loops that are running, the outermost first
 * @n: how many
 * @entries: n + 1 of them have valid counts; the topmost is a dummy, zero except while an LCN
 *	executes: it is then that LCN's own
 */
struct nn_loopstack {
	int n;
	struct nn_loopstack_entry entries[NN_MAX_LOOPSTACK + 1];
};

/**
 * nn_loopstack_get_counts - the counts of the loop a node is in; in callbacks
 * @nn: the graph
 *
 * In an LCN's execute: its own counts (zero the first time). In any other callback: those of the
 * innermost running loop. Without a loop: a record of zeros. Never NULL, never changes anything.
 */
struct nn_loopcounts const *nn_loopstack_get_counts(struct nn_graph const *nn);
/** nn_loopstack_get_itercount - itercount of nn_loopstack_get_counts(); in callbacks */
uint32_t nn_loopstack_get_itercount(struct nn_graph const *nn);
/** nn_loopstack_get_prev_batches - prev_batches of nn_loopstack_get_counts(); in callbacks */
uint32_t nn_loopstack_get_prev_batches(struct nn_graph const *nn);

/**
 * nn_loopstack_push - begin an iteration, with nn_loopend_default()
 * @nn: the graph
 * @self: the LCN whose execute calls this, exactly once each time
 * @current_batches: rows of this iteration; at most what the LCN declared at check
 * @total_batches: rows of all iterations of this loop; can be an estimate, the newest counts.
 *	While prev + current < total the LCN is executed again
 *
 * total 0, or current >= total, is exactly one iteration. The record's counts other than
 * current_batches and total_batches are never touched.
 *
 * Return: 0; -EINVAL if @self is not the LCN that is executing, has pushed already, pushes more
 * rows than it declared, or pushes 0 of a total not yet reached (the loop would not advance);
 * -EOVERFLOW if prev + current or that + prev_outer exceeds 32 bits. An error that the LCN's
 * execute swallows still ends the execution.
 */
int nn_loopstack_push(struct nn_graph *nn, struct nn_node *self, unsigned current_batches,
		      unsigned total_batches);

/**
 * nn_loopstack_push_withfunc - begin an iteration, with a loop-end function of your own
 * @nn: as in nn_loopstack_push()
 * @self: likewise
 * @current_batches: likewise, but 0 is always allowed
 * @total_batches: likewise
 * @loopend_function: called when the iteration is done
 * @opaque: for it
 *
 * Return: as nn_loopstack_push(); -EINVAL if @loopend_function is NULL.
 */
int nn_loopstack_push_withfunc(struct nn_graph *nn, struct nn_node *self, unsigned current_batches,
			       unsigned total_batches, nn_loopend_fp loopend_function,
			       void *opaque);

/**
 * nn_loopend_default - the standard loop-end function; from any thread
 * @nn: not looked at, may be NULL
 * @node: likewise
 * @counts: of the loop whose iteration is done
 * @opaque: likewise not looked at
 *
 * The library calls it for what nn_loopstack_push() pushed; a loop-end function of the
 * application's can leave the counting to it. current_batches and total_batches are never touched.
 *
 * Return: 1 while prev + current < total: itercount is one more, and current is added to
 * prev_batches; else 0: prev + current is added to prev_outer_batches, and itercount and
 * prev_batches are 0.
 */
int nn_loopend_default(struct nn_graph *nn, struct nn_node *node, struct nn_loopcounts *counts,
		       void *opaque);

/* ---- Operators of the application --------------------------------------------------------- */

#define NN_NODE_FLAG_LCN	(1u << 0)	/* begins a loop; execute must push exactly once */
/*
 * An LCN that reads only shapes and constants and whose outputs are views of its inputs
 * (nn_node_set_output_view). Its passes can be worked out ahead and go down in one submission;
 * execute may therefore be called long before the passes run.
 */
#define NN_NODE_FLAG_STATIC	(1u << 1)
/* A node of a plan that runs nowhere, because its outputs are in its inputs, or these in them. */
#define NN_NODE_FLAG_VIEW	(1u << 2)
/* A node of a plan that a DSP runs in portable C, for there are no vectors for such operands. */
#define NN_NODE_FLAG_PORTABLE	(1u << 3)

/**
 * struct nn_node_ops - an operator
 * @name: unique; not that of a built-in operator
 * @flags: NN_NODE_FLAG_*
 * @check: called by nn_graph_prepare(), and again when an execution has other row counts; sees the
 *	inputs' nn_tensor_info and attributes, and says what the outputs are with
 *	nn_node_set_output(), nn_node_set_output_view() and nn_node_set_max_rows(). NULL: output i
 *	is as described at append (an empty description: as input i)
 * @execute: called on the host for every pass, by the thread that executes the graph. What it
 *	wrote is visible to the device afterwards. Must not call functions on this graph but those
 *	marked "in callbacks" or "from any thread"
 *
 * Both return 0 or a negative errno, which ends the prepare or execute; nn_node_fail() gives it a
 * sentence. A positive number is an error of the function, -EINVAL.
 */
struct nn_node_ops {
	const char *name;
	uint32_t flags;
	int (*check)(struct nn_graph *graph, struct nn_node *self, void *opaque);
	int (*execute)(struct nn_graph *graph, struct nn_node *self, void *opaque);
};

/**
 * nn_graph_register_op - make an operator known to one graph
 * @graph: a graph
 * @ops: copied; but its name must stay valid as long as the graph
 * @opaque: handed to its functions
 *
 * Return: 0; -EEXIST if there is such an operator; -EINVAL for no name, no execute or unknown
 * flags.
 */
static inline int nn_graph_register_op(struct nn_graph *graph, const struct nn_node_ops *ops,
				       void *opaque);

/** nn_node_get_id - the user's id. In callbacks */
uint32_t nn_node_get_id(const struct nn_node *node);
/** nn_node_get_op - the operator's name. In callbacks */
const char *nn_node_get_op(const struct nn_node *node);
/** nn_node_get_input_count - inputs of a node. In callbacks */
uint32_t nn_node_get_input_count(const struct nn_node *node);
/** nn_node_get_output_count - outputs of a node. In callbacks */
uint32_t nn_node_get_output_count(const struct nn_node *node);

/**
 * nn_node_get_attr - a parameter of a node; in callbacks
 * @node: a node
 * @name: the attribute
 *
 * Return: it, owned by the node, or NULL.
 */
const struct nn_attr *nn_node_get_attr(const struct nn_node *node, const char *name);
/** nn_node_get_attr_int - an integer parameter, or @otherwise if there is none. In callbacks */
int64_t nn_node_get_attr_int(const struct nn_node *node, const char *name, int64_t otherwise);

/**
 * nn_node_get_input - an input tensor; in callbacks
 * @node: the node whose check or execute was called
 * @index: which input
 * @tensor: filled in. In check only info is meaningful, with the most rows in dims[0]; data is
 *	that of a constant, else NULL
 *
 * Return: 0; -ENOENT if there is no such input.
 */
static inline int nn_node_get_input(const struct nn_node *node, uint32_t index,
				    struct nn_tensor *tensor);

/**
 * nn_node_get_output - an output tensor to be written; in callbacks
 * @node: the node whose execute was called
 * @index: which output
 * @tensor: filled in; dims[0] is the rows of the pass at the tensor's level. An LCN gets its own
 *	outputs' data with room for max_rows, before or after it pushes
 *
 * Return: 0; -ENOENT if there is no such output.
 */
static inline int nn_node_get_output(const struct nn_node *node, uint32_t index,
				     struct nn_tensor *tensor);

/**
 * nn_node_set_output - say what an output is; in check only
 * @node: the node
 * @index: which output
 * @info: complete but for the level; dims[0] is ignored where @level is not 0
 * @level: the loop level whose rows dimension 0 counts. An LCN's own is NN_LEVEL_OWN
 *
 * Return: 0 or -EINVAL.
 */
static inline int nn_node_set_output(struct nn_node *node, uint32_t index,
				     const struct nn_tensor_info *info, uint32_t level);
#define NN_LEVEL_OWN	(~0u)

/**
 * nn_node_set_output_view - say that an LCN's output is rows of an input; in check only
 * @node: an LCN
 * @index: which output
 * @input: which input; in each pass the output is its rows prev_batches ..
 *	prev_batches + current_batches, without a copy
 *
 * A pass whose rows leave the input is an error at execute, -ERANGE.
 *
 * Return: 0 or -EINVAL.
 */
int nn_node_set_output_view(struct nn_node *node, uint32_t index, uint32_t input);

/**
 * nn_node_set_max_rows - say how many rows an LCN pushes at most; in check only
 * @node: an LCN; one that does not call this may push at most the largest dims[0] of its inputs
 * @rows: the most for one pass
 *
 * Return: 0 or -EINVAL.
 */
int nn_node_set_max_rows(struct nn_node *node, uint32_t rows);

/**
 * nn_node_fail - give an error a sentence; in callbacks
 * @node: the node it concerns
 * @code: negative errno
 * @format: as printf
 *
 * Return: @code.
 */
int nn_node_fail(struct nn_node *node, int code, const char *format, ...)
#ifdef __GNUC__
	__attribute__((format(printf, 3, 4)))
#endif
	;

/* ---- Preparing ---------------------------------------------------------------------------- */

/* Keep the graph as written, dead nodes included, and write no tensor over one it is made of. */
#define NN_PREPARE_NO_OPTIMIZE	(1u << 0)
/* Count packets for each operator and pass; on the host device, time operators. */
#define NN_PREPARE_PROFILE	(1u << 1)
/*
 * Make each tensor that a node makes an output, behind the graph's own and in the order of the
 * nodes: to find the first that is not as it should be. Activations and the like are not fused
 * into the operators before them then. In a tree of loops these are the tensors that are made in
 * the loop of OUTPUT or outside of it, and the graph is kept as written.
 */
#define NN_PREPARE_ALL_TENSORS	(1u << 2)

#define NN_MAX_STREAMS		16u
#define NN_MAX_PASS_WORKERS	16u

/**
 * struct nn_prepare_options - how to prepare
 * @flags: NN_PREPARE_*
 * @step: not 0: put a BatchLoop of that many rows a pass after the inputs of variable batch, in
 *	a graph that has no LCN
 * @input_rows: rows to plan for, one for each input (nn_graph_get_input_count()); NULL: 1 for an
 *	input of variable batch. Executing with other counts plans again, which takes a moment but
 *	is no error
 * @input_count: length of @input_rows
 * @streams: iterations of a loop that run side by side, 1 to NN_MAX_STREAMS; 0: as many as the
 *	device has workers, if each gets at least two and their memory is no more than an eighth of
 *	the device's. There are fewer where the loop has fewer or its iterations depend on each
 *	other (nn_graph_get_plan() says why), and where there is no memory or queue for more:
 *	nothing fails that would not with one. What is computed is the same with any number. Each
 *	stream beyond the first has memory for intermediate tensors and programs of its own, from
 *	the first execution on. The host device, of which all threads work at one pass, has one
 *	where it would have fewer than threads
 * @workers: workers of the device that run each pass together, 1 to NN_MAX_PASS_WORKERS, or as many
 *	as the device has; 0: as many as the library takes to be worth it for each pass. It is a
 *	wish: the driver gives a submission those that nobody else has a use for when it begins, and
 *	counts each one's time. With several streams each pass has one, and unless a number is given
 *	also where NN_PREPARE_PROFILE counts operators, which are counted in the same way every time
 *	then. Of the host device all threads work at a pass, whatever is wished. What is computed is
 *	the same with any number
 */
struct nn_prepare_options {
	uint32_t flags;
	uint32_t step;
	const uint32_t *input_rows;
	uint32_t input_count;
	uint32_t streams;
	uint32_t workers;
};

/**
 * nn_graph_prepare - make a graph ready for a device
 * @graph: a graph
 * @device: where to run it; a reference is kept until the graph is prepared again or destroyed.
 *	NULL: plan only, nothing is allocated on a device and the graph cannot be executed
 * @options: may be NULL
 *
 * Checks everything, optimizes, splits into partitions at the LCNs, plans memory, packs constants
 * and writes one program for each run of device nodes.
 *
 * Return: 0; -EINVAL or -EOPNOTSUPP with the node and reason; -EOVERFLOW for a tensor of more than
 * 2 GiB, or more of them than a device can address; what the device returned. A graph whose prepare
 * failed is as it was before.
 */
static inline int nn_graph_prepare(struct nn_graph *graph, struct nn_device *device,
				   const struct nn_prepare_options *options);

/**
 * nn_graph_set_pass_limit - bound runaway loops
 * @graph: a graph
 * @limit: pushes allowed in one execute; 2^20 by default; not 0
 *
 * An execution that exceeds it ends with -ELOOP; one of which that is known before it runs, because
 * its loops do not depend on data, does not begin.
 */
int nn_graph_set_pass_limit(struct nn_graph *graph, uint64_t limit);

/** nn_graph_get_input_count - tensors that an execution takes: outputs of the Input nodes */
uint32_t nn_graph_get_input_count(const struct nn_graph *graph);
/** nn_graph_get_output_count - tensors that an execution gives: inputs of the OUTPUT node */
uint32_t nn_graph_get_output_count(const struct nn_graph *graph);

/**
 * nn_graph_get_input_info - what an input is
 * @graph: a graph, prepared or not
 * @index: which input, in the order of the Input nodes
 * @info: filled in; dims[0] is NN_VARIABLE for a variable batch. Its pointers are the graph's
 *
 * Return: 0; -ENOENT if there is no such input.
 */
static inline int nn_graph_get_input_info(const struct nn_graph *graph, uint32_t index,
					  struct nn_tensor_info *info);

/**
 * nn_graph_get_output_info - what an output is
 * @graph: a prepared graph
 * @index: which output, in the order of OUTPUT's inputs
 * @info: filled in; dims[0] is the rows that one execution gives with the row counts planned for,
 *	or NN_VARIABLE if only the data can tell
 *
 * Return: 0; -ENOENT if there is no such output; -EINVAL if the graph is not prepared.
 */
static inline int nn_graph_get_output_info(const struct nn_graph *graph, uint32_t index,
					   struct nn_tensor_info *info);

/* ---- Executing ---------------------------------------------------------------------------- */

#define NN_BUFFER_DMABUF	(1u << 0)	/* the data is in a dma-buf */

/**
 * struct nn_buffer - memory of an input or output
 * @data: the elements; unused with NN_BUFFER_DMABUF. Inputs are only read
 * @size: bytes; for an input at least those of its rows
 * @rows: of an input: its dimension 0, any number where that is variable, 0 included (for a fixed
 *	batch 0 stands for it). Of an output: set to the number of rows that were written
 * @flags: NN_BUFFER_*
 * @fd: with NN_BUFFER_DMABUF: the dma-buf; the caller keeps it. For an input it need not be
 *	writable
 * @offset: with NN_BUFFER_DMABUF: where in it the data begins, multiple of 128
 */
struct nn_buffer {
	void *data;
	size_t size;
	uint32_t rows;
	uint32_t flags;
	int fd;
	uint64_t offset;
};

/**
 * nn_graph_execute - run a prepared graph
 * @graph: a graph
 * @inputs: nn_graph_get_input_count() of them
 * @input_count: length of @inputs
 * @outputs: nn_graph_get_output_count() of them; each gets the rows of all passes, packed in order
 * @output_count: length of @outputs
 *
 * Nothing is ever written past the end of an output. An output may be written while inputs are
 * still to be read: it must not overlap one. After an error the outputs are unspecified from the
 * failing pass on, and the next execution is clean.
 *
 * Return: 0; -EINVAL for wrong buffers or an operator's refusal; -ENOSPC for an output that is too
 * small; -ERANGE when a pass has rows that its loop's input has not; -EOVERFLOW; -ELOOP over the
 * pass limit; -ECANCELED after nn_graph_cancel(); -EFAULT when a pass faulted; -ETIMEDOUT when it
 * made no progress, or kept other clients waiting for too long; -EIO when the DSP's worker died;
 * -EACCES for an output in a dma-buf that can only be read; -EOPNOTSUPP for rows to be skipped in
 * one that cannot be mapped; -EBUSY until a started execution has been waited for; -ENODEV when the
 * device is gone; what the device returned where rows and buffers like these need more memory or a
 * queue, such as -ENOSPC; what an operator's execute or a loop-end function returned.
 */
static inline int nn_graph_execute(struct nn_graph *graph, const struct nn_buffer *inputs,
				   uint32_t input_count, struct nn_buffer *outputs,
				   uint32_t output_count);

/**
 * nn_graph_start - begin an execution and return
 * @graph: a graph
 * @inputs: as nn_graph_execute(); the memory they name stays the library's until it is done, the
 *	array itself need not live on
 * @input_count: likewise
 * @outputs: likewise; the array too must stay, for the row counts
 * @output_count: likewise
 *
 * Callbacks then come from another thread.
 *
 * Return: 0; -EBUSY if one was started and has not been waited for; what nn_graph_execute() finds
 * before it begins.
 */
static inline int nn_graph_start(struct nn_graph *graph, const struct nn_buffer *inputs,
				 uint32_t input_count, struct nn_buffer *outputs,
				 uint32_t output_count);

/**
 * nn_graph_wait - wait for a started execution
 * @graph: a graph
 * @timeout_ms: how long; negative: for ever; 0: only look
 *
 * Return: what nn_graph_execute() would have; -EAGAIN if it still runs after the timeout;
 * -ECHILD if none was started.
 */
int nn_graph_wait(struct nn_graph *graph, int timeout_ms);

/**
 * nn_graph_get_fd - a file descriptor that polls readable when a started execution is done
 * @graph: a graph
 *
 * From nn_graph_start() on; readable from the end of the execution until nn_graph_wait() has
 * returned its result. Owned by the graph: do not read or close it.
 *
 * Return: the descriptor or a negative errno.
 */
int nn_graph_get_fd(struct nn_graph *graph);

/**
 * nn_graph_cancel - end the running execution between two passes
 * @graph: a graph
 *
 * From any thread and from signal handlers. The execution returns -ECANCELED soon after, unless
 * it was done by then. Without a running execution it does nothing.
 */
void nn_graph_cancel(struct nn_graph *graph);

/**
 * nn_graph_get_state_size - bytes of the state that a graph keeps from one execution to the next
 * @graph: a graph, prepared or not
 *
 * The state is what Variables with persist=1 hold (docs/operators.md). An execution begins with
 * what the one before has left; one that fails or is cancelled leaves the state as it was.
 *
 * Return: how many; 0 if no Variable persists.
 */
size_t nn_graph_get_state_size(const struct nn_graph *graph);

/**
 * nn_graph_get_state - copy the state out, such as of a stream that another graph goes on with
 * @graph: a graph
 * @state: where it goes
 * @size: of @state: nn_graph_get_state_size()
 *
 * The bytes name the Variables by their nodes' ids. They are of the same kind on every machine.
 *
 * Return: 0; -EINVAL for another size; -ENOMEM; -EBUSY until a started execution has been waited
 * for.
 */
int nn_graph_get_state(struct nn_graph *graph, void *state, size_t size);

/**
 * nn_graph_set_state - put a state in that nn_graph_get_state() gave, of this graph or an equal one
 * @graph: a graph
 * @state: the bytes
 * @size: how many
 *
 * Return: 0; -EINVAL for bytes that are no state of this graph, which is unchanged then; -ENOMEM;
 * -EBUSY until a started execution has been waited for.
 */
int nn_graph_set_state(struct nn_graph *graph, const void *state, size_t size);

/**
 * nn_graph_reset_state - give each Variable that persists its initial value again
 * @graph: a graph
 *
 * Return: 0; -EBUSY until a started execution has been waited for.
 */
int nn_graph_reset_state(struct nn_graph *graph);

/**
 * typedef nn_progress_fp - called as passes complete, by the thread that executes
 * @done: passes completed in this execution
 * @total: passes it will take, 0 if not known
 * @opaque: as it was set
 */
typedef void (*nn_progress_fp)(uint64_t done, uint64_t total, void *opaque);

/** nn_graph_set_progress - have a function called as passes complete; NULL for none */
int nn_graph_set_progress(struct nn_graph *graph, nn_progress_fp function, void *opaque);

/* ---- Looking at a plan -------------------------------------------------------------------- */

/** enum nn_runs_on - where a node's work is done */
enum nn_runs_on {
	NN_RUNS_NOWHERE = 0,	/* nothing to do: Input, OUTPUT, a view, a reshape */
	NN_RUNS_DEVICE = 1,	/* in a pass on the device */
	NN_RUNS_CPU = 2,	/* execute on the host's processor, between passes */
};

/** enum nn_decided_on - where it is decided how often a loop runs, by what has been computed */
enum nn_decided_on {
	NN_DECIDED_ON_NOTHING = 0,	/* it is known before the first pass; or no loop is meant */
	NN_DECIDED_ON_DEVICE = 1,	/* by the device itself, in a submission of all loops */
	NN_DECIDED_ON_HOST = 2,		/* by the host's processor, between submissions */
};

/**
 * struct nn_plan_node - a node of the plan; not constants
 * @id: the user's id; nodes that the library put in have ids above all others
 * @op: its operator
 * @name: its name, or ""
 * @partition: LCNs upstream of it, itself included; in a tree of loops a stretch of nodes between the
 *	beginnings and ends of loops, by number
 * @runs_on: where
 * @part: which pass of the partition, from 0: an operator on the host splits it, and so does more
 *	than fits one program
 * @flags: NN_NODE_FLAG_*
 * @input_count: for nn_graph_get_plan_input()
 * @output_count: for nn_graph_get_plan_output()
 * @loop: id of the LCN of the innermost loop that it runs in, which an LCN is itself; 0: none
 * @level: how many loops it runs in
 * @most_iterations: of an LCN: of its loop each time that it begins, at most; 0 if nothing says so
 * @decided_on: of an LCN, and of a Continue, which makes its loop's condition: where data decide how
 *	often the loop runs. The host does in place of the device while there is a trace, and where
 *	an output has no room for all rows that there may be
 */
struct nn_plan_node {
	uint32_t id;
	const char *op;
	const char *name;
	uint32_t partition;
	enum nn_runs_on runs_on;
	uint32_t part;
	uint32_t flags;
	uint32_t input_count;
	uint32_t output_count;
	uint32_t loop;
	uint32_t level;
	uint64_t most_iterations;
	enum nn_decided_on decided_on;
};

/**
 * struct nn_plan_info - a plan as a whole
 * @node_count: for nn_graph_get_plan_node()
 * @sink_count: for nn_graph_get_plan_sink()
 * @sink_id: id of the Sink node, 0 if there is none
 * @partition_count: 1 + the number of LCNs; more in a tree of loops
 * @program_count: parts of partitions that run on the device
 * @push_count: pushes of one execution with the row counts planned for; 0 if only the data can
 *	tell or there is no loop
 * @pass_count: passes that it sends to the device; 0 likewise
 * @arena_bytes: memory for all intermediate tensors
 * @arena_bytes_unlooped: the same if every loop ran all its rows in one pass; 0 if not known
 * @constant_bytes: packed weights and other constants, resident on the device
 * @input_bytes: of all inputs
 * @output_bytes: of all outputs; 0 if not known
 * @bytes_moved: what the device's operators read and write in one full pass of every partition
 * @stream_count: iterations of the outermost loop that run side by side; an execution has fewer if
 *	there is no memory or queue for them. Without a device, 1 unless a number was given
 * @max_streams: the most that there can be
 * @stream_bytes: memory for each stream beyond the first: intermediate tensors and programs
 * @single_stream: why @max_streams is 1, such as "the loops depend on data"; NULL if it is not
 * @worker_count: the most workers of the device that run a pass together
 * @single_worker: why that is 1, such as "iterations run side by side"; NULL if it is not
 * @macs: multiplications with accumulation of the device's operators in one full pass
 * @float_macs: how many of them are of float32
 * @float_packets: what the DSP takes for operators of float32 in such a pass, estimated
 * @float_ops: how many of the device's operators are of float32
 * @is_tree: 1 where nodes come behind loops, or loops decide themselves how often they run; else each
 *	loop is right inside of the one before it
 */
struct nn_plan_info {
	uint32_t node_count;
	uint32_t sink_count;
	uint32_t sink_id;
	uint32_t partition_count;
	uint32_t program_count;
	uint64_t push_count;
	uint64_t pass_count;
	uint64_t arena_bytes;
	uint64_t arena_bytes_unlooped;
	uint64_t constant_bytes;
	uint64_t input_bytes;
	uint64_t output_bytes;
	uint64_t bytes_moved;
	uint32_t stream_count;
	uint32_t max_streams;
	uint64_t stream_bytes;
	const char *single_stream;
	uint32_t worker_count;
	const char *single_worker;
	uint64_t macs;
	uint64_t float_macs;
	uint64_t float_packets;
	uint32_t float_ops;
	uint32_t is_tree;
};

/*
 * Queries on a prepared graph. -EINVAL: not prepared; -ENOENT: no such index. Strings are the
 * graph's and live until it is prepared again.
 */

/** nn_graph_get_plan - the plan as a whole */
static inline int nn_graph_get_plan(const struct nn_graph *graph, struct nn_plan_info *info);
/** nn_graph_get_plan_node - its nodes, in execution order, without constants and the Sink */
static inline int nn_graph_get_plan_node(const struct nn_graph *graph, uint32_t index,
					 struct nn_plan_node *node);
/** nn_graph_get_plan_input - which tensor input @input of node @index is */
int nn_graph_get_plan_input(const struct nn_graph *graph, uint32_t index, uint32_t input,
			    struct nn_input *source);
/** nn_graph_get_plan_output - what output @output of node @index is, most rows in dims[0] */
static inline int nn_graph_get_plan_output(const struct nn_graph *graph, uint32_t index,
					   uint32_t output, struct nn_tensor_info *info);
/** nn_graph_get_plan_sink - tensors that cross from one partition to another, without repeats */
int nn_graph_get_plan_sink(const struct nn_graph *graph, uint32_t index, struct nn_input *tensor);

/**
 * struct nn_push - one push of a loop
 * @lcn: id of the LCN
 * @level: of its loop, from 1
 * @counts: as they are during the iteration
 * @offset: where OUTPUT rows of that level go: prev_batches + prev_outer_batches
 */
struct nn_push {
	uint32_t lcn;
	uint32_t level;
	struct nn_loopcounts counts;
	uint64_t offset;
};

/** typedef nn_push_fp - called for each push; not 0 ends the walk with that value */
typedef int (*nn_push_fp)(const struct nn_push *push, void *opaque);

/**
 * nn_graph_walk_passes - the pass sequence that an execution will follow
 * @graph: a prepared graph
 * @function: called for each push, in order
 * @opaque: for it
 *
 * Return: 0; -EOPNOTSUPP naming the LCN if its iterations depend on data; the error that the
 * execution would end with; what @function returned.
 */
static inline int nn_graph_walk_passes(struct nn_graph *graph, nn_push_fp function, void *opaque);

/* ---- Watching an execution ---------------------------------------------------------------- */

/**
 * struct nn_counters - exact counts of the DSP; zero on the host device
 * @packets: instruction packets executed. Not cycles: memory stalls do not count
 * @instructions: instructions executed
 * @hvx_instructions: vector instructions among them
 */
struct nn_counters {
	uint64_t packets;
	uint64_t instructions;
	uint64_t hvx_instructions;
};

/**
 * struct nn_memory_counters - what passed between the L2 cache and the memory behind it,
 *	in bytes of whole lines; zero where nothing counts that
 * @size: of the L2 cache
 * @fetched: from behind it, because a read did not find them there
 * @allocated: there by writes, without being fetched
 * @written_back: because room was needed for others; also what was written before
 */
struct nn_memory_counters {
	uint64_t size;
	uint64_t fetched;
	uint64_t allocated;
	uint64_t written_back;
};

/**
 * struct nn_op_record - what one operator did in a pass
 * @node: id of the node it came from; some nodes become several operators of the device
 * @op: name of that node's operator
 * @counters: counts of this pass; none where the DSP did its work together with that of the one
 *	before it, which has them
 * @nanoseconds: how long it took; zero on the DSP, which counts packets
 * @macs: multiplications with accumulation, at the edges of images those with padding as well; zero
 *	for operators that are not made of them
 * @bytes_read: of what it reads, weights included, each of them once; of a copy, what it copies
 * @bytes_written: likewise
 * @memory: what passed between memories meanwhile
 * @longest: packets of the worker that had most of it to do; those of @counters if one had all
 *
 * Counters and nanoseconds need NN_PREPARE_PROFILE. Those of several workers are added up.
 */
struct nn_op_record {
	uint32_t node;
	const char *op;
	struct nn_counters counters;
	uint64_t nanoseconds;
	uint64_t macs;
	uint64_t bytes_read;
	uint64_t bytes_written;
	struct nn_memory_counters memory;
	uint64_t longest;
};

/**
 * struct nn_pass_record - a pass that is done
 * @partition: which
 * @part: which part of it
 * @depth: loops that were running
 * @counts: of each of them, the outermost first
 * @submission: counts up with each submission to the device; passes of one go down together
 * @start_ns: CLOCK_MONOTONIC when the submission was made
 * @end_ns: when it was known to be done; the same for all passes of a submission
 * @counters: of the whole pass
 * @ops: its operators
 * @op_count: how many
 * @memory: of the whole pass, likewise
 * @workers: that ran it together, 1 or more; counted with NN_PREPARE_PROFILE, else 0
 * @longest: packets from its beginning to its end. Between operators is a barrier: so of each
 *	operator those of the worker that had most to do, and of what is around operators, too.
 *	Waiting is none
 */
struct nn_pass_record {
	uint32_t partition;
	uint32_t part;
	uint32_t depth;
	struct nn_loopcounts counts[NN_MAX_LOOPSTACK];
	uint64_t submission;
	uint64_t start_ns;
	uint64_t end_ns;
	struct nn_counters counters;
	const struct nn_op_record *ops;
	uint32_t op_count;
	struct nn_memory_counters memory;
	uint32_t workers;
	uint64_t longest;
};

/** typedef nn_trace_fp - called for each pass after it is done, in order */
typedef void (*nn_trace_fp)(const struct nn_pass_record *pass, void *opaque);

/**
 * nn_graph_set_trace - have a function called for each pass that is done; NULL for none
 * @graph: a graph; counters and times need NN_PREPARE_PROFILE
 * @function: called by the thread that executes
 * @opaque: for it
 */
static inline int nn_graph_set_trace(struct nn_graph *graph, nn_trace_fp function, void *opaque);

/**
 * struct nn_execution_stats - the last execution in numbers
 * @passes: passes of partitions that went to the device
 * @pushes: iterations of all loops
 * @submissions: submissions to the device
 * @control_packets: packets that the DSP took to decide about its loops by itself, beside those of
 *	the passes; counted with NN_PREPARE_PROFILE and without a trace, else 0
 */
struct nn_execution_stats {
	uint64_t passes;
	uint64_t pushes;
	uint64_t submissions;
	uint64_t control_packets;
};

/** nn_graph_get_stats - the last execution in numbers */
static inline int nn_graph_get_stats(const struct nn_graph *graph, struct nn_execution_stats *stats);

/* ---- The sizes of this header's structures, told to the library (see above) ----------------- */

int nn_graph_append_sized(struct nn_graph *graph, const struct nn_node_desc *desc, size_t size,
			  size_t info_size);
static inline int nn_graph_append(struct nn_graph *graph, const struct nn_node_desc *desc)
{
	return nn_graph_append_sized(graph, desc, sizeof(*desc), sizeof(*desc->outputs));
}

int nn_graph_register_op_sized(struct nn_graph *graph, const struct nn_node_ops *ops, void *opaque,
			       size_t size);
static inline int nn_graph_register_op(struct nn_graph *graph, const struct nn_node_ops *ops,
				       void *opaque)
{
	return nn_graph_register_op_sized(graph, ops, opaque, sizeof(*ops));
}

int nn_node_get_input_sized(const struct nn_node *node, uint32_t index, struct nn_tensor *tensor,
			    size_t size);
static inline int nn_node_get_input(const struct nn_node *node, uint32_t index,
				    struct nn_tensor *tensor)
{
	return nn_node_get_input_sized(node, index, tensor, sizeof(*tensor));
}

int nn_node_get_output_sized(const struct nn_node *node, uint32_t index, struct nn_tensor *tensor,
			     size_t size);
static inline int nn_node_get_output(const struct nn_node *node, uint32_t index,
				     struct nn_tensor *tensor)
{
	return nn_node_get_output_sized(node, index, tensor, sizeof(*tensor));
}

int nn_node_set_output_sized(struct nn_node *node, uint32_t index,
			     const struct nn_tensor_info *info, uint32_t level, size_t size);
static inline int nn_node_set_output(struct nn_node *node, uint32_t index,
				     const struct nn_tensor_info *info, uint32_t level)
{
	return nn_node_set_output_sized(node, index, info, level, sizeof(*info));
}

int nn_graph_prepare_sized(struct nn_graph *graph, struct nn_device *device,
			   const struct nn_prepare_options *options, size_t size);
static inline int nn_graph_prepare(struct nn_graph *graph, struct nn_device *device,
				   const struct nn_prepare_options *options)
{
	return nn_graph_prepare_sized(graph, device, options, sizeof(*options));
}

int nn_graph_get_input_info_sized(const struct nn_graph *graph, uint32_t index,
				  struct nn_tensor_info *info, size_t size);
static inline int nn_graph_get_input_info(const struct nn_graph *graph, uint32_t index,
					  struct nn_tensor_info *info)
{
	return nn_graph_get_input_info_sized(graph, index, info, sizeof(*info));
}

int nn_graph_get_output_info_sized(const struct nn_graph *graph, uint32_t index,
				   struct nn_tensor_info *info, size_t size);
static inline int nn_graph_get_output_info(const struct nn_graph *graph, uint32_t index,
					   struct nn_tensor_info *info)
{
	return nn_graph_get_output_info_sized(graph, index, info, sizeof(*info));
}

int nn_graph_execute_sized(struct nn_graph *graph, const struct nn_buffer *inputs,
			   uint32_t input_count, struct nn_buffer *outputs, uint32_t output_count,
			   size_t size);
static inline int nn_graph_execute(struct nn_graph *graph, const struct nn_buffer *inputs,
				   uint32_t input_count, struct nn_buffer *outputs,
				   uint32_t output_count)
{
	return nn_graph_execute_sized(graph, inputs, input_count, outputs, output_count,
				      sizeof(*inputs));
}

int nn_graph_start_sized(struct nn_graph *graph, const struct nn_buffer *inputs,
			 uint32_t input_count, struct nn_buffer *outputs, uint32_t output_count,
			 size_t size);
static inline int nn_graph_start(struct nn_graph *graph, const struct nn_buffer *inputs,
				 uint32_t input_count, struct nn_buffer *outputs,
				 uint32_t output_count)
{
	return nn_graph_start_sized(graph, inputs, input_count, outputs, output_count,
				    sizeof(*inputs));
}

int nn_graph_get_plan_sized(const struct nn_graph *graph, struct nn_plan_info *info, size_t size);
static inline int nn_graph_get_plan(const struct nn_graph *graph, struct nn_plan_info *info)
{
	return nn_graph_get_plan_sized(graph, info, sizeof(*info));
}

int nn_graph_get_plan_node_sized(const struct nn_graph *graph, uint32_t index,
				 struct nn_plan_node *node, size_t size);
static inline int nn_graph_get_plan_node(const struct nn_graph *graph, uint32_t index,
					 struct nn_plan_node *node)
{
	return nn_graph_get_plan_node_sized(graph, index, node, sizeof(*node));
}

int nn_graph_get_plan_output_sized(const struct nn_graph *graph, uint32_t index, uint32_t output,
				   struct nn_tensor_info *info, size_t size);
static inline int nn_graph_get_plan_output(const struct nn_graph *graph, uint32_t index,
					   uint32_t output, struct nn_tensor_info *info)
{
	return nn_graph_get_plan_output_sized(graph, index, output, info, sizeof(*info));
}

int nn_graph_walk_passes_sized(struct nn_graph *graph, nn_push_fp function, void *opaque,
			       size_t size);
static inline int nn_graph_walk_passes(struct nn_graph *graph, nn_push_fp function, void *opaque)
{
	return nn_graph_walk_passes_sized(graph, function, opaque, sizeof(struct nn_push));
}

int nn_graph_set_trace_sized(struct nn_graph *graph, nn_trace_fp function, void *opaque,
			     size_t size, size_t op_size);
static inline int nn_graph_set_trace(struct nn_graph *graph, nn_trace_fp function, void *opaque)
{
	return nn_graph_set_trace_sized(graph, function, opaque, sizeof(struct nn_pass_record),
					sizeof(struct nn_op_record));
}

int nn_graph_get_stats_sized(const struct nn_graph *graph, struct nn_execution_stats *stats,
			     size_t size);
static inline int nn_graph_get_stats(const struct nn_graph *graph, struct nn_execution_stats *stats)
{
	return nn_graph_get_stats_sized(graph, stats, sizeof(*stats));
}

#ifdef __cplusplus
}
#endif

#endif
