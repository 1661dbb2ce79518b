// panels.js - everything beside the graph: sums, notes, details, attention, operations, events, drops.
"use strict";

const ATTENTION_MAX = 8;
const OPERATIONS_MAX = 5;
const STRIP_S = 300; // of the time line
const STRIP_COLUMNS = 60;
const STRIP_STACK_MAX = 5;
const STRIP_HEIGHT = 62;
const DROP_WORDS = {
  malformed: "no frame of the protocol",
  version: "another protocol version",
  auth: "signature does not fit the key",
  stale: "older than what was heard",
  oversize: "more than 1200 bytes",
  dup: "heard twice, which is normal",
};
const TONE_SHAPES = {
  good: "M5 0a5 5 0 1 0 .01 0z",
  told: "M1 1h8v8h-8z",
  waiting: "M5 0l5 5-5 5-5-5z",
  bad: "M5 0l5 9.5h-10z",
};

function toneMark(tone) {
  const svg = draw("svg", { viewBox: "0 0 10 10", class: "tone", "data-tone": tone, "aria-hidden": "true" });
  svg.append(draw("path", { d: TONE_SHAPES[tone] }));
  return svg;
}

// A button that shows a node's details; its id is that of the node.
function nodeLink(id) {
  const button = make("button", "node-link");
  const node = nodeOf(id);
  button.type = "button";
  button.dataset.show = id;
  button.append(bdi(node ? nameOf(node) : id));
  return button;
}

// ---- sums

function renderSums() {
  const nodes = [...model.nodes.values()];
  const live = nodes.filter((node) => node.presence === "live");
  const consumers = nodes.filter(isConsumer);
  const paired = consumers.filter(producerOf);
  const active = paired.filter((node) => lookOf(node) === "active");
  const trouble = nodes.filter(isTrouble);
  const open = model.state.operations.filter((one) => one.outcome === "unanswered");
  const frames = model.state.frames;
  const sums = [
    ["Nodes live", live.length, "of " + nodes.length + " remembered",
      live.length < nodes.length ? "waiting" : "good"],
    ["Pairings active", active.length, "of " + paired.length + ", " + count(consumers.length, "consumer"),
      active.length < paired.length ? "waiting" : "good"],
    ["Need attention", trouble.length, trouble.length ? looksOf(trouble) : "all is well",
      trouble.length ? "bad" : "good"],
    ["Unanswered", open.length, "of " + count(model.state.operations.length, "operation"),
      open.length ? "bad" : "good"],
    ["Frames a second", frames.heard_per_s.toFixed(1), frames.heard + " heard", "told"],
    ["Dropped a second", frames.dropped_per_s.toFixed(1), frames.dropped + " dropped",
      frames.dropped_per_s > 0 ? "waiting" : "told"],
  ];
  setRows(byId("sums"), sums, (sum) => sum[0], (sum) => {
    const tile = make("div", "sum");
    tile.append(make("dt", "", sum[0]), make("dd", "sum-value"), make("dd", "sum-more"));
    return tile;
  }, (tile, [, value, more, tone]) => {
    tile.dataset.tone = tone;
    setText(tile.children[1], String(value));
    setText(tile.children[2], more);
  });
}

// "2 error, 1 lost"
function looksOf(nodes) {
  const counts = new Map();
  for (const node of nodes) {
    const word = lookWord(lookOf(node));
    counts.set(word, (counts.get(word) || 0) + 1);
  }
  return [...counts].map(([word, number]) => number + " " + word).join(", ");
}

function renderNotes() {
  setRows(byId("notes"), model.state.notes, (note) => note.what + (note.id || ""),
    () => make("li", "note"), (item, note) => {
      item.dataset.what = note.what;
      setText(item, plain(note.text));
    });
}

function renderHead() {
  const { network, key, build } = model.state;
  setText(byId("place"), plain(`${network.group}:${network.port} on ${network.interface}`));
  setHidden(byId("key"), false);
  byId("key").dataset.open = String(!key);
  setText(byId("key"), key ? "key " + plain(key) : "OPEN: no key");
  setText(byId("build"), plain(`${build.program} ${build.version}`) + ", listening for " +
    duration(model.state.up_ms) + "; it never transmits");
}

// ---- what needs attention

function renderAttention(now) {
  const order = ["error", "lost", "unheard", "pending", "gone"];
  const rank = (node) => (order.indexOf(lookOf(node)) + order.length + 1) % (order.length + 1);
  const all = [...model.nodes.values()].filter(isTrouble)
    .sort((a, b) => rank(a) - rank(b) || byIdOrder(a, b));
  setText(byId("attention-count"), all.length > ATTENTION_MAX
    ? `${ATTENTION_MAX} of ${all.length}` : all.length ? String(all.length) : "");
  setHidden(byId("attention-none"), all.length > 0 || model.nodes.size === 0);
  setRows(byId("attention"), all.slice(0, ATTENTION_MAX), (node) => node.id, (node) => {
    const row = make("li");
    const text = make("div", "row-text");
    text.append(nodeLink(node.id), make("span", "row-why"));
    row.append(make("span", "node-glyph"), text);
    return row;
  }, (row, node) => {
    const look = lookOf(node);
    row.dataset.look = look;
    setParts(row.children[0], look, () => [glyph(look)]);
    setText(row.children[1].children[0].firstChild, plain(nameOf(node)));
    setText(row.children[1].children[1], lookWord(look) + ": " + reasonOf(node, now));
  });
}

// ---- operations

function operationParts(operation) {
  const parts = [make("b", "", operation.op || "answer"), " ", nodeLink(operation.consumer)];
  if (operation.producer) {
    parts.push(" with ", nodeLink(operation.producer));
  }
  return parts;
}

function operationMore(operation, now) {
  const parts = [];
  if (operation.outcome === "refused" && operation.reason) {
    parts.push(operation.reason);
  }
  if (operation.age_ms !== null) {
    parts.push("asked " + duration(operation.age_ms + now - model.at) + " ago" +
      (operation.intents > 1 ? `, heard ${operation.intents} times` : ""));
  }
  if (operation.sender) {
    parts.push("by " + plain(operation.sender));
  }
  return parts.join(", ");
}

function renderOperations(now) {
  const all = operationsInOrder();
  const hidden = Math.max(0, all.length - OPERATIONS_MAX) + model.state.operations_left_out;
  const open = all.filter((one) => one.outcome === "unanswered").length;
  setText(byId("operations-count"), open ? open + " unanswered" : "");
  setHidden(byId("operations-none"), all.length > 0);
  setHidden(byId("operations-more"), hidden === 0);
  setText(byId("operations-more"), hidden + " more, older or settled");
  setRows(byId("operations"), all.slice(0, OPERATIONS_MAX),
    (one) => JSON.stringify([one.consumer, one.version]), () => {
      const row = make("li", "operation");
      const text = make("div", "row-text");
      text.append(make("span", "row-head"), make("span", "row-why"));
      row.append(text, make("span", "outcome"));
      return row;
    }, (row, one) => {
      const names = [one.op, one.consumer, one.producer].map((id) => (nodeOf(id) ? nameOf(nodeOf(id)) : id));
      row.dataset.outcome = one.outcome;
      setParts(row.children[0].children[0], JSON.stringify(names), () => operationParts(one));
      setText(row.children[0].children[1], operationMore(one, now));
      setText(row.children[1], one.outcome);
    });
}

// ---- events

function renderEvents(now) {
  const events = [...model.state.events].reverse();
  setText(byId("events-count"), isEveryEventKnown() ? "" : `the newest ${events.length}`);
  setHidden(byId("events-none"), events.length > 0);
  setHidden(byId("events"), events.length === 0);
  setRows(byId("events"), events, (event) => event.event, (event) => {
    const row = make("li", "event");
    const node = nodeOf(event.id);
    row.append(make("time", "", clockTime(event.time)), toneMark(toneOf(event)),
      bdi(node ? nameOf(node) : event.id, "event-node"), bdi(event.text, "event-text"));
    row.dataset.tone = toneOf(event);
    return row;
  }, () => {});
  renderStrip(now);
}

function isEveryEventKnown() {
  return eventNumber(model.state.event).number <= model.state.events.length;
}

// How far back, in seconds, the events go that are known.
function eventsReach(now) {
  const { events, up_ms: up } = model.state;
  return isEveryEventKnown() || events.length === 0 ? (up + now - model.at) / 1000
    : timeNow(now) - events[0].time;
}

// The time line: a mark an event, stacked where there are many, now at the right. Its axis goes back as
// far as they are known.
function renderStrip(now) {
  const svg = byId("strip");
  const width = svg.clientWidth;
  const step = (width - 24) / STRIP_COLUMNS;
  const stacks = new Array(STRIP_COLUMNS + 1).fill(0);
  const marks = [];
  for (const event of [...model.state.events].reverse()) {
    const age = Math.max(0, timeNow(now) - event.time);
    const column = Math.floor((age / STRIP_S) * STRIP_COLUMNS);
    if (column <= STRIP_COLUMNS && stacks[column] < STRIP_STACK_MAX) {
      marks.push([toneOf(event), width - 18 - column * step, STRIP_HEIGHT - 26 - 9 * stacks[column]++]);
    }
  }
  const reach = Math.floor((eventsReach(now) / STRIP_S) * STRIP_COLUMNS);
  const start = Math.max(0, Math.floor(width - 12 - (reach + 1) * step));
  svg.setAttribute("viewBox", `0 0 ${width} ${STRIP_HEIGHT}`);
  setParts(svg, JSON.stringify([width, start, marks]), () => [
    draw("path", { class: "axis", d: `M${start} ${STRIP_HEIGHT - 15}H${width}` }),
    ...(width < 420 ? [0, 1, 3, 5] : [0, 1, 2, 3, 4, 5]).map((minute) => {
      const text = draw("text", { x: width - 13 - (minute * 60 * (width - 24)) / STRIP_S, y: STRIP_HEIGHT - 2,
        "text-anchor": minute === 0 ? "end" : minute === 5 ? "start" : "middle" });
      text.textContent = minute === 0 ? "now" : "\u2212" + minute + " min";
      return text;
    }),
    ...marks.map(([tone, x, y]) => draw("path", { d: TONE_SHAPES[tone], class: "tone", "data-tone": tone,
      transform: `translate(${x} ${y}) scale(.8)` })),
  ]);
}

// ---- drops

function renderDrops() {
  const frames = model.state.frames;
  const drops = Object.entries(frames.drops);
  const most = Math.max(1, ...drops.map(([, number]) => number));
  setText(byId("drops-count"), `${frames.dropped} of ${frames.heard}`);
  setRows(byId("drops"), drops, ([word]) => word, ([word]) => {
    const row = make("li", "bar");
    row.append(make("span", "bar-word", word), make("span", "bar-track"), make("span", "bar-number"),
      make("span", "bar-why", DROP_WORDS[word] || ""));
    row.children[1].append(make("span", "bar-fill"));
    return row;
  }, (row, [word, number]) => {
    row.dataset.some = String(number > 0 && word !== "dup");
    row.children[1].firstChild.style.width = (100 * number) / most + "%";
    setText(row.children[2], String(number));
  });
  renderFacts(byId("losses"), [
    ["Lost before they could be read", frames.lost_before_reading],
    ["Nodes and operations not kept", frames.not_kept],
  ]);
}

// ---- details of one node

// Rows of a definition list; a value is text, or a list of elements with a signature before it.
function renderFacts(list, facts) {
  setRows(list, facts.filter(([, value]) => value !== null && value !== undefined && value !== ""),
    ([word]) => word, ([word]) => {
      const row = make("div", "fact");
      row.append(make("dt", "", word), make("dd"));
      return row;
    }, (row, [, value]) => {
      if (Array.isArray(value)) {
        setParts(row.children[1], JSON.stringify(value[0]), value[1]);
      } else {
        setParts(row.children[1], String(value), () => [bdi(value)]);
      }
    });
}

function links(ids) {
  return [[...ids, ...ids.map((id) => nameOf(nodeOf(id)))],
    () => ids.flatMap((id, i) => (i > 0 ? [", ", nodeLink(id)] : [nodeLink(id)]))];
}

function renderDetails(now) {
  const node = model.selected ? nodeOf(model.selected) : null;
  setHidden(byId("details"), !node);
  if (!node) {
    model.selected = null;
    return;
  }
  const look = lookOf(node);
  const producer = producerOf(node);
  const consumers = isConsumer(node) ? [] : consumersOf(node.id).map((one) => one.id);
  setParts(byId("details-title"), nameOf(node), () => [bdi(nameOf(node))]);
  byId("details").dataset.look = look;
  setParts(byId("details-state"), look + reasonOf(node, now), () =>
    [glyph(look), make("b", "", lookWord(look)), bdi(reasonOf(node, now))]);
  renderFacts(byId("details-list"), [
    ["Id", node.id],
    ["Is", node.kind.toUpperCase() + " " + node.role],
    ["Paired with", producer ? links([producer]) : isConsumer(node) ? "nothing" : null],
    ["Shown by", consumers.length ? links(consumers) : isConsumer(node) ? null : "nobody"],
    ["Error", node.err],
    ["Evidence", node.driver_status && node.driver_status.detail],
    ["Media", node.media ? JSON.stringify(node.media) : null],
    ["Version", node.pairing ? node.pairing.version.join(" / ") : null],
    ["Address", node.also_at ? node.address + " and " + node.also_at : node.address],
    ["Key", node.key],
    ["Last heard", node.unheard || node.presence === "live" ? null : duration(ageOf(node, now)) + " ago"],
    ["Frames a second", node.frames_per_s === undefined ? null : node.frames_per_s.toFixed(1)],
  ]);
}
