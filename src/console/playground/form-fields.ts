import { ApiError } from '../api/api-error.ts'

/** One input of an endpoint, as a form shows it. */
export interface FormField {
  readonly name: string
  readonly title: string
  readonly hint: string | undefined
  readonly isRequired: boolean
  readonly control: Control
  /** The schema's default for an absent input. */
  readonly fallback: string | boolean | undefined
  /** Texts that are offered to begin with. */
  readonly examples: readonly string[]
}

type Control =
  | { readonly kind: 'text'; readonly isLong: boolean; readonly maxLength: number | undefined }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | {
      readonly kind: 'number'
      readonly isWhole: boolean
      readonly min: number | undefined
      readonly max: number | undefined
    }
  | { readonly kind: 'switch' }
  | { readonly kind: 'json' }

interface Schema {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

const LONG_TEXT = 200
/** How endpoints name the style of the delivery, and what is offered where their schema has no examples. */
const STYLE_INPUT = 'style_instruction'
const STYLES = ['Calm and slow', 'Cheerful', 'Serious', 'Whispering', 'Very excited']

/** The inputs that a submission's JSON Schema describes, those that it requires first. What is not known is given as JSON. */
export function formFields(submission: unknown): readonly FormField[] {
  const inputs = (submission as Schema | null)?.properties?.inputs ?? (submission as Schema | null) ?? {}
  const required = new Set(inputs.required ?? [])
  const fields = Object.entries(inputs.properties ?? {}).map(([name, schema]) => ({
    name,
    title: schema.title ?? titleOf(name),
    hint: schema.description,
    isRequired: required.has(name),
    control: controlOf(schema),
    fallback: fallbackOf(schema),
    examples: examplesOf(name, schema),
  }))
  return fields.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))
}

function controlOf(schema: Schema): Control {
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null')
  const options = schema.enum?.filter((value) => value !== null)
  if (options?.every((value) => typeof value === 'string')) return { kind: 'choice', options: options as string[] }
  if (types.length !== 1) return { kind: 'json' }
  if (types[0] === 'boolean') return { kind: 'switch' }
  if (types[0] === 'string')
    return { kind: 'text', isLong: (schema.maxLength ?? 0) > LONG_TEXT, maxLength: schema.maxLength }
  if (types[0] === 'number' || types[0] === 'integer')
    return { kind: 'number', isWhole: types[0] === 'integer', min: schema.minimum, max: schema.maximum }
  return { kind: 'json' }
}

/** As the form holds values. */
function fallbackOf({ default: value }: Schema): string | boolean | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return value
  return value === undefined || value === null ? undefined : JSON.stringify(value)
}

/** Only of texts, and only those that the input takes. */
function examplesOf(name: string, schema: Schema): readonly string[] {
  if (controlOf(schema).kind !== 'text') return []
  const given = (schema.examples ?? []).filter((one) => typeof one === 'string')
  const offered = given.length === 0 && name === STYLE_INPUT ? STYLES : given
  return offered.filter((text) => characters(text) <= (schema.maxLength ?? Number.POSITIVE_INFINITY))
}

const titleOf = (name: string): string => name.replaceAll('_', ' ').replace(/^\w/, (first) => first.toUpperCase())

/**
 * The inputs that the filled form sends: fields that are empty are absent. Values are texts as they were typed, or booleans.
 * @throws ApiError naming the field whose JSON does not parse
 */
export function inputsOf(
  fields: readonly FormField[],
  values: Readonly<Record<string, string | boolean | undefined>>,
): Record<string, unknown> {
  const filled = fields.flatMap(({ name, control }) => {
    const value = values[name]
    return value === undefined || value === '' ? [] : [[name, readValue(name, control, value)] as const]
  })
  return Object.fromEntries(filled)
}

function readValue(name: string, control: Control, value: string | boolean): unknown {
  if (typeof value === 'boolean') return value
  if (control.kind === 'number') return Number(value)
  if (control.kind !== 'json') return value
  try {
    return JSON.parse(value)
  } catch {
    const message = 'This is not valid JSON.'
    throw new ApiError(message, { code: 'INVALID_REQUEST', details: [{ path: `/inputs/${name}`, message }] })
  }
}

/** Sent inputs as the form holds values. */
export const valuesOf = (inputs: Readonly<Record<string, unknown>>): Record<string, string | boolean> =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [
      name,
      typeof value === 'string' || typeof value === 'boolean' ? value : JSON.stringify(value),
    ]),
  )

/** How many characters a text may have; undefined where nothing says so. */
export const mostOf = (field: FormField | undefined): number | undefined =>
  field?.control.kind === 'text' ? field.control.maxLength : undefined

/** The length of a text and the limit of its field; null if it fits. */
export function excessOf(field: FormField | undefined, value: string | boolean | undefined) {
  const most = mostOf(field)
  if (most === undefined || typeof value !== 'string') return null
  // A character has at most two units: most texts need not be counted.
  const length = value.length > most ? characters(value) : 0
  return length > most ? { length, most } : null
}

/** Unicode code points: what is charged for. */
export const characters = (text: string): number => [...text].length
