import { z } from 'zod'
import { hasControl, hasUnseen } from '../../values/printable.ts'
import { checkInputs } from '../validate-inputs.ts'
import { RESERVED_SLUGS } from '../voice-endpoint.ts'

export const MAX_TIME_LIMIT_SECONDS = 86_400
const SLUG_FORM = /^[a-z0-9][a-z0-9_-]{0,62}$/

export const slug = z
  .string()
  .regex(SLUG_FORM, 'must be 1 to 63 of a-z, 0-9, - and _, starting with a letter or digit')
  .refine(
    (value) => !RESERVED_SLUGS.includes(value),
    `must not be ${RESERVED_SLUGS.join(', ')}: that name is taken by a path`,
  )
export const text = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .refine((value) => !hasUnseen(value), 'must not hold control or invisible characters')
export const prose = z
  .string()
  .max(5000, 'must have at most 5000 characters')
  .refine((value) => !hasControl(value), 'must not hold control characters')

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

/** `$async` would make the validator return a promise. A property of that name holds a schema instead. */
function isAsync(schema: unknown): boolean {
  if (schema === null || typeof schema !== 'object') return false
  return Object.entries(schema).some(
    ([keyword, value]) => (keyword === '$async' && typeof value !== 'object') || isAsync(value),
  )
}
