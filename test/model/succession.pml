/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */

/* An invitation that loses its leader (docs/decisions/0025; src/client/{succession,votes,join,invite}.c): process 0 invites the
 * others, and completes the group with some of them, or dies before. The invitees that wait ask their handlers, tell each other
 * what they say, and one invites anew; it may die, too. Fewer members are fine (PMIX_GROUP_OPTIONAL), which is the harder case.
 * Events between two processes keep their order; so does the end of a process behind what it has sent. Nobody is silent: the
 * time after which a process that says nothing is left out is not in the model.
 *
 * What is asserted: when nobody can take a step any more, no call waits, unless its process is dead; living processes are never in
 * two groups. BROKEN chooses a deliberate mistake that the checker must find; model.sh tries each. */

#ifndef INVITEES
#define INVITEES 2
#endif
#ifndef DEATHS
#define DEATHS 1 /* of invitees */
#endif

#define UNHEARD 1 /* mistake: a claimant leads before all others have been heard */
#define NO_REPLY 2 /* mistake: who does not wait says nothing to others */
#define UNBOUND 3 /* mistake: who has said that it has no part claims later */
#define DECLINES 4 /* mistake: who is in the group declines the new leader's invitation in place of aborting it */
#define STAYS 5 /* mistake: the end of a new leader is not the loss of a leader */
#ifndef BROKEN
#define BROKEN 0
#endif

#define N (INVITEES + 1)
#define ROOM 14

mtype = { COMPLETE, ENDED, VOTE, INVITED, ACCEPTED, DECLINED, ABORT };
chan to[N] = [ROOM] of { mtype, byte, byte, byte }; /* kind, sender, whose invitation, what else */

#define HAS(set, i) (((set) >> (i)) & 1)
#define AT(i, r) ((i) * N + (r))
#define OF(i, r, k) (((i) * N + (r)) * N + (k))
#define OVER 9
#define NOT_YET 8

byte deaths;
bit dead[N];
byte waits[N] = NOT_YET; /* for the outcome of whose invitation */
byte in_group[N] = NOT_YET; /* whose */
byte lost[N];            /* who has ended, as a process knows; a bit for each */
byte begun[N];           /* elections, by the lost leader; a bit for each */
byte no_part[N];
byte succ[N * N] = NOT_YET; /* who continues an invitation, as a process knows */

#define UNSAID 0
#define NOTHING 1
#define CLAIM 2
#define GONE 3
byte said[N * N * N];

/* of a leader's own invitation */
bit closed[N];
byte accepted[N];
byte asked[N];

inline send(to_, which_, whose_, more_)
{
    if
    :: !dead[to_] -> to[to_] ! which_, i, whose_, more_
    :: else
    fi
}

inline enter(to_)
{
    for (k : 0 .. INVITEES) {
        assert(dead[k] || k == i || in_group[k] == NOT_YET || in_group[k] == to_)
    }
    in_group[i] = to_
}

inline die()
{
    dead[i] = 1;
    for (k : 1 .. INVITEES) {
        if
        :: k != i -> send(k, ENDED, i, 0)
        :: else
        fi
    }
}

proctype leader()
{
    byte i = 0;
    byte k;
    byte set;

end_leader:
    do
    :: atomic { !closed[0] ->
            closed[0] = 1;
            set = accepted[0];
            if /* one may have declined meanwhile */
            :: set = set & ~2
            :: true
            fi;
            enter(0);
            for (k : 1 .. INVITEES) {
                if
                :: HAS(set, k) -> send(k, COMPLETE, 0, 0)
                :: else -> send(k, ABORT, 0, 0)
                fi
            }
        }
    :: atomic { die(); break }
    od
}

/* --- invitees --- */

inline answer(to_, which_)
{
    send(to_, which_, to_, 0)
}

inline vote(to_, which_)
{
    said[OF(i, to_, i)] = which_;
    for (k : 1 .. INVITEES) {
        if
        :: k != i && k != to_ -> send(k, VOTE, to_, which_)
        :: else
        fi
    }
}

inline begin(to_)
{
    begun[i] = begun[i] | (1 << to_);
    for (k : 1 .. INVITEES) {
        if
        :: HAS(lost[i], k) -> said[OF(i, to_, k)] = GONE
        :: else
        fi
    }
    if
    :: vote(to_, NOTHING)
    :: !HAS(no_part[i], to_) || BROKEN == UNBOUND -> vote(to_, CLAIM)
    fi
}

inline lead(to_)
{
    succ[AT(i, to_)] = i;
    waits[i] = i;
    accepted[i] = 1 << i;
    asked[i] = 0;
    for (k : 1 .. INVITEES) {
        if
        :: k != i && k != to_ && !HAS(lost[i], k) -> asked[i] = asked[i] | (1 << k); send(k, INVITED, i, to_)
        :: else
        fi
    }
}

/* Of the election after r; a later leader's end may follow, hence the loop. */
inline evaluate()
{
    more = waits[i] < NOT_YET && waits[i] != i && HAS(begun[i], waits[i]);
    do
    :: more ->
        more = 0;
        r = waits[i];
        if
        :: succ[AT(i, r)] != NOT_YET ->
            waits[i] = succ[AT(i, r)];
            if
            :: HAS(lost[i], waits[i]) && BROKEN != STAYS -> begin(waits[i]); more = 1
            :: else -> answer(waits[i], ACCEPTED)
            fi
        :: else ->
            open = 0;
            first = 0;
            for (k : 1 .. INVITEES) {
                open = open || (k != r && said[OF(i, r, k)] == UNSAID);
                first = (first == 0 && said[OF(i, r, k)] == CLAIM -> k : first)
            }
            if
            :: open && BROKEN != UNHEARD
            :: (!open || BROKEN == UNHEARD) && first == i -> lead(r)
            :: !open && first == 0 -> waits[i] = OVER
            :: else
            fi
        fi
    :: else -> break
    od;
    r = 0; open = 0; first = 0; k = 0
}

inline hear_end(to_)
{
    lost[i] = lost[i] | (1 << to_);
    for (r : 0 .. INVITEES) {
        said[OF(i, r, to_)] = GONE
    }
    r = 0;
    asked[i] = asked[i] & ~(1 << to_);
    accepted[i] = (closed[i] -> accepted[i] : accepted[i] & ~(1 << to_));
    if
    :: waits[i] == to_ && to_ != i && !(BROKEN == STAYS && to_ != 0) -> begin(to_)
    :: else
    fi;
    evaluate()
}

inline hear_vote(to_, which_, whose_)
{
    if
    :: whose_ != 0 && waits[i] != which_ && BROKEN != NO_REPLY -> no_part[i] = no_part[i] | (1 << which_); send(to_, VOTE, which_, 0)
    :: else
    fi;
    said[OF(i, which_, to_)] = (said[OF(i, which_, to_)] == GONE -> GONE : (whose_ == 0 -> NOTHING : whose_));
    evaluate()
}

/* `from` continues the invitation of `about`. */
inline hear_invited(to_, which_)
{
    if
    :: in_group[i] != NOT_YET -> answer(to_, (BROKEN == DECLINES -> DECLINED : ABORT))
    :: in_group[i] == NOT_YET && (waits[i] == OVER || succ[AT(i, which_)] != NOT_YET) -> answer(to_, DECLINED)
    :: else ->
        succ[AT(i, which_)] = to_;
        evaluate()
    fi
}

inline give_up()
{
    closed[i] = 1;
    waits[i] = OVER;
    for (k : 1 .. INVITEES) {
        if
        :: k != i -> send(k, ABORT, i, 0)
        :: else
        fi
    }
}

inline hear(to_, which_, whose_, more_)
{
    if
    :: to_ == COMPLETE ->
        if
        :: waits[i] == whose_ -> waits[i] = OVER; enter(whose_)
        :: else
        fi
    :: to_ == ABORT && whose_ == i -> /* to a leader */
        if
        :: waits[i] == i && !closed[i] -> give_up()
        :: else
        fi
    :: to_ == ABORT && whose_ != i && waits[i] == whose_ -> waits[i] = OVER
    :: to_ == ENDED -> hear_end(which_)
    :: to_ == VOTE -> hear_vote(which_, whose_, more_)
    :: to_ == INVITED -> hear_invited(which_, more_)
    :: to_ == ACCEPTED && !closed[i] -> asked[i] = asked[i] & ~(1 << which_); accepted[i] = accepted[i] | (1 << which_)
    :: to_ == DECLINED && !closed[i] -> asked[i] = asked[i] & ~(1 << which_)
    :: to_ == ACCEPTED && closed[i] && !HAS(accepted[i], which_) -> send(which_, ABORT, i, 0) /* it is refused */
    :: else
    fi
}

/* The call: it follows those who have taken the leader's place, as far as that is known. */
inline join()
{
    waits[i] = 0;
    do
    :: succ[AT(i, waits[i])] != NOT_YET -> waits[i] = succ[AT(i, waits[i])]
    :: else -> break
    od;
    if
    :: HAS(lost[i], waits[i]) -> r = waits[i]; begin(r); evaluate()
    :: !HAS(lost[i], waits[i]) && waits[i] == 0 ->
        if
        :: !dead[0] && closed[0] -> waits[i] = OVER /* it is refused */
        :: !dead[0] && !closed[0] -> accepted[0] = accepted[0] | (1 << i)
        :: else
        fi
    :: else -> answer(waits[i], ACCEPTED)
    fi
}

proctype invitee(byte i)
{
    mtype kind;
    byte from;
    byte about;
    byte what;
    byte k;
    byte r;
    byte first;
    bit open;
    bit more;

end_invitee:
    do
    :: atomic { nempty(to[i]) -> to[i] ? kind, from, about, what; hear(kind, from, about, what); from = 0; about = 0; what = 0 }
    :: atomic { waits[i] == NOT_YET -> join() }
    :: atomic { waits[i] == i && !closed[i] && asked[i] == 0 -> /* all have answered */
            closed[i] = 1;
            waits[i] = OVER;
            enter(i);
            for (k : 1 .. INVITEES) {
                if
                :: k != i && HAS(accepted[i], k) -> send(k, COMPLETE, i, 0)
                :: else
                fi
            }
            k = 0
        }
    :: atomic { deaths > 0 -> deaths--; die(); break }
    od
}

proctype judge()
{
    byte k;

    atomic {
        timeout ->
        for (k : 1 .. INVITEES) {
            assert(dead[k] || waits[k] >= NOT_YET || !dead[0])
        }
    }
}

init
{
    byte k;

    atomic {
        if
        :: deaths = DEATHS
        :: deaths = 0
        fi;
        for (k : 1 .. INVITEES) {
            run invitee(k)
        }
        run leader();
        run judge()
    }
}
