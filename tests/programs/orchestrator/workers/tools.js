export function calculateFactorial({ n }) {
  let product = 1n;
  for (let i = 2n; i <= n; i++) product *= i;
  return String(product);
}

export const calculateFactorialSchema = {
  description: "The factorial n!, as digits.",
  type: "object",
  properties: { n: { type: "integer", minimum: 0, maximum: 170 } },
  required: ["n"],
  additionalProperties: false,
};
