-- The replication protocol under the KIP-320 rules, for Rumur (Murphi): the transition system of the model
-- `kip320`.
--
-- The benchmark rewrites the four bounds. Every action with every parameter is an instance of a rule. The bounds
-- are plain ranges and not scalarsets, so no symmetry is used and the states are exactly the protocol's.
--
-- Encoding: -1 means "none". A record is 1 + epoch + (MAX_LEADER_EPOCH + 1) * id, and 0 where there is none. The
-- quorum's epoch is always the newest one, and every request has an epoch of its own and is kept at that index, so
-- neither needs a variable. The request a follower obeys is the one its leader obeyed, since an epoch has only one.

const
  REPLICAS: 3;
  LOG_SIZE: 2;
  MAX_RECORDS: 2;
  MAX_LEADER_EPOCH: 2;

type
  replica_id: 0 .. REPLICAS - 1;
  maybe_replica_id: -1 .. REPLICAS - 1;
  offset: 0 .. LOG_SIZE - 1;
  end_offset: 0 .. LOG_SIZE;
  leader_epoch: 0 .. MAX_LEADER_EPOCH;
  maybe_leader_epoch: -1 .. MAX_LEADER_EPOCH;
  replica_set: array[replica_id] of boolean;
  replica_state: record
    log_end: end_offset;
    log_record: array[offset] of 0 .. MAX_RECORDS * (MAX_LEADER_EPOCH + 1);
    high_watermark: end_offset;
    epoch: maybe_leader_epoch;
    leader: maybe_replica_id;
    isr: replica_set;
  end;
  request_state: record
    leader: maybe_replica_id;
    isr: replica_set;
  end;

var
  replica: array[replica_id] of replica_state;
  request: array[leader_epoch] of request_state;
  quorum: request_state;
  next_leader_epoch: 0 .. MAX_LEADER_EPOCH + 1;
  next_record_id: 0 .. MAX_RECORDS;

function presumes_leadership(r: replica_id): boolean;
begin
  return replica[r].leader = r;
end;

function is_true_leader(l: replica_id): boolean;
begin
  return quorum.leader = l & presumes_leadership(l) & replica[l].epoch = next_leader_epoch - 1;
end;

function is_following_epoch(l: replica_id; f: replica_id): boolean;
begin
  return presumes_leadership(l) & replica[f].leader = l & replica[f].epoch = replica[l].epoch;
end;

function has_same_record(r: replica_id; other: replica_id; o: offset): boolean;
begin
  return replica[r].log_record[o] != 0 & replica[r].log_record[o] = replica[other].log_record[o];
end;

function has_same_below_high_watermark(r: replica_id; other: replica_id): boolean;
begin
  return forall o: offset do o >= replica[r].high_watermark | has_same_record(r, other, o) end;
end;

procedure send_request();
begin
  request[next_leader_epoch].leader := quorum.leader;
  request[next_leader_epoch].isr := quorum.isr;
  next_leader_epoch := next_leader_epoch + 1;
end;

startstate
begin
  for r: replica_id do
    replica[r].log_end := 0;
    for o: offset do
      replica[r].log_record[o] := 0;
    end;
    replica[r].high_watermark := 0;
    replica[r].epoch := -1;
    replica[r].leader := -1;
    for member: replica_id do
      replica[r].isr[member] := false;
      quorum.isr[member] := true;
    end;
  end;
  for e: leader_epoch do
    request[e].leader := -1;
    for member: replica_id do
      request[e].isr[member] := false;
    end;
  end;
  quorum.leader := -1;
  next_leader_epoch := 0;
  next_record_id := 0;
end;

ruleset r: replica_id do
  rule "controller_elect_leader"
    next_leader_epoch <= MAX_LEADER_EPOCH & quorum.leader != r & quorum.isr[r]
  ==>
  begin
    quorum.leader := r;
    send_request();
  end;

  rule "controller_shrink_isr"
    next_leader_epoch <= MAX_LEADER_EPOCH & (quorum.leader = r | quorum.isr[r])
  ==>
  begin
    if quorum.leader = r then
      quorum.leader := -1;
      if exists other: replica_id do other != r & quorum.isr[other] end then
        quorum.isr[r] := false;
      end;
    else
      quorum.isr[r] := false;
    end;
    send_request();
  end;

  rule "leader_write"
    presumes_leadership(r) & next_record_id < MAX_RECORDS & replica[r].log_end < LOG_SIZE
  ==>
  begin
    replica[r].log_record[replica[r].log_end] := 1 + replica[r].epoch + (MAX_LEADER_EPOCH + 1) * next_record_id;
    replica[r].log_end := replica[r].log_end + 1;
    next_record_id := next_record_id + 1;
  end;

  rule "fenced_leader_inc_high_watermark"
    replica[r].high_watermark < replica[r].log_end
    & forall f: replica_id do
        !replica[r].isr[f] | is_following_epoch(r, f) & replica[r].high_watermark < replica[f].log_end
      end
  ==>
  begin
    replica[r].high_watermark := replica[r].high_watermark + 1;
  end;
end;

ruleset r: replica_id; e: leader_epoch do
  rule "become_leader"
    request[e].leader = r & replica[r].epoch < e
  ==>
  begin
    replica[r].epoch := e;
    replica[r].leader := r;
    replica[r].isr := request[e].isr;
  end;
end;

ruleset l: replica_id; f: replica_id do
  rule "fenced_leader_shrink_isr"
    l != f & replica[l].isr[f] & is_true_leader(l)
    & (!is_following_epoch(l, f) | replica[f].log_end < replica[l].log_end)
  ==>
  begin
    replica[l].isr[f] := false;
    quorum.isr := replica[l].isr;
  end;

  rule "fenced_leader_expand_isr"
    !replica[l].isr[f] & is_true_leader(l) & is_following_epoch(l, f)
    & replica[l].high_watermark <= replica[f].log_end
    & (replica[l].high_watermark = replica[l].log_end
       | replica[l].high_watermark < replica[l].log_end
         & (replica[l].log_record[replica[l].high_watermark] - 1) % (MAX_LEADER_EPOCH + 1) = replica[l].epoch)
  ==>
  begin
    replica[l].isr[f] := true;
    quorum.isr := replica[l].isr;
  end;

  rule "fenced_become_follower_and_truncate"
    l != f & presumes_leadership(l) & replica[l].epoch > replica[f].epoch
  ==>
  var
    truncation_offset: end_offset;
  begin
    truncation_offset := 0;
    for o: offset do
      if has_same_record(f, l, o) then
        truncation_offset := o + 1;
      end;
    end;
    for o: offset do
      if o >= truncation_offset then
        replica[f].log_record[o] := 0;
      end;
    end;
    replica[f].log_end := truncation_offset;
    if replica[f].high_watermark > truncation_offset then
      replica[f].high_watermark := truncation_offset;
    end;
    replica[f].epoch := replica[l].epoch;
    replica[f].leader := l;
    replica[f].isr := request[replica[l].epoch].isr;
  end;

  rule "fenced_follower_fetch"
    l != f & is_following_epoch(l, f) & replica[f].log_end < replica[l].log_end
  ==>
  begin
    replica[f].log_record[replica[f].log_end] := replica[l].log_record[replica[f].log_end];
    replica[f].log_end := replica[f].log_end + 1;
    if replica[l].high_watermark < replica[f].log_end then
      replica[f].high_watermark := replica[l].high_watermark;
    else
      replica[f].high_watermark := replica[f].log_end;
    end;
  end;
end;

invariant "weak_isr"
  forall r: replica_id do
    !presumes_leadership(r)
    | forall other: replica_id do !replica[r].isr[other] | has_same_below_high_watermark(r, other) end
  end;

invariant "strong_isr"
  forall r: replica_id do
    !presumes_leadership(r)
    | forall other: replica_id do !quorum.isr[other] | has_same_below_high_watermark(r, other) end
  end;
