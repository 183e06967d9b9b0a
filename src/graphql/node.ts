import { ServiceError } from '../errors.ts'
import { builder, type GraphqlContext } from './builder.ts'

/** How the things with one kind of id are found. */
interface NodeSource<Node extends object> {
  /** The GraphQL type of what was found. */
  typeOf(node: Node): string
  /** Null, or NOT_FOUND, where the caller sees nothing of this id. @throws UNAUTHORIZED, FORBIDDEN */
  load(ctx: GraphqlContext, id: string): Promise<Node | null> | Node | null
}

const ID_FORM = /^([a-z]+)[_.]/
const sources = new Map<string, NodeSource<object>>()
const typeNames = new WeakMap<object, string>()

export const NodeInterface = builder.interfaceRef<object>('Node').implement({
  description: 'Anything that `node` finds by its id.',
  fields: (t) => ({ id: t.id({ description: 'Names it in the whole service.' }) }),
  resolveType: (node) => typeNames.get(node),
})

/** Makes `node` find the things whose ids begin with this prefix and `_` or `.`: `job`, `acct`, `voice`. */
export function addNodeSource<Node extends object>(prefix: string, source: NodeSource<Node>): void {
  sources.set(prefix, source as unknown as NodeSource<object>)
}

builder.queryField('node', (t) =>
  t.field({
    type: NodeInterface,
    nullable: true,
    description: 'Anything by its id; null where there is nothing that the caller may see.',
    args: { id: t.arg.id({ required: true, description: 'An id as it stands elsewhere: `job_…`, `voice.tts`.' }) },
    resolve: (_root, { id }, ctx) => findNode(ctx, id),
  }),
)

async function findNode(ctx: GraphqlContext, id: string): Promise<object | null> {
  const source = sources.get(ID_FORM.exec(id)?.[1] ?? '')
  if (source === undefined) return null
  try {
    const node = await source.load(ctx, id)
    if (node !== null) typeNames.set(node, source.typeOf(node))
    return node
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return null
    throw error
  }
}
