// model.js - what is known, as /api/v1/state and the changes since then told it. No document in here.
"use strict";

const EVENTS_KEPT = 64;
const CHANGES_KEPT = 1024; // that a state on its way may not know yet
const PROBLEMS = ["unanswered", "refused", "ambiguous", "waiting"];

const model = {
  state: null, // the last state, with the changes since then
  nodes: new Map(), // by id
  changes: [], // the last ones that came
  at: 0, // when it came, on the page's own clock (ms)
  selected: null, // id of the node whose details are shown
  find: "",
  onlyTrouble: false,
  lostSince: 0, // Date of the last sign of life, in ms; 0: the stream is there
  everCame: false,
};

// An id of an event: which life of the snooper, and the how-manieth in it.
function eventNumber(id) {
  const cut = id.lastIndexOf("-");
  return { life: id.slice(0, cut), number: Number(id.slice(cut + 1)) };
}

// Does the state know this event already?
function isKnown(event) {
  const theirs = eventNumber(event);
  const ours = eventNumber(model.state.event);
  return theirs.life === ours.life && theirs.number <= ours.number;
}

// A state may be older than what came by the stream meanwhile: that is put on top of it.
function takeState(state, now) {
  const later = model.changes;
  model.state = state;
  model.at = now;
  model.everCame = true;
  model.nodes = new Map(state.nodes.map((node) => [node.id, { ...node, at: now }]));
  model.changes = [];
  for (const change of later) {
    if (eventNumber(change.event).life === eventNumber(state.event).life) {
      takeChange(change, now);
    }
  }
}

// False: it was known already.
function takeChange(change, now) {
  if (isKnown(change.event)) {
    return false;
  }
  const events = model.state.events;
  model.changes.push(change);
  model.changes.splice(0, Math.max(0, model.changes.length - CHANGES_KEPT));
  events.push(change);
  events.splice(0, Math.max(0, events.length - EVENTS_KEPT));
  model.state.event = change.event;
  if (change.node) {
    model.nodes.set(change.node.id, { ...change.node, at: now });
  }
  return true;
}

function takeBeat(beat, now) {
  Object.assign(model.state, { frames: beat.frames, notes: beat.notes, time: beat.time });
  model.beatAt = now;
}

// The snooper's own clock now, in Unix seconds.
function timeNow(now) {
  return model.state.time + (now - (model.beatAt > model.at ? model.beatAt : model.at)) / 1000;
}

// Milliseconds since the node announced itself, now.
function ageOf(node, now) {
  return node.age_ms + (now - node.at);
}

function isConsumer(node) {
  return node.role === "consumer";
}

function producerOf(node) {
  return isConsumer(node) && node.pairing ? node.pairing.producer : null;
}

function nameOf(node) {
  return node.name || node.id;
}

// What is to be seen of a node at a glance: its state, or that it is lost or gone, or (a producer that is
// only known from a pairing) that nobody ever heard it.
function lookOf(node) {
  return node.unheard ? "unheard" : node.presence === "live" ? node.state : node.presence;
}

function isTrouble(node) {
  const look = lookOf(node);
  return Boolean(node.trouble || node.also_at) || (look !== "active" && look !== "idle");
}

// Why, or what else there is to say, in few words.
function reasonOf(node, now) {
  if (node.unheard) {
    return "only known from its pairing";
  }
  if (node.presence !== "live") {
    const then = node.presence === "gone" ? "said goodbye, last heard " : "last heard ";
    return then + duration(ageOf(node, now)) + " ago, was " + node.state;
  }
  if (node.trouble) {
    return plain(node.trouble);
  }
  if (node.also_at) {
    return "two senders use this id: " + plain(node.address) + " and " + plain(node.also_at);
  }
  if (!isConsumer(node)) {
    return mediaText(node.media);
  }
  if (node.driver_status && node.driver_status.detail) {
    return plain(node.driver_status.detail);
  }
  return producerOf(node) ? "" : "not paired";
}

// The look of a link is that of its consumer.
function linkLook(consumer) {
  const look = lookOf(consumer);
  return look === "idle" ? "pending" : look;
}

function byIdOrder(a, b) {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function consumersOf(id) {
  return [...model.nodes.values()].filter((node) => producerOf(node) === id).sort(byIdOrder);
}

// Producers that are only known because somebody is paired with them.
function unheardProducers() {
  const found = new Map();
  for (const node of model.nodes.values()) {
    const id = producerOf(node);
    if (id && !model.nodes.has(id) && !found.has(id)) {
      found.set(id, { id, name: id, role: "producer", kind: node.kind, unheard: true, at: 0 });
    }
  }
  return found;
}

// A node by its id, heard or not.
function nodeOf(id) {
  return model.nodes.get(id) || unheardProducers().get(id);
}

function isWanted(node) {
  const text = model.find.toLowerCase();
  return (!model.onlyTrouble || isTrouble(node)) &&
    (!text || node.id.toLowerCase().includes(text) || nameOf(node).toLowerCase().includes(text));
}

// The graph: groups of a producer and its consumers, then producers and consumers that are in no pairing.
// At most `most` nodes; the groups that have trouble come in before others are left out.
function groupsOf(most) {
  const groups = new Map();
  const loose = { producers: [], consumers: [] };
  const all = [...model.nodes.values(), ...unheardProducers().values()].sort(byIdOrder);
  for (const node of all) {
    if (!isConsumer(node)) {
      groups.set(node.id, { producer: node, consumers: [] });
    }
  }
  for (const node of all.filter(isConsumer)) {
    const group = groups.get(producerOf(node));
    if (group) {
      group.consumers.push(node);
    } else {
      // Paired with what is a consumer: nothing to draw a link to; its trouble says so.
      loose.consumers.push(node);
    }
  }
  const result = { paired: [], loose, shown: 0, all: all.length, wanted: 0 };
  const sizeOf = (group) => 1 + group.consumers.length;
  const chosen = [];
  for (const group of groups.values()) {
    const members = [group.producer, ...group.consumers];
    if (members.some(isWanted)) {
      chosen.push(group);
    }
  }
  loose.consumers = loose.consumers.filter(isWanted);
  result.wanted = chosen.reduce((sum, group) => sum + sizeOf(group), loose.consumers.length);
  const rank = (group) => ([group.producer, ...group.consumers].some(isTrouble) ? 0 : 1);
  const fits = new Set();
  for (const group of [...chosen].sort((a, b) => rank(a) - rank(b))) {
    const left = most - result.shown;
    if (left < 1) {
      break;
    }
    group.consumers = group.consumers.slice(0, left - 1);
    result.shown += sizeOf(group);
    fits.add(group);
  }
  loose.consumers = loose.consumers.slice(0, most - result.shown);
  result.shown += loose.consumers.length;
  for (const group of chosen.filter((one) => fits.has(one))) {
    if (group.consumers.length > 0) {
      result.paired.push(group);
    } else {
      loose.producers.push(group.producer);
    }
  }
  return result;
}

function operationRank(operation) {
  const rank = PROBLEMS.indexOf(operation.outcome);
  return rank < 0 ? PROBLEMS.length : rank;
}

// Those that went wrong or wait first, each sort the newest first.
function operationsInOrder() {
  return [...model.state.operations].sort((a, b) => operationRank(a) - operationRank(b));
}

const TONES = new Map(Object.entries({
  "media-up": "good", "peer-returned": "good", "driver-error": "bad", "peer-lost": "bad", "rx-drop": "bad",
  "media-pending": "waiting", "media-down": "waiting", "driver-retry": "waiting", stopping: "waiting",
  "node-gone": "waiting",
}));
const STATE_TONES = new Map(Object.entries({ active: "good", error: "bad", pending: "waiting" }));
const OUTCOME_TONES = new Map(Object.entries({
  applied: "good", active: "good", idle: "good", refused: "bad", unanswered: "bad", ambiguous: "bad",
}));

// How an event is to be seen: good, bad, waiting, or just told. A node may say any word, also "operation".
function toneOf(event) {
  if (event.said) {
    return TONES.get(event.what) || "told";
  }
  if (event.what === "operation") {
    return OUTCOME_TONES.get(event.detail.outcome) || "waiting";
  }
  return STATE_TONES.get(event.detail && event.detail.state) || TONES.get(event.what) || "told";
}
