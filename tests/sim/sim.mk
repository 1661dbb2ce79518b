# The simulator: the real core as many nodes in virtual time.

SIM = $(BUILD)/tests/sim/sim
SIM_OBJECTS := $(patsubst tests/sim/%.c,$(BUILD)/tests/sim/%.o,$(wildcard tests/sim/*.c))
# RUNS and the rest are the command's; without SEED a fresh one is drawn and printed.
SIM_OPTIONS = $(if $(SEED),--seed $(SEED)) $(if $(RUNS),--runs $(RUNS)) $(if $(NODES),--nodes $(NODES)) \
              $(if $(HOURS),--hours $(HOURS)) $(if $(MINUTES),--minutes $(MINUTES))

.PHONY: sim sim-shrink

sim: $(SIM) ## simulate [SEED=n] [RUNS=n] [NODES=n] [HOURS=n | MINUTES=n]
	$(Q)$(SIM) $(SIM_OPTIONS)

sim-shrink: $(SIM) ## the shortest history that still breaks the rule: SEED=n [NODES=n] [HOURS=n]
	$(Q)$(SIM) $(SIM_OPTIONS) --shrink

# Core and simulator as one whole, so that an hour passes soon; what is instrumented is for other
# findings. Of the snooper the observer is pure like the core, and runs as one more node.
SIM_OPT = $(if $(SAN),,-O3 $(if $(findstring clang,$(CC)),,-flto=auto))
SIM_CORE := $(patsubst src/%.c,$(BUILD)/tests/sim/%.o,$(call sources,core) src/snooper/observer.c src/snooper/trail.c)

$(BUILD)/tests/sim/%.o: tests/sim/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(SIM_OPT) -MMD -MP -c -o $@ $<

$(BUILD)/tests/sim/%.o: src/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(SIM_OPT) -MMD -MP -c -o $@ $<

$(BUILD)/tests/sim/main.o: CPPFLAGS += -DYK_COMMIT='"$(COMMIT)"'
$(BUILD)/tests/sim/main.o: $(BUILD)/facts

$(SIM): $(SIM_OBJECTS) $(SIM_CORE)
	$(Q)$(CC) $(CFLAGS) $(SIM_OPT) $(LDFLAGS) -o $@ $^ $(shell pkg-config --libs libcrypto)

.PHONY: mutants

mutants: ## small wrong changes to the core, and which check catches each
	$(Q)tools/deps check
	$(Q)tests/mutants/run

.PHONY: sim-same cover

sim-same: ## the same seeds give the same traces however core and simulator are built
	$(Q)tools/deps check
	$(Q)tools/deps fuzz
	$(Q)tests/sim/same-hash

cover: ## what the core's unit tests and the simulator run of src/core, and what they do not
	$(Q)tools/deps check
	$(Q)tests/cover
