# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Bare Debians, made by debootstrap once in $dir/SUITE/base, for the tests that begin with one.

# shellcheck disable=SC2154 # $dir is that of who reads this
suite_of() { # DEBIAN
	case $1 in 12) echo bookworm ;; 13) echo trixie ;; esac
}
mirror_of() { # LABEL DEFAULT
	local uri
	# shellcheck disable=SC2016 # apt expands it
	uri=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' | awk -v label="$1" '$1 == label { print $2; exit }')
	echo "${uri:-$2}"
}
mirror=$(mirror_of Debian http://deb.debian.org/debian)
security=$(mirror_of Debian-Security http://deb.debian.org/debian-security)

make_base() { # SUITE
	[ ! -e "$dir/$1/done" ] || return 0
	echo "Making a bare Debian, $1, in $dir/$1 (once; its log is $dir/$1.log)"
	rm -rf "${dir:?}/$1"
	mkdir -p "$dir/$1"
	debootstrap --variant=minbase --include=ca-certificates,git,make,sudo "$1" "$dir/$1/base" "$mirror" \
		>"$dir/$1.log" 2>&1 9>&- || { tail -n 5 "$dir/$1.log" >&2 && die "debootstrap failed"; }
	touch "$dir/$1/done"
}

# What apt in one of them needs to know of this machine's network.
write_sources() { # SUITE SOURCES_LIST PROXY_CONF
	printf 'deb %s %s main\n' "$mirror" "$1" "$mirror" "$1-updates" "$security" "$1-security" >"$2"
	apt-config dump | grep -E '^Acquire::https?::Proxy' >"$3" || true
}
