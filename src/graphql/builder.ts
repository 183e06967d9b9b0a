import SchemaBuilder from '@pothos/core'
import ErrorsPlugin from '@pothos/plugin-errors'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import type { Context } from '../context.ts'
import type PrismaTypes from '../generated/pothos.ts'
import { getDatamodel } from '../generated/pothos.ts'
import type { PrismaClient } from '../generated/prisma/client.ts'
import { ExpectedRefusal } from './expected-refusal.ts'
import { WHOLE_ROWS } from './whole-rows.ts'

/** The cookie that a session is kept in. */
export interface SessionCookie {
  set(token: string, expires: Date): void
  clear(): void
}

/** What every resolver gets: a verb's context, and what is known of the request that it works for. */
export type GraphqlContext = Context & {
  readonly requestId: string
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** Where the request comes from: an IP address. */
  readonly address: string
  /** null where none can be set: over WebSockets. */
  readonly cookie: SessionCookie | null
}

/** Holds no types: each noun's *-graphql.ts adds its own. Every mutation says `errors: {}`: its type is a union of what it is said to be and RequestError. */
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
    URL: { Input: string; Output: string }
  }
}>({
  plugins: [ErrorsPlugin, PrismaPlugin, WHOLE_ROWS, RelayPlugin],
  defaultFieldNullability: false,
  relay: {
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    pageInfoTypeOptions: { description: 'Where a page lies in its list.' },
    hasNextPageFieldOptions: { description: 'Whether more follow.' },
    hasPreviousPageFieldOptions: { description: 'Whether there are more before it.' },
    startCursorFieldOptions: { description: 'Of its first edge: `before` it lies the page before.' },
    endCursorFieldOptions: { description: 'Of its last edge: `after` it lies the page after.' },
    edgesFieldOptions: { nullable: false, description: 'What the page holds, in the order of the list.' },
    pageInfoFieldOptions: { description: 'How to go on from here.' },
    cursorFieldOptions: { description: 'Its place in the list: what `after` and `before` take.' },
    nodeFieldOptions: { nullable: false, description: 'The thing itself.' },
    firstArgOptions: {
      description: 'So many from the start, or after `after`: 1 to 100. Without `last` 50 unless given.',
    },
    afterArgOptions: { description: 'A cursor: only what follows it.' },
    lastArgOptions: { description: 'So many from the end, or before `before`: 1 to 100. Not together with `first`.' },
    beforeArgOptions: { description: 'A cursor: only what comes before it.' },
  },
  errors: {
    directResult: true,
    defaultTypes: [ExpectedRefusal],
    defaultUnionOptions: {
      name: ({ fieldName }) => `${fieldName.charAt(0).toUpperCase()}${fieldName.slice(1)}Result`,
      description: 'What the mutation came to, or why it changed nothing.',
    },
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
