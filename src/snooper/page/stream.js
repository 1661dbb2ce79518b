// stream.js - the way to stay current (docs/http-api.md): the state, then the changes since; and what is
// done when they stay away.
"use strict";

const BEAT_LIMIT_MS = 6000; // silence of the stream that counts as its loss
const FETCH_LIMIT_MS = 10000;
const REFRESH_MS = 5000; // ages and rates of nodes that change nothing
const REFRESH_SOON_MS = 250; // after a change
const RETRY_MS = [500, 1000, 2000, 4000];

const stream = {
  source: null,
  fetching: false,
  wanted: false, // a change came that only the state tells whole
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

async function refresh() {
  if (stream.fetching) {
    return;
  }
  const start = performance.now();
  stream.fetching = true;
  stream.wanted = false;
  try {
    const state = await fetchState();
    takeState(state, performance.now());
    if (!stream.source) {
      openStream(state.event);
    }
    wantRender();
  } catch {
    if (!stream.source) { // else the stream says what changes, and the state comes another time
      fail();
    }
  }
  stream.fetching = false;
  stream.cost = performance.now() - start;
  scheduleState();
}

// The next state: soon when it is wanted, but so that fetching takes a small part of the time.
function scheduleState() {
  const pause = Math.max(stream.wanted ? REFRESH_SOON_MS : REFRESH_MS, 10 * stream.cost);
  stream.stateDue = performance.now() + pause;
}

function wantState() {
  if (!stream.wanted) {
    stream.wanted = true;
    stream.stateDue = Math.min(stream.stateDue, performance.now() + Math.max(REFRESH_SOON_MS, 10 * stream.cost));
  }
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
    if (takeChange(change, performance.now())) {
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

// Again and again: is the stream still there, is anything due?
function watchStream() {
  const now = performance.now();
  if (stream.source && now - stream.alive > BEAT_LIMIT_MS) {
    fail();
  } else if (now >= stream.retryDue || (stream.source && now >= stream.stateDue && !document.hidden)) {
    stream.retryDue = Infinity;
    refresh();
  }
}
