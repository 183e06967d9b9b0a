import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import type { GraphqlContext } from './builder.ts'

/** Where in a field's answer the rows are: of a connection, the nodes. */
const NODES = ['edges', 'node']

/**
 * Which relations of its rows a field's query asks for, with the columns of the types that show them, for the verb that reads the rows.
 * @param typeName the type over the table of the rows
 */
export function relationsOf(ctx: GraphqlContext, info: GraphQLResolveInfo, typeName: string): object {
  const path = info.returnType.toString().includes('Connection') ? NODES : []
  return queryFromInfo({ context: ctx, info, typeName, path }).select ?? {}
}
