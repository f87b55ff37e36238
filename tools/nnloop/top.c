// SPDX-License-Identifier: MIT
/*
 * nnloop top: who uses the DSP, as the driver says it in /proc/PID/fdinfo of each open file. Two
 * looks tell what happened between them; nothing is asked of the driver itself.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "nnloop.h"
#include "options.h"

#define PROC	"/proc"	/* of this machine */
#define NODE	"/dev/nnloop"
#define UNKNOWN	UINT64_MAX	/* what an older driver does not say */

/* A client is an open file of the driver, which several processes may have. */
struct client {
	char node[64];
	uint64_t id;
	unsigned int pid;		/* of the first process that has it */
	uid_t uid;
	char command[32];
	uint64_t workers, busy_ns;
	uint64_t passes, queued;	/* UNKNOWN: an older driver */
	uint64_t memory_kib, shared_kib;
	/* Between the look before and this one. */
	uint64_t new_busy_ns, new_passes;
	bool is_new;
};

struct look {
	struct client *clients;
	size_t count;
	uint64_t time_ns;
	unsigned int hidden;	/* processes whose files may not be seen */
};

struct top {
	const char *proc;
	uint64_t seconds, times;	/* times 0: without end */
	bool json;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
}

/* ---- Looking ---- */

/* Takes in a line of fdinfo. The format is that of all DRM drivers: a key, a colon, a value. */
static void read_line(struct client *client, const char *line, bool *is_ours)
{
	static const struct {
		const char *key;
		size_t offset;
	} numbers[] = {
		{ "drm-client-id:", offsetof(struct client, id) },
		{ "drm-engine-dsp:", offsetof(struct client, busy_ns) },
		{ "drm-engine-capacity-dsp:", offsetof(struct client, workers) },
		{ "drm-total-memory:", offsetof(struct client, memory_kib) },
		{ "drm-shared-memory:", offsetof(struct client, shared_kib) },
		{ "nnloop-passes:", offsetof(struct client, passes) },
		{ "nnloop-queued-passes:", offsetof(struct client, queued) },
	};
	char driver[32];

	if (sscanf(line, "drm-driver: %31s", driver) == 1)
		*is_ours = !strcmp(driver, "nnloop");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		size_t length = strlen(numbers[i].key);

		if (!strncmp(line, numbers[i].key, length))
			*(uint64_t *)((char *)client + numbers[i].offset) =
				strtoull(line + length, NULL, 10);
	}
}

static bool read_fdinfo(const char *path, struct client *client)
{
	FILE *stream = fopen(path, "re");
	bool is_ours = false;
	char line[256];

	if (!stream)
		return false;
	while (fgets(line, sizeof(line), stream))
		read_line(client, line, &is_ours);
	fclose(stream);
	return is_ours;
}

/* Reads the name of a process that may be gone already. */
static void read_command(const char *proc, struct client *client)
{
	char path[512];
	FILE *stream;
	size_t length = 0;

	snprintf(path, sizeof(path), "%s/%u/comm", proc, client->pid);
	stream = fopen(path, "re");
	if (stream) {
		length = fread(client->command, 1, sizeof(client->command) - 1, stream);
		fclose(stream);
	}
	client->command[length] = '\0';
	client->command[strcspn(client->command, "\n")] = '\0';
	/* A process names itself as it likes. */
	for (char *c = client->command; *c; c++) {
		if (!isprint((unsigned char)*c))
			*c = '?';
	}
}

static struct client *find(struct look *look, const struct client *client)
{
	for (size_t i = 0; i < look->count; i++) {
		if (look->clients[i].id == client->id &&
		    !strcmp(look->clients[i].node, client->node))
			return &look->clients[i];
	}
	return NULL;
}

static int add(struct look *look, const struct client *client)
{
	struct client *clients;

	if (find(look, client))
		return 0;
	clients = reallocarray(look->clients, look->count + 1, sizeof(*clients));
	if (!clients)
		return fail("out of memory");
	look->clients = clients;
	look->clients[look->count++] = *client;
	return 0;
}

/* A device file. What its driver is only fdinfo says: nodes may have been given other names. */
static bool is_device(const char *proc, unsigned int pid, const char *fd, char *node, size_t size)
{
	char path[512];
	ssize_t length;

	snprintf(path, sizeof(path), "%s/%u/fd/%s", proc, pid, fd);
	length = readlink(path, node, size - 1);
	node[length > 0 ? length : 0] = '\0';
	return !strncmp(node, "/dev/", 5);
}

static int look_at_process(const struct top *top, struct look *look, unsigned int pid)
{
	char path[512];
	struct dirent *entry;
	struct stat owner;
	DIR *folder;
	int status = 0;

	snprintf(path, sizeof(path), "%s/%u/fd", top->proc, pid);
	folder = opendir(path);
	if (!folder) {
		look->hidden += errno == EACCES || errno == EPERM;
		return 0;
	}
	if (fstat(dirfd(folder), &owner))
		owner.st_uid = 0;
	while (!status && (entry = readdir(folder))) {
		struct client client = {
			.pid = pid, .uid = owner.st_uid, .passes = UNKNOWN, .queued = UNKNOWN,
		};

		if (*entry->d_name == '.' ||
		    !is_device(top->proc, pid, entry->d_name, client.node, sizeof(client.node)))
			continue;
		snprintf(path, sizeof(path), "%s/%u/fdinfo/%s", top->proc, pid, entry->d_name);
		if (!read_fdinfo(path, &client))
			continue;
		read_command(top->proc, &client);
		status = add(look, &client);
	}
	closedir(folder);
	return status;
}

static int take_look(const struct top *top, struct look *look)
{
	DIR *folder = opendir(top->proc);
	struct dirent *entry;
	int status = 0;

	*look = (struct look) { .time_ns = now_ns() };
	if (!folder)
		return fail("cannot read %s: %s", top->proc, strerror(errno));
	while (!status && (entry = readdir(folder))) {
		if (isdigit((unsigned char)*entry->d_name))
			status = look_at_process(top, look, strtoul(entry->d_name, NULL, 10));
	}
	closedir(folder);
	return status;
}

/* Numbers only grow; a client that was not there before began with none. */
static void compare(struct look *before, struct look *now)
{
	for (size_t i = 0; i < now->count; i++) {
		struct client *client = &now->clients[i];
		const struct client *old = find(before, client);

		client->is_new = !old;
		client->new_busy_ns = client->busy_ns - (old ? old->busy_ns : 0);
		if (client->passes != UNKNOWN)
			client->new_passes = client->passes - (old ? old->passes : 0);
	}
}

/* ---- Showing ---- */

static int by_use(const void *a, const void *b)
{
	const struct client *left = a, *right = b;
	int order = strcmp(left->node, right->node);

	if (order)
		return order;
	if (left->new_busy_ns != right->new_busy_ns)
		return left->new_busy_ns < right->new_busy_ns ? 1 : -1;
	return (left->id > right->id) - (left->id < right->id);
}

static const char *state(const struct client *client)
{
	if (client->new_busy_ns)
		return "runs";
	if (client->queued == UNKNOWN)
		return "-";
	return client->queued ? "waits" : "idle";
}

static const char *user_name(uid_t uid, char *text, size_t size)
{
	const struct passwd *user = getpwuid(uid);

	if (user)
		snprintf(text, size, "%s", user->pw_name);
	else
		snprintf(text, size, "%u", uid);
	return text;
}

/* The processor time of one worker, in per cent; of several it can be more than 100. */
static double percent(uint64_t busy_ns, uint64_t ns)
{
	return ns ? 100.0 * busy_ns / ns : 0;
}

static double rate(const struct client *client, uint64_t ns)
{
	return ns ? client->new_passes * 1e9 / ns : 0;
}

/* The node of the first of these clients, with all of its clients; how many these are. */
static size_t print_node(const struct client *clients, size_t count, uint64_t ns)
{
	uint64_t busy_ns = 0, memory_kib = 0;
	size_t same = 0, waiting = 0;

	while (same < count && !strcmp(clients[same].node, clients->node)) {
		busy_ns += clients[same].new_busy_ns;
		memory_kib += clients[same].memory_kib;
		waiting += !strcmp(state(&clients[same]), "waits");
		same++;
	}
	printf("%s: %" PRIu64 " worker%s, %.0f %% of %s busy; %zu client%s, %zu wait%s; %.1f MiB\n",
	       clients->node, clients->workers, clients->workers == 1 ? "" : "s",
	       clients->workers ? percent(busy_ns, ns) / clients->workers : 0,
	       clients->workers == 1 ? "it" : "them", same, same == 1 ? "" : "s", waiting,
	       waiting == 1 ? "s" : "", memory_kib / 1024.0);
	printf("%8s %-12s %6s %7s %9s %7s %9s %9s  %-5s %s\n", "PID", "USER", "CLIENT", "DSP %",
	       "PASSES/S", "QUEUED", "MEMORY", "SHARED", "STATE", "COMMAND");
	for (size_t i = 0; i < same; i++) {
		const struct client *client = &clients[i];
		char user[32], passes[32] = "-", queued[32] = "-";

		if (client->passes != UNKNOWN)
			snprintf(passes, sizeof(passes), "%.1f", rate(client, ns));
		if (client->queued != UNKNOWN)
			snprintf(queued, sizeof(queued), "%" PRIu64, client->queued);
		printf("%8u %-12.12s %6" PRIu64 " %7.1f %9s %7s %6.1f MB %6.1f MB  %-5s %s\n",
		       client->pid, user_name(client->uid, user, sizeof(user)), client->id,
		       percent(client->new_busy_ns, ns), passes, queued,
		       client->memory_kib / 1024.0, client->shared_kib / 1024.0, state(client),
		       client->command);
	}
	return same;
}

static void print_json_number(const char *name, uint64_t value)
{
	if (value == UNKNOWN)
		printf(", \"%s\": null", name);
	else
		printf(", \"%s\": %" PRIu64, name, value);
}

/* An object in a line of its own, for other programs. */
static void print_json(const struct look *look, uint64_t ns)
{
	printf("{\"seconds\": %.3f, \"hidden_processes\": %u, \"clients\": [", ns / 1e9, look->hidden);
	for (size_t i = 0; i < look->count; i++) {
		const struct client *client = &look->clients[i];

		printf("%s{\"node\": ", i ? ", " : "");
		print_json_string(stdout, client->node);
		printf(", \"client\": %" PRIu64 ", \"pid\": %u, \"uid\": %u, \"command\": ", client->id,
		       client->pid, client->uid);
		print_json_string(stdout, client->command);
		printf(", \"workers\": %" PRIu64 ", \"busy_ns\": %" PRIu64 ", \"new_busy_ns\": %" PRIu64,
		       client->workers, client->busy_ns, client->new_busy_ns);
		print_json_number("passes", client->passes);
		print_json_number("new_passes",
				  client->passes == UNKNOWN ? UNKNOWN : client->new_passes);
		print_json_number("queued_passes", client->queued);
		print_json_number("memory_kib", client->memory_kib);
		print_json_number("shared_kib", client->shared_kib);
		fputs(", \"state\": ", stdout);
		print_json_string(stdout, state(client));
		putchar('}');
	}
	puts("]}");
}

static void print_look(const struct top *top, struct look *look, uint64_t ns)
{
	if (look->count)
		qsort(look->clients, look->count, sizeof(*look->clients), by_use);
	if (top->json) {
		print_json(look, ns);
		return;
	}
	if (isatty(STDOUT_FILENO) && top->times != 1)
		fputs("\033[H\033[J", stdout); /* from the upper left, and nothing below */
	if (!look->count)
		puts("no client of the DSP");
	if (!look->count && !strcmp(top->proc, PROC) && access(NODE, F_OK))
		puts("There is no " NODE " here: nnloop doctor says what is missing.");
	for (size_t i = 0; i < look->count;) {
		if (i)
			putchar('\n');
		i += print_node(look->clients + i, look->count - i, ns);
	}
	if (look->hidden)
		puts("Clients of other users are not shown: root sees them.");
}

static int show(const struct top *top)
{
	struct look before, now;
	int status = take_look(top, &before);

	for (uint64_t i = 0; !status && (!top->times || i < top->times); i++) {
		sleep(top->seconds);
		status = take_look(top, &now);
		if (status) {
			free(now.clients);
			break;
		}
		compare(&before, &now);
		if (i && !top->json && !isatty(STDOUT_FILENO))
			putchar('\n');
		print_look(top, &now, now.time_ns - before.time_ns);
		free(before.clients);
		before = now;
		if (fflush(stdout))
			break; /* main() says it */
	}
	free(before.clients);
	return status;
}

static int set_seconds(const char *value, void *opaque)
{
	struct top *top = opaque;

	if (!parse_number(value, 1, 3600, &top->seconds))
		return usage_error("top", "--seconds %s: not a number from 1 to 3600", value);
	return -1;
}

static int set_times(const char *value, void *opaque)
{
	struct top *top = opaque;

	if (!parse_number(value, 1, UINT32_MAX, &top->times))
		return usage_error("top", "--times %s: not a number of looks", value);
	return -1;
}

int top_main(int argc, char **argv)
{
	struct top top = { .proc = PROC, .seconds = 1 };
	bool once = false;
	const struct option_entry entries[] = {
		{ 0, "seconds", "N", "between two looks (1)", .set = set_seconds },
		{ 0, "times", "N", "end after N looks; without it, on ^C", .set = set_times },
		{ 0, "once", NULL, "the same as --times 1", .flag = &once },
		{ 0, "json", NULL, "print an object in a line for each look, for other programs",
		  .flag = &top.json },
		{ 0, "proc", "DIR", "the processes' folder, where that is not /proc", .text = &top.proc },
		{ 0 },
	};
	const struct command_line line = {
		.command = "top",
		.words = "[OPTION...]",
		.about =
	"Shows who uses the DSP: how much of a worker's time each client gets, how many passes it\n"
	"does, how many are in its queues, its memory, and whether it runs or waits. Root sees the\n"
	"clients of all users, others their own.\n",
		.entries = entries,
		.options = &top,
	};
	int status = options_parse(&line, argc, argv);

	if (status >= 0)
		return status;
	if (optind != argc)
		return usage_error("top", "what is %s?", argv[optind]);
	if (once)
		top.times = 1;
	return show(&top);
}
