import { type Alias, type Document, isMap, LineCounter, parseDocument, visit } from 'yaml'
import type { z } from 'zod'
import { type Detail, invalidRequest } from '../../errors/service-error.ts'

/** Aliases can expand a small file to gigabytes. */
const MAX_ALIAS_COUNT = 100

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
}

interface YamlFile {
  readonly value: unknown
  /** `line N` of the deepest part of the path that the file contains. */
  lineOf(path: readonly PropertyKey[]): string
}

export interface Violation {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

export const rejectedFile = (details: readonly Detail[]) =>
  invalidRequest('Correct the endpoint file: nothing of it was applied.', details)

/** Reads YAML or JSON. @throws INVALID_REQUEST with line and reason of each violation */
export function readYaml(source: string): YamlFile {
  const lines = new LineCounter()
  const lineAt = (offset: number) => `line ${lines.linePos(offset).line}`
  const document = parsed(source, lines)
  if (document.errors.length > 0) {
    throw rejectedFile(document.errors.map(({ pos, message }) => ({ path: lineAt(pos[0]), message })))
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIAS_COUNT })
    return { value, lineOf: (path) => lineAt(offsetOf(document, path)) }
  } catch {
    throw rejectedFile([{ path: lineAt(firstAlias(document)), message: 'aliases repeat too much of the file' }])
  }
}

/** The parser is recursive: deep nesting overflows its stack. */
function parsed(source: string, lineCounter: LineCounter): Document {
  try {
    return parseDocument(source, { lineCounter, prettyErrors: false, uniqueKeys: true })
  } catch {
    throw rejectedFile([{ path: 'line 1', message: 'the file is nested too deeply' }])
  }
}

function firstAlias(document: Document): number {
  let offset = 0
  visit(document, {
    Alias: (_key, alias: Alias) => {
      offset = alias.range?.[0] ?? 0
      return visit.BREAK
    },
  })
  return offset
}

function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  for (let length = path.length; length >= 0; length--) {
    const part = path.slice(0, length)
    const parent = length === 0 ? null : document.getIn(part.slice(0, -1), true)
    if (isMap(parent)) {
      const pair = parent.items.find((item) => String(item.key) === String(part.at(-1)))
      const key = pair?.key as { range?: [number, number, number] } | undefined
      if (key?.range) return key.range[0]
    }
    const node = document.getIn(part, true) as { range?: [number, number, number] } | undefined
    if (node?.range) return node.range[0]
  }
  return 0
}

export const toViolations = (issue: z.core.$ZodIssue): Violation[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ path: [...issue.path, key], message: 'is an unknown field' }))
    : [{ path: issue.path, message: issue.message }]

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
