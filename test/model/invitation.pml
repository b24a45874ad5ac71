/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* Groups by invitation (docs/decisions/0025; src/client/{invite,invite_outcome,invitees,join,invitation}.c): a leader that
 * invites to one group, again and again, and that may abort or die; invitees that accept, decline, keep silent, give up, die,
 * call late, twice, or without having heard of an invitation.
 *
 * Events between two processes keep their order; so does the end of a process behind what it has sent. A server keeps events: an
 * invitee may hear of invitations by copies, and the leader of an acceptance once more; copies of outcomes have no effect and are
 * left out. An invitee hears of invitations when its application has registered for them, and of outcomes from its first call on.
 *
 * What is asserted: when nobody can take a step any more, no call of PMIx_Group_join waits, unless its process is dead; nobody
 * enters a group while it is in one of this name; who is named as a member enters the group, or leaves it.
 * BROKEN chooses a deliberate mistake that the checker must find; model.sh tries each. */

#ifndef INVITEES
#define INVITEES 1
#endif
#ifndef ROUNDS
#define ROUNDS 2 /* invitations */
#endif
#ifndef JOINS
#define JOINS 2 /* calls of each invitee */
#endif
#ifndef DEATHS
#define DEATHS 1
#endif
#ifndef COPIES
#define COPIES 1
#endif

#define NO_IDENTITY 1 /* mistake: an outcome counts for a call whatever its invitation is */
#define NOT_REFUSED 2 /* mistake: the leader does not answer an acceptance of an invitation that is over */
#define LOSS_IGNORED 3 /* mistake: a call does not end with its leader */
#define LOSS_FORGOTTEN 4 /* mistake: who calls later does not know that the leader is dead */
#define LOSS_OVERTAKES 5 /* mistake: the end of a process is told before what it has sent */
#define STAYS_A_MEMBER 6 /* mistake: who has given up does not leave the group that is made */
#define SPARES_ACCEPTED 7 /* mistake: those who have accepted are not told of an abort */
#define LEADER_IN_TWO 8 /* mistake: a leader invites to a group of the name of its own */
#define INVITEE_IN_TWO 9 /* mistake: an invitee joins a group of the name of its own */
#define STRAY_FORGOTTEN 10 /* mistake: who has ended a call without an identity does not leave the group that it may make */
#ifndef BROKEN
#define BROKEN 0
#endif

#define N (INVITEES + 1) /* process 0 is the leader */
#define OTHER 9 /* a group of the same name that was made otherwise */
#define ROOM (3 * ROUNDS + JOINS + 2)

mtype = { INVITED, ACCEPTED, DECLINED, COMPLETE, ABORT, ENDED };

chan to_leader[N] = [ROOM] of { mtype, byte };  /* kind, invitation */
chan to[N] = [ROOM] of { mtype, byte, byte };   /* kind, invitation, members */

bit dead[N];
byte in_group[N];           /* the group that a process is in, as it knows; 0: none */
byte members[ROUNDS + 1];   /* of the group that an invitation has made, without those who have left; a bit for each */
byte sent;                  /* the newest invitation */
bit accepted_once[N * (ROUNDS + 1)]; /* such an answer was sent */
byte deaths;         /* that may still come */
byte copies = COPIES;
bit patient;         /* nobody gives up */

#define WAITS 1
#define GAVE_UP 2
#define OVER 3
byte call[N * JOINS];    /* state of each call */
byte call_id[N * JOINS]; /* its invitation; 0: it has none */
#define CALL(i, c) ((i) * JOINS + (c))
#define HAS(set, i) (((set) >> (i)) & 1)

inline send_to(i, kind, id, set)
{
    if
    :: !dead[i] -> to[i] ! kind, id, set
    :: dead[i]
    fi
}

inline enter(i, id)
{
    assert(in_group[i] == 0);
    in_group[i] = id
}

/* --- the leader --- */

#define ASKED 0
#define IN 1
#define FAILED 2
byte state[N];
byte id;         /* of the invitation that is open; 0: there is none */
bit closed;      /* it has an outcome, which its server has not acknowledged yet */
bit ended_at[N]; /* whom the leader knows to be dead */

inline give_up()
{
    for (k : 1 .. INVITEES) {
        if
        :: BROKEN == SPARES_ACCEPTED && state[k] == IN
        :: else -> send_to(k, ABORT, id, 0)
        fi
    }
    k = 0;
    id = 0
}

inline construct()
{
    set = 1;
    for (k : 1 .. INVITEES) {
        if
        :: state[k] == IN -> set = set | (1 << k)
        :: else -> send_to(k, ABORT, id, 0)
        fi
    }
    members[id] = set;
    enter(0, id);
    for (k : 1 .. INVITEES) {
        if
        :: HAS(set, k) -> send_to(k, COMPLETE, id, set)
        :: else
        fi
    }
    k = 0;
    set = 0;
    closed = 1
}

/* An acceptance without an identity is for the open invitation if its sender has not answered. */
inline accepted(i, what, live)
{
    if
    :: id != 0 && !closed && (what == id || (what == 0 && live && state[i] == ASKED)) && state[i] != FAILED -> state[i] = IN
    :: id != 0 && closed && what == id && state[i] == IN /* the outcome is on its way */
    :: else ->
        if
        :: live && BROKEN != NOT_REFUSED -> send_to(i, ABORT, what, 0)
        :: else
        fi
    fi
}

inline declined(i, what)
{
    if
    :: id != 0 && !closed && (what == id || (what == 0 && state[i] == ASKED)) && state[i] != FAILED ->
        if
        :: state[i] == IN -> send_to(i, ABORT, id, 0)
        :: else
        fi;
        state[i] = FAILED
    :: else
    fi
}

inline lost(i)
{
    ended_at[i] = 1;
    if
    :: id != 0 && !closed -> state[i] = FAILED
    :: else
    fi
}

inline take(i)
{
    to_leader[i] ? kind, what;
    if
    :: kind == ACCEPTED -> accepted(i, what, 1)
    :: kind == DECLINED -> declined(i, what)
    :: kind == ENDED -> lost(i)
    fi;
    what = 0
}

inline some_asked()
{
    asked = 0;
    for (k : 1 .. INVITEES) {
        asked = asked || state[k] == ASKED
    }
    k = 0
}

inline some_failed()
{
    failed = 0;
    for (k : 1 .. INVITEES) {
        failed = failed || state[k] == FAILED
    }
    k = 0
}

inline settle()
{
    some_asked();
    if
    :: asked ->
        for (k : 1 .. INVITEES) { /* the time limit */
            state[k] = (state[k] == ASKED -> FAILED : state[k])
        }
        k = 0
    :: else
    fi;
    asked = 0;
    some_failed();
    if
    :: failed -> give_up()
    :: construct() /* optional, or a handler lets it go on with fewer */
    fi;
    failed = 0
}

inline invite()
{
    sent++;
    id = sent;
    closed = 0;
    for (k : 1 .. INVITEES) {
        state[k] = (ended_at[k] -> FAILED : ASKED);
        send_to(k, INVITED, id, 0)
    }
    k = 0
}

inline die(i)
{
    deaths--;
    dead[i] = 1;
    in_group[i] = 0
}

proctype leader()
{
    mtype kind;
    byte what;
    byte k;
    byte set;
    bit asked;
    bit failed;

end_leader:
    do
    :: atomic { sent < ROUNDS && id == 0 && (in_group[0] == 0 || BROKEN == LEADER_IN_TWO) -> invite() }
    :: atomic { nempty(to_leader[1]) -> take(1) }
#if INVITEES > 1
    :: atomic { nempty(to_leader[2]) -> take(2) }
#endif
    :: atomic { copies > 0 && id != 0 && accepted_once[1 * (ROUNDS + 1) + 1] -> copies--; accepted(1, 1, 0) }
    :: atomic { id != 0 && !closed -> settle() } /* all have answered, or the time is up */
    :: atomic { id != 0 && !closed -> give_up() } /* a handler aborts */
    :: atomic { id != 0 && closed -> id = 0 } /* the server has the event of completion */
    :: atomic { deaths > 0 ->
            die(0);
            for (k : 1 .. INVITEES) {
                send_to(k, ENDED, 0, 0);
                if
                :: BROKEN == LOSS_OVERTAKES && !dead[k] ->
                    do /* what it has sent comes behind its end */
                    :: to[k] ? [ENDED, 0, 0] && to[k] ?? [ENDED, 0, 0] -> break
                    :: else -> to[k] ? kind, what, set; to[k] ! kind, what, set
                    od
                :: else
                fi
            }
            break
        }
    od
}

/* --- invitees --- */

inline answer(kind, what)
{
    if
    :: !dead[0] -> to_leader[i] ! kind, what
    :: else
    fi
}

inline join()
{
    call_id[CALL(i, n)] = invited;
    if
    :: invited != 0 && over -> call[CALL(i, n)] = OVER
    :: !(invited != 0 && over) && leader_lost && BROKEN != LOSS_FORGOTTEN -> call[CALL(i, n)] = OVER
    :: else ->
        if
        :: in_group[i] != 0 && BROKEN != INVITEE_IN_TWO -> answer(DECLINED, invited); call[CALL(i, n)] = OVER
        :: else ->
            answer(ACCEPTED, invited);
            accepted_once[i * (ROUNDS + 1) + invited] = 1;
            call[CALL(i, n)] = WAITS
        fi
    fi;
    n++;
    watches = 1
}

inline end_calls(what)
{
    for (c : 0 .. JOINS - 1) {
        if
        :: (call[CALL(i, c)] == WAITS || call[CALL(i, c)] == GAVE_UP) &&
                (call_id[CALL(i, c)] == 0 || call_id[CALL(i, c)] == what || BROKEN == NO_IDENTITY) ->
            joined = 1;
            stray = stray || call_id[CALL(i, c)] == 0;
            wanted = wanted || call[CALL(i, c)] == WAITS;
            call[CALL(i, c)] = OVER
        :: else
        fi
    }
    c = 0
}

/* The group is made, and this process is a member. */
inline completed(what)
{
    id = (id == what -> 0 : id); /* its server has acknowledged the event to the leader before it has passed it on */
    joined = 0;
    wanted = 0;
    over = over || invited == what;
    end_calls(what);
    if
    :: wanted -> enter(i, what)
    :: (joined || (stray && in_group[i] != what && BROKEN != STRAY_FORGOTTEN)) && !wanted && BROKEN != STAYS_A_MEMBER -> members[what] = members[what] & ~(1 << i) /* leaves */
    :: else
    fi;
    assert(in_group[i] == what || !HAS(members[what], i))
}

inline hear(kind, what)
{
    if
    :: kind == INVITED ->
        if
        :: hears && what > invited -> invited = what; over = 0
        :: else
        fi
    :: kind == COMPLETE && watches -> completed(what)
    :: kind == ABORT && watches -> over = over || invited == what; end_calls(what)
    :: kind == ENDED ->
        leader_lost = 1;
        if
        :: BROKEN != LOSS_IGNORED ->
            for (c : 0 .. JOINS - 1) {
                call[CALL(i, c)] = (call[CALL(i, c)] == 0 -> 0 : OVER)
            }
            c = 0
        :: else
        fi
    :: else
    fi
}

proctype invitee(byte i)
{
    mtype kind;
    byte what;
    byte set;
    byte n;       /* calls so far */
    byte c;
    byte invited; /* the newest invitation that it has heard of */
    bit over;     /* its outcome has come */
    bit hears;
    bit watches;
    bit leader_lost;
    bit stray; /* a call without an identity has ended: its answer may still count */
    bit joined;
    bit wanted;

end_invitee:
    do
    :: atomic { nempty(to[i]) -> to[i] ? kind, what, set; hear(kind, what); what = 0; set = 0; joined = 0; wanted = 0 }
    :: atomic { !hears -> hears = 1; if :: sent > invited -> invited = sent; over = 0 :: else fi } /* what was kept comes */
    :: atomic { n < JOINS -> join() }
    :: atomic { n < JOINS -> answer(DECLINED, invited); call[CALL(i, n)] = OVER; n++; watches = 1 }
    :: atomic { !patient && call[CALL(i, 0)] == WAITS -> call[CALL(i, 0)] = GAVE_UP; answer(DECLINED, call_id[CALL(i, 0)]) }
    :: atomic { deaths > 0 -> die(i); answer(ENDED, 0); break }
    od
}

/* --- the group's end: all of its members that live call destruct, the leader when its call has returned --- */

#define READY(i, what) (!HAS(members[what], i) || dead[i] || in_group[i] == what)
#define LEAVE(i, what) in_group[i] = (in_group[i] == what -> 0 : in_group[i])

proctype destruct()
{
end_destruct:
    do
    :: atomic { members[1] != 0 && (dead[0] || id != 1) && READY(0, 1) && READY(1, 1) && READY(INVITEES, 1) ->
            LEAVE(0, 1); LEAVE(1, 1); LEAVE(INVITEES, 1); members[1] = 0 }
    :: atomic { in_group[1] == OTHER -> in_group[1] = 0 }
    od
}

proctype judge()
{
    byte i;
    byte c;

    atomic {
        timeout ->
        for (i : 1 .. INVITEES) {
            for (c : 0 .. JOINS - 1) {
                assert(dead[i] || call[CALL(i, c)] != WAITS)
            }
        }
    }
}

init
{
    atomic {
        if /* what may happen need not */
        :: in_group[1] = OTHER
        :: true
        fi;
        if
        :: deaths = DEATHS
        :: deaths = 0
        fi;
        if
        :: patient = 1
        :: true
        fi;
        run leader();
        run invitee(1);
#if INVITEES > 1
        run invitee(2);
#endif
        run destruct();
        run judge()
    }
}
