import { z } from 'zod'
import { hasControl, hasUnseen } from '../../values/printable.ts'
import { checkInputs } from '../validate-inputs.ts'
import { RESERVED_SLUGS } from '../voice-endpoint.ts'

/** A day: the longest that a job may take. */
export const MAX_TIME_LIMIT_SECONDS = 86_400
const SLUG_FORM = /^[a-z0-9][a-z0-9_-]{0,62}$/

/** What identifies an endpoint or a workflow, and names it in a path. */
export const slug = z
  .string()
  .regex(SLUG_FORM, 'must be 1 to 63 of a-z, 0-9, - and _, starting with a letter or digit')
  .refine(
    (value) => !RESERVED_SLUGS.includes(value),
    `must not be ${RESERVED_SLUGS.join(', ')}: that name is taken by a path`,
  )
/** A name, or anything else of one line. */
export const text = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .refine((value) => !hasUnseen(value), 'must not hold control or invisible characters')
/** A description. */
export const prose = z
  .string()
  .max(5000, 'must have at most 5000 characters')
  .refine((value) => !hasControl(value), 'must not hold control characters')

/** What keeps a schema from being one of inputs at all: they are an object that rejects unknown keys. */
export function wrongSchema(inputs: Record<string, unknown>): string | null {
  if (isAsync(inputs)) return 'must not have $async: asynchronous schemas are not supported'
  if (inputs.type !== 'object') return 'must have type: object'
  if (inputs.additionalProperties !== false) return 'must have additionalProperties: false'
  try {
    checkInputs(inputs)
    return null
  } catch (error) {
    return `is not a valid JSON Schema: ${(error as Error).message}`
  }
}

/** The one keyword that makes a compiled schema answer with a promise. A property may well be called so: its value is a schema. */
function isAsync(schema: unknown): boolean {
  if (schema === null || typeof schema !== 'object') return false
  return Object.entries(schema).some(
    ([keyword, value]) => (keyword === '$async' && typeof value !== 'object') || isAsync(value),
  )
}
