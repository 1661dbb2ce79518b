// stream.js - the way to stay current (docs/http-api.md): the state, then the changes since; and what is
// done when they stay away.
"use strict";

const BEAT_LIMIT_MS = 6000; // silence of the stream that counts as its loss
const FETCH_LIMIT_MS = 10000;
const REFRESH_MS = 5000; // ages and rates of nodes that change nothing
const REFRESH_MIN_MS = 1000;
const RETRY_MS = [500, 1000, 2000, 4000];

const stream = {
  source: null,
  fetching: false,
  again: false, // another state is wanted when this one has come
  alive: 0, // performance.now() of the last sign of life
  stateDue: 0,
  retryDue: Infinity,
  failures: 0,
  cost: 0, // ms of the last fetch
};

async function fetchState() {
  const response = await fetch("api/v1/state", { signal: AbortSignal.timeout(FETCH_LIMIT_MS), cache: "no-store" });
  if (!response.ok) {
    throw new Error("state: status " + response.status);
  }
  return response.json();
}

function signOfLife() {
  stream.alive = performance.now();
  stream.failures = 0;
  stream.retryDue = Infinity;
  if (model.lostSince) {
    say("The stream is back after " + duration(Date.now() - model.lostSince) + ".", true);
    model.lostSince = 0;
  }
  wantRender();
}

function fail() {
  closeStream();
  model.lostSince = model.lostSince || Date.now() - (stream.alive ? performance.now() - stream.alive : 0);
  stream.retryDue = performance.now() + RETRY_MS[Math.min(stream.failures++, RETRY_MS.length - 1)];
  wantRender();
}

function closeStream() {
  if (stream.source) {
    stream.source.close();
    stream.source = null;
  }
}

// A state may be older than changes that came by the stream meanwhile; those are asked for again, from the
// state's own event on, so nothing is missed and nothing is taken twice.
async function refresh() {
  if (stream.fetching) {
    stream.again = true;
    return;
  }
  stream.fetching = true;
  stream.again = false;
  const start = performance.now();
  try {
    const state = await fetchState();
    stream.cost = performance.now() - start;
    if (isBehind(state.event)) {
      stream.again = true;
    } else {
      takeState(state, performance.now());
      if (!stream.source) {
        openStream(state.event);
      }
      wantRender();
    }
    scheduleState();
  } catch {
    fail();
  }
  stream.fetching = false;
}

function scheduleState() {
  const pause = Math.max(stream.again ? REFRESH_MIN_MS : REFRESH_MS, 10 * stream.cost);
  stream.stateDue = performance.now() + pause;
}

// The state is needed again soon, but not more often than REFRESH_MIN_MS.
function wantState() {
  stream.again = true;
  stream.stateDue = Math.min(stream.stateDue, performance.now() + Math.max(REFRESH_MIN_MS / 4, 10 * stream.cost));
}

function eventNumber(id) {
  const cut = id.lastIndexOf("-");
  return { life: id.slice(0, cut), number: Number(id.slice(cut + 1)) };
}

// Has the stream told more than a state of this event knows?
function isBehind(event) {
  if (!model.state || !stream.source) {
    return false;
  }
  const theirs = eventNumber(event);
  const ours = eventNumber(model.state.event);
  return theirs.life === ours.life && theirs.number < ours.number;
}

// A change that the state knows already.
function isOld(event) {
  const theirs = eventNumber(event);
  const ours = eventNumber(model.state.event);
  return theirs.life === ours.life && theirs.number <= ours.number;
}

function openStream(after) {
  const source = new EventSource("api/v1/events?after=" + encodeURIComponent(after));
  const on = (name, take) => source.addEventListener(name, (message) => {
    if (source === stream.source) {
      signOfLife();
      take(JSON.parse(message.data));
    }
  });
  stream.source = source;
  stream.alive = performance.now();
  on("change", (change) => {
    if (!isOld(change.event)) {
      takeChange(change, performance.now());
      announce(change);
      wantState();
    }
  });
  on("missed", wantState);
  on("beat", (beat) => takeBeat(beat, performance.now()));
  source.addEventListener("error", () => {
    if (source === stream.source) {
      fail();
    }
  });
}

// Once a second: is the stream still there, is anything due?
function watchStream() {
  const now = performance.now();
  if (stream.source && now - stream.alive > BEAT_LIMIT_MS) {
    fail();
  } else if (now >= stream.retryDue || (stream.source && now >= stream.stateDue && !document.hidden)) {
    stream.retryDue = Infinity;
    refresh();
  }
}
