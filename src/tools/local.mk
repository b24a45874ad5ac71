bin_SCRIPTS += %D%/pmixcc
bin_PROGRAMS += %D%/pmixrun %D%/pmix_info %D%/pmix-shm

# What commands share; it knows nothing of PMIx.
noinst_LTLIBRARIES += libpx-tools.la
libpx_tools_la_SOURCES = %D%/options.c %D%/options.h %D%/out.c %D%/out.h %D%/quote.c %D%/quote.h %D%/std.c %D%/std.h

src_tools_pmixrun_SOURCES = %D%/run/bind.c %D%/run/collect.c %D%/run/collective.c %D%/run/collective.h %D%/run/collect_lost.c %D%/run/control.c %D%/run/event.c %D%/run/forward.c %D%/run/frame.c \
  %D%/run/guard.c %D%/run/host.c %D%/run/input.c %D%/run/job_event.c %D%/run/map.c %D%/run/job.c %D%/run/jobs.c %D%/run/launch.c %D%/run/link.c %D%/run/loop.c %D%/run/modex.c %D%/run/names.c %D%/run/node.c \
  %D%/run/nodes.h %D%/run/openmpi.c %D%/run/options.c %D%/run/output.c %D%/run/pmixrun.c %D%/run/publish.c %D%/run/push.c %D%/run/query.c \
  %D%/run/record.c %D%/run/relay.c %D%/run/relay_collect.c %D%/run/absent.c %D%/run/collect_key.c %D%/run/departed.c \
  %D%/run/remote.c %D%/run/rendezvous.c %D%/run/report.c %D%/run/run.h %D%/run/script.c %D%/shm/find.c %D%/shm/find.h %D%/shm/tally.c %D%/shm/tally.h \
  %D%/run/spawn.c %D%/run/stdin.c %D%/run/task.c %D%/run/timeline.c %D%/run/timeline.h %D%/run/tool.c %D%/run/trace.c %D%/run/waits.c %D%/run/wishes.c %D%/run/wishes.h
# --report looks behind the interface; these two know nothing of PMIx.
src_tools_pmixrun_LDADD = libpx-heap.la libpx-tools.la libpx-host.la libpx-waits.la libpx-shmem.la libpx-base.la libpmix.la

src_tools_pmix_info_SOURCES = %D%/info/pmix_info.c %D%/info/attributes.c %D%/info/attributes.h %D%/info/doctor.c %D%/info/doctor.h %D%/info/doctor_env.c \
  %D%/info/doctor_library.c %D%/info/doctor_server.c %D%/info/former.def
src_tools_pmix_info_CPPFLAGS = $(AM_CPPFLAGS) -DPX_PREFIX='"$(prefix)"' -DPX_BINDIR='"$(bindir)"' \
  -DPX_LIBDIR='"$(libdir)"' -DPX_INCLUDEDIR='"$(includedir)"' \
  -DPX_MANDIR='"$(mandir)"' -DPX_PKGLIBDIR='"$(pkglibdir)"' -DPX_ARCH='"$(host_triplet)"' -DPX_BUILD_HOST='"$(PX_BUILD_HOST)"' -DPX_BUILD_DATE='"$(PX_BUILD_DATE)"' \
  -DPX_BUILD_OPTIONS='"$(PX_BUILD_OPTIONS)"' -DPX_SANITIZE='"$(PX_SANITIZE_CFLAGS)"'
src_tools_pmix_info_LDADD = libpx-tools.la libpx-base.la libpmix.la

# Works without libpmix: it looks behind the interface.
src_tools_pmix_shm_SOURCES = %D%/shm/pmix_shm.c %D%/shm/shm.h %D%/shm/choose.c %D%/shm/find.c %D%/shm/find.h %D%/shm/list.c \
  %D%/shm/proc_state.c %D%/shm/proc_state.h %D%/shm/show.c %D%/shm/stats.c %D%/shm/tally.c %D%/shm/tally.h \
  %D%/shm/top.c %D%/shm/waits.c %D%/shm/waits_find.c %D%/shm/waits_print.c %D%/shm/waits.h
src_tools_pmix_shm_LDADD = libpx-tools.la libpx-waits.la libpx-gds.la libpx-wire.la libpx-value.la libpx-shmem.la libpx-base.la -lm

# The commands of the field: the public interface only.
px_field_commands = %D%/palloc %D%/pattrs %D%/pctrl %D%/pevent %D%/plookup %D%/pps %D%/pquery
bin_PROGRAMS += $(px_field_commands)
noinst_LTLIBRARIES += libpx-field.la
libpx_field_la_SOURCES = %D%/field/answer.c %D%/field/answer.h %D%/field/field.c %D%/field/field.h %D%/field/names.c \
  %D%/field/names.h %D%/field/names_gen.c %D%/field/read.c %D%/field/read.h %D%/field/servers.c %D%/field/servers.h %D%/field/value.c %D%/field/value.h
px_field_libs = libpx-field.la libpx-tools.la libpmix.la
src_tools_pquery_SOURCES = %D%/field/pquery.c
src_tools_pquery_LDADD = $(px_field_libs)
src_tools_palloc_SOURCES = %D%/field/palloc.c
src_tools_palloc_LDADD = $(px_field_libs)
src_tools_pattrs_SOURCES = %D%/field/pattrs.c
src_tools_pattrs_LDADD = $(px_field_libs)
src_tools_pctrl_SOURCES = %D%/field/pctrl.c
src_tools_pctrl_LDADD = $(px_field_libs)
src_tools_pevent_SOURCES = %D%/field/pevent.c
src_tools_pevent_LDADD = $(px_field_libs)
src_tools_plookup_SOURCES = %D%/field/plookup.c
src_tools_plookup_LDADD = $(px_field_libs)
src_tools_pps_SOURCES = %D%/field/pps.c
src_tools_pps_LDADD = $(px_field_libs)

# Completion for bash, under the name of each command.
completiondir = $(datadir)/bash-completion/completions
px_completed = pmix_info pmix-shm pmixcc palloc pattrs pctrl pevent plookup pps pquery
EXTRA_DIST += %D%/completion.bash
install-completion:
	$(MKDIR_P) '$(DESTDIR)$(completiondir)'
	$(INSTALL_DATA) $(srcdir)/%D%/completion.bash '$(DESTDIR)$(completiondir)/pmixrun'
	for name in $(px_completed); do ln -sf pmixrun '$(DESTDIR)$(completiondir)'/$$name || exit 1; done
uninstall-completion:
	cd '$(DESTDIR)$(completiondir)' 2>/dev/null && rm -f pmixrun $(px_completed) || :
install-data-local: install-completion
uninstall-local: uninstall-completion
.PHONY: install-completion uninstall-completion
