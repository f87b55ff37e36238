# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# For the tests in this folder: results in TAP, and what many of them do. They run in the folder of the project, inside the VM (NNLOOP_E2E_DEVICE=host
# runs what can be run without one).

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
out=${O:-build}
device=${NNLOOP_E2E_DEVICE:-hexagon}
models=tests/models
# Where the archives of these are unpacked.
# shellcheck disable=SC2034 # for those who read this file
unpacked=$out/models
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What the tests of other users must be able to read.
chmod 755 "$work"
count=0
failures=0

# ok NAME COMMAND...: the command is true. What it said is in $work/last.
ok() {
	local name=$1
	shift
	count=$((count + 1))
	if "$@" >"$work/last" 2>&1; then
		echo "ok $count $name"
		return 0
	fi
	failures=$((failures + 1))
	echo "not ok $count $name"
	tail -n 20 "$work/last" | sed 's/^/# /'
	return 1
}

skip() { # NAME REASON
	count=$((count + 1))
	echo "ok $count $1 # SKIP $2"
}

finish() {
	echo "1..$count"
	exit $((failures > 0))
}

nnloop() {
	"$out/nnloop" "$@"
}

# for_others FILE...: copies nnloop, its library and these files to $work/others, from where a test that becomes another user runs and reads them. The
# tree may be closed to that user: Debian 13 makes homes with mode 0700.
for_others() {
	mkdir -p "$work/others" &&
		cp -L "$out/nnloop" "$out/libnnloop.so.0" "$@" "$work/others" &&
		chmod -R a+rX "$work/others"
}

# The data of two files are equal: of .npy files, whose headers may be padded differently, that is all behind the first line.
same_data() {
	[ -s "$1" ] && [ -s "$2" ] && cmp <(tail -n +2 "$1" | cat) <(tail -n +2 "$2" | cat)
}

# says PATTERN STATUS COMMAND...: fails with that status, says one sentence that matches, and nothing else.
says() {
	local pattern=$1 wanted=$2 status=0
	shift 2
	"$@" >"$work/said.out" 2>"$work/said" || status=$?
	cat "$work/said"
	if [ $status -ne "$wanted" ]; then
		echo "exit status $status, not $wanted"
		return 1
	fi
	if [ "$(wc -l <"$work/said")" -ne 1 ]; then
		echo "said not one line but $(wc -l <"$work/said")"
		return 1
	fi
	grep -q -E "^error: $pattern" "$work/said" || { echo "which is not: $pattern"; return 1; }
}

# says_usage STATUS COMMAND...: the same for a wrong command line, where a second line says where help is.
says_usage() {
	local wanted=$1 status=0
	shift
	"$@" >"$work/said.out" 2>"$work/said" || status=$?
	cat "$work/said"
	[ $status -eq "$wanted" ] && [ "$(wc -l <"$work/said")" -eq 2 ] && grep -q -e --help "$work/said"
}

# As soon as nobody uses it: what a program has left on the DSP may take a moment to end.
remove_module() {
	local end=$((SECONDS + 60))
	until rmmod nnloop 2>"$work/rmmod"; do
		if [ $SECONDS -ge $end ] || ! grep -q -e 'in use' -e 'temporarily unavailable' "$work/rmmod"; then
			cat "$work/rmmod"
			return 1
		fi
		sleep 0.1
	done
}

# What to run where it has to take some seconds, also on this processor, which is faster than the emulated DSP.
long_run=(--step 1 "$models/digits.onnx")
for _ in $(seq "$([ "$device" = host ] && echo 600 || echo 20)"); do
	long_run+=("$models/digits.png")
done

# interrupted ACTION MODEL INPUT...: a long run, with ACTION, which may name it as $pid, as soon as a pass is done. Says and returns what the run does.
interrupted() {
	local action=$1 pid reader status=0
	shift
	: >"$work/progress"
	rm -f "$work/pipe"
	mkfifo "$work/pipe"
	cat "$work/pipe" >"$work/progress" &
	reader=$!
	"$out/nnloop" run --device "$device" --progress -o "$work/many.raw" "$@" 2>"$work/pipe" &
	# shellcheck disable=SC2034 # for ACTION
	pid=$!
	while kill -0 $pid 2>/dev/null && ! grep -q 'pass [1-9]' "$work/progress"; do
		sleep 0.1
	done
	eval "$action"
	# bash says of some signals which one it was.
	{ wait $pid; } 2>/dev/null || status=$?
	wait $reader
	tr '\r' '\n' <"$work/progress" | grep -v -E '^(\[.*\] )?pass .*$|^$' >&2
	return $status
}
