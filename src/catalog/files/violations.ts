import type { z } from 'zod'

/** What is wrong with one place of an operator's file. */
export interface Violation {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** What a schema found, each unknown field in a line of its own. */
export const toViolations = (issue: z.core.$ZodIssue): Violation[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ path: [...issue.path, key], message: 'is an unknown field' }))
    : [{ path: issue.path, message: issue.message }]
