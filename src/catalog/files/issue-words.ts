import type { z } from 'zod'

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
}

export function wordsOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${KINDS[issue.expected] ?? 'of another type'}`
    case 'too_small':
      return `must ${amountOf(issue.origin, `at least ${issue.minimum}`)}`
    case 'too_big':
      return `must ${amountOf(issue.origin, `at most ${issue.maximum}`)}`
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'invalid_union':
      return Array.isArray(issue.options) ? `must be one of ${issue.options.map(String).join(', ')}` : 'is not valid'
    default:
      return 'is not valid'
  }
}

function amountOf(origin: string, amount: string): string {
  if (origin === 'string') return `have ${amount} characters`
  return origin === 'array' ? `list ${amount}` : `be ${amount}`
}
