// text.js - elements and text. What others announced gets into the document by textContent alone, with
// every character made visible that could hide or reorder what is read.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const TEXT_MAX = 2000; // characters of one text that are shown

// Controls, format characters (zero width, direction) and separators, as the other faces escape them.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

// Marks stacked so high that they would be drawn over the lines above.
const STACKED = /(\p{M}{4})\p{M}+/gu;

function escapeOne(character) {
  const point = character.codePointAt(0);
  const hex = point.toString(16);
  if (point < 0x80) {
    return { 9: "\\t", 10: "\\n", 13: "\\r" }[point] || "\\x" + hex.padStart(2, "0");
  }
  return point > 0xffff ? "\\U" + hex.padStart(8, "0") : "\\u" + hex.padStart(4, "0");
}

// Text of somebody else, fit to be shown.
function plain(text) {
  const whole = String(text);
  const shown = whole.length > TEXT_MAX ? whole.slice(0, TEXT_MAX) + "\u2026" : whole;
  return shown.replace(HIDDEN, escapeOne).replace(STACKED, "$1\u2026");
}

function byId(id) {
  return document.getElementById(id);
}

// An element with a class and a text, both optional.
function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) {
    element.className = className;
  }
  if (text !== undefined) {
    element.textContent = text;
  }
  return element;
}

function draw(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  return element;
}

// A name, isolated: its direction cannot reach what stands beside it.
function bdi(text, className) {
  return make("bdi", className, plain(text));
}

// Only what differs is touched: selections, focus and screen readers are left in peace.
function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

function setHidden(element, hidden) {
  if (element.hidden !== hidden) {
    element.hidden = hidden;
  }
}

// Makes the children of `list` those of `items`: an element a key, made by create(item), brought up to
// date by update(element, item). An element that is moved loses the keyboard: it gets it back.
function setRows(list, items, keyOf, create, update) {
  const old = new Map();
  const focused = list.contains(document.activeElement) ? document.activeElement : null;
  for (const element of list.children) {
    old.set(element.rowKey, element);
  }
  items.forEach((item, index) => {
    const key = keyOf(item);
    let element = old.get(key);
    if (element) {
      old.delete(key);
    } else {
      element = create(item);
      element.rowKey = key;
    }
    update(element, item);
    if (list.children[index] !== element) {
      list.insertBefore(element, list.children[index] || null);
    }
  });
  while (list.children.length > items.length) {
    list.lastElementChild.remove();
  }
  if (focused && focused.isConnected && focused !== document.activeElement) {
    focused.focus({ preventScroll: true });
  }
}

// A signature of children that are made anew as a whole when they change.
function setParts(element, signature, parts) {
  if (element.partsAre !== signature) {
    element.partsAre = signature;
    element.replaceChildren(...parts());
  }
}

function duration(ms) {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 1) {
    return "less than 1 s";
  }
  if (seconds < 90) {
    return Math.floor(seconds) + " s";
  }
  if (seconds < 5400) {
    return Math.floor(seconds / 60) + " min";
  }
  if (seconds < 172800) {
    return Math.floor(seconds / 3600) + " h";
  }
  return Math.floor(seconds / 86400) + " days";
}

function clockTime(unixSeconds) {
  return new Date(unixSeconds * 1000).toLocaleTimeString("en-GB");
}

function count(number, one, many) {
  return number + " " + (number === 1 ? one : many || one + "s");
}

// A value of any shape as text: an object of somebody else may have no text of its own.
function valueText(value) {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

// The media of a producer in few words; whatever its shape, it is somebody else's text.
function mediaText(media) {
  if (!media) {
    return "no media";
  }
  const has = (name) => media[name] !== undefined;
  const withPort = (host) => valueText(host) + (has("port") ? ":" + valueText(media.port) : "");
  const parts = [];
  if (has("channel")) {
    parts.push("channel " + valueText(media.channel));
  }
  if (has("group")) {
    parts.push(withPort(media.group));
  }
  if (has("host")) {
    parts.push("at " + withPort(media.host));
  }
  if (Array.isArray(media.busids)) {
    parts.push(media.busids.map(valueText).join(" "));
  }
  return plain(parts.length > 0 ? parts.join(", ") : JSON.stringify(media));
}
