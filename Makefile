# SPDX-License-Identifier: GPL-2.0-only
# The front door; the work is done by scripts/.

KVER ?= 6.12
export KVER

help:
	@echo 'make demo                  build the patched kernel, boot it, show markers at work'
	@echo 'make test                  build two kernels, run all tests; ends with "N passed, N failed"'
	@echo 'make test-all              the kernel'"'"'s own tests of tracing, with the series and without; arm64'
	@echo 'make apply KDIR=source     put the series on a kernel tree (git or plain)'
	@echo 'make unapply KDIR=source   take it off again'
	@echo 'make series OUT=dir        write the series to dir as mails, for git am or git send-email'
	@echo 'make check                 checkpatch, sparse, W=1, kernel-doc, shellcheck, codespell'
	@echo 'make check-patches         build the series patch by patch; goes on where it was stopped'
	@echo 'make boot [KDIR=build] [RUN=script] [BUILD=debug]'
	@echo '                           boot it in QEMU with a shell, or run a script in it'
	@echo 'make bench [KDIR=build]    count the instructions and bytes that markers cost'
	@echo 'make clean                 remove the build trees from the cache'
	@echo
	@echo 'KVER=$(KVER) (there is: $(notdir $(patsubst %/series,%,$(wildcard patches/*/series))))'
	@echo 'TIMEOUT=seconds (300)      limit of one guest run'
	@echo 'APPEND="option ..."        more for the command line of the guest'"'"'s kernel'
	@echo 'MEMORY=MB ACCEL=kvm|tcg    what the guest gets; XDG_CACHE_HOME=dir: where all is built'

demo test test-all check check-patches clean:
	@scripts/$@.sh

apply unapply:
	@scripts/apply.sh $@ "$(KDIR)"

series:
	@scripts/export.sh "$(OUT)"

boot:
	@KDIR="$(KDIR)" BUILD="$(BUILD)" scripts/boot.sh $(if $(RUN),"$(RUN)")

bench:
	@KDIR="$(KDIR)" scripts/bench.sh

.PHONY: help demo test test-all check check-patches bench apply unapply series boot clean
