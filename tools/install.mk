# What goes to a host: installed files and packages.

SHAREDIR ?= $(PREFIX)/share/yoke
# systemd looks below /usr/local too.
UNITDIR ?= $(PREFIX)/lib/systemd/system
SYSUSERSDIR ?= $(PREFIX)/lib/sysusers.d
TMPFILESDIR ?= $(PREFIX)/lib/tmpfiles.d

UNITS := systemd/yoke-agent@.service systemd/yoke-snoop.service
DROP_INS := $(wildcard systemd/drop-ins/*.conf)

.PHONY: install install-programs install-units

install: install-programs install-units ## install to PREFIX (/usr/local), below DESTDIR when it is given

install-programs: programs
	$(Q)install -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(LIBEXECDIR)'
	$(Q)install $(BUILD)/yoke '$(DESTDIR)$(BINDIR)'
	$(Q)install $(BUILD)/yoke-agent $(BUILD)/yoke-snoop '$(DESTDIR)$(LIBEXECDIR)'
	$(Q)$(if $(MODULES),install -m 644 $(MODULES) '$(DESTDIR)$(LIBEXECDIR)')

install-units:
	$(Q)install -d '$(DESTDIR)$(UNITDIR)' '$(DESTDIR)$(SYSUSERSDIR)' '$(DESTDIR)$(TMPFILESDIR)' '$(DESTDIR)$(SHAREDIR)/drop-ins'
	$(Q)for unit in $(UNITS); do \
	    sed 's,/usr/bin/yoke,$(BINDIR)/yoke,' "$$unit" >'$(DESTDIR)$(UNITDIR)'/"$${unit##*/}" && \
	    chmod 644 '$(DESTDIR)$(UNITDIR)'/"$${unit##*/}" || exit; \
	done
	$(Q)install -m 644 systemd/sysusers.conf '$(DESTDIR)$(SYSUSERSDIR)/yoke.conf'
	$(Q)install -m 644 systemd/tmpfiles.conf '$(DESTDIR)$(TMPFILESDIR)/yoke.conf'
	$(Q)install -m 644 $(DROP_INS) '$(DESTDIR)$(SHAREDIR)/drop-ins'
