// Lists that stay at their end while one reads there, whatever grows or shrinks.

import { byId } from "./dom.js";

const NEAR_PX = 80;
const atEnd = new Map();

const isNear = (node) => node.scrollHeight - node.scrollTop - node.clientHeight < NEAR_PX;

/** Follows a list; `moved(atEnd)` hears when its end comes into view or leaves it. */
export function follow(id, moved = () => {}) {
  const node = byId(id);
  const settle = () => { if (atEnd.get(id)) node.scrollTop = node.scrollHeight; };
  atEnd.set(id, true);
  node.addEventListener("scroll", () => {
    atEnd.set(id, isNear(node));
    moved(isNear(node));
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
