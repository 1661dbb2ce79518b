# What is measured; `make check` asserts of it only what no load can change.

BENCH_PROGRAMS := $(BUILD)/bench/frames $(BUILD)/bench/growth
ROUNDS ?= 15

.PHONY: bench bench-compare

bench: $(BENCH_PROGRAMS) $(BUILD)/yoke-snoop ## measure, beside limits and neighbours [ROUNDS=15]
	$(Q)BUILD=$(BUILD) bench/run --rounds $(ROUNDS)

bench-compare: $(BENCH_PROGRAMS) ## measure this tree and another commit in turns: BASE=rev [ROUNDS=15]
	$(Q)BUILD=$(BUILD) bench/run --rounds $(ROUNDS) --base $(or $(BASE),$(error give BASE=rev))

# It counts every allocation, so the compiler is to take none of them for its own.
$(BUILD)/bench/%.o: bench/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -Ibench $(PKG_CFLAGS) $(CFLAGS) -fno-builtin-malloc -MMD -MP -c -o $@ $<

$(BENCH_PROGRAMS): $(BUILD)/bench/%: $(BUILD)/bench/%.o $(BUILD)/bench/common.o $(BUILD)/libcore.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)
