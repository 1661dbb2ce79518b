"""Small wrong changes to the core, and to the observer that runs beside it in the simulator. Each must
be caught by unit tests or by the simulator.

A change is (name, file of src/core or src/snooper, text that stands there exactly once, text in its place); where one
place is not enough, file and texts again.
"""

MUTANTS = [
    # durability
    ("ack-before-persist", "node_hear.c",
     "        yk_barrier_stage(&node->barrier, intent);\n",
     "        yk_barrier_stage(&node->barrier, intent);\n"
     "        acknowledge(node, &intent->version, true, YK_REASON_APPLIED);\n"),
    ("failed-save-commits", "barrier.c", "    if (!ok) {", "    if (!ok && !carried) {"),
    ("failed-reservation-raises-the-bound", "barrier.c",
     "    if (!ok) {",
     "    yk_sequence_saved(&outbox->sequence, barrier->asked.seq);\n    if (!ok) {"),
    ("failed-save-stays-staged", "barrier.c",
     "        barrier->staged = false;\n", "        barrier->staged = !ok;\n"),
    ("feedback-for-any-save", "barrier.c",
     "return barrier->saving && request == barrier->request;",
     "return barrier->saving && request > 0;"),
    ("overlapping-saves", "barrier.c",
     "if (barrier->saving || !wants_save(barrier, outbox)) {",
     "if (!wants_save(barrier, outbox)) {"),
    ("save-forgets-the-pairing", "barrier.c",
     "barrier->staged ? yk_pairing_of(&barrier->intent) : *committed;",
     "barrier->staged ? yk_pairing_of(&barrier->intent) : (struct yk_pairing){0};"),
    ("failed-startup-save-blocks-for-good", "barrier.c",
     "    barrier->ready = true;\n", "    barrier->ready = barrier->ready || ok;\n"),
    # numbers
    ("number-at-the-bound", "sequence.c",
     "    return sequence->bound > sequence->next ? sequence->bound - sequence->next : 0;",
     "    return sequence->bound >= sequence->next ? sequence->bound + 1 - sequence->next : 0;"),
    ("start-ignores-the-saved-bound", "sequence.c",
     "    if (floor < saved_bound) {", "    if (floor == 0) {"),
    ("reservation-renewed-too-late", "sequence.c",
     "    if (yk_sequence_left(sequence) > YK_SEQ_BLOCK / 2) {",
     "    if (yk_sequence_left(sequence) > 0) {"),
    ("reissue-uses-up-no-number", "node_hear.c",
     "    if (yk_outbox_send(&node->outbox, &frame)) {\n        yk_outbox_note",
     "    if (yk_outbox_send(&node->outbox, &frame)) {\n        node->outbox.sequence.next--;\n"
     "        yk_outbox_note"),
    ("each-save-begins-the-numbers-anew", "sequence.c",
     "    sequence->bound = bound;\n",
     "    sequence->bound = bound;\n    sequence->next = sequence->first;\n"),
    # versions
    ("equal-version-is-newer", "consumer.c",
     "&consumer->pairing.version) <= 0) {\n        bool again",
     "&consumer->pairing.version) < 0) {\n        bool again"),
    ("lower-version-is-newer", "consumer.c",
     "&consumer->pairing.version) <= 0) {\n        bool again",
     "&consumer->pairing.version) == 0) {\n        bool again"),
    ("author-breaks-no-tie", "types.c",
     "    return yk_id_compare(&a->author, &b->author);", "    return 0;"),
    ("equal-version-is-the-same-intent", "consumer.c",
     "return yk_intent_equal(intent, &made_it);",
     "return yk_version_compare(&intent->version, &made_it.version) == 0;"),
    ("self-pair-accepted", "consumer.c",
     "if (yk_id_equal(&intent->producer, consumer->id)) {", "if (intent->producer.size > 64) {"),
    ("kind-mismatch-accepted", "consumer.c",
     "if (peer != NULL && peer->role == YK_ROLE_PRODUCER && peer->kind != consumer->kind) {",
     "if (peer != NULL && peer->role == YK_ROLE_PRODUCER && peer->kind == YK_KIND_END) {"),
    # admission
    ("forged-frame-moves-the-high-water", "admission.c",
     "        return YK_DROP_AUTH;\n",
     "        (void)yk_replay_check(&rx->replay, origin.seen, &frame->origin, frame->seq, &digest, now);\n"
     "        return YK_DROP_AUTH;\n"),
    ("no-future-bound", "admission.c",
     "    return seq > bound && seq - bound > YK_SEQ_FUTURE;", "    return bound == 0 && seq == 0;"),
    ("future-bound-below-our-own", "admission.c",
     "    if (bound < rx->seq_floor) {", "    if (bound == 0 && rx->seq_floor > bound) {"),
    ("same-number-is-fresh", "replay.c", "seq > seen->seq", "seq >= seen->seq"),
    ("duplicate-is-stale", "replay.c",
     "same ? YK_DROP_DUP : YK_DROP_STALE", "same ? YK_DROP_STALE : YK_DROP_STALE"),
    ("signature-compared-in-part", "auth.c",
     "CRYPTO_memcmp(digest->bytes, claimed, YK_DIGEST_SIZE) != 0",
     "CRYPTO_memcmp(digest->bytes + 2, claimed + 2, YK_DIGEST_SIZE - 2) != 0"),
    ("any-digit-is-hex", "auth.c", "if ((values & ones * 0xf0) != 0 ||", "if ("),
    ("resumed-under-any-key", "auth.c", "return memcmp(resume->inner, key->inner, sizeof(key->inner)) == 0 &&", "return"),
    ("resumed-under-the-key-that-was-there", "auth.c",
     "memcmp(resume->inner, key->inner, sizeof(key->inner)) == 0 &&",
     "memcmp(resume->inner, &key, sizeof key) == 0 &&",
     "auth.c", "memcpy(resume->inner, key->inner, sizeof(key->inner));",
     "memcpy(resume->inner, &key, sizeof key);"),
    ("resumed-by-the-size-alone", "auth.c",
     "memcmp(bytes.data, resume->bytes, resume->size) == 0", "resume->size > 0"),
    ("forged-beginning-is-kept", "auth.c",
     "!= 0) {\n        return false;\n    }\n    if (!known) {",
     "!= 0 && known) {\n        return false;\n    }\n    if (!known) {"),
    ("recalled-by-the-size-alone", "recent.c",
     "!yk_slice_equal(kept, decoder->head)", "kept.size != decoder->head.size"),
    ("what-is-kept-outlives-its-bytes", "recent.c", "    recent->head_size = 0;\n", ""),
    ("kept-texts-stay-in-the-datagram", "recent.c",
     "    move(&recent->ann.name, recent, head);\n", ""),
    ("second-key-refused", "auth.c", "i < 2 && verified == NULL", "i < 1 && verified == NULL"),
    ("signs-with-the-second-key", "auth.c",
     "    hmac(&auth->key, parts, digest);\n    write_hex",
     "    hmac(auth->next.set ? &auth->next : &auth->key, parts, digest);\n    write_hex"),
    ("frame-under-another-key-keeps-its-node-alive", "node_hear.c",
     "    if (yk_receiver_admit(&node->receiver, bytes, node->outbox.now, &frame) != YK_DROP_NONE) {\n",
     "    enum yk_drop drop = yk_receiver_admit(&node->receiver, bytes, node->outbox.now, &frame);\n"
     "    struct yk_peer *peer = (struct yk_peer *)yk_peers_find(&node->peers, &frame.origin);\n\n"
     "    if (drop == YK_DROP_AUTH && peer != NULL) {\n"
     "        peer->last_ann = node->outbox.now;\n    }\n"
     "    if (drop != YK_DROP_NONE) {\n"),
    ("our-replayed-frame-is-a-conflict", "node_hear.c",
     "    if (frame->seq < node->outbox.sequence.next) {",
     "    if (frame->seq < node->outbox.sequence.first) {"),
    ("replayed-announcement-keeps-its-node-alive", "node_hear.c",
     "    if (yk_receiver_admit(&node->receiver, bytes, node->outbox.now, &frame) != YK_DROP_NONE) {\n",
     "    enum yk_drop drop = yk_receiver_admit(&node->receiver, bytes, node->outbox.now, &frame);\n\n"
     "    if (drop == YK_DROP_STALE && frame.type == YK_TYPE_ANN) {\n"
     "        hear_announcement(node, &frame, from);\n    }\n"
     "    if (drop != YK_DROP_NONE) {\n"),
    # anti-entropy
    ("no-suppression", "intents.c",
     "    if (cached->cached && yk_version_compare(&intent->version, &cached->version) >= 0) {\n"
     "        cancel",
     "    if (cached->cached && yk_version_compare(&intent->version, &cached->version) > 0) {\n"
     "        cancel"),
    ("caught-up-cancels-nothing", "intents.c",
     "yk_version_compare(version, newest) >= 0) {\n        cancel_reissue(intents, consumer);",
     "yk_version_compare(version, newest) >= 0) {\n        (void)intents;"),
    ("reissue-without-jitter", "node_hear.c",
     "yk_rng_between(&node->rng, YK_REISSUE_MIN, YK_REISSUE_MAX)", "YK_REISSUE_MIN"),
    ("reissue-at-once", "intents.c", ".due = now + delay", ".due = now"),
    ("reissue-under-the-consumers-id", "outbox.c",
     "    frame->origin = *outbox->origin;\n",
     "    frame->origin = frame->type == YK_TYPE_INT ? frame->as.intent.consumer : *outbox->origin;\n"),
    ("reissue-stays-waiting", "intents.c",
     "            intents->reissues[i] = intents->reissues[--intents->reissue_count];\n"
     "            return true;",
     "            intents->reissues[i].due = now + YK_SECOND;\n            return true;"),
    ("lower-version-is-cached", "intents.c",
     "(cached->cached && yk_version_compare(&intent->version, &cached->version) <= 0)",
     "(cached->cached && yk_version_compare(&intent->version, &cached->version) == 0)"),
    ("superseded-evicts", "node_hear.c",
     "    return reason == YK_REASON_SELF_PAIR ||",
     "    return reason == YK_REASON_SUPERSEDED || reason == YK_REASON_SELF_PAIR ||"),
    ("rejection-evicts-nothing", "intents.c",
     "        cached->cached = false;\n", "        cached->cached = true;\n"),
    ("rejection-evicts-any-version", "intents.c",
     "    if (cached->cached && yk_version_compare(version, &cached->version) == 0) {\n"
     "        cached",
     "    if (cached->cached) {\n        cached"),
    ("rejected-is-cached-again", "intents.c",
     "        cached->rejected = *version;", "        cached->rejected.n = 0;"),
    ("extension-fields-copied", "frame_read.c",
     "static bool read_int(const struct yk_decoder *decoder, struct yk_intent *intent)\n{\n",
     "struct yk_slice yk_body_read;\n"
     "static bool read_int(const struct yk_decoder *decoder, struct yk_intent *intent)\n{\n"
     "    yk_body_read = yk_json_spelling(&decoder->json, decoder->body_token);\n",
     "node_hear.c", "static void hear_intent(",
     "extern struct yk_slice yk_body_read, yk_body_sent;\n"
     "static struct body { struct yk_version version; uint8_t bytes[YK_FRAME_MAX]; size_t size; } bodies[99];\n\n"
     "static void hear_intent(",
     "node_hear.c", "    yk_intents_hear(&node->intents, intent, node->outbox.now);\n",
     "    static size_t count;\n"
     "    struct body *body = &bodies[count++ % 99];\n\n"
     "    body->version = intent->version;\n"
     "    body->size = yk_body_read.size <= YK_FRAME_MAX ? yk_body_read.size : 0;\n"
     "    memcpy(body->bytes, yk_body_read.data, body->size);\n"
     "    yk_intents_hear(&node->intents, intent, node->outbox.now);\n",
     "node_hear.c", "    frame.as.intent = *intent;\n    if (yk_outbox_send(&node->outbox, &frame)) {\n",
     "    frame.as.intent = *intent;\n"
     "    for (size_t i = 0; i < 99; i++) {\n"
     "        if (yk_version_compare(&bodies[i].version, &intent->version) == 0) {\n"
     "            yk_body_sent = (struct yk_slice){bodies[i].bytes, bodies[i].size};\n"
     "        }\n    }\n"
     "    bool sent = yk_outbox_send(&node->outbox, &frame);\n"
     "    yk_body_sent.size = 0;\n"
     "    if (sent) {\n",
     "frame_write.c",
     "static void write_int(struct yk_json_writer *writer, const struct yk_intent *intent)\n{\n",
     "struct yk_slice yk_body_sent;\n\n"
     "static void write_int(struct yk_json_writer *writer, const struct yk_intent *intent)\n{\n"
     "    if (yk_body_sent.size > 2) {\n"
     "        yk_json_raw(writer, (struct yk_slice){yk_body_sent.data + 1, yk_body_sent.size - 2});\n"
     "        return;\n    }\n"),
    # driver
    ("retry-reset-by-a-poll", "backoff.h",
     "    if (backoff->due == YK_TIME_NEVER) {", "    if (now > 0) {"),
    ("backoff-does-not-double", "backoff.h",
     "backoff->wait * 2 < YK_RETRY_MAX ? backoff->wait * 2 : YK_RETRY_MAX", "backoff->wait"),
    ("backoff-without-a-cap", "backoff.h",
     "backoff->wait * 2 < YK_RETRY_MAX ? backoff->wait * 2 : YK_RETRY_MAX", "backoff->wait * 2"),
    ("stale-generation-accepted", "route.c",
     "    if (generation != route->generation) {", "    if (generation > route->generation) {"),
    ("replacement-without-detach", "route.c",
     "    if (is_held(route) && !same) {", "    if (is_held(route) && !same && media.size == 0) {"),
    ("attach-before-release", "route.c",
     "    if (is_releasing(route)) {", "    if (route->phase == YK_ROUTE_STUCK) {"),
    ("anything-confirms-a-release", "route.c",
     "    if (status == YK_REPORT_IDLE) {\n        if (route->phase",
     "    if (status != YK_REPORT_ERROR) {\n        if (route->phase"),
    ("stuck-release-is-given-up", "route.c",
     "    } else {\n        ask_detach(route, outbox);\n    }",
     "    } else {\n        route->phase = YK_ROUTE_FREE;\n    }"),
    ("unpair-forgets-the-driver", "consumer.c",
     "        yk_route_release(&consumer->route, YK_DETACH_UNPAIR, outbox);",
     "        yk_route_forget_wish(&consumer->route);"),
    ("unpair-releases-as-replace", "route.c",
     "    route->reason = reason;\n",
     "    route->reason = reason == YK_DETACH_UNPAIR ? YK_DETACH_REPLACE : reason;\n"),
    ("no-teardown-at-restart", "consumer.c",
     "        yk_route_demand_release(&consumer->route, YK_DETACH_RESTART, outbox);",
     "        yk_route_forget_wish(&consumer->route);"),
    ("lost-producer-tears-down", "consumer.c",
     "        yk_route_forget_wish(&consumer->route);\n        if",
     "        yk_route_release(&consumer->route, YK_DETACH_REPLACE, outbox);\n        if"),
    ("active-without-the-producer", "consumer.c",
     "        consumer->sight == YK_SIGHT_READY) {\n        yk_route_status",
     "        consumer->sight == YK_SIGHT_READY || consumer->sight == YK_SIGHT_UNHEARD) {\n"
     "        yk_route_status"),
    ("changed-media-not-noticed", "peers.c",
     "    media_changed = !yk_slice_equal(media, old.media);",
     "    media_changed = media.size != old.media.size;"),
    ("return-of-the-producer-not-noticed", "consumer.c",
     "    } else if (renewed || before != YK_SIGHT_READY) {", "    } else if (renewed) {"),
    # what is said
    ("silent-for-too-long-is-live", "peers.c",
     "now < peer->last_ann + YK_PEER_TIMEOUT", "now < peer->last_ann + 2 * YK_PEER_TIMEOUT"),
    ("bye-is-ignored", "peers.c",
     "    set_presence(peers, peer, YK_PRESENCE_GONE);\n    return peer;", "    return peer;"),
    ("who-left-is-not-heard-again", "node_hear.c",
     "    struct yk_peers_change change;\n    const struct yk_peer *peer;\n",
     "    struct yk_peers_change change;\n"
     "    const struct yk_peer *peer = yk_peers_find(&node->peers, &frame->origin);\n\n"
     "    if (peer != NULL && peer->presence == YK_PRESENCE_GONE) {\n        return;\n    }\n"),
    ("who-returns-is-counted-twice", "peers.c",
     "    change->returned = !change->is_new && peer->presence != YK_PRESENCE_LIVE;\n",
     "    change->returned = !change->is_new && peer->presence != YK_PRESENCE_LIVE;\n"
     "    peers->live_count += change->returned;\n"),
    ("drops-said-at-once", "node_show.c",
     "earliest > node->outbox.now ? earliest : node->outbox.now", "node->outbox.now"),
    ("evidence-is-not-left-out", "announce.c",
     "        ann->has_evidence = false;\n", "        ann->has_evidence = true;\n"),
    ("error-is-not-cut", "announce.c",
     "        cut_err(&frame, outbox);\n", "        (void)cut_err;\n"),
    ("commit-announces-nothing", "node_hear.c",
     "    node->announce_owed = true;\n}", "    node->announce_owed = false;\n}"),
    ("other-media-is-said-later", "node.c",
     "    node->options.media = keep(node->media, sizeof node->media, media);\n"
     "    node->announce_owed = true;\n",
     "    node->options.media = keep(node->media, sizeof node->media, media);\n"),
    ("repeated-intent-is-announced", "node_hear.c",
     "        acknowledge(node, &intent->version, true, reason);\n",
     "        acknowledge(node, &intent->version, true, reason);\n"
     "        node->announce_owed = true;\n"),
    ("applied-is-not-acknowledged", "node_hear.c",
     "reason};\n    yk_outbox_send(&node->outbox, &frame);\n",
     "reason};\n    if (!applied) {\n        yk_outbox_send(&node->outbox, &frame);\n    }\n"),
    ("refusal-is-not-acknowledged", "node_hear.c",
     "        acknowledge(node, &intent->version, false, reason);\n", ""),
    ("everybody-speaks-at-once-at-a-start", "node_show.c",
     "    return node->ready_at + spread * node->turn / (UINT16_MAX + 1);\n",
     "    return node->ready_at;\n"),
    ("the-wait-at-a-start-does-not-grow", "node_show.c",
     "    spread += spread * node->peers.live_count / YK_START_SPREAD_PEERS;\n", ""),
    ("change-of-state-is-said-later", "node_show.c",
     "    if (node->announced && node->shown.state != before) {\n        node->announce_owed = true;\n",
     "    if (node->announced && node->shown.state != before) {\n"),
    ("stop-waits-for-the-driver", "node.c",
     "node->outbox.now + node->options.stop_limit", "node->outbox.now + YK_HOUR"),
    ("stop-without-bye", "node.c",
     "        yk_outbox_send(&node->outbox, &bye);\n", "        (void)bye;\n"),
    ("producer-that-is-not-known-is-asked", "consumer.c",
     "if (peer == NULL || peer->presence != YK_PRESENCE_LIVE) {",
     "if (peer->presence != YK_PRESENCE_LIVE) {"),
    # the observer
    ("observer-ignores-its-clock", "observer.c",
     "    observer->receiver.wall = wall;\n", "    (void)observer;\n    (void)wall;\n"),
    ("observer-is-never-done", "observer.c",
     "observer->replay_due = next < now + YK_HOUR ? next : now + YK_HOUR;",
     "observer->replay_due = next < now ? next : now;"),
]
