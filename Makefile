# Developer commands of yoke; `make help` lists them.
#
#   make SAN=address,undefined ...   sanitizer build, in its own folder
#   make V=1 ...                     show the commands

VERSION := $(shell cat VERSION)
CC ?= gcc
SAN ?=
V ?= 0
BUILD := build$(if $(SAN),/san)
Q := $(if $(filter 1,$(V)),,@)

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBEXECDIR ?= $(PREFIX)/libexec/yoke
# What it is built from; a source without its history is given COMMIT.
COMMIT ?= $(shell git describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null || echo unknown)
# Of when the source is, Unix seconds.
BUILD_TIME ?= $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null || echo 0))
# Silent before there is a compiler: the commands install one, and make anew.
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)

PKGS = libuv jansson libcrypto
WARN = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef \
       -Wformat=2 -Wwrite-strings -Wpointer-arith -Wnull-dereference -Wimplicit-fallthrough -Werror
# Shadow stacks and branch targets, where the processor may have them.
HARDEN_x86_64-linux-gnu = -fcf-protection
HARDEN_aarch64-linux-gnu = -mbranch-protection=standard
HARDEN = $(if $(SAN),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2) -fstack-protector-strong -fstack-clash-protection \
         $(HARDEN_$(MACHINE))
# Programs and modules are made of the same objects: hidden, they are as fast as -fPIE makes them.
PIC = -fPIC -fvisibility=hidden
OPT ?= -O2
CPPFLAGS += -Isrc -D_GNU_SOURCE -DYK_VERSION='"$(VERSION)"' -DYK_LIBEXECDIR='"$(LIBEXECDIR)"'
# What gcc 12 takes for a generic processor copies small structs by "rep movs", 20 ns each (ADR 15).
# The instructions stay those of every x86-64.
TUNE_x86_64-linux-gnu = -mtune=skylake
CFLAGS += -std=c17 -g $(OPT) $(TUNE_$(MACHINE)) $(WARN) $(HARDEN) $(PIC) $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
LDFLAGS += -pie -Wl,-z,relro,-z,now,-z,noexecstack -Wl,--as-needed $(if $(SAN),-fsanitize=$(SAN))
# Instrumented code takes the sanitizer's functions from the program that loads it.
MODULE_LDFLAGS = $(filter-out -pie,$(LDFLAGS)) -shared $(if $(SAN),,-Wl,-z,defs)
# Seconds of 64 bits where a machine's words have 32: the year 2038 is near for what runs for years.
TIME64_arm-linux-gnueabihf = -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64
CPPFLAGS += $(TIME64_$(MACHINE))
# Debian's libpcap on such a machine has the older time in the header of a packet.
$(BUILD)/snooper/capture_%.o: CPPFLAGS += $(if $(TIME64_$(MACHINE)),-U_TIME_BITS)
PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS))
PKG_LIBS = $(shell pkg-config --libs $(PKGS))
# What only the snooper links; its objects are in no other program.
SNOOP_LIBS = $(shell pkg-config --libs libpcap libseccomp ncursesw)

ROOMS := base core shell drivers cli snooper
sources = $(sort $(shell find src/$(1) -name '*.c'))
objects = $(patsubst src/%.c,$(BUILD)/%.o,$(call sources,$(1)))
ARCHIVES := $(foreach room,$(ROOMS),$(BUILD)/lib$(room).a)
# One way down: each archive needs only those behind it.
LIBS = $(BUILD)/libshell.a $(BUILD)/libdrivers.a $(BUILD)/libcore.a $(BUILD)/libbase.a

include tests/fuzz/fuzz.mk
include tests/sim/sim.mk
include tests/scale/scale.mk
include bench/bench.mk
include tools/install.mk

PROGRAMS := $(BUILD)/yoke $(BUILD)/yoke-agent $(BUILD)/yoke-snoop
# Loaded by a program when they are configured (ADR 13); each needs libraries of its own.
MODULES := $(BUILD)/yoke-http.so $(BUILD)/yoke-jap.so
UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
UNIT_RIG := $(patsubst tests/unit/%.c,$(BUILD)/tests/%.o,$(filter-out tests/unit/test_%,$(wildcard tests/unit/*.c)))
# The page of `yoke snoop --http`, as it is served: one script out of several files, in this order.
PAGE := $(addprefix $(BUILD)/page/,index.html page.css page.js icon.svg)
PAGE_SCRIPTS := $(addprefix src/snooper/page/,text.js model.js graph.js panels.js stream.js main.js)
TEST_MODULES := $(patsubst tests/modules/%.c,$(BUILD)/tests/modules/%.so,$(wildcard tests/modules/*.c))
TEST_MODULES += $(patsubst tests/preload/%.c,$(BUILD)/tests/preload/%.so,$(wildcard tests/preload/*.c))
TEST_TOOLS := $(patsubst tests/vectors/%.c,$(BUILD)/tests/%,$(wildcard tests/vectors/*.c)) \
              $(patsubst tests/netns/%.c,$(BUILD)/tests/%,$(wildcard tests/netns/*.c))

.PHONY: all programs tests deps check check-run browser demo lab format check-format check-pure check-rooms gen check-gen model clean help
.DEFAULT_GOAL := all
.SECONDARY:

all: ## build the programs (installs missing packages first)
	$(Q)tools/deps build
	$(Q)$(MAKE) --no-print-directory programs

programs: $(PROGRAMS) $(MODULES)
tests: $(UNIT_TESTS) $(TEST_MODULES) $(TEST_TOOLS) $(CORPUS_PROGRAMS) $(SIM) $(SCALE) $(BENCH_PROGRAMS)

check: ## unit tests, vectors, network tests in namespaces; ends with the totals
	$(Q)tools/deps check
	$(Q)$(MAKE) --no-print-directory check-run

check-run: programs tests
	$(Q)BUILD=$(BUILD) SAN=$(SAN) tests/run

browser: ## the page of yoke snoop --http in a real browser
	$(Q)tools/deps browser
	$(Q)$(MAKE) --no-print-directory programs $(BUILD)/tests/flood
	$(Q)BUILD=$(BUILD) SAN=$(SAN) tests/browser/run

demo: ## two hosts in private namespaces: pair, unplug, plug in again
	$(Q)tools/deps demo
	$(Q)$(MAKE) --no-print-directory programs
	$(Q)BUILD=$(BUILD) tools/demo

lab: ## tests in virtual machines: a real kernel's USB/IP, cables and power to cut
	$(Q)tools/deps lab
	$(Q)$(MAKE) --no-print-directory programs
	$(Q)BUILD=$(BUILD) tests/lab/run

model: ## check the model of pairing with spin (docs/model)
	$(Q)tools/deps model
	$(Q)docs/model/run

format: ## write the sources as the formatter wants them
	$(Q)find src tests bench -name '*.[ch]' | xargs clang-format -i

check-format: ## fail when the formatter would change a file
	$(Q)find src tests bench -name '*.[ch]' | xargs clang-format --dry-run -Werror

check-pure: $(BUILD)/core.o ## fail when the core calls anything but what the list allows
	$(Q)tests/check-pure $<

check-silent: $(BUILD)/yoke-snoop $(BUILD)/yoke-http.so ## fail when an object of the snooper could transmit
	$(Q)tests/check-silent $^

check-rooms: ## fail when a room includes a higher one
	$(Q)tests/check-rooms

gen: ## write what is derived from src/core/protocol.def
	$(Q)tools/gen-protocol

check-gen: ## fail when that differs from what is there
	$(Q)tools/gen-protocol --check

$(BUILD)/core.o: $(call objects,core)
	$(Q)$(LD) -r -o $@ $^

$(BUILD)/%.o: src/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(PKG_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

define archive
$(BUILD)/lib$(1).a: $(call objects,$(1))
	@rm -f $$@
	$(Q)$(AR) rcs $$@ $$^
endef
$(foreach room,$(ROOMS),$(eval $(call archive,$(room))))

# What a build is told besides its sources: what knows it is made anew when it changes.
.PHONY: force
$(BUILD)/facts: force
	@mkdir -p $(@D)
	@echo '$(COMMIT) $(LIBEXECDIR)' | cmp -s - $@ || echo '$(COMMIT) $(LIBEXECDIR)' >$@
$(BUILD)/commit.o: CPPFLAGS += -DYK_COMMIT='"$(COMMIT)"' -DYK_BUILD_TIME=$(BUILD_TIME)
$(BUILD)/commit.o $(BUILD)/main.o: $(BUILD)/facts

$(BUILD)/yoke: $(BUILD)/main.o $(BUILD)/commit.o $(BUILD)/libcli.a $(LIBS)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

$(BUILD)/yoke-agent: $(BUILD)/agent_main.o $(BUILD)/commit.o $(LIBS)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

# The map says which of our objects are in it: tests/check-silent looks into each.
$(BUILD)/yoke-snoop: $(BUILD)/snoop_main.o $(BUILD)/commit.o $(BUILD)/libsnooper.a $(BUILD)/libcli.a $(LIBS)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -Wl,-Map,$@.map -o $@ $^ $(PKG_LIBS) $(SNOOP_LIBS)

# module NAME,FOLDER below src,PACKAGES: yoke-NAME.so. Of the archives it gets copies of its own of what
# it uses; what it shows is yk_module alone.
define module
$(BUILD)/yoke-$(1).so: $(call objects,$(2)) $(BUILD)/libdrivers.a $(BUILD)/libcore.a $(BUILD)/libbase.a
	$(Q)$(CC) $(CFLAGS) $(MODULE_LDFLAGS) -Wl,-Map,$$@.map -o $$@ $$^ $$(PKG_LIBS) $$(shell pkg-config --libs $(3))
endef

$(eval $(call module,http,http,libmicrohttpd))
$(eval $(call module,jap,drivers/jap,libcurl))

$(BUILD)/snooper/page.o: CPPFLAGS += -DYK_PAGE_FOLDER='"$(BUILD)/page/"'
$(BUILD)/snooper/page.o: $(PAGE)

$(BUILD)/tests/modules/%.so: tests/modules/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(MODULE_LDFLAGS) -o $@ $<

$(BUILD)/tests/preload/%.so: tests/preload/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -fvisibility=default -fPIC -shared -o $@ $<

$(BUILD)/tests/%.o: tests/unit/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -Itests $(PKG_CFLAGS) $(shell pkg-config --cflags check) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(UNIT_RIG) $(ARCHIVES)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $< $(UNIT_RIG) $(BUILD)/libsnooper.a $(BUILD)/libcli.a $(LIBS) $(PKG_LIBS) $(SNOOP_LIBS) $(shell pkg-config --libs check)

$(BUILD)/tests/%: tests/vectors/%.c $(ARCHIVES)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(PKG_CFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< $(LIBS) $(PKG_LIBS)

$(BUILD)/tests/%: tests/netns/%.c $(ARCHIVES)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(PKG_CFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< $(LIBS) $(PKG_LIBS)

$(BUILD)/page/page.js: $(PAGE_SCRIPTS)
	@mkdir -p $(@D)
	$(Q)cat $^ >$@

$(BUILD)/page/%: src/snooper/page/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

clean: ## remove everything that was built
	rm -rf build

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

-include $(shell find $(BUILD) -path $(BUILD)/deb -prune -o -path $(BUILD)/cross -prune -o -name '*.d' -type f -print 2>/dev/null)
