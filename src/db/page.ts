import { type Detail, invalidRequest } from '../errors/service-error.ts'
import { isId } from '../values/id.ts'

const DEFAULT_PAGE = 50
const MAX_PAGE = 100
const NUMBER = /_(0|[1-9]\d{0,17})$/

/** Arguments of a Relay connection: `first` and `last` from 1 to MAX_PAGE, not together; DEFAULT_PAGE by default. */
export interface PageInput {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
  readonly last?: number | null | undefined
  readonly before?: string | null | undefined
}

/** A page in the shape of Relay's connections; null cursors if empty. `count` counts the whole list. */
export interface Connection<Node> extends Counted {
  readonly edges: { readonly cursor: string; readonly node: Node }[]
  readonly pageInfo: {
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
    readonly startCursor: string | null
    readonly endCursor: string | null
  }
}

export interface Counted {
  count(): Promise<number> | number
}

/** The statement reads `size + 1` rows, from the end if `backwards`. */
export interface PageShape {
  readonly size: number
  readonly backwards: boolean
}

/** Rows with sequence numbers, which would reveal other accounts' activity. */
type Numbered = 'entry' | 'audit' | 'secret'

/** @throws INVALID_REQUEST for values out of range, and for a cursor that `isCursor` rejects */
export function pageShape(input: PageInput, isCursor: (text: string) => boolean): PageShape {
  const { first, last, after, before } = input
  const details: Detail[] = []
  for (const [path, size] of Object.entries({ first, last })) {
    if (size != null && (!Number.isInteger(size) || size < 1 || size > MAX_PAGE)) {
      details.push({ path: `/${path}`, message: `must be from 1 to ${MAX_PAGE}` })
    }
  }
  for (const [path, cursor] of Object.entries({ after, before })) {
    if (cursor != null && !isCursor(cursor)) details.push({ path: `/${path}`, message: 'must be a cursor' })
  }
  if (first != null && last != null) details.push({ path: '/last', message: 'must not be sent together with first' })
  if (details.length > 0) throw invalidRequest('Invalid arguments: see `details`.', details)
  return { size: first ?? last ?? DEFAULT_PAGE, backwards: last != null }
}

export function toConnection<Row, Node>(
  rows: readonly Row[],
  { size, backwards }: PageShape,
  input: PageInput,
  { cursorOf, nodeOf, count }: Counted & { cursorOf(row: Row): string; nodeOf(row: Row): Node },
): Connection<Node> {
  const page = rows.slice(0, size)
  if (backwards) page.reverse()
  const edges = page.map((row) => ({ cursor: cursorOf(row), node: nodeOf(row) }))
  const more = rows.length > size
  return {
    edges,
    count,
    pageInfo: {
      hasNextPage: backwards ? input.before != null : more,
      hasPreviousPage: backwards ? more : input.after != null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  }
}

export function idQuery<Id>(
  { after, before }: PageInput,
  { size, backwards }: PageShape,
  end: 'oldest' | 'newest',
  toId: (cursor: string) => Id,
) {
  const [later, earlier] = end === 'oldest' ? (['gt', 'lt'] as const) : (['lt', 'gt'] as const)
  const order: 'asc' | 'desc' = (end === 'oldest') === backwards ? 'desc' : 'asc'
  const id: { gt?: Id; lt?: Id } = {
    ...(after != null && { [later]: toId(after) }),
    ...(before != null && { [earlier]: toId(before) }),
  }
  return { id, orderBy: { id: order }, take: size + 1 }
}

/**
 * @param cursorOf prefixes the slug
 * @throws INVALID_REQUEST
 */
export function pageBySlug<Node extends { readonly slug: string }>(
  all: Iterable<Node>,
  input: PageInput,
  cursorOf: (slug: string) => string,
): Connection<Node> {
  const shape = pageShape(input, (text) => text.startsWith(cursorOf('')))
  const { after, before } = input
  const entries = [...all]
  const within = entries
    .map((node) => ({ cursor: cursorOf(node.slug), node }))
    .filter(({ cursor }) => (after == null || cursor > after) && (before == null || cursor < before))
    .sort((one, other) => (one.cursor < other.cursor ? -1 : 1))
  if (shape.backwards) within.reverse()
  const rows = within.slice(0, shape.size + 1)
  const count = () => entries.length
  return toConnection(rows, shape, input, { cursorOf: ({ cursor }) => cursor, nodeOf: ({ node }) => node, count })
}

export const publicIdOf = (
  prefix: Numbered,
  { id, publicId }: { readonly id: bigint; readonly publicId: string | null },
): string => publicId ?? `${prefix}_${id}`

export function wherePublicId(prefix: Numbered, text: string): { publicId: string | null; id?: bigint } | null {
  if (isId(prefix, text)) return { publicId: text }
  const number = text.startsWith(`${prefix}_`) ? NUMBER.exec(text.slice(prefix.length))?.[1] : undefined
  return number === undefined ? null : { publicId: null, id: BigInt(number) }
}

/** Conditions of which a row with one of these public ids fits one. Malformed ids are left out. */
export function wherePublicIds(prefix: Numbered, texts: readonly string[]) {
  const known = texts.flatMap((text) => wherePublicId(prefix, text) ?? [])
  const names = known.flatMap(({ publicId }) => publicId ?? [])
  const numbers = known.flatMap(({ id }) => id ?? [])
  return [
    ...(names.length > 0 ? [{ publicId: { in: names } }] : []),
    ...(numbers.length > 0 ? [{ publicId: null, id: { in: numbers } }] : []),
  ]
}

/**
 * A page whose cursors stand for row numbers.
 * @param numberOf returns null if there is no such row
 * @throws INVALID_REQUEST if a cursor names no row
 */
export async function numberedPage<Input extends PageInput>(
  input: Input,
  numberOf: (cursor: string) => Promise<bigint | null>,
): Promise<Input> {
  const numbered = async (path: '/after' | '/before', cursor: string | null | undefined) => {
    if (cursor == null) return cursor
    const number = await numberOf(cursor)
    if (number === null)
      throw invalidRequest('Invalid arguments: see `details`.', [{ path, message: 'must be a cursor' }])
    return String(number)
  }
  return {
    ...input,
    after: await numbered('/after', input.after),
    before: await numbered('/before', input.before),
  }
}
