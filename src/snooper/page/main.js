// main.js - draws when something came, ticks, and takes what the user does.
"use strict";

const TICK_MS = 250;
const SAY_PAUSE_MS = 1500; // between two things said to screen readers

const DRAWING_SHARE = 4; // so many times as long as drawing took, there is no drawing again...
const PAUSE_MAX_MS = 250; // ... but not for longer than this

const page = { wanted: false, drawn: 0, cost: 0, said: 0, saying: [], urgent: [] };

// ---- drawing

function wantRender() {
  if (!page.wanted) {
    page.wanted = true;
    const pause = page.drawn + Math.min(PAUSE_MAX_MS, DRAWING_SHARE * page.cost) - performance.now();
    setTimeout(() => requestAnimationFrame(render), Math.max(0, pause));
  }
}

function render() {
  const start = performance.now();
  page.wanted = false;
  renderStream();
  if (model.state) {
    // What is shown is as it was when the stream was lost, ages too.
    renderAll(model.lostSince ? stream.alive : start);
  }
  page.drawn = performance.now();
  page.cost = page.drawn - start;
}

function renderAll(now) {
  renderHead();
  renderNotes();
  renderSums();
  renderGraph(now);
  renderDetails(now);
  renderAttention(now);
  renderOperations(now);
  renderEvents(now);
  renderDrops();
}

function renderStream() {
  const lost = model.lostSince !== 0;
  const since = lost ? new Date(model.lostSince).toLocaleTimeString("en-GB") : "";
  byId("stream").dataset.state = lost ? "lost" : model.state ? "live" : "wait";
  setText(byId("stream-word"), lost ? "Stream lost" : model.state ? "Live" : "Connecting");
  document.body.classList.toggle("stale", lost);
  // The text changes once only, so that it is read out once; how long ago it was is beside it.
  setHidden(byId("lost"), !lost);
  setText(byId("lost"), !lost ? "" : model.everCame
    ? `The stream is lost since ${since}: what is shown is as it was then. Trying again all the time.`
    : `Nothing came from the snooper since ${since}. Trying again all the time.`);
  document.title = (lost ? "\u26a0 " : "") + "yoke" + (model.state ? titleMore() : "");
}

function titleMore() {
  const trouble = [...model.nodes.values()].filter(isTrouble).length;
  return trouble ? ` \u2013 ${trouble} need attention` : " \u2013 all is well";
}

// ---- what is said to screen readers: not all at once

// What is urgent is said by itself; of the rest the newest, and how much there was.
function say(text, isUrgent) {
  (isUrgent ? page.urgent : page.saying).push(text);
}

function announce(change) {
  const node = model.nodes.get(change.id);
  say(plain(node ? nameOf(node) : change.id) + ": " + plain(change.text));
}

function saySome(now) {
  if (now - page.said < SAY_PAUSE_MS) {
    return;
  }
  const more = page.saying.length - 1;
  if (page.urgent.length > 0) {
    setText(byId("said"), page.urgent.shift());
  } else if (more >= 0) {
    setText(byId("said"), page.saying[more] + (more > 0 ? ` (and ${count(more, "change")} before)` : ""));
    page.saying = [];
  } else {
    return;
  }
  page.said = now;
}

// ---- what the user does

function select(id, from) {
  const details = byId("details");
  model.selected = id;
  if (id && graph.places.some((place) => place.node.id === id)) {
    graph.current = id;
  }
  page.from = from || page.from;
  render();
  if (id && details.getBoundingClientRect().top > innerHeight * 0.7) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    details.scrollIntoView({ block: "nearest", behavior: still ? "auto" : "smooth" });
  }
  if (id && !from.classList.contains("node")) {
    details.focus({ preventScroll: true });
  }
}

// Closes the details; who had the keyboard gets it back.
function unselect() {
  const back = buttonOf(model.selected) || page.from;
  select(null);
  if (back && back.isConnected) {
    back.focus();
  }
}

function clicked(event) {
  const node = event.target.closest(".node");
  const link = event.target.closest("[data-show]");
  if (node) {
    select(model.selected === node.dataset.id ? null : node.dataset.id, node);
  } else if (link) {
    select(link.dataset.show, link);
  } else if (event.target.closest("#details-close")) {
    unselect();
  }
}

function keyed(event) {
  if (event.key === "Escape" && model.selected) {
    unselect();
  } else if (event.target.closest("#graph")) {
    graphKey(event);
  }
}

function chosen() {
  model.find = byId("find").value.trim();
  model.onlyTrouble = byId("only").checked;
  wantRender();
}

function tick() {
  const now = performance.now();
  watchStream();
  saySome(now);
  if (now - page.drawn >= 1000) {
    wantRender();
  }
}

function start() {
  renderLegend();
  document.addEventListener("click", clicked);
  document.addEventListener("keydown", keyed);
  byId("choice").addEventListener("submit", (event) => event.preventDefault());
  byId("choice").addEventListener("input", chosen);
  byId("nodes").addEventListener("focusin", (event) => {
    graph.current = event.target.dataset.id || graph.current;
  });
  new ResizeObserver(wantRender).observe(byId("graph"));
  document.addEventListener("visibilitychange", wantRender);
  setInterval(tick, TICK_MS);
  refresh();
}

start();
