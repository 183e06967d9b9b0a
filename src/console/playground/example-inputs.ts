import type { FormField } from './form-fields.ts'

/** The inputs that a form requires, with their names in capitals in place of texts and choices: it shows what is to be filled in. */
export const exampleInputs = (fields: readonly FormField[]): Record<string, unknown> =>
  Object.fromEntries(fields.flatMap((field) => (field.isRequired ? [[field.name, exampleOf(field)]] : [])))

function exampleOf({ name, control, fallback }: FormField): unknown {
  if (control.kind === 'text' || control.kind === 'choice') return name.toUpperCase()
  if (control.kind === 'number') return Number(fallback ?? control.min ?? 0)
  return control.kind === 'switch' ? (fallback ?? false) : null
}
