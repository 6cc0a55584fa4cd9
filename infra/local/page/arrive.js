// Changes that come while something is loaded are applied after it: an answer
// that was made before them would undo them.

const held = [];
let loading = 0;
let deliver = () => {};

export function onArrival(run) {
  deliver = run;
}

export function arrive(change) {
  if (loading > 0) held.push(change);
  else deliver(change);
}

/** Holds back what arrives until `load` has ended. */
export async function whileLoading(load) {
  loading += 1;
  try {
    return await load();
  } finally {
    loading -= 1;
    if (loading === 0) held.splice(0).forEach(deliver);
  }
}
