# What goes to a host: installed files and packages.

SHAREDIR ?= $(PREFIX)/share/yoke
# systemd looks below /usr/local too.
UNITDIR ?= $(PREFIX)/lib/systemd/system
SYSUSERSDIR ?= $(PREFIX)/lib/sysusers.d
TMPFILESDIR ?= $(PREFIX)/lib/tmpfiles.d

ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
MANDIR ?= $(PREFIX)/share/man

MANUALS := $(wildcard docs/man/*.[1578])
UNITS := systemd/yoke-agent@.service systemd/yoke-snoop.service
DROP_INS := $(wildcard systemd/drop-ins/*.conf)

.PHONY: install install-programs install-units install-manuals install-completions

install: install-programs install-units install-manuals install-completions ## install to PREFIX (/usr/local), below DESTDIR when it is given

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

install-manuals:
	$(Q)for page in $(MANUALS); do \
	    install -D -m 644 "$$page" '$(DESTDIR)$(MANDIR)'/man"$${page##*.}/$${page##*/}" || exit; \
	done
	$(Q)ln -sf yoke-pair.1 '$(DESTDIR)$(MANDIR)/man1/yoke-unpair.1'

# Where each shell looks by itself.
install-completions:
	$(Q)install -D -m 644 completions/yoke.bash '$(DESTDIR)$(PREFIX)/share/bash-completion/completions/yoke'
	$(Q)install -D -m 644 completions/_yoke '$(DESTDIR)$(ZSHDIR)/_yoke'
	$(Q)install -D -m 644 completions/yoke.fish '$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/yoke.fish'

.PHONY: gen-man
gen-man: programs ## write into the manual pages what the programs say of themselves
	$(Q)BUILD=$(BUILD) tools/gen-man

DEB := $(BUILD)/deb
# The project has no mail host.
NO_MAIL := bogus-mail-host,bogus-mail-host-in-debian-changelog

.PHONY: deb

deb: ## Debian packages of what is here, in build/deb; lintian has to like them
	$(Q)tools/deps deb
	$(Q)rm -rf $(DEB) && mkdir -p $(DEB)/yoke-$(VERSION)
	$(Q)git ls-files -z | tar --null -T - -c | tar -x -C $(DEB)/yoke-$(VERSION)
	$(Q)cd $(DEB)/yoke-$(VERSION) && COMMIT=$(COMMIT) dpkg-buildpackage -b -us -uc
	$(Q)lintian --fail-on error,warning --suppress-tags $(NO_MAIL) $(DEB)/yoke_$(VERSION)_*.changes
	$(Q)ls $(DEB)/*.deb

.PHONY: package-test

package-test: deb ## install, upgrade, remove and purge the packages in a root of their own
	$(Q)tests/package/run

.PHONY: booted-test

booted-test: deb ## the package in a booted Debian: crash, watchdog, upgrade, reload, reboot
	$(Q)tools/deps lab
	$(Q)tests/booted/run

.PHONY: cross

ARCH ?= arm64 armhf
cross: ## build for [ARCH=arm64|armhf] and run the unit tests under an emulator
	$(Q)tools/deps cross
	$(Q)tests/cross/run $(ARCH)
