# register tables
.PHONY: regs ledger
regs:
	@$(PY) tools/gen_regs.py

ledger:
	@$(PY) tools/ledger.py "$(MAP)"

# host builds, tests and checks of the source
.PHONY: test host style changes
test:
	@$(PY) tools/rig.py --board "$(BOARD)"

host:
	@mkdir -p build
	@$(CC) -std=c11 -Wall -Wextra -DUNIT_$(shell echo $(UNIT) | tr a-z A-Z) -Iinclude -Igen src/*.c -o build/$(UNIT)
	@echo "build/$(UNIT)"

style:
	@$(PY) tools/style.py

changes:
	@$(PY) tools/changes.py

# sizes and images
.PHONY: size image
size:
	@$(PY) tools/size.py "$(UNIT)"

image: size
	@mkdir -p release/out
	@imgpack --unit "$(UNIT)" $(PACKFLAGS) --out release/out/$(UNIT).img $(shell $(PY) tools/size.py --tables "$(UNIT)")
