#!/bin/sh
# Every generated file is what its generator writes.
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The shmix authors
exec "${PX_TOP_SRCDIR:-.}/scripts/check-generated"
