import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import type { RowQuery } from '../db/row-query.ts'
import type { GraphqlContext } from './builder.ts'

const NODES = ['edges', 'node']

/** Plans the columns and relations that an operation selects of a field's rows, or of its connection's nodes. */
export function queryOf(ctx: GraphqlContext, info: GraphQLResolveInfo, typeName: string): RowQuery {
  const path = info.returnType.toString().includes('Connection') ? NODES : []
  return queryFromInfo({ context: ctx, info, typeName, path })
}
