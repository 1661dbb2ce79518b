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

$(BUILD)/tests/sim/%.o: tests/sim/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -MMD -MP -c -o $@ $<

# The snooper's observer is pure like the core, and runs as one more node.
$(SIM): $(SIM_OBJECTS) $(BUILD)/snooper/observer.o $(BUILD)/snooper/trail.o $(BUILD)/libcore.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(shell pkg-config --libs libcrypto)

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
