# What is measured; `make check` asserts of it only what no load can change.

BENCH_CORE := $(BUILD)/bench/frames $(BUILD)/bench/growth
# Beside whole processes: the least that one could do, and who takes their times.
BENCH_BARE := $(BUILD)/bench/bare $(BUILD)/bench/spawn
BENCH_PROGRAMS := $(BENCH_CORE) $(BENCH_BARE)
ROUNDS ?= 15

.PHONY: bench bench-frames bench-processes bench-compare

bench: bench-frames bench-processes ## measure, beside limits and neighbours [ROUNDS=15 QUICK=1]

bench-frames: $(BENCH_CORE) $(BUILD)/yoke-snoop ## the part of it that is about single frames [ROUNDS=15]
	$(Q)BUILD=$(BUILD) bench/run --rounds $(ROUNDS)

bench-processes: ## the part of it that is about whole processes [ROUNDS=15 QUICK=1 ONLY="pair loss"]
	$(Q)tools/deps bench
	$(Q)$(MAKE) --no-print-directory programs $(BENCH_BARE) $(BUILD)/tests/flood
	$(Q)BUILD=$(BUILD) bench/processes --rounds $(ROUNDS) $(if $(QUICK),--quick) $(ONLY)

bench-compare: $(BENCH_CORE) ## measure this tree and another commit in turns: BASE=rev [ROUNDS=15]
	$(Q)BUILD=$(BUILD) bench/run --rounds $(ROUNDS) --base $(or $(BASE),$(error give BASE=rev))

# It counts every allocation, so the compiler is to take none of them for its own.
$(BUILD)/bench/%.o: bench/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -Ibench $(PKG_CFLAGS) $(CFLAGS) -fno-builtin-malloc -MMD -MP -c -o $@ $<

$(BENCH_CORE): $(BUILD)/bench/%: $(BUILD)/bench/%.o $(BUILD)/bench/common.o $(BUILD)/libcore.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

$(BENCH_BARE): $(BUILD)/bench/%: $(BUILD)/bench/%.o
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(shell pkg-config --libs libcrypto)
