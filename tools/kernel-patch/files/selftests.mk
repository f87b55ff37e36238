# SPDX-License-Identifier: GPL-2.0

# In the order in which they run: what does lasting harm comes last.
TEST_GEN_PROGS := @TEST_GEN_PROGS@
# Built, but run only by those who mean it.
TEST_GEN_PROGS_EXTENDED := @TEST_GEN_PROGS_EXTENDED@

LOCAL_HDRS := $(wildcard *.h)
# What mmap() is given as an offset is beyond 4 GiB in 32-bit programs, too.
CFLAGS += -std=gnu11 -O2 -g -Wall -D_FILE_OFFSET_BITS=64 $(KHDR_INCLUDES)
# How many calls there are, for the test that has something to say about each.
CFLAGS += -DNNLOOP_IOCTLS=@IOCTLS@
LDLIBS += -lpthread

include ../../../lib.mk

# It cannot load a library any more when the file system has not survived.
$(OUTPUT)/sleep: LDFLAGS += -static
