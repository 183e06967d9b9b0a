import { expect } from 'vitest'
import { measureSlowness, slowness } from './core-speed.ts'

const MOST_ROUNDS = 12

/** Its name, and a request's body. */
export type Abuse = readonly [title: string, body: string]

export interface Refusal {
  readonly data?: unknown
  readonly errors?: { message: string; extensions: { code: string; details?: { path: string }[] } }[]
}

export const bodyOf = (query: string, variables?: object): string => JSON.stringify({ query, variables })

const nested = (depth: number) => '{ a '.repeat(depth) + '}'.repeat(depth)
const many = (count: number, one: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => one(i)).join(' ')
const doubling = (count: number) =>
  `{ ...f0 } ${many(count, (i) => `fragment f${i} on Query { ...f${i + 1} ...f${i + 1} }`)} fragment f${count} on Query { __typename }`
const FILTERED = 'query ($f: JobsFilter) { jobs(filter: $f) { totalCount } }'
const WIDE = 'edges { node { id type status artifacts { id output bytes url sha256 createdAt jobId } } }'
/** Twelve violations that each quote a value of so many levels around a text of so many lines. */
const quoted = (levels: number, lines: number) =>
  `{ jobPage(filter: { ${many(12, (i) => `f${i}: 1`)} w: ${'['.repeat(levels)}"""a${'\n'.repeat(lines)}b"""${']'.repeat(levels)} }) { total } }`
const FAR = '{ fields { type { fields { type { fields { type { fields { name } } } } } } } }'

/** Abuses by a document and its variables: the service refuses each over every transport. */
export const DOCUMENT_ABUSES: readonly Abuse[] = [
  ['deep nesting', bodyOf(nested(200))],
  ['nesting of 10,000', bodyOf(nested(10_000))],
  ['10,000 aliases', bodyOf(`{ ${many(10_000, (i) => `a${i}:a`)} }`)],
  ['60 aliases', bodyOf(`{ catalog { ${many(60, (i) => `a${i}: catalogVersion`)} } }`)],
  ['45,000 tokens', bodyOf(`{ ${'a '.repeat(45_000)} }`)],
  ['100,000 tokens in 100 KB', bodyOf('!'.repeat(100_000))],
  ['21 root fields', bodyOf(`{ ${'__typename '.repeat(21)} }`)],
  ['21 root fields in a fragment', bodyOf(`{ ... on Query { ${many(21, (i) => `a${i}: __typename`)} } }`)],
  [
    '21 root fields in two fragments',
    bodyOf(
      `{ __typename ...f ...g } fragment f on Query { ${many(10, (i) => `a${i}: __typename`)} } fragment g on Query { ${many(10, (i) => `b${i}: __typename`)} }`,
    ),
  ],
  ['circular fragments', bodyOf('{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }')],
  ['a fragment of itself that no operation uses', bodyOf('{ __typename } fragment a on Query { ...a }')],
  ['fragments that double', bodyOf(doubling(60))],
  ['overlapping fields', bodyOf(`{ ${many(140, () => 'jobs { totalCount }')} }`)],
  [
    'overlapping fields in a fragment',
    bodyOf(`{ ...f ...f } fragment f on Query { ${many(200, () => 'jobs { totalCount }')} }`),
  ],
  [
    'overlapping fields in many fragments',
    bodyOf(
      `{ catalog { ${many(8, (i) => `...f${i}`)} } } ${many(8, (i) => `fragment f${i} on Catalog { ${many(28, () => 'endpoints { slug }')} }`)}`,
    ),
  ],
  ['71 KB of crafted fields', bodyOf(`{ ${'x{y}'.repeat(17_750)} }`)],
  ['a text of 14,000 lines deep within a value', bodyOf(quoted(470, 14_000))],
  ['a text of 45,000 lines within a value', bodyOf(quoted(15, 45_000))],
  ['a text of 1,300 lines within a value', bodyOf(quoted(15, 1300))],
  ['a text of 14,000 lines in a value', bodyOf(quoted(1, 14_000))],
  ['a value of great depth', bodyOf(quoted(470, 1))],
  ['a flood of directives', bodyOf(`{ __typename ${'@include(if: true) '.repeat(120)} }`)],
  ['a flood of unknown directives', bodyOf(`{ __typename ${'@a'.repeat(450)} }`)],
  ['a flood of directives on the operation', bodyOf(`query ${'@a'.repeat(450)} { __typename }`)],
  ['a flood of unknown types', bodyOf(`{ catalog { ${many(160, (i) => `... on Webhookdeliveryx${i} { a }`)} } }`)],
  ['a flood of unknown arguments', bodyOf(`{ jobs(${many(240, (i) => `filte${i}: 1`)}) { totalCount } }`)],
  ['a flood of unused variables', bodyOf(`query (${many(180, (i) => `$a${i}: Webhookdeliver`)}) { __typename }`)],
  ['an introspection bomb', bodyOf(`{ __schema { types ${FAR} } }`)],
  [
    'an introspection of 40 aliases',
    bodyOf(`{ __schema { types { ${many(40, (i) => `a${i}: fields { type { fields { name } } }`)} } } }`),
  ],
  ['pages in all their breadth', bodyOf(`{ ${many(6, (i) => `a${i}: jobs(first: 100) { ${WIDE} }`)} }`)],
  [
    'a page as wide as its variable says',
    bodyOf(`query ($n: Int) { ${many(6, (i) => `a${i}: jobs(first: $n) { ${WIDE} }`)} }`, { n: 100 }),
  ],
  [
    'a page as wide as its variable is by default',
    bodyOf(`query ($n: Int = 100) { ${many(6, (i) => `a${i}: jobs(first: $n) { ${WIDE} }`)} }`),
  ],
  ['huge variables', bodyOf(FILTERED, { f: { idPrefix: 'x'.repeat(99_000) } })],
  ['40,000 values in a variable', bodyOf('{ __typename }', { f: Array(40_000).fill(0) })],
  [
    '4,000 fields that a variable does not have',
    bodyOf(FILTERED, { f: Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`status${index}`, 1])) }),
  ],
  [
    'variables of great depth',
    `{"query":"${FILTERED}","variables":{"f":${'{"not":'.repeat(10_000)}null${'}'.repeat(10_000)}}}`,
  ],
  ['a number out of range', '{"query":"{ __typename }","variables":{"f":1e999}}'],
]

/** Odd, and nothing to refuse. */
export const HARMLESS: readonly Abuse[] = [
  ['a document of comments', bodyOf(`{ __typename }${'#\n'.repeat(33_000)}`)],
  ['a document of commas', bodyOf(`{ __typename ${','.repeat(99_000)} }`)],
  ['a text of 20,000 lines', bodyOf(`{ node(id: """${'\n '.repeat(20_000)}""") { id } }`)],
  ['a field 490 times', bodyOf(`{ catalog { ${many(490, () => 'catalogVersion')} } }`)],
  ['a list 240 times', bodyOf(`{ catalog { ${many(240, () => 'endpoints { slug }')} } }`)],
  [
    'a list of lists 225 times',
    bodyOf(`{ catalog { ${many(15, () => `endpoints { ${many(15, () => 'voices { slug }')} }`)} } }`),
  ],
]

/**
 * The work of this thread on one request, that of a client in it included, tried until it is less than `enoughMs`: the first time compiles it, and even
 * processor time grows while others use the caches of the core. What takes longer takes longer each time. In time of the core for which limits are
 * meant: see `slowness`.
 */
export async function leastCpu<T>(request: () => Promise<T>, enoughMs: number): Promise<{ result: T; cpuMs: number }> {
  const { result, leastMs } = await least(enoughMs, async () => {
    const before = process.threadCpuUsage()
    const result = await request()
    const { user, system } = process.threadCpuUsage(before)
    return { result, ms: (user + system) / 1000 }
  })
  return { result, cpuMs: leastMs }
}

/**
 * The work of this thread in the longest turn of the event loop on one request, which keeps all others waiting; tried until it is less than
 * `enoughMs`, as `leastCpu` does.
 */
export async function leastTurn<T>(
  request: () => Promise<T>,
  enoughMs: number,
): Promise<{ result: T; turnMs: number }> {
  const { result, leastMs } = await least(enoughMs, async () => {
    const turns = watchTurns()
    const result = await request()
    return { result, ms: turns.longestMs() }
  })
  return { result, turnMs: leastMs }
}

/** The least of several tries. If none is short enough, it takes as many more, judged by the core's speed at that time. */
async function least<T>(
  enoughMs: number,
  once: () => Promise<{ readonly result: T; readonly ms: number }>,
): Promise<{ result: T; leastMs: number }> {
  let result: T | undefined
  let leastMs = Number.POSITIVE_INFINITY
  for (const speed of [slowness, measureSlowness]) {
    if (leastMs < enoughMs) break
    const factor = speed()
    for (let round = 0; round < MOST_ROUNDS && leastMs >= enoughMs; round++) {
      const tried = await once()
      result = tried.result
      leastMs = Math.min(leastMs, tried.ms / factor)
    }
  }
  return { result: result as T, leastMs }
}

/** Looks at the processor time of this thread once in every turn. */
function watchTurns() {
  let [before, longest] = [process.threadCpuUsage(), 0]
  const look = () => {
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    longest = Math.max(longest, user + system)
    next = setImmediate(look)
  }
  let next = setImmediate(look)
  return {
    longestMs: () => {
      clearImmediate(next)
      return longest / 1000
    },
  }
}

export function expectRefusal({ data, errors }: Refusal): void {
  expect(data ?? null).toBeNull()
  expect(errors?.[0]?.extensions.code).toMatch(/^(INVALID_REQUEST|PAYLOAD_TOO_LARGE|UNSUPPORTED_MEDIA_TYPE)$/)
}
