// Amounts of resources as people write them, never less than they are. As rounded_up() of app/render/amounts.cc.

const quantity = /^(\d+)(?:\.(\d*))?(Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d{1,2}|[numkMGTPE])?$/;
const decimals = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binaries = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };
const units = [["Pi", 50n], ["Ti", 40n], ["Gi", 30n], ["Mi", 20n], ["Ki", 10n]];

const up = (number, size) => (number + size - 1n) / size;

// Returns the quantity in billionths; undefined: not a quantity.
function billionths(text) {
  const parts = quantity.exec(text);
  if (!parts) return undefined;
  const [, whole, part = "", suffix = ""] = parts;
  const digits = BigInt(whole + part);
  const power = 9 - part.length + (decimals[suffix] ?? (/^[eE][+-]?\d/.test(suffix) ? Number(suffix.slice(1)) : 0));
  const scaled = digits << (binaries[suffix] ?? 0n);
  return power < 0 ? up(scaled, 10n ** BigInt(-power)) : scaled * 10n ** BigInt(power);
}

// 3 and 250n of 3 digits are "3.25".
function decimal(whole, part, digits) {
  const text = part.toString().padStart(digits, "0").replace(/0+$/, "");
  return text ? `${whole}.${text}` : `${whole}`;
}

const isBytes = (resource) => resource === "memory" || resource === "ephemeral-storage" || resource.startsWith("hugepages-");

export function roundedUp(resource, text) {
  const amount = billionths(text);
  if (amount === undefined) return text;
  if (resource === "cpu") {
    const milli = up(amount, 1_000_000n);
    return milli < 1000n ? text : decimal(milli / 1000n, milli % 1000n, 3);
  }
  if (!isBytes(resource)) return text;
  const bytes = up(amount, 1_000_000_000n);
  for (const [name, shift] of units) {
    const size = 1n << shift;
    // An amount that is less than a hundredth below this unit is rounded up to it.
    if (bytes < size - size / 102_400n) continue;
    const hundredths = up(bytes * 100n, size);
    return decimal(hundredths / 100n, hundredths % 100n, 2) + name;
  }
  return text;
}

// "4 cpu", "2.75Gi memory".
export const amountText = (resource, text) => `${roundedUp(resource, text)} ${resource}`;

// Whether one quantity is less than another; false if either is not a quantity.
export function isLess(one, other) {
  const [a, b] = [billionths(one), billionths(other)];
  return a !== undefined && b !== undefined && a < b;
}

// A number of the list of nodes: cpu in thousandths of a core, all others in whole units.
export function amountWords(resource, number) {
  if (resource === "cpu") return number < 1000 ? `${number}m` : String(Math.round(number / 10) / 100);
  if (!isBytes(resource)) return String(number);
  for (const [name, shift] of units) {
    const size = Number(1n << shift);
    if (number >= size) return `${Math.round((number * 100) / size) / 100}${name}`;
  }
  return String(number);
}
