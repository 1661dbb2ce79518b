/* A consumer with its disk, two authors, one relayer and a channel that loses, repeats and reorders.
 * README.md says what is proved, and which rule and file of src/core each part mirrors.
 *
 * Without LIVE faults never end; the assertions are checked. With LIVE there are FAULTS of them, of
 * any kind and at any time, so that faults end; convergence is checked.
 *
 * Each process is one action of a node, in one atomic step: fairness to processes is then fairness
 * to actions. */

#ifndef COUNTERS
#define COUNTERS 2 /* Lamport counters are 1 to this */
#endif
#ifndef OPERATIONS
#define OPERATIONS 2 /* of one author */
#endif
#ifndef OPERATIONS_OF_OTHER
#define OPERATIONS_OF_OTHER 1
#endif
#ifndef FAULTS
#define FAULTS 1 /* with LIVE: how many there are, a loss, a repetition, a crash, a failed save... */
#endif

/* A version is 2 * counter + author: numbers in the order of versions. 0 is the zero version. */
/* What an intent asks for: one of two producers, or what the consumer has to refuse. */
#define NOTHING 0
#define DOOMED 3

#ifdef LIVE
byte faults = FAULTS;
#define CAN_FAIL (faults > 0)
#define FAILS faults--
#else
#define CAN_FAIL true
#define FAILS skip
#endif

/* ---- the channel: two datagrams on their way to the consumer, taken in any order, and one to the
 * relayer. (The two are kept sorted, and an equal one is not kept twice: fewer states, the same
 * behaviour.) */

mtype = { INTENT, ANNOUNCEMENT, REJECTION };

chan to_consumer = [2] of { byte, byte } /* version, body */
chan to_relayer = [1] of { mtype, byte, byte }

inline send_to_consumer(v, b)
{
    if
    :: to_consumer ?? [eval(v), eval(b)]
    :: else ->
        if
        :: nfull(to_consumer) -> to_consumer !! v, b
        :: full(to_consumer) /* the receiver's buffer drops it */
        :: CAN_FAIL -> FAILS
        fi
    fi
}

inline send_to_relayer(kind, v, b)
{
    if
#ifdef NO_RELAYER
    :: true
#else
    :: nfull(to_relayer) -> to_relayer ! kind, v, b
    :: full(to_relayer)
    :: CAN_FAIL -> FAILS
#endif
    fi
}

/* ---- the consumer */

byte version, body;                 /* committed */
byte durable_version, durable_body; /* what a restart would read */
bool saving, written;               /* the barrier is closed; the disk has the new state already */
byte staged_version, staged_body;

byte told_version;           /* highest ever announced or acknowledged as applied */
byte watched_version;        /* any one: what was ever in force under it? */
byte watched_body;

/* core/consumer.c yk_consumer_commit, and the start of a life in core/node.c. */
inline come_into_force()
{
    assert(version >= told_version); /* a consumer's version never goes back */
#ifdef EXPECT_THE_HIGHEST
    assert(version < 2 * COUNTERS + 1);
#endif
    if
    :: version == watched_version -> /* of equal versions at most one is applied */
        assert(watched_body == NOTHING || watched_body == body);
        watched_body = body
    :: else
    fi
}

/* core/node_hear.c acknowledge, with applied true. */
inline acknowledge(v, b)
{
    /* An applied acknowledgment: the pairing is durable, or something newer is already. */
    assert(durable_version > v || (durable_version == v && durable_body == b));
    told_version = (v > told_version -> v : told_version)
}

/* core/barrier.c yk_barrier_stage: from here the barrier is closed. */
inline stage(v, b)
{
    saving = true;
    staged_version = v;
    staged_body = b;
#ifdef BUG_ACK_BEFORE_SAVE
    acknowledge(v, b)
#endif
}

/* core/consumer.c yk_consumer_judge, core/node_hear.c answer. */
inline judge(v, b)
{
    if
    :: v == version && b == body -> acknowledge(v, b)
#ifdef BUG_EQUAL_VERSION_APPLIES
    :: v == version && b != body && b != DOOMED -> stage(v, b)
#endif
    :: v < version || (v == version && b != body) /* superseded */
    :: v > version && b == DOOMED -> send_to_relayer(REJECTION, v, NOTHING)
#ifdef BUG_FAILED_INTENT_IS_REMEMBERED
    :: v > version && v == staged_version && b == staged_body -> acknowledge(v, b)
#endif
    :: v > version && b != DOOMED -> stage(v, b)
    fi
}

/* core/barrier.c yk_barrier_persisted. */
inline open_barrier()
{
    saving = false;
    written = false;
#ifndef BUG_FAILED_INTENT_IS_REMEMBERED
    staged_version = 0;
    staged_body = NOTHING
#endif
}

active proctype consumer_hears()
{
    byte v, b, other_v, other_b;
end:
    do
    :: atomic { !saving && nempty(to_consumer) ->
        to_consumer ? v, b;
        if
        :: true
        :: nempty(to_consumer) -> /* the other one first */
            other_v = v; other_b = b;
            to_consumer ? v, b; to_consumer ! other_v, other_b;
            other_v = 0; other_b = NOTHING
        fi;
        if
        :: true
        :: CAN_FAIL -> FAILS; to_consumer !! v, b /* it comes again */
        fi;
        judge(v, b); v = 0; b = NOTHING }
    od
}

/* core/node_show.c: nothing is announced while the barrier is closed. */
active proctype consumer_announces()
{
end:
    do
    :: atomic { !saving -> told_version = version; send_to_relayer(ANNOUNCEMENT, version, NOTHING) }
    od
}

/* base/atomic.c: the rename. */
active proctype disk_writes()
{
end:
    do
    :: atomic { saving && !written ->
                written = true; durable_version = staged_version; durable_body = staged_body }
    od
}

/* core/node.c persisted: the commit, then what depends on it. */
active proctype disk_succeeds()
{
end:
    do
    :: atomic { saving && written ->
                version = staged_version; body = staged_body; open_barrier();
                come_into_force(); acknowledge(version, body) }
    od
}

/* core/node.c persisted: said to have failed, whatever is on the disk. */
active proctype disk_fails()
{
end:
    do
    :: atomic { saving && CAN_FAIL -> FAILS;
#ifdef BUG_FAILURE_COMMITS
                version = staged_version; body = staged_body; told_version = version;
#endif
                open_barrier() }
    od
}

/* core/barrier.c yk_barrier_pump: a save that only reserves numbers writes the committed pairing. */
active proctype disk_reserves()
{
end:
    do
    :: atomic { !saving && durable_version != version ->
                durable_version = version; durable_body = body }
    od
}

/* What is volatile is lost; core/node.c start takes up what the disk has. */
active proctype power_cut()
{
end:
    do
    :: atomic { CAN_FAIL -> FAILS;
                saving = false; written = false; staged_version = 0; staged_body = NOTHING;
                version = durable_version; body = durable_body;
                come_into_force() }
    od
}

/* ---- the relayer: the highest intent heard, offered again to a consumer that is behind */

byte cached_version, cached_body, rejected_version;
bool pending; /* a re-issue waits for its time */

/* core/intents.c yk_intents_hear. */
inline hear_intent(v, b)
{
    if
    :: v == rejected_version
    :: v != rejected_version && v < cached_version
    :: v != rejected_version && v == cached_version -> pending = false /* somebody was faster */
    :: v != rejected_version && v > cached_version ->
        cached_version = v; cached_body = b; pending = false
    fi
}

/* core/intents.c yk_intents_consumer_at: a waiting re-issue is not set anew. */
inline hear_announcement(v)
{
    pending = (cached_version > v)
}

/* core/intents.c yk_intents_reject. */
inline hear_rejection(v)
{
    if
    :: v == cached_version -> cached_version = 0; cached_body = NOTHING; pending = false
    :: v != cached_version
    fi;
    rejected_version = (v > rejected_version -> v : rejected_version)
}

#ifndef NO_RELAYER
active proctype relayer_hears()
{
    byte v, b;
end:
    do
    :: atomic { to_relayer ? INTENT, v, b -> hear_intent(v, b); v = 0; b = NOTHING }
    :: atomic { to_relayer ? ANNOUNCEMENT, v, b -> hear_announcement(v); v = 0 }
    :: atomic { to_relayer ? REJECTION, v, b -> hear_rejection(v); v = 0 }
    od
}

/* core/intents.c yk_intents_due, core/node_hear.c reissue. */
active proctype relayer_reissues()
{
#ifdef BUG_REISSUE_ONLY_ONCE
    atomic { pending -> pending = false; send_to_consumer(cached_version, cached_body) }
#else
end:
    do
    :: atomic { pending -> pending = false; send_to_consumer(cached_version, cached_body) }
    od
#endif
}

active proctype relayer_restarts()
{
end:
    do
    :: atomic { CAN_FAIL -> FAILS;
                cached_version = 0; cached_body = NOTHING; rejected_version = 0; pending = false }
    od
}

#endif

/* ---- the authors */

/* Knowledge may be stale, and the version's author is one of two, so operations collide: with the
 * counter of another, or with its whole version and not the same body. An intent is sent again until
 * the next operation begins. */
proctype author(byte operations)
{
    byte known, v, b;

    do
    :: atomic { operations > 0 ->
        operations--;
        known = 0;
        do
        :: known < told_version / 2 -> known++
        :: break
        od;
        if
        :: known == COUNTERS -> break /* nothing newer can be authored */
        :: known < COUNTERS -> v = 2 * (known + 1)
        :: known < COUNTERS -> v = 2 * (known + 1) + 1
        fi;
        if
        :: b = 1
        :: b = 2
        :: b = DOOMED
        fi;
        known = 0;
        send_to_consumer(v, b); send_to_relayer(INTENT, v, b) }
    :: atomic { v > 0 && CAN_FAIL -> FAILS;
        send_to_consumer(v, b); send_to_relayer(INTENT, v, b) }
    :: operations == 0 -> break /* its time is out */
    od
}

init
{
    atomic {
        watched_version = 2;
        do
        :: watched_version < 2 * COUNTERS + 1 -> watched_version++
        :: break
        od;
        run author(OPERATIONS); run author(OPERATIONS_OF_OTHER)
    }
}

#ifdef LIVE
/* When faults have ended, the consumer is in the end at the highest version that is cached, unless it
 * refuses that one. */
ltl converges { <> [] (cached_version == 0 || cached_body == DOOMED || version >= cached_version) }
#endif
