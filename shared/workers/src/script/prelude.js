// Takes away what makes two runs differ, and text as code.
(() => {
  const refused = function () {
    throw new TypeError("text can't be run as code");
  };
  for (const kind of [function () {}, async function () {}, function* () {}, async function* () {}])
    Object.defineProperty(Object.getPrototypeOf(kind), "constructor", { value: refused });
  refused.prototype = Function.prototype;
  globalThis.Function = refused;
  globalThis.eval = refused;
  for (const name of ["Atomics", "SharedArrayBuffer"]) delete globalThis[name];
  delete Math.random;
})();
