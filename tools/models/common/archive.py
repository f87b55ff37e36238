#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The archives that tests' models are kept in: one tar file for each operator, whose bytes depend on nothing but what is in it.

usage: archive.py unpack [KIND...]		all archives, to build/models/KIND (O=DIR: DIR/models/KIND)
       archive.py pack [KIND...]		what is there, into the archives
       archive.py check			whether the archives are as this writes them
       archive.py add ARCHIVE FILE...	files to any other archive, which need not exist

KIND is a folder of tests/models: ops, tflite or tflite-refused. The lists in it (LISTS) stay files. A model with all that belongs to
it, NAME.onnx, NAME.in0.npy and so on, is in the archive whose name NAME begins with, the longest if there are several: leaky_relu_i8 is in
leaky_relu.tar. Where there is none, a new one is named by NAME's first word; an empty file beside the others founds one of another name.
"""
import argparse
import glob
import io
import os
import shutil
import sys
import tarfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
KEPT = os.path.join(ROOT, "tests/models")
UNPACKED = os.path.join(ROOT, os.environ.get("O") or "build", "models")
STAMP = os.path.join(UNPACKED, ".unpacked")
KINDS = ("ops", "tflite", "tflite-refused")
LISTS = ("levels.txt", "list.txt", "browser.txt", "litert.txt")
ONE_ARCHIVE = {"tflite-refused": "refused"}  # kinds whose models are no operator's


def read(path):
	"""{name: bytes}; of an empty file, which is to become an archive, none."""
	if not os.path.getsize(path):
		return {}
	with tarfile.open(path) as tar:
		return {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}


def encode(files):
	"""An archive of {name: bytes}: sorted, nobody's, of no time."""
	data = io.BytesIO()
	with tarfile.open(fileobj=data, mode="w", format=tarfile.USTAR_FORMAT) as tar:
		for name in sorted(files):
			member = tarfile.TarInfo(name)
			member.size, member.mode = len(files[name]), 0o644
			tar.addfile(member, io.BytesIO(files[name]))
	return data.getvalue()


def write(path, data):
	"""Writes a file if it is not the same already, and says so."""
	if os.path.exists(path):
		with open(path, "rb") as file:
			if file.read() == data:
				return
	os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
	with open(path + ".new", "wb") as file:
		file.write(data)
	os.replace(path + ".new", path)
	print(f"wrote {os.path.relpath(path)}")


def archives(kind):
	return sorted(glob.glob(os.path.join(KEPT, kind, "*.tar")))


def lists(folder):
	return [path for name in LISTS if os.path.exists(path := os.path.join(folder, name))]


def named_in(folder):
	"""The models that a folder's lists name; what else there is of others is left behind."""
	names = set()
	for path in lists(folder):
		with open(path) as file:
			names |= {line.split()[0] for line in file if line.strip() and not line.startswith("#")}
	return names


def archive_of(kind, name, known):
	"""The archive for a file: its name without .tar."""
	model = os.path.basename(name).split(".")[0]
	fitting = [a for a in known if model == a or model.startswith(a + "_")]
	return ONE_ARCHIVE.get(kind) or max(fitting, key=len, default=model.split("_")[0])


def unpack(kinds):
	for kind in kinds:
		folder = os.path.join(UNPACKED, kind)
		shutil.rmtree(folder, ignore_errors=True)
		for path in archives(kind):
			for name, data in read(path).items():
				to = os.path.join(folder, name)
				os.makedirs(os.path.dirname(to), exist_ok=True)
				with open(to, "wb") as file:
					file.write(data)
		for path in lists(os.path.join(KEPT, kind)):
			shutil.copy(path, folder)
	if set(kinds) == set(KINDS):
		with open(STAMP, "w"):
			pass


def folder_of(kind):
	"""Where the models of a kind are unpacked; unpacks them if they are not."""
	if not os.path.exists(STAMP):
		unpack(KINDS)
	return os.path.join(UNPACKED, kind)


def pack(kinds):
	for kind in kinds:
		folder = folder_of(kind)
		named = named_in(folder)
		known = {os.path.basename(path)[: -len(".tar")] for path in archives(kind)}
		packed = {}
		for path in sorted(glob.glob(os.path.join(folder, "**"), recursive=True)):
			if os.path.isdir(path) or path in lists(folder) or os.path.basename(path).split(".")[0] not in named:
				continue
			with open(path, "rb") as file:
				name = os.path.relpath(path, folder)
				packed.setdefault(archive_of(kind, name, known), {})[name] = file.read()
		for archive, files in packed.items():
			write(os.path.join(KEPT, kind, archive + ".tar"), encode(files))
		for archive in known - packed.keys():
			os.remove(os.path.join(KEPT, kind, archive + ".tar"))
			print(f"removed {kind}/{archive}.tar")
		for path in lists(folder):
			with open(path, "rb") as file:
				write(os.path.join(KEPT, kind, os.path.basename(path)), file.read())
	if os.path.exists(STAMP):
		os.utime(STAMP)  # what is unpacked is what was packed


def check(kinds):
	"""Whether each archive has the bytes that pack() would write, and whether the lists and the archives have the same models."""
	wrong = []
	for kind in kinds:
		known = {os.path.basename(path)[: -len(".tar")] for path in archives(kind)}
		models = set()
		for path in archives(kind):
			files = read(path)
			with open(path, "rb") as file:
				if not files or file.read() != encode(files):
					wrong.append(f"{os.path.relpath(path, ROOT)} is not as tools/models/common/archive.py writes it")
			for name in files:
				if archive_of(kind, name, known) + ".tar" != os.path.basename(path):
					wrong.append(f"{os.path.relpath(path, ROOT)} has {name}, which is another archive's")
				if "/" not in name and name.endswith((".onnx", ".tflite")):
					models.add(name.rsplit(".", 1)[0])
		named = named_in(os.path.join(KEPT, kind))
		wrong += [f"tests/models/{kind} has {name}, which no list names" for name in sorted(models - named)]
		wrong += [f"tests/models/{kind} has a list with {name}, which no archive has" for name in sorted(named - models)]
	print("\n".join(wrong), end="\n" if wrong else "")
	return 1 if wrong else 0


def add(path, names):
	files = read(path) if os.path.exists(path) else {}
	for name in names:
		with open(name, "rb") as file:
			files[os.path.basename(name)] = file.read()
	write(path, encode(files))


def main():
	parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
	parser.add_argument("action", choices=("unpack", "pack", "check", "add"))
	parser.add_argument("names", nargs="*")
	args = parser.parse_args()
	if args.action == "add":
		return add(args.names[0], args.names[1:]) if len(args.names) > 1 else parser.error("add: an archive and files, please")
	for kind in args.names:
		if kind not in KINDS:
			parser.error(f"{kind} is none of {', '.join(KINDS)}")
	return {"unpack": unpack, "pack": pack, "check": check}[args.action](args.names or KINDS)


if __name__ == "__main__":
	sys.exit(main())
