// Functions with a schema beside them, and a full tool.

const whole = (description, minimum, maximum) => ({
  type: "object",
  properties: { n: { type: "integer", description, minimum, maximum } },
  required: ["n"],
  additionalProperties: false,
});

export function calculateFibonacci({ n }) {
  let [here, next] = [0, 1];
  for (let i = 0; i < n; i++) [here, next] = [next, here + next];
  return here;
}

// Beyond 78, sums are no longer whole numbers.
export const calculateFibonacciSchema = {
  ...whole("Which one; 0 is the first.", 0, 78),
  description: "The nth Fibonacci number.",
};

export function calculateFactorial({ n }) {
  let product = 1n;
  for (let i = 2n; i <= n; i++) product *= i;
  return String(product);
}

export const calculateFactorialSchema = {
  ...whole("Of which number.", 0, 170),
  description: "The factorial n!, as digits.",
};

export const calculatePrimeFactors = {
  name: "calculatePrimeFactors",
  description: "The prime factors of a number in ascending order, repeated ones too.",
  inputSchema: whole("The number.", 2, Number.MAX_SAFE_INTEGER),
  needsApproval: false,
  async execute({ n }) {
    const factors = [];
    let rest = n;
    for (let divisor = 2; divisor * divisor <= rest; divisor++)
      for (; rest % divisor === 0; rest /= divisor) factors.push(divisor);
    if (rest > 1) factors.push(rest);
    return { number: n, factors, isComposite: factors.length > 1 };
  },
};
