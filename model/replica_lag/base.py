"""Does `replica.lag.time.max.ms` keep a follower in the ISR through every burst of messages, as long as it fetches?

Bounds: bursts of up to five messages, six in all, over five ticks of the clock; a live follower fetches at every tick.
    The rule allows two ticks: with one (`--set longest_time=1`) a follower that fetches a tick after a message arrives
    is taken out, because only its second fetch shows that it has the message. The broken twin `replica_lag.messages`
    fails with a single burst.
Expected: HOLDS
"""

from kafkacheck.model.replica_lag.family import REPLICA_LAG

MODEL = REPLICA_LAG.model()
