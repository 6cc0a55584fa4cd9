// Lists that stay at their end, whatever grows or shrinks, until one scrolls up.

import { byId } from "./dom.js";

const NEAR_PX = 80;
const atEnd = new Map();

const isNear = (node) => node.scrollHeight - node.scrollTop - node.clientHeight < NEAR_PX;

/** Follows a list; `moved(atEnd)` hears when its end comes into view or leaves it. */
export function follow(id, moved = () => {}) {
  const node = byId(id);
  const settle = () => { if (atEnd.get(id)) node.scrollTop = node.scrollHeight; };
  let top = 0;
  atEnd.set(id, true);
  node.addEventListener("scroll", () => {
    // The list may have grown since it was scrolled to its end: only a way up is the reader's.
    if (isNear(node)) atEnd.set(id, true);
    else if (node.scrollTop < top) atEnd.set(id, false);
    top = node.scrollTop;
    moved(isAtEnd(id));
  });
  const sizes = new ResizeObserver(settle);
  sizes.observe(node);
  for (const child of node.children) sizes.observe(child);
}

export const isAtEnd = (id) => atEnd.get(id) === true;

export function toEnd(id) {
  atEnd.set(id, true);
  const node = byId(id);
  node.scrollTop = node.scrollHeight;
}
