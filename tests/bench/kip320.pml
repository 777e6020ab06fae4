/* The replication protocol under the KIP-320 rules, for SPIN: the transition system of the model `kip320`.
 *
 * Bounds: -DREPLICAS=3 -DLOG_SIZE=2 -DMAX_RECORDS=2 -DMAX_LEADER_EPOCH=2
 * (2 to 4 replicas, 1 to 4 log slots, largest leader epoch 0 to 5).
 *
 * One process with one control location; every action with every parameter is an option of its loop and one
 * d_step, so that SPIN stores exactly the protocol's states. The first option is the invariants: it can only be
 * taken where one of them is violated, and then it fails.
 *
 * The encoding keeps SPIN's state vector small and its guards cheap. In `leader`, `epoch`, `last_epoch` and
 * `record`, 0 means "none" and everything else is shifted by one: replica + 1, epoch + 1,
 * 1 + epoch + (MAX_LEADER_EPOCH + 1) * id. The quorum's epoch is always the newest one, and every request has an
 * epoch of its own and is kept at that index, so neither needs a variable.
 */

#if REPLICAS > 2
#define IF_REPLICA_2(...) __VA_ARGS__
#else
#define IF_REPLICA_2(...)
#endif
#if REPLICAS > 3
#define IF_REPLICA_3(...) __VA_ARGS__
#else
#define IF_REPLICA_3(...)
#endif
#if LOG_SIZE > 1
#define IF_OFFSET_1(...) __VA_ARGS__
#else
#define IF_OFFSET_1(...)
#endif
#if LOG_SIZE > 2
#define IF_OFFSET_2(...) __VA_ARGS__
#else
#define IF_OFFSET_2(...)
#endif
#if LOG_SIZE > 3
#define IF_OFFSET_3(...) __VA_ARGS__
#else
#define IF_OFFSET_3(...)
#endif
#if MAX_LEADER_EPOCH > 0
#define IF_EPOCH_1(...) __VA_ARGS__
#else
#define IF_EPOCH_1(...)
#endif
#if MAX_LEADER_EPOCH > 1
#define IF_EPOCH_2(...) __VA_ARGS__
#else
#define IF_EPOCH_2(...)
#endif
#if MAX_LEADER_EPOCH > 2
#define IF_EPOCH_3(...) __VA_ARGS__
#else
#define IF_EPOCH_3(...)
#endif
#if MAX_LEADER_EPOCH > 3
#define IF_EPOCH_4(...) __VA_ARGS__
#else
#define IF_EPOCH_4(...)
#endif
#if MAX_LEADER_EPOCH > 4
#define IF_EPOCH_5(...) __VA_ARGS__
#else
#define IF_EPOCH_5(...)
#endif

/* Options for every replica, every ordered pair of different replicas, every replica and request. */
#define REPLICA(option)             option(0) option(1) IF_REPLICA_2(option(2)) IF_REPLICA_3(option(3))
#define OTHERS_OF_0(option)         option(0, 1) IF_REPLICA_2(option(0, 2)) IF_REPLICA_3(option(0, 3))
#define OTHERS_OF_1(option)         option(1, 0) IF_REPLICA_2(option(1, 2)) IF_REPLICA_3(option(1, 3))
#define OTHERS_OF_2(option)         option(2, 0) option(2, 1) IF_REPLICA_3(option(2, 3))
#define OTHERS_OF_3(option)         option(3, 0) option(3, 1) option(3, 2)
#define PAIR(option)                OTHERS_OF_0(option) OTHERS_OF_1(option) \
                                    IF_REPLICA_2(OTHERS_OF_2(option)) IF_REPLICA_3(OTHERS_OF_3(option))
#define REPLICA_AT(option, e)       option(0, e) option(1, e) IF_REPLICA_2(option(2, e)) IF_REPLICA_3(option(3, e))
#define REPLICA_AND_EPOCH(option)   REPLICA_AT(option, 1) IF_EPOCH_1(REPLICA_AT(option, 2)) \
                                    IF_EPOCH_2(REPLICA_AT(option, 3)) IF_EPOCH_3(REPLICA_AT(option, 4)) \
                                    IF_EPOCH_4(REPLICA_AT(option, 5)) IF_EPOCH_5(REPLICA_AT(option, 6))

/* Conjunctions over replicas, over the members of a set, and over offsets. */
#define ALL(fact)                   (fact(0) && fact(1) IF_REPLICA_2(&& fact(2)) IF_REPLICA_3(&& fact(3)))
#define ALL_IN(set, fact, a)        ((!HAS(set, 0) || fact(a, 0)) && (!HAS(set, 1) || fact(a, 1)) \
                                     IF_REPLICA_2(&& (!HAS(set, 2) || fact(a, 2))) \
                                     IF_REPLICA_3(&& (!HAS(set, 3) || fact(a, 3))))
#define ALL_BELOW(end, fact, a, b)  ((end <= 0 || fact(a, b, 0)) IF_OFFSET_1(&& (end <= 1 || fact(a, b, 1))) \
                                     IF_OFFSET_2(&& (end <= 2 || fact(a, b, 2))) \
                                     IF_OFFSET_3(&& (end <= 3 || fact(a, b, 3))))

#define BIT(r)                      (1 << (r))
#define EVERYONE                    (BIT(REPLICAS) - 1)

byte end_offset[REPLICAS];
byte high_watermark[REPLICAS];
byte epoch[REPLICAS];
byte leader[REPLICAS];
byte isr[REPLICAS];
byte record[REPLICAS * LOG_SIZE];
byte request_leader[MAX_LEADER_EPOCH + 1];
byte request_isr[MAX_LEADER_EPOCH + 1];
byte quorum_leader;
byte quorum_isr = EVERYONE;
byte last_epoch;
byte next_record_id;
hidden byte end;

#define HAS(set, r)                 (((set) & BIT(r)) != 0)
#define WITHOUT(set, r)             ((set) & (EVERYONE - BIT(r)))
#define SLOT(r, offset)             record[(r) * LOG_SIZE + (offset)]
#define RECORD(id, e)               ((e) + (MAX_LEADER_EPOCH + 1) * (id))
#define EPOCH_OF(rec)               (((rec) - 1) % (MAX_LEADER_EPOCH + 1) + 1)

#define PRESUMES_LEADERSHIP(r)      (leader[r] == (r) + 1)
#define IS_TRUE_LEADER(l)           (quorum_leader == (l) + 1 && PRESUMES_LEADERSHIP(l) && epoch[l] == last_epoch)
#define FOLLOWS_EPOCH(l, f)         (PRESUMES_LEADERSHIP(l) && leader[f] == (l) + 1 && epoch[f] == epoch[l])

#define UPDATE_QUORUM(new_leader, new_isr) \
    quorum_leader = new_leader; quorum_isr = new_isr; \
    request_leader[last_epoch] = quorum_leader; request_isr[last_epoch] = quorum_isr; last_epoch++

#define CONTROLLER_ELECT_LEADER(r) \
    :: d_step { last_epoch <= MAX_LEADER_EPOCH && quorum_leader != (r) + 1 && HAS(quorum_isr, r) -> \
        UPDATE_QUORUM((r) + 1, quorum_isr) }

/* The controller takes the last member out of the ISR only if that member is the leader or there is none: then,
   as a leader it stays in, as another replica it leaves an empty set. */
#define CONTROLLER_SHRINK_ISR(r) \
    :: d_step { last_epoch <= MAX_LEADER_EPOCH && quorum_leader == (r) + 1 -> \
        UPDATE_QUORUM(0, (quorum_isr == BIT(r) -> quorum_isr : WITHOUT(quorum_isr, r))) } \
    :: d_step { last_epoch <= MAX_LEADER_EPOCH && quorum_leader != (r) + 1 && HAS(quorum_isr, r) -> \
        UPDATE_QUORUM(quorum_leader, WITHOUT(quorum_isr, r)) }

#define BECOME_LEADER(r, e) \
    :: d_step { request_leader[(e) - 1] == (r) + 1 && epoch[r] < (e) -> \
        epoch[r] = e; leader[r] = (r) + 1; isr[r] = request_isr[(e) - 1] }

#define LEADER_WRITE(r) \
    :: d_step { PRESUMES_LEADERSHIP(r) && next_record_id < MAX_RECORDS && end_offset[r] < LOG_SIZE -> \
        SLOT(r, end_offset[r]) = RECORD(next_record_id, epoch[r]); end_offset[r]++; next_record_id++ }

#define HAS_ACKNOWLEDGED(l, f)      (FOLLOWS_EPOCH(l, f) && high_watermark[l] < end_offset[f])
#define FENCED_LEADER_INC_HIGH_WATERMARK(l) \
    :: d_step { high_watermark[l] < end_offset[l] && ALL_IN(isr[l], HAS_ACKNOWLEDGED, l) -> \
        high_watermark[l]++ }

#define FENCED_LEADER_SHRINK_ISR(l, f) \
    :: d_step { HAS(isr[l], f) && IS_TRUE_LEADER(l) && \
                (!FOLLOWS_EPOCH(l, f) || end_offset[f] < end_offset[l]) -> \
        isr[l] = WITHOUT(isr[l], f); quorum_isr = isr[l] }

/* A leader is always in its own ISR, so only other replicas can be added. */
#define FENCED_LEADER_EXPAND_ISR(l, f) \
    :: d_step { !HAS(isr[l], f) && IS_TRUE_LEADER(l) && FOLLOWS_EPOCH(l, f) && \
                high_watermark[l] <= end_offset[f] && \
                (high_watermark[l] == end_offset[l] || \
                 (high_watermark[l] < end_offset[l] && EPOCH_OF(SLOT(l, high_watermark[l])) == epoch[l])) -> \
        isr[l] = isr[l] | BIT(f); quorum_isr = isr[l] }

/* The request a follower obeys is the one its leader obeyed: it has the leader's epoch, and an epoch has only one. */
#define IS_SAME(f, l, offset)       (SLOT(f, offset) != 0 && SLOT(f, offset) == SLOT(l, offset))
#define TRUNCATE_SLOT(f, offset)    SLOT(f, offset) = (offset < end -> SLOT(f, offset) : 0);
#define FENCED_BECOME_FOLLOWER_AND_TRUNCATE(l, f) \
    :: d_step { PRESUMES_LEADERSHIP(l) && epoch[l] > epoch[f] -> \
        end = (IS_SAME(f, l, 0) -> 1 : 0); \
        IF_OFFSET_1(end = (IS_SAME(f, l, 1) -> 2 : end);) \
        IF_OFFSET_2(end = (IS_SAME(f, l, 2) -> 3 : end);) \
        IF_OFFSET_3(end = (IS_SAME(f, l, 3) -> 4 : end);) \
        TRUNCATE_SLOT(f, 0) IF_OFFSET_1(TRUNCATE_SLOT(f, 1)) \
        IF_OFFSET_2(TRUNCATE_SLOT(f, 2)) IF_OFFSET_3(TRUNCATE_SLOT(f, 3)) \
        end_offset[f] = end; \
        high_watermark[f] = (high_watermark[f] < end -> high_watermark[f] : end); \
        epoch[f] = epoch[l]; leader[f] = (l) + 1; isr[f] = request_isr[epoch[l] - 1] }

#define FENCED_FOLLOWER_FETCH(l, f) \
    :: d_step { FOLLOWS_EPOCH(l, f) && end_offset[f] < end_offset[l] -> \
        SLOT(f, end_offset[f]) = SLOT(l, end_offset[f]); end_offset[f]++; \
        high_watermark[f] = (high_watermark[l] < end_offset[f] -> high_watermark[l] : end_offset[f]) }

#define HAS_SAME_BELOW(r, other)    ALL_BELOW(high_watermark[r], IS_SAME, r, other)
#define WEAK_ISR(r)                 (!PRESUMES_LEADERSHIP(r) || ALL_IN(isr[r], HAS_SAME_BELOW, r))
#define STRONG_ISR(r)               (!PRESUMES_LEADERSHIP(r) || ALL_IN(quorum_isr, HAS_SAME_BELOW, r))

active proctype protocol()
{
    do
#ifndef NO_INVARIANTS
    :: !(ALL(WEAK_ISR) && ALL(STRONG_ISR)) -> assert(false)
#endif
    REPLICA(CONTROLLER_ELECT_LEADER)
    REPLICA(CONTROLLER_SHRINK_ISR)
    REPLICA_AND_EPOCH(BECOME_LEADER)
    REPLICA(LEADER_WRITE)
    REPLICA(FENCED_LEADER_INC_HIGH_WATERMARK)
    PAIR(FENCED_LEADER_SHRINK_ISR)
    PAIR(FENCED_LEADER_EXPAND_ISR)
    PAIR(FENCED_BECOME_FOLLOWER_AND_TRUNCATE)
    PAIR(FENCED_FOLLOWER_FETCH)
    od
}
