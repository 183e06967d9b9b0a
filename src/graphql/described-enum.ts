import { builder } from './builder.ts'

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
