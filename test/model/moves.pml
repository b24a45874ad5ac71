/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Generations (docs/memory-model.md, section 9): a server that publishes and moves; the loop thread of a client, which
 * adopts what replies bring and unmaps; threads of the client that read, take pointers and tell each other what they
 * have seen. No step waits for another process: who is killed or stopped takes no more steps, and everything is asserted
 * whoever does not go on.
 *
 * Memory is release and acquire. The server's stores are numbered, and so are those of the loop thread: there are two
 * writers whose order matters. Whoever has T and L has synchronized with the stores up to T of the one and up to L of
 * the other. A load may return any store from the last one that they cover; all stores here are releases, so it raises
 * them to what their writer had. What a reader stores stays in its buffer for as long as it likes, in order: only the
 * loop thread looks, and it may find any part of it. membarrier empties all buffers and lets all readers have what the
 * loop thread has.
 *
 * What is published is a number. What is asserted:
 *   - a thread never finds a smaller number than it, or who told it, has found, nor than the fence that it waited for;
 *   - a generation is read only when all its bytes are there, and while it is mapped;
 *   - one that has been superseded has a next one, whole, also when the server was killed;
 *   - one that pointers lead into stays mapped.
 * BROKEN chooses a deliberate mistake that the checker must find; model.sh tries each. */

#ifndef READERS
#define READERS 1
#endif
#ifndef VISITS
#define VISITS 2
#endif
#ifndef GENERATIONS
#define GENERATIONS 3
#endif
#ifndef MOST
#define MOST 2 /* publications */
#endif
/* Two things keep a reader from the old generation by way of `fast_store` when it knows of the new one. */
#ifndef CLEARS_FAST_STORE
#define CLEARS_FAST_STORE 1 /* `fast_store` is 0 while `segment` changes */
#endif
#ifndef LOOKS_AT_STATE
#define LOOKS_AT_STATE 1 /* who comes by `fast_store` looks whether that has been superseded */
#endif

#define STATE_BEFORE_COPY 1 /* mistake: a generation is superseded before the next one is whole */
#define HANDED_EARLY 2 /* mistake: the next generation is handed out before it is whole */
#define COPY_LACKS_LAST 3 /* mistake: the last publication does not come along */
#define PUBLISHED_IN_OLD 4 /* mistake: something is published in a generation that was superseded */
#define ADOPTED_LATE 5 /* mistake: a reply is delivered before what it brings is adopted */
#define NO_GRACE 6 /* mistake: a generation is unmapped without looking for its readers */
#define NO_BARRIER 7 /* mistake: who looks for readers does not call membarrier */
#define BARRIER_EARLY 8 /* mistake: a grace begins before `segment` is replaced */
#define LATE_TO_GRACE 9 /* mistake: what is replaced during a grace is freed at its end */
#define LEFT_EARLY 10 /* mistake: a reader leaves before its last load */
#define NOT_PINNED 11 /* mistake: pointers do not pin */
#define PINNED_LATE 12 /* mistake: a reader leaves before it pins */
#define FAST_STORE_BLIND 13 /* mistake: neither of the two things above */
#ifndef BROKEN
#define BROKEN 0
#endif

#define RAISE(a, b) a = ((b) > (a) -> (b) : (a))
#define LOADS 5 /* stores to one word of the loop thread, the first included */

/* --- the server's words --- */
byte now = 1;                  /* its stores so far */
byte bytes[GENERATIONS + 1];   /* the store that made a generation whole; 0: it is not */
byte moved[GENERATIONS + 1];   /* the store to its state; 0: it is live */
byte first[GENERATIONS + 1];   /* the number that came along */
byte last[GENERATIONS + 1];    /* the newest number */
byte published[MOST + 1];      /* the store of each number */
chan replies = [2] of { byte, byte, byte }; /* number promised, generation or 0, T */

/* --- the loop thread's words: every value, oldest first --- */
#define SEGMENT 0
#define FAST_STORE 1
byte history[2 * LOADS];
byte history_L[2 * LOADS];
byte history_T[2 * LOADS];
byte newest[2];

/* --- the readers' words, as far as their buffers have been emptied --- */
#define LEAVE 0
#define ENTER 1
#define PIN 2 /* and up: PIN + generation */
chan buffer[READERS] = [3 * VISITS] of { byte };
bit inside[READERS];
bit pinned[GENERATIONS + 1];
bit fenced[READERS]; /* membarrier has been executed for it */

/* --- what threads tell each other, by other means that synchronize --- */
byte told;
byte told_T;
byte told_L;

/* --- the truth --- */
#define MAPPED 0
#define UNUSED 1
#define RETIRED 2
#define KEPT 3
#define GONE 4
byte life[GENERATIONS + 1];
bit given[GENERATIONS + 1]; /* somebody has pointers into it */

/* --- the server --- */

inline reply(generation)
{
    if
    :: nfull(replies) -> replies ! number, (generation > sent -> generation : 0), now; RAISE(sent, generation)
    :: true
    fi
}

inline fill()
{
    atomic {
        now++;
        bytes[g + 1] = now;
        first[g + 1] = (BROKEN == COPY_LACKS_LAST -> number - 1 : number);
        last[g + 1] = first[g + 1]
    }
}

inline supersede()
{
    atomic {
        now++;
        moved[g] = now
    }
}

inline move()
{
    if
    :: BROKEN == STATE_BEFORE_COPY -> supersede(); fill()
    :: BROKEN == HANDED_EARLY -> reply(g + 1); fill(); supersede()
    :: else -> fill(); supersede()
    fi;
    g++;
    reply(g)
}

inline publish(generation)
{
    atomic {
        now++;
        number++;
        published[number] = now;
        last[generation] = number
    }
}

proctype server()
{
    byte g = 1;
    byte number;   /* published so far */
    byte sent = 1; /* the newest generation that the client was sent */

    do
    :: number < MOST && (BROKEN != PUBLISHED_IN_OLD || g == 1) -> publish(g); reply(g)
    :: BROKEN == PUBLISHED_IN_OLD && number < MOST && g == 2 -> publish(1); reply(g)
    :: g < GENERATIONS && number > 0 -> move()
    :: else -> break
    od
}

/* --- the loop thread --- */

inline store(word, value)
{
    atomic {
        L++;
        newest[word]++;
        history[(word) * LOADS + newest[word]] = value;
        history_L[(word) * LOADS + newest[word]] = L;
        history_T[(word) * LOADS + newest[word]] = T
    }
}

inline take(i)
{
    buffer[i] ? what;
    if
    :: what <= ENTER -> inside[i] = what
    :: else -> pinned[what - PIN] = 1
    fi;
    what = 0
}

inline barrier()
{
    atomic {
        for (i : 0 .. READERS - 1) {
            do
            :: len(buffer[i]) > 0 -> take(i)
            :: else -> break
            od;
            fenced[i] = 1
        }
        fence_T = T;
        fence_L = L;
        i = 0
    }
}

/* Looks at a reader's word: any part of its buffer may be out. */
inline look(i)
{
    do
    :: len(buffer[i]) > 0 -> take(i)
    :: break
    od
}

inline begin()
{
    if
    :: BROKEN != NO_BARRIER && BROKEN != BARRIER_EARLY -> barrier()
    :: else
    fi;
    for (i : 0 .. READERS - 1) {
        atomic {
            look(i);
            mark[i] = inside[i]
        }
    }
    i = 0
}

inline free_unless_over()
{
    over = 1;
    for (i : 0 .. READERS - 1) {
        atomic {
            look(i);
            mark[i] = mark[i] && inside[i];
            over = over && !mark[i]
        }
    }
    i = 0;
    if
    :: over || BROKEN == NO_GRACE -> free()
    :: else
    fi;
    over = 0
}

inline free()
{
    atomic {
        for (k : 1 .. GENERATIONS) {
            if
            :: life[k] == RETIRED && pinned[k] && BROKEN != NOT_PINNED -> life[k] = KEPT
            :: life[k] == RETIRED && !(pinned[k] && BROKEN != NOT_PINNED) ->
                life[k] = GONE;
                assert(!given[k])
            :: else
            fi
        }
        retired = 0;
        k = 0
    }
}

inline clean_up()
{
    if
    :: retired -> free_unless_over()
    :: else
    fi;
    if
    :: !retired && unused ->
        begin();
        d_step {
            for (k : 1 .. GENERATIONS) {
                if
                :: life[k] == UNUSED -> life[k] = RETIRED
                :: else
                fi
            }
            k = 0;
            retired = 1;
            unused = 0
        }
        free_unless_over()
    :: else
    fi
}

inline replace(generation)
{
    if
    :: BROKEN == BARRIER_EARLY -> barrier()
    :: else
    fi;
    if
    :: CLEARS_FAST_STORE && BROKEN != FAST_STORE_BLIND -> store(FAST_STORE, 0)
    :: else
    fi;
    store(SEGMENT, generation);
    store(FAST_STORE, generation);
    if
    :: BROKEN == LATE_TO_GRACE && retired -> life[present] = RETIRED
    :: else -> life[present] = UNUSED; unused = 1
    fi;
    present = generation
}

inline adopt(generation)
{
    if
    :: generation > present -> replace(generation)
    :: else
    fi
}

inline tell(number, T, L)
{
    d_step {
        RAISE(told, number);
        RAISE(told_T, T);
        RAISE(told_L, L)
    }
}

byte fence_T;
byte fence_L;

proctype loop()
{
    byte T = 1;
    byte L;
    byte T_of;
    byte generation;
    byte number;
    byte present = 1;
    bit unused;
    bit retired;
    bit mark[READERS];
    bit over;
    byte i;
    byte k;
    byte what;

end_loop:
    do
    :: atomic { replies ? number, generation, T_of -> RAISE(T, T_of); T_of = 0 }
        if
        :: BROKEN == ADOPTED_LATE -> tell(number, T, L); adopt(generation)
        :: else -> adopt(generation); tell(number, T, L)
        fi;
        number = 0;
        generation = 0;
        clean_up()
    :: retired || unused -> clean_up() /* any other occasion */
    od
}

/* --- readers: no step waits for anything --- */

/* What membarrier did for this thread. */
inline catch_fence()
{
    if
    :: fenced[r] -> RAISE(T, fence_T); RAISE(L, fence_L); fenced[r] = 0
    :: else
    fi
}

inline load(word, value)
{
    atomic {
        catch_fence();
        at = newest[word];
        do
        :: history_L[(word) * LOADS + at] > L -> at-- /* down to the last store that L covers, the first is at 0 */
        :: else -> break
        od;
        do
        :: at < newest[word] -> at++
        :: break
        od;
        value = history[(word) * LOADS + at];
        RAISE(L, history_L[(word) * LOADS + at]);
        RAISE(T, history_T[(word) * LOADS + at]);
        at = 0
    }
}

inline touch(generation)
{
    assert(life[generation] != GONE);
    assert(bytes[generation] != 0 && bytes[generation] <= T)
}

inline load_state(generation, value)
{
    atomic {
        catch_fence();
        touch(generation);
        if
        :: moved[generation] == 0 || moved[generation] > T -> value = 0
        :: moved[generation] != 0 ->
            value = 1;
            RAISE(T, moved[generation]);
            assert(bytes[generation + 1] != 0 && bytes[generation + 1] <= T)
        fi
    }
}

inline load_number(generation, value)
{
    atomic {
        catch_fence();
        touch(generation);
        value = last[generation];
        do
        :: value > first[generation] && published[value] > T -> value--
        :: else -> break
        od;
        do
        :: value < last[generation] -> value++
        :: break
        od;
        if
        :: value > first[generation] -> RAISE(T, published[value])
        :: else
        fi
    }
}

/* px_client_get_fast, or any other read: by way of `segment` alone */
inline find_generation()
{
    if
    :: load(FAST_STORE, g)
    :: g = 0
    fi;
    if
    :: g != 0 && LOOKS_AT_STATE && BROKEN != FAST_STORE_BLIND -> load_state(g, superseded)
    :: else
    fi;
    if
    :: g == 0 || superseded -> load(SEGMENT, g)
    :: else
    fi;
    superseded = 0
}

inline maybe_pin()
{
    if
    :: true
    :: given[g] = 1; buffer[r] ! PIN + g
    fi
}

proctype reader(byte r)
{
    byte T = 1;
    byte L;
    byte floor; /* what it knows to have been published */
    byte g;
    byte number;
    byte at;
    bit superseded;
    byte left = VISITS;

    do
    :: left > 0 ->
        left--;
        if
        :: true
        :: atomic { floor < told || T < told_T || L < told_L -> RAISE(floor, told); RAISE(T, told_T); RAISE(L, told_L) }
        fi;
        buffer[r] ! ENTER;
        find_generation();
        if
        :: BROKEN == LEFT_EARLY -> buffer[r] ! LEAVE
        :: else
        fi;
        load_number(g, number);
        assert(number >= floor);
        floor = number;
        if
        :: BROKEN == PINNED_LATE -> buffer[r] ! LEAVE; maybe_pin()
        :: BROKEN == LEFT_EARLY
        :: else -> maybe_pin(); buffer[r] ! LEAVE
        fi;
        g = 0;
        number = 0;
        tell(floor, T, L)
    :: else -> break
    od
}

init
{
    byte i;

    atomic {
        bytes[1] = 1;
        history[SEGMENT * LOADS] = 1;
        history[FAST_STORE * LOADS] = 1;
        for (i : 0 .. READERS - 1) {
            run reader(i)
        }
        run loop();
        run server()
    }
}
