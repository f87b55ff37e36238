// SPDX-License-Identifier: MIT
/*
 * Scopes, order and steps of a graph whose loops are a tree.
 *
 * A loop is a scope, and so is the whole graph, the root. A node is in the deepest scope of its
 * inputs, and all of these are around that one. Collect and Last are exits: what they give is in the
 * scope around the loop that they leave. So there can be nodes behind a loop, and loops beside each
 * other. partition.c does the same for graphs without exits, in which each loop is right inside of
 * the one before it.
 *
 * The order of a scope is that of its items, its own nodes and the loops right inside of it, each
 * with all that is in it: first all nodes that can go, in the order of the list, then the first loop
 * that can, and so on. A Variable that is made outside of its loop is set right before the LCN. All
 * who take a Variable and all who assign it stay in the order of the list.
 *
 * Each step of the run is then a partition, which is a stretch of nodes, the beginning of a loop, or
 * the end of its iteration.
 */
#include "plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Whether there is a tree */

/* Loops that have a most number of iterations decide themselves whether they go on. */
static bool decides_itself(const struct nn_node *node)
{
	return nn_node_is_lcn(node) && !nn_node_has(node, NN_OP_REGISTERED) &&
	       nn_node_get_attr(node, "most");
}

bool nn_plan_has_tree(const struct nn_plan *plan)
{
	uint32_t i;

	for (i = 0; i < plan->node_count; i++) {
		const struct nn_node *node = plan->nodes[i];

		if (nn_node_has(node, NN_OP_EXIT | NN_OP_CONTINUES) || decides_itself(node) ||
		    (nn_node_has(node, NN_OP_STATE) && nn_node_get_attr(node, "loop")))
			return true;
	}
	return false;
}

/* ---- Scopes */

static int make_scopes(struct nn_plan *plan)
{
	uint32_t i;

	plan->scope_count = 1;
	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];
		struct nn_scope *scope = &plan->scopes[plan->scope_count];

		node->order = i;
		if (!nn_node_is_lcn(node))
			continue;
		if (plan->scope_count > NN_MAX_SCOPES)
			return nn_graph_fail(plan->graph, node, -EINVAL,
					     "is one loop too many: a graph can have %u",
					     NN_MAX_SCOPES);
		*scope = (struct nn_scope){ .lcn = node, .number = plan->scope_count++ };
	}
	return 0;
}

static bool is_read(const struct nn_value *value)
{
	return value && !nn_value_is_const(value);
}

/* Whether the scopes of all inputs are known. */
static bool inputs_are_known(const struct nn_node *node)
{
	uint32_t i;

	for (i = 0; i < node->input_count; i++)
		if (is_read(node->inputs[i]) && !node->inputs[i]->node->scope)
			return false;
	return true;
}

/* The deepest scope of a node's inputs, which all others are around. */
static int find_deepest(struct nn_plan *plan, const struct nn_node *node, struct nn_scope **deepest)
{
	const struct nn_value *from = NULL;
	uint32_t i;

	*deepest = &plan->scopes[0];
	for (i = 0; i < node->input_count; i++) {
		const struct nn_value *value = node->inputs[i];
		struct nn_scope *scope;

		if (!is_read(value))
			continue;
		scope = value->node->scope;
		if (nn_scope_has(*deepest, scope)) {
			*deepest = scope;
			from = value;
		} else if (!nn_scope_has(scope, *deepest)) {
			return nn_graph_fail(
				plan->graph, node, -EINVAL,
				"takes node %u of the loop of node %u and node %u of the loop of node %u, which are side by side: what leaves a loop goes through Collect or Last",
				from->node->id, (*deepest)->lcn->id, value->node->id,
				scope->lcn->id);
		}
	}
	return 0;
}

/* The loop that the attribute `loop` of a node names; NULL: it has none. */
static int find_named(struct nn_plan *plan, const struct nn_node *node, struct nn_scope **named)
{
	int64_t id = nn_node_get_attr_int(node, "loop", 0);
	uint32_t i;

	*named = NULL;
	if (!nn_node_get_attr(node, "loop"))
		return 0;
	for (i = 1; i < plan->scope_count; i++)
		if (plan->scopes[i].lcn->id == id)
			*named = &plan->scopes[i];
	return *named ? 0 :
			nn_graph_fail(plan->graph, node, -EINVAL,
				      "names loop=%lld, but node %lld is no loop-control node",
				      (long long)id, (long long)id);
}

/* The functions below find the scope of a node of a kind. Where they cannot yet, it stays NULL. */

static int enter_lcn(struct nn_plan *plan, struct nn_node *node)
{
	struct nn_scope *scope = plan->scopes + 1, *parent;
	int error;

	if (!inputs_are_known(node))
		return 0;
	error = find_deepest(plan, node, &parent);
	if (error)
		return error;
	while (scope->lcn != node)
		scope++;
	if (parent->level == NN_MAX_LOOPSTACK)
		return nn_graph_fail(plan->graph, node, -EINVAL,
				     "is inside of %d loops already, and cannot be inside of more",
				     NN_MAX_LOOPSTACK);
	scope->parent = parent;
	scope->level = parent->level + 1;
	node->scope = node->runs_in = scope;
	return 0;
}

/* The only known loop of a level that a Variable gives; NULL: none is known. */
static int find_level(struct nn_plan *plan, const struct nn_node *node, struct nn_scope **found)
{
	int64_t level = nn_node_get_attr_int(node, "level", 0);
	int64_t least = !nn_node_persists(node);
	uint32_t i;

	if (level < least || level > NN_MAX_LOOPSTACK)
		return nn_graph_fail(plan->graph, node, -EINVAL,
				     "needs level=%d to %d or loop, the loop that it belongs to",
				     (int)least, NN_MAX_LOOPSTACK);
	*found = level ? NULL : &plan->scopes[0];
	for (i = 1; i < plan->scope_count && level; i++) {
		struct nn_scope *scope = &plan->scopes[i];

		if (scope->level != level)
			continue;
		if (*found)
			return nn_graph_fail(
				plan->graph, node, -EINVAL,
				"belongs to loop %d, but both node %u and node %u are such loops: name one with loop=",
				(int)level, (*found)->lcn->id, scope->lcn->id);
		*found = scope;
	}
	return 0;
}

static int enter_variable(struct nn_plan *plan, struct nn_node *node)
{
	struct nn_scope *initial, *scope;
	int error;

	if (!inputs_are_known(node))
		return 0;
	error = find_named(plan, node, &scope);
	if (error)
		return error;
	if (scope && nn_node_get_attr(node, "level"))
		return nn_graph_fail(plan->graph, node, -EINVAL, "has both level and loop");
	if (!scope)
		error = find_level(plan, node, &scope);
	if (!error)
		error = find_deepest(plan, node, &initial);
	if (error || !scope || (scope->lcn && !scope->lcn->scope))
		return error;
	if (!nn_scope_has(initial, scope))
		return nn_graph_fail(
			plan->graph, node, -EINVAL,
			"belongs to the loop of node %u, but its initial value is made in that of node %u, which is not around it",
			scope->lcn ? scope->lcn->id : 0, initial->lcn->id);
	node->scope = scope;
	node->runs_in = scope->parent && initial != scope ? scope->parent : scope;
	return 0;
}

/*
 * The loop that a node is about: what it takes is made there, or the node names it. NULL: it is not
 * known yet. `otherwise` and `outside` are what is wrong where that is another loop, or none.
 */
static int find_loop_of(struct nn_plan *plan, const struct nn_node *node, const char *otherwise,
			const char *outside, struct nn_scope **loop)
{
	struct nn_scope *inner, *named;
	int error;

	*loop = NULL;
	if (!inputs_are_known(node))
		return 0;
	error = find_named(plan, node, &named);
	if (!error)
		error = find_deepest(plan, node, &inner);
	if (error || (named && !named->lcn->scope))
		return error;
	if (named && !nn_scope_has(inner, named))
		return nn_graph_fail(plan->graph, node, -EINVAL, otherwise, named->lcn->id,
				     inner->lcn->id);
	if (named)
		inner = named;
	if (!inner->parent)
		return nn_graph_fail(plan->graph, node, -EINVAL, "%s", outside);
	*loop = inner;
	return 0;
}

static int enter_exit(struct nn_plan *plan, struct nn_node *node)
{
	struct nn_scope *inner;
	int error = find_loop_of(
		plan, node,
		"leaves the loop of node %u, but takes what is made in that of node %u: leave that one first",
		"leaves a loop, but takes nothing that is made in one", &inner);

	if (error || !inner)
		return error;
	node->scope = inner->parent;
	node->runs_in = nn_node_has(node, NN_OP_COLLECTS) ? inner : inner->parent;
	return 0;
}

static int enter_continue(struct nn_plan *plan, struct nn_node *node)
{
	struct nn_scope *inner;
	int error = find_loop_of(
		plan, node,
		"decides about the loop of node %u, but its condition is made in that of node %u",
		"is in no loop: its condition is made outside of all of them", &inner);

	if (error || !inner)
		return error;
	if (inner->condition)
		return nn_graph_fail(
			plan->graph, node, -EINVAL,
			"is a second Continue in the loop of node %u, beside node %u",
			inner->lcn->id, inner->condition->id);
	inner->condition = node;
	node->scope = node->runs_in = inner;
	return 0;
}

static int enter_node(struct nn_plan *plan, struct nn_node *node)
{
	struct nn_scope *deepest;
	int error;

	if (nn_node_is_lcn(node))
		return enter_lcn(plan, node);
	if (nn_node_has(node, NN_OP_STATE))
		return enter_variable(plan, node);
	if (nn_node_has(node, NN_OP_EXIT))
		return enter_exit(plan, node);
	if (nn_node_has(node, NN_OP_CONTINUES))
		return enter_continue(plan, node);
	if (!inputs_are_known(node))
		return 0;
	error = find_deepest(plan, node, &deepest);
	if (!error)
		node->scope = node->runs_in = deepest;
	return error;
}

/* Why nobody knows which scope a node is in. */
static int fail_unknown(struct nn_plan *plan)
{
	const struct nn_node *lcn = NULL;
	uint32_t i;

	for (i = 0; i < plan->node_count; i++) {
		const struct nn_node *node = plan->nodes[i];

		if (node->scope)
			continue;
		if (nn_node_is_lcn(node) && !lcn)
			lcn = node;
		if (nn_node_has(node, NN_OP_STATE) && inputs_are_known(node) &&
		    !nn_node_get_attr(node, "loop"))
			return nn_graph_fail(
				plan->graph, node, -EINVAL,
				"belongs to loop %d, but no loop is inside of so many others",
				(int)nn_node_get_attr_int(node, "level", 0));
	}
	return nn_graph_fail(plan->graph, lcn, -EINVAL,
			     "takes a value that is made inside of its own loop");
}

/*
 * A node's scope is known when those of its inputs are, which come before it. A Variable may name a
 * loop that comes later: then the list is gone through once more.
 */
static int enter_nodes(struct nn_plan *plan)
{
	uint32_t i, left = plan->node_count, before = left + 1;
	int error;

	while (left && left < before) {
		before = left;
		for (i = 0; i < plan->node_count; i++) {
			if (plan->nodes[i]->scope)
				continue;
			error = enter_node(plan, plan->nodes[i]);
			if (error)
				return error;
			left -= plan->nodes[i]->scope != NULL;
		}
	}
	return left ? fail_unknown(plan) : 0;
}

/* Variables with a level may have been entered before another loop of that level was known. */
static int check_levels(struct nn_plan *plan)
{
	struct nn_scope *found;
	uint32_t i;
	int error;

	for (i = 0; i < plan->node_count; i++) {
		if (!nn_node_has(plan->nodes[i], NN_OP_STATE) ||
		    nn_node_get_attr(plan->nodes[i], "loop"))
			continue;
		error = find_level(plan, plan->nodes[i], &found);
		if (error)
			return error;
	}
	return 0;
}

/* ---- Order */

/*
 * An edge says what waits for what. An item has a number: a node's position in the list, or behind
 * those the number of a scope, which stands for the loop as a whole.
 */
struct edge {
	uint32_t from, to;
};

struct order {
	struct nn_plan *plan;
	struct edge *edges;		/* NULL: they are only counted */
	uint32_t edge_count;
	uint32_t *first;		/* edge of each item, and one more */
	uint32_t *waits;		/* by item: for how many others */
	bool *done;			/* by item */
	struct nn_node **items;		/* nodes by scope, those that are not done */
	uint32_t *item_first, *item_count;	/* by scope */
	struct nn_node **nodes;		/* the result */
	uint32_t count;
	bool is_new;			/* the next node begins a partition */
};

static uint32_t scope_item(const struct order *order, const struct nn_scope *scope)
{
	return order->plan->node_count + scope->number;
}

/* Whether a node runs before all items of its scope. */
static bool is_head(const struct nn_node *node)
{
	return nn_node_is_lcn(node) ||
	       (nn_node_has(node, NN_OP_STATE) && node->runs_in != node->scope);
}

/* The scope whose items it is among, or whose head it is. */
static struct nn_scope *home_of(const struct nn_node *node)
{
	return is_head(node) ? node->scope : node->runs_in;
}

static uint32_t item_of(const struct order *order, const struct nn_node *node,
			const struct nn_scope *common)
{
	struct nn_scope *home = home_of(node);

	return home == common ? node->order : scope_item(order, nn_scope_below(common, home));
}

/* One node runs before another: an edge of the innermost scope that both are in. What is at the head
 * of that is before all others anyway. */
static void add_edge(struct order *order, const struct nn_node *before, const struct nn_node *node)
{
	const struct nn_scope *common = home_of(before), *home = home_of(node);
	uint32_t from, to;

	while (!nn_scope_has(common, home))
		common = common->parent;
	if ((home == common && is_head(node)) || (home_of(before) == common && is_head(before)))
		return;
	from = item_of(order, before, common);
	to = item_of(order, node, common);
	if (from == to)
		return;
	if (order->edges) {
		order->edges[order->edge_count] = (struct edge){ from, to };
		order->waits[to]++;
	}
	order->edge_count++;
}

static int fail_inside(const struct order *order, const struct nn_node *node,
		       const struct nn_scope *loop)
{
	return nn_graph_fail(order->plan->graph, node, -EINVAL,
			     "is taken inside of the loop of node %u (%s), but made behind it",
			     loop->lcn->id, loop->lcn->op_name);
}

/* An edge between a node and who makes one of its inputs. */
static int add_input_edge(struct order *order, const struct nn_node *source,
			  const struct nn_node *node)
{
	/* It runs in the loop, but what it gives is not there before the loop has ended. */
	if (nn_node_has(source, NN_OP_COLLECTS) && nn_scope_has(source->runs_in, home_of(node)))
		return fail_inside(order, source, source->runs_in);
	add_edge(order, source, node);
	return 0;
}

/* Who has taken a Variable since it was assigned last, in a list. */
struct taker {
	const struct nn_node *node;
	struct taker *next;
};

struct variable {
	const struct nn_node *assign;	/* the last one, or NULL */
	struct taker *takers;
};

/* An edge between a node and who assigned one of its inputs, or took it before it is assigned. */
static void add_variable_edges(struct order *order, struct variable *variables,
			       const struct nn_node *node, uint32_t input, struct taker *taker)
{
	const struct nn_node *source = node->inputs[input]->node;
	struct variable *variable;

	/* Who takes it when its loop has ended is behind the loop anyway. */
	if (!nn_node_has(source, NN_OP_STATE) ||
	    (nn_node_has(node, NN_OP_EXIT) && !nn_node_has(node, NN_OP_COLLECTS)))
		return;
	variable = &variables[source->order];
	if (variable->assign)
		add_edge(order, variable->assign, node);
	if (!nn_node_has(node, NN_OP_ASSIGNS) || input) {
		*taker = (struct taker){ node, variable->takers };
		variable->takers = taker;
		return;
	}
	for (; variable->takers; variable->takers = variable->takers->next)
		if (variable->takers->node != node)
			add_edge(order, variable->takers->node, node);
	variable->assign = node;
}

static int add_edges(struct order *order, struct variable *variables, struct taker *takers)
{
	const struct nn_plan *plan = order->plan;
	uint32_t i, j;
	int error = 0;

	order->edge_count = 0;
	memset(variables, 0, plan->node_count * sizeof(*variables));
	for (i = 0; i < plan->node_count && !error; i++) {
		const struct nn_node *node = plan->nodes[i];

		for (j = node->input_count; j-- > 0 && !error;) {
			if (!is_read(node->inputs[j]))
				continue;
			error = add_input_edge(order, node->inputs[j]->node, node);
			add_variable_edges(order, variables, node, j, takers++);
		}
	}
	return error;
}

static int compare_edges(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* Finds all edges, sorted by where they begin. */
static int find_edges(struct order *order)
{
	struct nn_plan *plan = order->plan;
	uint32_t items = plan->node_count + plan->scope_count, inputs = 0, i, edge = 0;
	struct variable *variables;
	struct taker *takers;
	int error;

	for (i = 0; i < plan->node_count; i++)
		inputs += plan->nodes[i]->input_count;
	variables = nn_pool_array(&plan->pool, plan->node_count, sizeof(*variables));
	takers = nn_pool_array(&plan->pool, inputs, sizeof(*takers));
	order->waits = nn_pool_array(&plan->pool, items, sizeof(*order->waits));
	order->first = nn_pool_array(&plan->pool, items + 1, sizeof(*order->first));
	if (!variables || !takers || !order->waits || !order->first)
		return nn_graph_no_memory(plan->graph);
	error = add_edges(order, variables, takers);
	if (error)
		return error;
	order->edges = nn_pool_array(&plan->pool, order->edge_count, sizeof(*order->edges));
	if (!order->edges)
		return nn_graph_no_memory(plan->graph);
	error = add_edges(order, variables, takers);
	if (error)
		return error;
	qsort(order->edges, order->edge_count, sizeof(*order->edges), compare_edges);
	for (i = 0; i <= items; i++) {
		while (edge < order->edge_count && order->edges[edge].from < i)
			edge++;
		order->first[i] = edge;
	}
	return 0;
}

/* The items of each scope, in the order of the list. */
static int list_items(struct order *order)
{
	struct nn_plan *plan = order->plan;
	uint32_t i, begin = 0;

	order->nodes = nn_pool_array(&plan->pool, plan->node_count, sizeof(*order->nodes));
	order->items = nn_pool_array(&plan->pool, plan->node_count, sizeof(*order->items));
	order->done = nn_pool_array(&plan->pool, plan->node_count + plan->scope_count,
				    sizeof(*order->done));
	order->item_first = nn_pool_array(&plan->pool, plan->scope_count, sizeof(*order->item_first));
	order->item_count = nn_pool_array(&plan->pool, plan->scope_count, sizeof(*order->item_count));
	if (!order->nodes || !order->items || !order->done || !order->item_first ||
	    !order->item_count)
		return nn_graph_no_memory(plan->graph);
	for (i = 0; i < plan->node_count; i++)
		if (!is_head(plan->nodes[i]))
			order->item_count[home_of(plan->nodes[i])->number]++;
	for (i = 0; i < plan->scope_count; i++) {
		order->item_first[i] = begin;
		begin += order->item_count[i];
		order->item_count[i] = 0;
	}
	for (i = 0; i < plan->node_count; i++) {
		uint32_t scope = home_of(plan->nodes[i])->number;

		if (!is_head(plan->nodes[i]))
			order->items[order->item_first[scope] + order->item_count[scope]++] =
				plan->nodes[i];
	}
	return 0;
}

static void add_step(struct nn_plan *plan, enum nn_step_kind kind, struct nn_scope *scope)
{
	struct nn_step *step = &plan->steps[plan->step_count++];

	*step = (struct nn_step){ .kind = kind, .scope = scope };
	if (kind == NN_STEP_RUN)
		step->partition = plan->partition_count++;
}

static void add_node(struct order *order, struct nn_node *node)
{
	if (order->is_new)
		add_step(order->plan, NN_STEP_RUN, NULL);
	order->is_new = false;
	node->refs = order->plan->partition_count - 1;
	order->nodes[order->count++] = node;
}

static void finish(struct order *order, uint32_t item)
{
	uint32_t i;

	order->done[item] = true;
	for (i = order->first[item]; i < order->first[item + 1]; i++)
		order->waits[order->edges[i].to]--;
}

/* The nodes of a scope that can go. A node that goes lets others go that are behind it in the list. */
static void add_nodes(struct order *order, const struct nn_scope *scope)
{
	struct nn_node **items = order->items + order->item_first[scope->number];
	uint32_t i, left = 0;

	for (i = 0; i < order->item_count[scope->number]; i++) {
		if (order->waits[items[i]->order]) {
			items[left++] = items[i];
			continue;
		}
		add_node(order, items[i]);
		finish(order, items[i]->order);
	}
	order->item_count[scope->number] = left;
}

/* The first loop right inside of a scope that can go; NULL: none. *left: some cannot. */
static struct nn_scope *find_loop(const struct order *order, const struct nn_scope *scope,
				  struct nn_scope **left)
{
	struct nn_plan *plan = order->plan;
	uint32_t i;

	*left = NULL;
	for (i = 1; i < plan->scope_count; i++) {
		struct nn_scope *loop = &plan->scopes[i];
		uint32_t item = scope_item(order, loop);

		if (loop->parent != scope || order->done[item])
			continue;
		if (!order->waits[item])
			return loop;
		if (!*left)
			*left = loop;
	}
	return NULL;
}

/* A loop waits for what itself waits for the loop. */
static int fail_cycle(const struct order *order, const struct nn_scope *loop)
{
	const struct nn_plan *plan = order->plan;
	uint32_t i, item = scope_item(order, loop);
	const struct nn_node *node = loop->lcn;

	for (i = 0; i < order->edge_count; i++) {
		uint32_t from = order->edges[i].from;

		if (order->edges[i].to != item || order->done[from])
			continue;
		node = from < plan->node_count ? plan->nodes[from] :
						 plan->scopes[from - plan->node_count].lcn;
		break;
	}
	return fail_inside(order, node, loop);
}

static int add_scope(struct order *order, struct nn_scope *scope);

static int add_loop(struct order *order, struct nn_scope *loop)
{
	struct nn_plan *plan = order->plan;
	uint32_t i;
	int error;

	for (i = 0; i < plan->node_count; i++)
		if (is_head(plan->nodes[i]) && plan->nodes[i]->scope == loop &&
		    plan->nodes[i] != loop->lcn)
			add_node(order, plan->nodes[i]);
	loop->enter = plan->step_count;
	add_step(plan, NN_STEP_ENTER, loop);
	order->is_new = true;
	add_node(order, loop->lcn);
	error = add_scope(order, loop);
	if (error)
		return error;
	loop->end = plan->step_count;
	add_step(plan, NN_STEP_END, loop);
	order->is_new = true;
	finish(order, scope_item(order, loop));
	return 0;
}

/* All items of a scope. Loops are nested 4 deep at most. */
static int add_scope(struct order *order, struct nn_scope *scope)
{
	struct nn_scope *loop, *left;
	int error = 0;

	do {
		add_nodes(order, scope);
		loop = find_loop(order, scope, &left);
		if (loop)
			error = add_loop(order, loop);
	} while (loop && !error);
	return left && !error ? fail_cycle(order, left) : error;
}

int nn_plan_find_scopes(struct nn_plan *plan)
{
	struct order order = { .plan = plan };
	int error;

	error = make_scopes(plan);
	if (!error)
		error = enter_nodes(plan);
	if (!error)
		error = check_levels(plan);
	if (!error && plan->flags & NN_PREPARE_ALL_TENSORS)
		error = nn_plan_output_all(plan);
	if (!error)
		error = find_edges(&order);
	if (!error)
		error = list_items(&order);
	if (error)
		return error;
	/* A loop has two steps, and is one partition and lets another one begin behind it. */
	plan->steps = nn_pool_array(&plan->pool, 4ull * plan->scope_count, sizeof(*plan->steps));
	if (!plan->steps)
		return nn_graph_no_memory(plan->graph);
	add_step(plan, NN_STEP_RUN, NULL);
	error = add_scope(&order, &plan->scopes[0]);
	plan->nodes = order.nodes;
	return error;
}
