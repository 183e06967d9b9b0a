import { builder } from './builder.ts'

/** An enum of values with what each of them means: upper case outside, as they are inside. */
export const describedEnum = <T extends string>(
  name: string,
  description: string,
  meanings: Readonly<Record<T, string>>,
) =>
  builder.enumType(name, {
    description,
    values: Object.fromEntries(
      Object.entries<string>(meanings).map(([value, meaning]) => [
        value.toUpperCase(),
        { value: value as T, description: meaning },
      ]),
    ),
  })
