noinst_LTLIBRARIES += libpx-waits.la
libpx_waits_la_SOURCES = %D%/area.h %D%/counts.h %D%/reader.c %D%/reader.h %D%/trace.c %D%/trace.h %D%/words.c %D%/words.h %D%/writer.c %D%/writer.h
