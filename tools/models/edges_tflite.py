# SPDX-License-Identifier: MIT
"""The tables of edges.py for TensorFlow Lite."""
FILES = {}
