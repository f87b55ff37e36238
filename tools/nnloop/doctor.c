// SPDX-License-Identifier: MIT
/*
 * nnloop doctor: is all there that a graph needs to run on the DSP? Each link of the chain is
 * looked at, from the kernel to a pass that must compute what it should; the first that is broken
 * ends it, with what to do about it, because nothing behind it can work.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "doctor.h"
#include "driver/nnloop_hw.h"
#include "options.h"
#include "out_file.h"

/* Notes what a check found, and if it is not well what to do about it. */
static bool finding(struct doctor *doctor, bool well, const char *format, va_list args)
{
	vsnprintf(doctor->finding, sizeof(doctor->finding), format, args);
	return well;
}

static bool __attribute__((format(printf, 2, 3)))
well(struct doctor *doctor, const char *format, ...)
{
	va_list args;
	bool result;

	va_start(args, format);
	result = finding(doctor, true, format, args);
	va_end(args);
	return result;
}

static bool __attribute__((format(printf, 2, 3)))
broken(struct doctor *doctor, const char *format, ...)
{
	va_list args;
	bool result;

	va_start(args, format);
	result = finding(doctor, false, format, args);
	va_end(args);
	return result;
}

/* ---- Kernel and module ---- */

/*
 * Is this module in one of the kernel's lists, modules.dep or modules.builtin? Their lines begin
 * with its path.
 */
static bool listed(const struct doctor *doctor, const char *list, const char *module)
{
	char path[128], *line = NULL, *name;
	bool found = false;
	size_t size = 0;
	FILE *stream;

	snprintf(path, sizeof(path), "/lib/modules/%s/%s", doctor->kernel.release, list);
	stream = fopen(path, "re");
	if (!stream)
		return false;
	while (!found && getline(&line, &size, stream) > 0) {
		line[strcspn(line, ":")] = '\0';
		name = strrchr(line, '/');
		/* It can go on with .xz. */
		found = name && !strncmp(name + 1, module, strlen(module));
	}
	free(line);
	fclose(stream);
	return found;
}

static bool is_loaded(void)
{
	return !access("/sys/module/nnloop", F_OK);
}

static bool check_kernel(struct doctor *doctor)
{
	static const char *const needed[] = { "drm.ko", "drm_shmem_helper.ko" };
	const char *release = doctor->kernel.release;
	char folder[128];

	/* Then it has all of them, wherever they are: this can be a container. */
	if (is_loaded())
		return well(doctor, "Linux %s", release);
	snprintf(folder, sizeof(folder), "/lib/modules/%s", release);
	if (access(folder, F_OK))
		return broken(doctor,
			"there is no %s, where this kernel's modules should be: install its package or, if this is a container, load nnloop outside of it",
			folder);
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		if (!listed(doctor, "modules.dep", needed[i]) &&
		    !listed(doctor, "modules.builtin", needed[i]))
			return broken(doctor,
				"Linux %s has no %s: boot a kernel with DRM, such as that of Debian's linux-image-amd64 (the cloud kernels have none)",
				release, needed[i]);
	}
	return well(doctor, "Linux %s, with DRM", release);
}

static bool check_module(struct doctor *doctor)
{
	if (is_loaded())
		return well(doctor, "nnloop is loaded");
	if (!listed(doctor, "modules.dep", "nnloop.ko"))
		return broken(doctor,
			"nnloop is not installed for this kernel: install the package nnloop-dkms, or run sudo make dkms-install in nnloop's source, then sudo modprobe nnloop");
	return broken(doctor, "nnloop is installed but not loaded: run sudo modprobe nnloop");
}

/* ---- A pass ---- */

/*
 * Five pictures that get brighter evenly to the right and downwards: the mean of any 3 x 3 pixels
 * is the one in their middle. Two in a pass, so that the last pass is a ragged one.
 */
#define PICTURES 5

static const char mean_graph[] =
	"1 Input shape=0,4,4,1 type=uint8 scale=1\n"
	"2 BatchLoop 1:0 step=2\n"
	"3 Const shape=1,3,3,1 type=int8 scale=1 values=1\n"
	"4 Conv2d 2:0 3:0 type=uint8 scale=9 padding=valid\n"
	"5 OUTPUT 4:0\n";

static bool run_mean(struct nn_graph *graph, struct nn_device *device,
		     uint8_t pictures[PICTURES][4][4], uint8_t means[PICTURES][2][2])
{
	struct nn_buffer in = { .data = pictures, .size = PICTURES * 16, .rows = PICTURES };
	struct nn_buffer out = { .data = means, .size = PICTURES * 4 };

	return !nn_graph_import_text(graph, mean_graph, strlen(mean_graph)) &&
	       !nn_graph_prepare(graph, device, NULL) &&
	       !nn_graph_execute(graph, &in, 1, &out, 1);
}

/* Whether a pass computes what it should. If not, the error says why; its code is 0 if the pass
 * ended well, with a wrong result. */
static bool test_pass(struct nn_device *device, unsigned int *passes, struct nn_error *error)
{
	uint8_t pictures[PICTURES][4][4], means[PICTURES][2][2] = { 0 };
	struct nn_execution_stats stats;
	struct nn_graph *graph;
	bool right;

	*error = (struct nn_error) { .code = -ENOMEM, .text = "out of memory" };
	if (nn_graph_create(&graph))
		return false;
	for (unsigned int i = 0; i < sizeof(pictures); i++)
		((uint8_t *)pictures)[i] = i;
	right = run_mean(graph, device, pictures, means);
	*error = *nn_graph_error(graph);
	for (unsigned int i = 0; i < sizeof(means); i++) {
		unsigned int y = i / 2 % 2, x = i % 2;

		right = right && means[i / 4][y][x] == pictures[i / 4][y + 1][x + 1];
	}
	nn_graph_get_stats(graph, &stats);
	*passes = stats.passes;
	nn_graph_destroy(graph);
	return right;
}

/* ---- Board and node ---- */

/* The entries of a folder but those that begin with a dot, with blanks between them; how many. */
static unsigned int list_folder(const char *path, char *names, size_t size)
{
	DIR *folder = opendir(path);
	unsigned int count = 0;
	struct dirent *entry;
	size_t length = 0;

	*names = '\0';
	while (folder && (entry = readdir(folder))) {
		if (*entry->d_name == '.')
			continue;
		if (length < size)
			length += snprintf(names + length, size - length, "%s%s",
					   count ? " " : "", entry->d_name);
		count++;
	}
	if (folder)
		closedir(folder);
	return count;
}

static bool pci_id_is(const char *function, const char *file, unsigned int id)
{
	char path[320];
	unsigned int value = 0;
	FILE *stream;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", function, file);
	stream = fopen(path, "re");
	if (!stream)
		return false;
	if (fscanf(stream, "%x", &value) != 1)
		value = 0;
	fclose(stream);
	return value == id;
}

/* A PCI function that has the numbers of a board, as any other ivshmem device has. */
static bool find_candidate(char *name, size_t size)
{
	DIR *folder = opendir("/sys/bus/pci/devices");
	struct dirent *entry;
	bool found = false;

	while (folder && !found && (entry = readdir(folder))) {
		found = pci_id_is(entry->d_name, "vendor", 0x1af4) &&
			pci_id_is(entry->d_name, "device", 0x1110);
		if (found)
			snprintf(name, size, "%s", entry->d_name);
	}
	if (folder)
		closedir(folder);
	return found;
}

/* The last part of a link's target; "" if there is no such link. */
static const char *link_name(const char *path, char *target, size_t size)
{
	ssize_t length = readlink(path, target, size - 1);
	const char *slash;

	target[length > 0 ? length : 0] = '\0';
	slash = strrchr(target, '/');
	return slash ? slash + 1 : target;
}

static bool is_gone(int err)
{
	return err == ENODEV || err == ENXIO;
}

static bool works(const char *node)
{
	struct nn_device *device;
	struct nn_error error;
	unsigned int passes;
	bool result;

	if (nn_device_open(node, &device, NULL))
		return false;
	result = test_pass(device, &passes, &error);
	nn_device_close(device);
	return result;
}

/* A board that is a process of this machine, and no PCI function. */
static bool is_soft(const char *node)
{
	char path[128], text[256];

	snprintf(path, sizeof(path), "/sys/class/nnloop/%s/device/subsystem",
		 strrchr(node, '/') + 1);
	return !strcmp(link_name(path, text, sizeof(text)), "platform");
}

/* A board is dead. The sentence names those of the others that a pass was right on. */
static bool dead_board(struct doctor *doctor)
{
	char names[256], others[512] = "", node[sizeof(names) + 5];
	unsigned int count = 0;
	size_t length = 0;

	list_folder("/sys/class/nnloop", names, sizeof(names));
	for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
		snprintf(node, sizeof(node), "/dev/%s", name);
		if (!strcmp(node, doctor->node) || !works(node) || length >= sizeof(others))
			continue;
		length += snprintf(others + length, sizeof(others) - length, "%s%s",
				   count++ ? " or " : "; until then use --device ", node);
	}
	return broken(doctor,
		"the board behind %s does not answer any more: %s%s%s", doctor->node,
		is_soft(doctor->node) ? "run sudo systemctl restart nnloop-board" :
					"restart the machine that has it", others, count > 1 ? ", which work" : count ? ", which works" : "");
}

/* Looks at the node, too, whose check comes later. */
static bool is_node_of_nnloop(struct doctor *doctor)
{
	char path[128], text[256];

	if (stat(doctor->node, &doctor->stat) || !S_ISCHR(doctor->stat.st_mode))
		return false;
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device/driver",
		 major(doctor->stat.st_rdev), minor(doctor->stat.st_rdev));
	/* Each kind of board has a driver, whose name begins so. */
	return !strncmp(link_name(path, text, sizeof(text)), "nnloop", strlen("nnloop"));
}

/* The driver does not open a board any more that it has given up. */
static bool is_dead(struct doctor *doctor)
{
	int fd;

	if (!is_node_of_nnloop(doctor))
		return false;
	fd = open(doctor->node, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return is_gone(errno);
	close(fd);
	return false;
}

/* ---- A board without hardware ---- */

#define BOARD_NODE	"/dev/nnloop-board"

static bool has_service(void)
{
	static const char *const folders[] = { "/etc", "/usr/lib", "/lib" };
	char path[128];

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		snprintf(path, sizeof(path), "%s/systemd/system/nnloop-board.service", folders[i]);
		if (!access(path, F_OK))
			return true;
	}
	return false;
}

/* There is a process in its control group. */
static bool service_runs(void)
{
	FILE *stream = fopen("/sys/fs/cgroup/system.slice/nnloop-board.service/cgroup.procs", "re");
	bool runs;

	if (!stream)
		return false;
	runs = fgetc(stream) != EOF;
	fclose(stream);
	return runs;
}

static bool service_may_open(void)
{
	const struct group *group;
	struct stat status;

	if (stat(BOARD_NODE, &status))
		return false;
	group = getgrgid(status.st_gid);
	return group && !strcmp(group->gr_name, "nnloop-board") && (status.st_mode & 0060) == 0060;
}

/* The driver would take a board that is a process; why is there none? */
static bool no_soft_board(struct doctor *doctor)
{
	if (!has_service())
		return broken(doctor,
			"no board is attached: install the package nnloop-board, or attach one by hand, with vdsp --local");
	if (access(BOARD_NODE, F_OK))
		return broken(doctor,
			"the driver has made " BOARD_NODE ", but it is not in this /dev: the service nnloop-board is to run where it is, outside of a container");
	if (!service_may_open())
		return broken(doctor,
			"the service nnloop-board may not open " BOARD_NODE ", which is not its group's: run sudo udevadm trigger --sysname-match=nnloop-board, then sudo systemctl restart nnloop-board");
	if (!service_runs())
		return broken(doctor,
			"no board is attached, because the service nnloop-board is not running: run sudo systemctl start nnloop-board; if it ends again, sudo journalctl -u nnloop-board says why");
	return broken(doctor,
		"the service nnloop-board runs, but the driver has not taken its board: sudo dmesg and sudo journalctl -u nnloop-board say why");
}

static bool no_board(struct doctor *doctor)
{
	if (!access("/sys/class/misc/nnloop-board", F_OK))
		return no_soft_board(doctor);
	return broken(doctor,
		"this machine has no DSP: plug a board in, as tools/vm/run does with the virtual one");
}

static bool check_board(struct doctor *doctor)
{
	char names[256], message[256];
	unsigned int count = list_folder("/sys/class/nnloop", names, sizeof(names));

	if (count && is_dead(doctor))
		return dead_board(doctor);
	if (count)
		return well(doctor, "%u DSP%s: %s", count, count == 1 ? "" : "s", names);
	if (!find_candidate(names, sizeof(names)))
		return no_board(doctor);
	if (!doctor_last_warning(names, message, sizeof(message)))
		return broken(doctor,
			"the driver did not take the PCI device %s: if that is a board, sudo dmesg says why",
			names);
	return broken(doctor, "the driver did not take the board %s; the kernel's log says: %s",
		      names, message);
}

static bool check_node(struct doctor *doctor)
{
	const char *node = doctor->node, *name = strrchr(node, '/') + 1;
	char path[128], text[256];

	if (stat(node, &doctor->stat)) {
		snprintf(path, sizeof(path), "/sys/class/nnloop/%s", name);
		if (errno == ENOENT && !access(path, F_OK))
			return broken(doctor,
				"the driver has made %s, but it is not in this /dev: give it to the container that this is, or mount a devtmpfs",
				node);
		if (errno != ENOENT)
			return broken(doctor, "cannot look at %s: %s", node, strerror(errno));
		list_folder("/sys/class/nnloop", text, sizeof(text));
		return broken(doctor, "there is no %s: try one of what is in /dev: %s", node, text);
	}
	if (!is_node_of_nnloop(doctor))
		return broken(doctor, "%s is not a node of nnloop: give --device one, such as /dev/nnloop",
			      node);
	return well(doctor, "%s", node);
}

/* ---- Permission ---- */

static bool is_member(const struct passwd *user, gid_t group)
{
	gid_t groups[256];
	int count = sizeof(groups) / sizeof(*groups);

	count = getgrouplist(user->pw_name, user->pw_gid, groups, &count);
	for (int i = 0; i < count; i++) {
		if (groups[i] == group)
			return true;
	}
	return false;
}

static bool no_permission(struct doctor *doctor)
{
	const struct group *group = getgrgid(doctor->stat.st_gid);
	const struct passwd *user = getpwuid(getuid());
	const char *node = doctor->node;

	if (!doctor->stat.st_gid || (doctor->stat.st_mode & 0060) != 0060 || !group)
		return broken(doctor,
			"%s is for root alone: run sudo make install in nnloop's source, which installs the udev rule as the package nnloop does, and sudo udevadm trigger",
			node);
	if (user && is_member(user, doctor->stat.st_gid))
		return broken(doctor,
			"%s is for the group %s, which you are in, but were not yet when you logged in: log in again",
			node, group->gr_name);
	return broken(doctor,
		"%s is for the group %s, which you are not in: run sudo usermod -aG %s %s and log in again",
		node, group->gr_name, group->gr_name, user ? user->pw_name : "USER");
}

static bool check_permission(struct doctor *doctor)
{
	doctor->fd = open(doctor->node, O_RDWR | O_CLOEXEC);
	if (doctor->fd >= 0)
		return well(doctor, "%s may be used", doctor->node);
	if (errno == EACCES || errno == EPERM)
		return no_permission(doctor);
	if (is_gone(errno))
		return dead_board(doctor);
	return broken(doctor, "cannot open %s: %s", doctor->node, strerror(errno));
}

/* ---- Versions and the test pass ---- */

/* A board goes on with the firmware that it began with, whatever has been installed since. */
static const char *old_firmware(struct doctor *doctor, uint32_t version)
{
	if (version >= NNLOOP_FIRMWARE_VERSION)
		return "";
	return is_soft(doctor->node) ?
		"; that is older than this nnloop's: sudo systemctl restart nnloop-board begins the new one" :
		"; that is older than this nnloop's, which works but may lack what is new";
}

static bool check_versions(struct doctor *doctor)
{
	struct nn_device_info info;
	struct nn_error error;
	int err = nn_device_open(doctor->node, &doctor->device, &error);

	/* The library's sentences say what to do. */
	if (err)
		return err == -ENODEV ? dead_board(doctor) : broken(doctor, "%s", error.text);
	nn_device_get_info(doctor->device, &info);
	return well(doctor, "nnloop " NNLOOP_VERSION ", driver interface %u.%u, firmware %u.%u%s",
		    info.uapi_major, info.uapi_minor, info.firmware_version >> 16,
		    info.firmware_version & 0xffff, old_firmware(doctor, info.firmware_version));
}

static bool check_pass(struct doctor *doctor)
{
	struct nn_error error;
	unsigned int passes;

	if (test_pass(doctor->device, &passes, &error))
		return well(doctor, "%u passes computed what they should", passes);
	if (error.code == -ENODEV)
		return dead_board(doctor);
	if (error.code)
		return broken(doctor,
			"%s: try again, and if it stays so, report it with what --report FILE writes",
			error.text);
	return broken(doctor,
		"the DSP computes wrong results: report it with what --report FILE writes");
}

static const struct {
	const char *name;
	bool (*check)(struct doctor *doctor);
} checks[] = {
	{ "kernel", check_kernel },
	{ "module", check_module },
	{ "board", check_board },
	{ "node", check_node },
	{ "permission", check_permission },
	{ "versions", check_versions },
	{ "test pass", check_pass },
};

static bool run_checks(struct doctor *doctor)
{
	bool is_well = true;

	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks) && is_well; i++) {
		char line[sizeof(doctor->finding) + 32];

		is_well = checks[i].check(doctor);
		snprintf(line, sizeof(line), "%-4s  %-10s  %s\n", is_well ? "ok" : "FAIL",
			 checks[i].name, doctor->finding);
		fputs(line, stdout);
		if (doctor->report && doctor->report != stdout)
			fputs(line, doctor->report);
	}
	return is_well;
}

static int set_node(const char *path, void *opaque)
{
	struct doctor *doctor = opaque;

	if (*path != '/')
		return usage_error("doctor", "--device %s: not a node such as /dev/nnloop1", path);
	doctor->node = path;
	return -1;
}

int doctor_main(int argc, char **argv)
{
	struct doctor doctor = { .node = "/dev/nnloop", .fd = -1 };
	const char *report = NULL;
	struct out_file *file;
	const struct option_entry entries[] = {
		{ 0, "device", "NODE", "another node than /dev/nnloop", .set = set_node },
		{ 0, "report", "FILE", "also write what a bug report needs; as root, it has more",
		  .text = &report },
		{ 0 },
	};
	const struct command_line line = {
		.command = "doctor",
		.words = "[OPTION...]",
		.about =
	"Looks at all that a graph needs to run on the DSP: the kernel, its module, the board, the\n"
	"device node, permission, versions, and a pass that must compute what it should. Says what to\n"
	"do about the first thing that is not as it should be. Exit status: 0 if all is well.\n",
		.entries = entries,
		.options = &doctor,
	};
	int status = options_parse(&line, argc, argv);

	if (status >= 0)
		return status;
	status = 0;
	if (optind != argc)
		return usage_error("doctor", "what is %s?", argv[optind]);
	if (report) {
		status = out_file_open(report, &file);
		if (status)
			return status;
		doctor.report = out_file_stream(file);
	}
	uname(&doctor.kernel);
	if (!run_checks(&doctor))
		status = EXIT_FAILURE;
	if (doctor.report) {
		doctor_write_report(&doctor);
		if (out_file_finish(file))
			status = EXIT_FAILURE;
		else if (doctor.report != stdout)
			printf("The report is in %s.\n", report);
	}
	nn_device_close(doctor.device);
	if (doctor.fd >= 0)
		close(doctor.fd);
	return status;
}
