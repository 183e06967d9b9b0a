import type { GraphQLResolveInfo } from 'graphql'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { builder, type GraphqlContext } from './builder.ts'

interface NodeSource<Node extends object> {
  typeOf(node: Node): string
  idOf(node: Node): string
  /**
   * The nodes that the caller sees, in any order.
   * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND if it holds for any of the ids; each is asked for again alone
   */
  load(
    ctx: GraphqlContext,
    ids: readonly string[],
    info: GraphQLResolveInfo,
  ): Promise<readonly Node[]> | readonly Node[]
}

type Found = ReadonlyMap<string, object>

const MAX_IDS = 100
const ID_FORM = /^([a-z]+)[_.]/
const sources = new Map<string, NodeSource<object>>()
const typeNames = new WeakMap<object, string>()

export const NodeInterface = builder.interfaceRef<object>('Node').implement({
  description: 'Any object with an id that is unique in the whole service.',
  fields: (t) => ({ id: t.id({ description: 'Id of the object, unique in the whole service.' }) }),
  resolveType: (node) => typeNames.get(node),
})

/** @param prefix of the ids, before `_` or `.`, or with it: `job`, `voice`, `voice_` */
export function addNodeSource<Node extends object>(prefix: string, source: NodeSource<Node>): void {
  sources.set(prefix, source as unknown as NodeSource<object>)
}

builder.queryField('node', (t) =>
  t.field({
    type: NodeInterface,
    nullable: true,
    description: 'Object by its id; null if it does not exist or the caller may not see it.',
    args: { id: t.arg.id({ required: true, description: 'Id of an object, such as `job_…` or `voice.tts`.' }) },
    resolve: async (_root, { id }, ctx, info) => {
      const [found] = await findNodes(ctx, [id], info)
      if (found instanceof Error) throw found
      return found ?? null
    },
  }),
)

builder.queryField('nodes', (t) =>
  t.field({
    type: [NodeInterface],
    nullable: { list: false, items: true },
    description:
      'Objects by their ids, in the order of the ids; each as `node` finds it, null if it does not exist or the caller may not see it.',
    args: { ids: t.arg.idList({ required: true, description: 'Ids of objects of any kinds, at most 100.' }) },
    resolve: (_root, { ids }, ctx, info) => findNodes(ctx, ids, info),
    extensions: { length: ({ ids }: { readonly ids?: unknown }) => (Array.isArray(ids) ? ids.length : 1) },
  }),
)

/** Loads each kind once. An error stands in the place of an object whose kind the caller may not read. */
async function findNodes(
  ctx: GraphqlContext,
  ids: readonly string[],
  info: GraphQLResolveInfo,
): Promise<(object | Error | null)[]> {
  if (ids.length > MAX_IDS)
    throw invalidRequest('Invalid arguments: see `details`.', [
      { path: '/ids', message: `must name at most ${MAX_IDS}` },
    ])
  const kinds = Map.groupBy(new Set(ids), sourceOf)
  const found = await Promise.all(
    [...kinds].map(([source, own]) => (source === undefined ? [] : load(source, own, ctx, info))),
  )
  const all: Found = new Map(found.flatMap((one) => [...one]))
  return ids.map((id) => all.get(id) ?? null)
}

function sourceOf(id: string): NodeSource<object> | undefined {
  const [both = '', prefix = ''] = ID_FORM.exec(id) ?? []
  return sources.get(both) ?? sources.get(prefix)
}

async function load(
  source: NodeSource<object>,
  ids: readonly string[],
  ctx: GraphqlContext,
  info: GraphQLResolveInfo,
): Promise<Found> {
  try {
    const nodes = await source.load(ctx, ids, info)
    for (const node of nodes) typeNames.set(node, source.typeOf(node))
    return new Map(nodes.map((node) => [source.idOf(node), node]))
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const [id, ...others] = ids
    if (others.length === 0) return new Map(error.code === 'NOT_FOUND' ? [] : [[id!, error]])
    const alone = await Promise.all(ids.map((one) => load(source, [one], ctx, info)))
    return new Map(alone.flatMap((one) => [...one]))
  }
}
