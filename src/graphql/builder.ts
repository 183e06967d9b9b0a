import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import type { Context } from '../context.ts'
import type PrismaTypes from '../generated/pothos.ts'
import { getDatamodel } from '../generated/pothos.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'

/** The cookie that a session is kept in. */
export interface SessionCookie {
  set(token: string, expires: Date): void
  clear(): void
}

/** What every resolver gets: a verb's context, and what is known of the request that it works for. */
export type GraphqlContext = Context & {
  readonly requestId: string
  /** Where the request comes from: an IP address. */
  readonly address: string
  /** null where none can be set: over WebSockets. */
  readonly cookie: SessionCookie | null
}

/** Holds no types: each noun's *-graphql.ts adds its own. */
export const builder = new SchemaBuilder<{
  Context: GraphqlContext
  PrismaTypes: PrismaTypes
  DefaultFieldNullability: false
  DefaultEdgesNullability: false
  DefaultNodeNullability: false
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: Date; Output: Date }
    JSON: { Input: unknown; Output: unknown }
  }
}>({
  plugins: [PrismaPlugin, RelayPlugin],
  defaultFieldNullability: false,
  relay: {
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    edgesFieldOptions: { nullable: false },
    nodeFieldOptions: { nullable: false },
  },
  prisma: {
    client: (ctx) => ctx.db.prisma as PrismaClient,
    dmmf: getDatamodel(),
    exposeDescriptions: false,
  },
})

builder.queryType({ description: 'What can be read.' })
builder.mutationType({ description: 'What can be changed.' })
builder.subscriptionType({ description: 'What can be followed as it changes, over graphql-ws or server-sent events.' })
