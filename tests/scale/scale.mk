# A site of thousands of hosts: some real cores among a model of the rest.

SCALE = $(BUILD)/tests/scale/scale
SCALE_OBJECTS := $(patsubst tests/%.c,$(BUILD)/tests/scale-objects/%.o,$(wildcard tests/scale/*.c) tests/sim/heap.c)

.PHONY: scale

scale: $(SCALE) ## thousands of hosts start, return and rest: what is on the air [SEED=n]
	$(Q)$(SCALE) --long $(if $(SEED),--seed $(SEED))

$(BUILD)/tests/scale-objects/%.o: tests/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -MMD -MP -c -o $@ $<

$(SCALE): $(SCALE_OBJECTS) $(BUILD)/libcore.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(shell pkg-config --libs libcrypto) -lm
