/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* The protocol of docs/memory-model.md: one writer that publishes four times, grows its table, replaces a column, ends
 * in an orderly way or is killed at any store, and readers that look up values meanwhile.
 *
 * Memory is release and acquire, not sequential consistency. There is one writer, so its stores have a total order, and
 * `now` numbers them. Every store to a word is kept. A reader has T, the number of the latest store that it has
 * synchronized with: everything up to T happens before what it does next. An acquire load of a word may return any store
 * from the last one that T covers to the newest; when that was a release, T rises to it. Plain bytes may only be read
 * when their last store is at or below T: otherwise there is a race.
 *
 * What is published (each value is the number of its publication):
 *
 *   publication      1          2                     3                     4
 *   A, a job word    1          2                     3                     4
 *   B, in the table  1          2, slot replaced      3, in the new table
 *   C, a column      1          2, a record above it                        4, a new column
 *   E, in the table                                   3, in the new table
 *
 * A lookup must return what the key had after some publication that had ended, no older than any that this reader has
 * seen a trace of. BROKEN chooses a deliberate mistake that the checker must find; model.sh tries each. */

#ifndef READERS
#define READERS 1
#endif
#ifndef ANY_ORDER
#define ANY_ORDER 0 /* the publication whose words are stored in every possible order */
#endif
#ifndef PUBLICATIONS
#define PUBLICATIONS 4
#endif
#ifndef LOOKUPS
#define LOOKUPS 2
#endif

#define WORD_BEFORE_BYTES 1 /* mistake: a word leads to a record that is not written yet */
#define SEQUENCE_FIRST 2 /* mistake: the sequence is stored before the words */
#define NOT_A_RELEASE 3 /* mistake: words are stored without release */
#define USED_LATE 4 /* mistake: `used` is stored after the words */
#define OVERLAY_LATE 5 /* mistake: a column learns of its overlay after the sequence */
#define TABLE_BEFORE_SLOTS 6 /* mistake: readers are led to the new table before it is filled */
#define NO_STEP_BACK 7 /* mistake: a reader takes the newest version, whatever its number */
#define SEQUENCE_NOT_AGAIN 8 /* mistake: a reader steps back without loading the sequence again */
#define REUSED_BYTES 9 /* mistake: a record is updated where it lies */
#define DEAD_EARLY 10 /* mistake: the segment is marked dead before the last publication has ended */
#ifndef BROKEN
#define BROKEN 0
#endif

/* words */
#define SEQ 0
#define USED 1
#define TABLE 2
#define STATE 3
#define JOB 4     /* of key A */
#define COLUMN 5  /* of key C */
#define OVERLAY 6 /* of the first column; the second gets none */
#define T1 7      /* two slots */
#define T2 9      /* four slots */
#define N_WORDS 13
#define MOST 5    /* stores to one word, the first zero included */

/* Objects, in the order of their locators: table T1, A1, B1, the column C1; A2, B2, the record C2; table T2, A3, B3, E3;
 * the column C4, A4. */
#define O_T1 1
#define O_A1 2
#define O_B1 3
#define O_C1 4
#define O_A2 5
#define O_B2 6
#define O_C2 7
#define O_T2 8
#define O_A3 9
#define O_B3 10
#define O_E3 11
#define O_C4 12
#define O_A4 13
#define N_OBJECTS 14
#define SEQ_OF(o) ((o) < 5 -> 1 : ((o) < 8 -> 2 : ((o) < 12 -> 3 : 4)))
#define PREV_OF(o)                                                                                                      \
    ((o) == O_A2 -> O_A1 : ((o) == O_B2 -> O_B1 : ((o) == O_A3 -> O_A2 : ((o) == O_B3 -> O_B2 : ((o) == O_C4 -> O_C1 :  \
    ((o) == O_A4 -> O_A3 : 0))))))

#define KEY_A 0
#define KEY_B 1
#define KEY_C 2
#define KEY_E 3
#define KEY_OF(o) ((o) == O_C2 -> KEY_C : ((o) == O_E3 -> KEY_E : KEY_B))
#define HASH_OF(k) ((k) == KEY_E -> 1 : 0) /* B and C collide */
/* what a key has after p publications; 0: nothing */
#define VALUE(k, p)                                                                                                     \
    ((k) == KEY_A -> (p) : ((k) == KEY_B -> ((p) < 3 -> (p) : 3) : ((k) == KEY_C -> ((p) == 3 -> 2 : (p)) :             \
    ((p) < 3 -> 0 : 3))))

#define LIVE 0
#define DEAD 1

byte now;                       /* stores so far */
byte history[N_WORDS * MOST];   /* values of words, oldest first */
byte when[N_WORDS * MOST];      /* the store's number */
bit released[N_WORDS * MOST];
byte newest[N_WORDS];           /* index of the latest */
byte bytes[N_OBJECTS];          /* number of the last store to an object's bytes; 0: not written */
byte ended;                     /* publications that have ended */

/* --- the writer --- */

/* It may be killed after any store. */
inline killed()
{
    if
    :: true
    :: goto end_writer
    fi
}

inline fill(o)
{
    atomic {
        now++;
        bytes[o] = now
    }
    killed()
}

inline store(word, value, release)
{
    d_step {
        now++;
        newest[word]++;
        history[(word) * MOST + newest[word]] = value;
        when[(word) * MOST + newest[word]] = now;
        released[(word) * MOST + newest[word]] = release
    }
}

inline publish(word, value)
{
    store(word, value, BROKEN != NOT_A_RELEASE);
    killed()
}

inline publish_used(value)
{
    if
    :: BROKEN != USED_LATE -> publish(USED, value)
    :: else
    fi
}

inline publish_sequence(n)
{
    atomic {
        store(SEQ, n, 1);
        ended = n
    }
    killed()
}

/* No order is promised of the words between `used` and the sequence. */
#define TURN(b) ((todo & (b)) && (any_order || (todo & ((b) - 1)) == 0))
inline publish_words_1()
{
    any_order = ANY_ORDER == 1;
    todo = 7;
    do
    :: TURN(1) -> todo = todo & ~1; store(T1, O_B1, 0); publish(TABLE, O_T1)
    :: TURN(2) -> todo = todo & ~2; publish(JOB, O_A1)
    :: TURN(4) -> todo = todo & ~4; publish(COLUMN, O_C1)
    :: todo == 0 -> break
    od
}

inline publish_words_2()
{
    any_order = ANY_ORDER == 2;
    todo = 15;
    do
    :: TURN(1) -> todo = todo & ~1; publish(T1, O_B2)
    :: TURN(2) -> todo = todo & ~2; publish(T1 + 1, O_C2)
    :: TURN(4) -> todo = todo & ~4; publish(JOB, O_A2)
    :: TURN(8) ->
        todo = todo & ~8;
        if
        :: BROKEN != OVERLAY_LATE -> publish(OVERLAY, 2)
        :: else
        fi
    :: todo == 0 -> break
    od
}

/* The new table is filled before a word leads to it, with what is in the old one and what is new. */
inline fill_table()
{
    store(T2, O_B3, 0);
    killed();
    store(T2 + 1, O_C2, 0);
    store(T2 + 2, O_E3, 0);
    killed()
}

inline publish_words_3()
{
    any_order = ANY_ORDER == 3;
    todo = 3;
    do
    :: TURN(1) ->
        todo = todo & ~1;
        if
        :: BROKEN != TABLE_BEFORE_SLOTS -> fill_table(); publish(TABLE, O_T2)
        :: else -> publish(TABLE, O_T2); fill_table()
        fi
    :: TURN(2) -> todo = todo & ~2; publish(JOB, O_A3)
    :: todo == 0 -> break
    od
}

inline publish_words_4()
{
    any_order = ANY_ORDER == 4;
    todo = 3;
    do
    :: TURN(1) -> todo = todo & ~1; publish(JOB, O_A4)
    :: TURN(2) -> todo = todo & ~2; publish(COLUMN, O_C4)
    :: todo == 0 -> break
    od
}

proctype writer()
{
    byte todo;
    bit any_order;

    fill(O_T1);
    fill(O_A1);
    fill(O_B1);
    fill(O_C1);
    publish_used(5);
    publish_words_1();
    if
    :: BROKEN == USED_LATE -> publish(USED, 5)
    :: else
    fi;
    publish_sequence(1);

    if
    :: BROKEN != WORD_BEFORE_BYTES -> fill(O_A2)
    :: else
    fi;
    fill(O_B2);
    fill(O_C2);
    if
    :: BROKEN == REUSED_BYTES -> fill(O_A1)
    :: else
    fi;
    publish_used(8);
    if
    :: BROKEN == SEQUENCE_FIRST -> publish_sequence(2); publish_words_2()
    :: else -> publish_words_2(); publish_sequence(2)
    fi;
    if
    :: BROKEN == WORD_BEFORE_BYTES -> fill(O_A2)
    :: BROKEN == OVERLAY_LATE -> publish(OVERLAY, 2)
    :: else
    fi;

    if
    :: PUBLICATIONS == 2 -> goto end_writer
    :: else
    fi;
    fill(O_T2);
    fill(O_A3);
    fill(O_B3);
    fill(O_E3);
    publish_used(12);
    publish_words_3();
    publish_sequence(3);

    fill(O_C4);
    fill(O_A4);
    publish_used(14);
    publish_words_4();
    if
    :: BROKEN == DEAD_EARLY -> publish(STATE, DEAD)
    :: else
    fi;
    publish_sequence(4);
    if
    :: BROKEN != DEAD_EARLY -> publish(STATE, DEAD)
    :: else
    fi;
end_writer:
    skip
}

/* --- readers: no step waits for anything --- */

inline load(word, value)
{
    atomic {
        at = newest[word];
        do
        :: when[(word) * MOST + at] > T -> at-- /* down to the last store that T covers, the first is at 0 */
        :: else -> break
        od;
        do
        :: at < newest[word] -> at++
        :: break
        od;
        value = history[(word) * MOST + at];
        if
        :: released[(word) * MOST + at] && when[(word) * MOST + at] > T -> T = when[(word) * MOST + at]
        :: else
        fi;
        at = 0
    }
}

/* The bytes of an object are about to be read. */
inline touch(o)
{
    if
    :: o >= limit -> load(USED, limit)
    :: else
    fi;
    assert(o < limit);                     /* not beyond the segment's end */
    assert(bytes[o] != 0 && bytes[o] <= T) /* written, and no race with the writer */
}

/* px_visible: the object, the version before, or 0 */
inline visible(o)
{
    touch(o);
    if
    :: SEQ_OF(o) <= S || BROKEN == NO_STEP_BACK
    :: else ->
        if
        :: BROKEN != SEQUENCE_NOT_AGAIN -> load(SEQ, S)
        :: else
        fi;
        if
        :: SEQ_OF(o) <= S
        :: else ->
            o = PREV_OF(o);
            if
            :: o != 0 -> touch(o); assert(SEQ_OF(o) <= S) /* one step back is enough */
            :: else
            fi
        fi
    fi
}

/* px_record_find: rec, or 0 */
inline find_record(key)
{
    load(TABLE, table);
    rec = 0;
    if
    :: table != 0 ->
        touch(table);
        step = 0;
        do
        :: step < (table == O_T1 -> 2 : 4) ->
            load((table == O_T1 -> T1 + (HASH_OF(key) + step) % 2 : T2 + (HASH_OF(key) + step) % 4), rec);
            if
            :: rec == 0 -> break
            :: else
            fi;
            touch(rec);
            if
            :: KEY_OF(rec) == key -> break
            :: else -> rec = 0
            fi;
            step++
        :: else -> break
        od
    :: else
    fi;
    step = 0;
    table = 0
}

inline look_up(key)
{
    load(USED, limit);
    load(SEQ, S);
    if
    :: floor < S -> floor = S
    :: else
    fi;
    col = 0;
    rec = 0;
    if
    :: key == KEY_A ->
        load(JOB, rec);
        if
        :: rec != 0 -> visible(rec)
        :: else
        fi
    :: key == KEY_C ->
        load(COLUMN, col);
        if
        :: col != 0 -> visible(col)
        :: else
        fi;
        overlay = 1;
        if
        :: col == O_C1 -> load(OVERLAY, overlay)
        :: col == O_C4 -> overlay = 0
        :: else
        fi;
        if
        :: overlay != 0 ->
            find_record(key);
            if
            :: rec != 0 -> visible(rec)
            :: else
            fi
        :: else
        fi;
        if
        :: col != 0 && (rec == 0 || SEQ_OF(rec) < SEQ_OF(col)) -> rec = col
        :: else
        fi
    :: else ->
        find_record(key);
        if
        :: rec != 0 -> visible(rec)
        :: else
        fi
    fi
}

/* Some publication that has ended and is no older than what this reader knows of left exactly this. */
inline check(key)
{
    d_step {
        found = (rec != 0 -> SEQ_OF(rec) : 0);
        do
        :: floor <= ended && VALUE(key, floor) != found -> floor++
        :: else -> break
        od;
        assert(floor <= ended && floor <= S); /* and this reader has seen its end */
        found = 0;
        rec = 0;
        col = 0;
        overlay = 0;
        limit = 0;
        S = 0
    }
}

proctype reader()
{
    byte T;     /* synchronized with the writer's stores up to here */
    byte S;     /* the sequence */
    byte limit; /* `used` as last seen */
    byte floor; /* publications that this reader must not fall behind */
    byte rec;
    byte col;
    byte overlay;
    byte table;
    byte step;
    byte at;
    byte key;
    byte found;
    byte left = LOOKUPS;

    do
    :: left > 0 ->
        left--;
        if
        :: key = KEY_A
        :: key = KEY_B
        :: key = KEY_C
        :: key = KEY_E
        :: load(STATE, found); /* who knows that it is over knows all */
            if
            :: found == DEAD -> floor = 4
            :: else
            fi;
            key = KEY_A;
            found = 0
        fi;
        look_up(key);
        check(key)
    :: else -> break
    od
}

init
{
    byte i;

    atomic {
        run writer();
        for (i : 1 .. READERS) {
            run reader()
        }
    }
}
