# Fuzzing. The fuzzers are built by clang in build/fuzz; the same targets, built by whatever builds
# the rest, replay the committed corpus in `make check`.
#
#   make fuzz-node [SECONDS=60]

FUZZ_TARGETS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_RIG = $(patsubst tests/fuzz/%.c,$(BUILD)/corpus/%.o,$(filter-out tests/fuzz/fuzz_% tests/fuzz/replay.c,$(wildcard tests/fuzz/*.c)))
CORPUS_PROGRAMS := $(FUZZ_TARGETS:%=$(BUILD)/corpus/%)
FUZZ_MAKE = $(MAKE) --no-print-directory CC=clang BUILD=build/fuzz SAN=address,undefined,fuzzer-no-link
SECONDS ?= 60

.PHONY: fuzz $(FUZZ_TARGETS:%=fuzz-%)

fuzz: ## name the fuzz targets, for make fuzz-TARGET [SECONDS=n]
	@echo "make fuzz-TARGET [SECONDS=60] with TARGET one of: $(sort $(FUZZ_TARGETS))"

$(FUZZ_TARGETS:%=fuzz-%): fuzz-%:
	$(Q)tools/deps fuzz
	$(Q)$(FUZZ_MAKE) build/fuzz/fuzzers/$*
	$(Q)tests/fuzz/run $* $(SECONDS)

$(BUILD)/fuzzers/%: $(BUILD)/corpus/fuzz_%.o $(FUZZ_RIG) $(LIBS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(PKG_LIBS)

$(BUILD)/corpus/%.o: tests/fuzz/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -Itests $(PKG_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(CORPUS_PROGRAMS): $(BUILD)/corpus/%: $(BUILD)/corpus/fuzz_%.o $(BUILD)/corpus/replay.o $(FUZZ_RIG) $(LIBS)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)
