// Exact decimal arithmetic: digits are counted as whole numbers, so 0.1 + 0.2 is 0.3.
const digits = (value) => (String(value).split(".")[1] ?? "").length;
const whole = (value, places) => {
  const text = String(value);
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw new RangeError(`values: ${text} isn't a plain decimal`);
  const [units, part = ""] = text.replace("-", "").split(".");
  const size = BigInt(units + part.padEnd(places, "0"));
  return text.startsWith("-") ? -size : size;
};
const decimal = (size, places) => {
  const text = String(size < 0n ? -size : size).padStart(places + 1, "0");
  const at = text.length - places;
  const part = text.slice(at).replace(/0+$/, "");
  return (size < 0n ? "-" : "") + text.slice(0, at) + (part && "." + part);
};
// Half away from nought, as accounts are rounded.
const divided = (size, by) => {
  const half = by / 2n;
  return (size < 0n ? size - half : size + half) / by;
};

export const figures = {
  name: "figures",
  description: "Sum, mean, least and largest of numbers, exactly; with `weights` the sum of products. Never add up yourself.",
  needsApproval: false,
  inputSchema: {
    type: "object",
    properties: {
      values: { type: "array", items: { type: "number" }, description: "The numbers, in the order of their rows." },
      weights: { type: "array", items: { type: "number" }, description: "What each is multiplied by, such as a price by its quantity." },
    },
    required: ["values"],
    additionalProperties: false,
  },
  execute({ values, weights }) {
    if (values.length === 0) throw new RangeError("values: are none");
    if (weights && weights.length !== values.length) throw new RangeError("weights: must be as many as values");
    const places = (list) => Math.max(0, ...list.map(digits));
    const [own, theirs] = [places(values), weights ? places(weights) : 0];
    const sizes = values.map((value, at) => whole(value, own) * (weights ? whole(weights[at], theirs) : 1n));
    const all = own + theirs;
    const sum = sizes.reduce((sum, size) => sum + size, 0n);
    const least = sizes.reduce((one, other) => (other < one ? other : one));
    const largest = sizes.reduce((one, other) => (other > one ? other : one));
    const mean = divided(sum * 10000n, BigInt(sizes.length));
    return {
      count: sizes.length,
      sum: decimal(sum, all),
      mean: decimal(mean, all + 4),
      least: decimal(least, all),
      largest: decimal(largest, all),
    };
  },
};
