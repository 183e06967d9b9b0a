import type { FormField } from './form-fields.ts'

/** The inputs that a form requires, with their names in capitals in place of all but switches: it shows what is to be filled in. */
export const exampleInputs = (fields: readonly FormField[]): Record<string, unknown> =>
  Object.fromEntries(fields.flatMap((field) => (field.isRequired ? [[field.name, exampleOf(field)]] : [])))

const exampleOf = ({ name, control, fallback }: FormField): unknown =>
  control.kind === 'switch' ? (fallback ?? false) : name.toUpperCase()
