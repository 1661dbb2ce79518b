// graph.js - the topology: a button a node, producers left and consumers right, and the links between.
"use strict";

const NODES_DRAWN_MAX = 200;
const ROW = 76; // of a node, with the space below it; page.css has the rest
const NODE_HEIGHT = 66;
const GROUP_SPACE = 10;
const LABEL_HEIGHT = 34; // of "Not paired"
const NODE_WIDTH_MAX = 360;

const GLYPHS = {
  active: "M5 10.500l3.5 3.5 6.5-7",
  pending: "M10 5.500v5l3 2",
  error: "M10 4.500v7M10 15v.2",
  idle: "M7.5 6.500v7M12.5 6.500v7",
  lost: "M6 6l8 8M14 6l-8 8",
  gone: "M5 10h9M10.5 6.500l3.5 3.5-3.5 3.5",
  unheard: "M7 7.500a3 3 0 1 1 4.3 2.700c-1 .6-1.3 1-1.3 2M10 15.200v.2",
};
const LOOK_WORDS = { unheard: "never heard" };
const LEGEND = [["active", "active"], ["pending", "pending"], ["error", "error"],
  ["lost", "consumer is lost"], ["gone", "consumer said goodbye"]];

const graph = { places: [], current: null };

function lookWord(look) {
  return LOOK_WORDS[look] || look;
}

function glyph(look) {
  const svg = draw("svg", { viewBox: "0 0 20 20", class: "glyph", "aria-hidden": "true" });
  svg.append(draw("path", { d: GLYPHS[look] || "" }));
  return svg;
}

// ---- where everything is

function placeColumn(nodes, side, top) {
  return nodes.map((node, row) => ({ node, side, y: top + row * ROW }));
}

// Gives each node its place: {node, side, y}, and the whole its height.
function placeAll(groups) {
  const places = [];
  let y = 0;
  for (const group of groups.paired) {
    const middle = y + ((group.consumers.length - 1) * ROW) / 2;
    places.push({ node: group.producer, side: "left", y: middle });
    places.push(...placeColumn(group.consumers, "right", y));
    y += group.consumers.length * ROW + GROUP_SPACE;
  }
  const loose = Math.max(groups.loose.producers.length, groups.loose.consumers.length);
  const label = loose > 0 && groups.paired.length > 0 ? y : null;
  y += label === null ? 0 : LABEL_HEIGHT;
  places.push(...placeColumn(groups.loose.producers, "left", y));
  places.push(...placeColumn(groups.loose.consumers, "right", y));
  return { places, label, height: Math.max(0, y + loose * ROW - (ROW - NODE_HEIGHT)) };
}

function nodeWidth(width) {
  const between = Math.min(260, Math.max(40, width * 0.3 - 60));
  return Math.min(NODE_WIDTH_MAX, Math.floor((width - between) / 2));
}

// ---- nodes

function createNode(place) {
  const button = make("button", "node");
  button.type = "button";
  button.tabIndex = -1;
  button.dataset.id = place.node.id;
  const text = make("span", "node-text");
  const head = make("span", "node-name");
  head.append(make("bdi"));
  const sub = make("span", "node-sub");
  const why = make("span", "node-why");
  why.append(make("b"), make("bdi"));
  text.append(head, sub, why);
  button.append(make("span", "node-glyph"), text);
  return button;
}

function updateNode(button, place, width, now) {
  const node = place.node;
  const look = lookOf(node);
  const [mark, text] = button.children;
  const [head, sub, why] = text.children;
  button.dataset.look = look;
  button.dataset.side = place.side;
  button.style.top = place.y + "px";
  button.style.left = place.side === "left" ? "0" : "";
  button.style.right = place.side === "left" ? "" : "0";
  button.style.width = width + "px";
  button.setAttribute("aria-pressed", String(model.selected === node.id));
  setParts(mark, look, () => [glyph(look)]);
  setText(head.firstChild, plain(nameOf(node)));
  setText(sub, (nameOf(node) === node.id ? "" : node.id + " \u00b7 ") + node.kind.toUpperCase());
  setText(why.children[0], lookWord(look));
  setText(why.children[1], reasonOf(node, now));
  button.title = nameOf(node) === node.id ? node.id : plain(nameOf(node)) + " (" + node.id + ")";
}

// ---- links

function linkPath(from, to, width, node) {
  const x1 = node;
  const x2 = width - node;
  const y1 = from.y + NODE_HEIGHT / 2;
  const y2 = to.y + NODE_HEIGHT / 2;
  const bend = (x2 - x1) / 2;
  return { d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`,
    x: (x1 + x2) / 2, y: (y1 + y2) / 2, x1, y1, x2, y2 };
}

function drawLink(link) {
  const group = draw("g", { class: "link" + (link.faint ? " faint" : ""), "data-look": link.look });
  group.append(draw("path", { class: "line", d: link.d }));
  if (link.look === "active") {
    group.append(draw("path", { class: "flow", d: link.d }));
  } else {
    const badge = draw("g", { class: "badge", transform: `translate(${link.x - 10} ${link.y - 10})` });
    badge.append(draw("circle", { cx: 10, cy: 10, r: 9.5 }), draw("path", { d: GLYPHS[link.look] }));
    group.append(badge);
  }
  group.append(draw("circle", { class: "end", cx: link.x1, cy: link.y1, r: 3.5 }),
    draw("circle", { class: "end", cx: link.x2, cy: link.y2, r: 3.5 }));
  return group;
}

function linksOf(places, width, node) {
  const producers = new Map();
  for (const place of places.filter((one) => one.side === "left")) {
    producers.set(place.node.id, place);
  }
  const links = [];
  const chosen = model.selected;
  const drawn = places.some((place) => place.node.id === chosen);
  for (const to of places.filter((one) => one.side === "right")) {
    const from = producers.get(producerOf(to.node));
    if (from) {
      const faint = drawn && chosen !== from.node.id && chosen !== to.node.id;
      links.push({ ...linkPath(from, to, width, node), look: linkLook(to.node), faint });
    }
  }
  return links;
}

// ---- all of it

function renderGraph(now) {
  const box = byId("graph");
  const svg = byId("links");
  const groups = groupsOf(NODES_DRAWN_MAX);
  const { places, label, height } = placeAll(groups);
  const width = box.clientWidth;
  const node = nodeWidth(width);
  const links = linksOf(places, width, node);
  graph.places = places;
  box.style.height = height + "px";
  svg.setAttribute("viewBox", `0 0 ${width} ${Math.max(1, height)}`);
  svg.style.height = height + "px";
  svg.classList.toggle("still", links.length > 40);
  setParts(svg, JSON.stringify([width, links]), () => links.map(drawLink));
  setRows(byId("nodes"), places, (place) => place.node.id, createNode,
    (button, place) => updateNode(button, place, node, now));
  const divider = byId("not-paired");
  setHidden(divider, label === null);
  divider.style.top = (label || 0) + "px";
  renderLeftOut(groups);
  keepTabStop();
}

function renderLeftOut(groups) {
  const left = groups.wanted - groups.shown;
  const all = groups.all;
  const filtered = groups.wanted < all;
  setHidden(byId("empty"), groups.shown > 0);
  setText(byId("empty"), all === 0 ? "No node was heard yet. Nodes announce themselves every 2 s."
    : "None of " + count(all, "node") + " is meant by that.");
  setHidden(byId("left-out"), left <= 0 && !filtered);
  setText(byId("left-out"), left > 0
    ? `${groups.shown} of ${groups.wanted} nodes are drawn, those that need attention first; ${left} are ` +
      "left out. Find one by name to see it."
    : `${groups.shown} of ${count(all, "node")} shown.`);
}

function renderLegend() {
  byId("legend").replaceChildren(...LEGEND.map(([look, text]) => {
    const item = make("li");
    const svg = draw("svg", { viewBox: "0 0 56 20", class: "links sample", "aria-hidden": "true" });
    svg.append(drawLink({ d: "M4 10H52", x: 28, y: 10, x1: 4, y1: 10, x2: 52, y2: 10, look }));
    item.append(svg, make("span", "", text));
    return item;
  }));
}

// ---- keys: one node is in the tab order, arrows move between them

function buttonOf(id) {
  return [...byId("nodes").children].find((button) => button.dataset.id === id);
}

function keepTabStop() {
  const ids = new Set(graph.places.map((place) => place.node.id));
  if (!ids.has(graph.current)) {
    graph.current = ids.has(model.selected) ? model.selected
      : graph.places.length > 0 ? graph.places[0].node.id : null;
  }
  for (const button of byId("nodes").children) {
    button.tabIndex = button.dataset.id === graph.current ? 0 : -1;
  }
}

function nearest(places, y) {
  return places.reduce((best, place) =>
    (best && Math.abs(best.y - y) <= Math.abs(place.y - y) ? best : place), null);
}

// Where an arrow leads from a place; null: nowhere.
function placeTowards(here, key) {
  const column = (side) => graph.places.filter((place) => place.side === side)
    .sort((a, b) => a.y - b.y);
  const own = column(here.side);
  const at = own.indexOf(here);
  switch (key) {
  case "ArrowUp":
    return own[at - 1];
  case "ArrowDown":
    return own[at + 1];
  case "Home":
    return own[0];
  case "End":
    return own[own.length - 1];
  case "ArrowLeft":
    return here.side === "left" ? null
      : column("left").find((place) => place.node.id === producerOf(here.node)) ||
        nearest(column("left"), here.y);
  case "ArrowRight":
    return here.side === "right" ? null
      : column("right").find((place) => producerOf(place.node) === here.node.id) ||
        nearest(column("right"), here.y);
  default:
    return undefined;
  }
}

function graphKey(event) {
  const button = event.target.closest(".node");
  const here = button && graph.places.find((place) => place.node.id === button.dataset.id);
  const there = here ? placeTowards(here, event.key) : undefined;
  if (there !== undefined || /^Arrow/.test(event.key)) {
    event.preventDefault();
  }
  if (there) {
    graph.current = there.node.id;
    keepTabStop();
    buttonOf(there.node.id).focus();
  }
}
