import type { GraphQLResolveInfo } from 'graphql'
import { ServiceError } from '../errors/service-error.ts'
import { builder, type GraphqlContext } from './builder.ts'

interface NodeSource<Node extends object> {
  typeOf(node: Node): string
  /** null, or NOT_FOUND, if the caller sees nothing of this id. @throws UNAUTHORIZED, FORBIDDEN */
  load(ctx: GraphqlContext, id: string, info: GraphQLResolveInfo): Promise<Node | null> | Node | null
}

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
    resolve: (_root, { id }, ctx, info) => findNode(ctx, id, info),
  }),
)

async function findNode(ctx: GraphqlContext, id: string, info: GraphQLResolveInfo): Promise<object | null> {
  const [both = '', prefix = ''] = ID_FORM.exec(id) ?? []
  const source = sources.get(both) ?? sources.get(prefix)
  if (source === undefined) return null
  try {
    const node = await source.load(ctx, id, info)
    if (node !== null) typeNames.set(node, source.typeOf(node))
    return node
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return null
    throw error
  }
}
