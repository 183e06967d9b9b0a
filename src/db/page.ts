import { type Detail, invalidRequest } from '../errors/service-error.ts'

const DEFAULT_PAGE = 50
/** The most that `first` and `last` may ask for. */
const MAX_PAGE = 100

/** The arguments of a Relay connection: `first` after a cursor, or `last` before one. */
export interface PageInput {
  /** 1 to 100; 50 unless given. */
  readonly first?: number | null | undefined
  /** The cursor of a thing: what comes behind it. INVALID_REQUEST where it is no id of such a thing. */
  readonly after?: string | null | undefined
  /** 1 to 100 from the end; not together with `first`. */
  readonly last?: number | null | undefined
  /** What comes before the thing of this cursor. */
  readonly before?: string | null | undefined
}

/** A page in the shape of Relay's connections. Both cursors are null where it is empty. */
export interface Connection<Node> {
  readonly edges: { readonly cursor: string; readonly node: Node }[]
  readonly pageInfo: {
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
    readonly startCursor: string | null
    readonly endCursor: string | null
  }
}

/** What a statement needs of a PageInput: `size + 1` rows are to be read, from the end when `backwards`. */
export interface PageShape {
  readonly size: number
  readonly backwards: boolean
}

/** @param isCursor whether a text can be a cursor at all. @throws INVALID_REQUEST: what is out of range is never clamped */
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

/** @param rows up to `size + 1` of them, in the order in which they were read */
export function toConnection<Row, Node>(
  rows: readonly Row[],
  { size, backwards }: PageShape,
  input: PageInput,
  { cursorOf, nodeOf }: { cursorOf(row: Row): string; nodeOf(row: Row): Node },
): Connection<Node> {
  const page = rows.slice(0, size)
  if (backwards) page.reverse()
  const edges = page.map((row) => ({ cursor: cursorOf(row), node: nodeOf(row) }))
  const more = rows.length > size
  return {
    edges,
    pageInfo: {
      hasNextPage: backwards ? input.before != null : more,
      hasPreviousPage: backwards ? more : input.after != null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  }
}

/** Which rows a query by id reads for a page of them. @param end which ids come first */
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

/** A page of what is held in memory, by slug. @param cursorOf a cursor of a slug: a prefix and the slug. @throws INVALID_REQUEST */
export function pageBySlug<Node extends { readonly slug: string }>(
  all: Iterable<Node>,
  input: PageInput,
  cursorOf: (slug: string) => string,
): Connection<Node> {
  const shape = pageShape(input, (text) => text.startsWith(cursorOf('')))
  const { after, before } = input
  const within = [...all]
    .map((node) => ({ cursor: cursorOf(node.slug), node }))
    .filter(({ cursor }) => (after == null || cursor > after) && (before == null || cursor < before))
    .sort((one, other) => (one.cursor < other.cursor ? -1 : 1))
  if (shape.backwards) within.reverse()
  const rows = within.slice(0, shape.size + 1)
  return toConnection(rows, shape, input, { cursorOf: ({ cursor }) => cursor, nodeOf: ({ node }) => node })
}
