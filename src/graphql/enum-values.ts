/** An enum's values: upper case outside, as they are inside (contract.md section 10). */
export const upperCased = <T extends string>(values: readonly T[]) =>
  Object.fromEntries(values.map((value) => [value.toUpperCase(), { value }])) as {
    [V in T as Uppercase<V>]: { value: V }
  }
