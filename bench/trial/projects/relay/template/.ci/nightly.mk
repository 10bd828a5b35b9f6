# Called by the night machine in the packing room, one unit after the other:
#   make -f .ci/nightly.mk U=<unit> S=<its seat>
# The rack is described in the hw folder.
night:
	$(MAKE) size UNIT=$(U)
	$(MAKE) image UNIT=$(U) PACKFLAGS="--seat $(S)"
	imgpack --show release/out/$(U).img
