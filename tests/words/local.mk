# ---- the program with ids for sentences: nothing may be decided by words ------------------------------------------------

check_PROGRAMS += tests/words/armtap
tests_words_armtap_SOURCES = tools/main/main.c tests/words/capitals.c
tests_words_armtap_LDADD = $(armtap_LDADD)
tests_words_armtap_LDFLAGS = -Wl,--wrap=armtap_note_sentence,--wrap=armtap_note_say

TESTS += tests/words/words-check.py
EXTRA_DIST += tests/words/words-check.py
