/** An enum's values with what they mean: upper case outside, as they are inside (contract.md section 10). */
export const upperCased = <T extends string>(meanings: Readonly<Record<T, string>>) =>
  Object.fromEntries(
    Object.entries<string>(meanings).map(([value, description]) => [value.toUpperCase(), { value, description }]),
  ) as unknown as { [V in T as Uppercase<V>]: { value: V } }
