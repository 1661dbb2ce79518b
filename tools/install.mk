# What goes to a host: installed files and packages.

.PHONY: install

install: programs ## install to PREFIX (/usr/local), below DESTDIR when it is given
	$(Q)install -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(LIBEXECDIR)'
	$(Q)install $(BUILD)/yoke '$(DESTDIR)$(BINDIR)'
	$(Q)install $(BUILD)/yoke-agent $(BUILD)/yoke-snoop '$(DESTDIR)$(LIBEXECDIR)'
	$(Q)$(if $(MODULES),install -m 644 $(MODULES) '$(DESTDIR)$(LIBEXECDIR)')
