import type { z } from 'zod'

export interface Violation {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

export const toViolations = (issue: z.core.$ZodIssue): Violation[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ path: [...issue.path, key], message: 'is an unknown field' }))
    : [{ path: issue.path, message: issue.message }]
