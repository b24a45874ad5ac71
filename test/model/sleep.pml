/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* How the progress thread goes to sleep, and how it is woken (src/loop/loop.c; docs/memory-model.md, section 10). Threads push
 * tasks and ring when the loop has announced that it sleeps; the loop announces it, looks once more, then sleeps.
 *
 * Memory: a compare-and-swap has acquire and release order, no more. So the load that comes after it in the program may be done
 * before it, unless there is a full barrier between the two; nothing else may change places. */

#ifndef BROKEN
#define BROKEN 0
#endif
#define POSTER_UNFENCED 1 /* mistake: who pushes has no barrier before it looks at `asleep` */
#define LOOP_UNFENCED 2 /* mistake: the loop has no barrier before it looks at the inbox once more */
#define NO_SECOND_LOOK 3 /* mistake: the loop sleeps as soon as it has announced it */
#define RINGS_FIRST 4 /* mistake: who pushes looks at `asleep` and rings, then pushes */

#ifndef POSTERS
#define POSTERS 2
#endif
#ifndef TASKS
#define TASKS 2 /* of each */
#endif
#ifndef EVENTS
#define EVENTS 2 /* how often a descriptor or a timer ends a sleep */
#endif

byte inbox = 0;
byte taken = 0;
bit asleep = 0;
bit bell = 0;
byte events = EVENTS;

inline ring_if_asleep()
{
    if
    :: seen ->
        atomic {
            won = asleep;
            asleep = 0
        }
        if
        :: won -> bell = 1
        :: else
        fi
    :: else
    fi
}

active [POSTERS] proctype poster()
{
    byte left = TASKS;
    bit seen = 0;
    bit won = 0;

    do
    :: left > 0 ->
        left--;
        if /* any that can be taken */
        :: BROKEN == RINGS_FIRST -> seen = asleep; ring_if_asleep(); inbox++
        :: BROKEN == POSTER_UNFENCED -> seen = asleep; inbox++; ring_if_asleep()
        :: BROKEN != RINGS_FIRST -> inbox++; seen = asleep; ring_if_asleep()
        fi
    :: else -> break
    od
}

active proctype loop()
{
    bit any;
    bit busy;

    do
    :: atomic {
            any = inbox > 0;
            taken = taken + inbox;
            inbox = 0
        }
        if
        :: any
        :: else ->
            if /* any that can be taken */
            :: BROKEN == NO_SECOND_LOOK -> asleep = 1; busy = 0
            :: BROKEN == LOOP_UNFENCED -> busy = inbox > 0; asleep = 1
            :: BROKEN != NO_SECOND_LOOK -> asleep = 1; busy = inbox > 0
            fi;
            if
            :: bell -> asleep = 0; bell = 0 /* in this order, as bell_rang */
            :: events > 0 -> events--
            :: busy
            :: timeout -> /* nobody else can take a step: it sleeps for good */
                assert(taken == POSTERS * TASKS);
                break
            fi;
            asleep = 0
        fi
    od
}
