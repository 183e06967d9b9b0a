import SchemaBuilder from '@pothos/core'
import ErrorsPlugin from '@pothos/plugin-errors'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import type PrismaTypes from '../../prisma/generated/pothos.ts'
import { getDatamodel } from '../../prisma/generated/pothos.ts'
import type { PrismaClient } from '../../prisma/generated/prisma/client.ts'
import { type ErrorCode, ServiceError } from '../errors/service-error.ts'
import type { ServiceContext } from '../runtime/services.ts'

/** These stay errors of the whole answer. */
const UNEXPECTED: ReadonlySet<ErrorCode> = new Set([
  'UNAUTHORIZED',
  'FORBIDDEN',
  'REAUTHENTICATION_REQUIRED',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'UNAVAILABLE',
])

/** Matches the ServiceErrors that a mutation returns as data. */
export class ExpectedError extends ServiceError {
  static override [Symbol.hasInstance](error: unknown): boolean {
    return error instanceof ServiceError && !UNEXPECTED.has(error.code)
  }
}

export interface SessionCookie {
  set(token: string, expires: Date): void
  clear(): void
  /** @throws FORBIDDEN for a page of another origin, which could sign its reader in as another user */
  rejectForeign(): void
}

export type GraphqlContext = ServiceContext & {
  readonly requestId: string
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  readonly address: string
  /** True if a GET carried the operation in its address, which proxies and browsers keep. */
  readonly isInAddress: boolean
  /** null over WebSockets */
  readonly cookie: SessionCookie | null
}

/** Each noun's *-graphql.ts adds its types. Every mutation says `errors: {}`, so its result is a union with RequestError. */
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
  plugins: [ErrorsPlugin, PrismaPlugin, RelayPlugin],
  defaultFieldNullability: false,
  relay: {
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    pageInfoTypeOptions: { description: 'The position of a page in its list.' },
    hasNextPageFieldOptions: { description: 'Whether more follow.' },
    hasPreviousPageFieldOptions: { description: 'Whether there are more before it.' },
    startCursorFieldOptions: { description: 'The cursor of its first edge: `before` it comes the previous page.' },
    endCursorFieldOptions: { description: 'The cursor of its last edge: `after` it comes the next page.' },
    edgesFieldOptions: { nullable: false, description: 'The entries of the page, in the order of the list.' },
    pageInfoFieldOptions: { description: 'Cursors for the next and the previous page.' },
    cursorFieldOptions: { description: 'The cursor of this entry, for `after` and `before`.' },
    nodeFieldOptions: { nullable: false, description: 'The entry.' },
    firstArgOptions: {
      description: 'So many from the start, or after `after`: 1 to 100. Without `last` 50 unless given.',
    },
    afterArgOptions: { description: 'A cursor: only entries after it.' },
    lastArgOptions: { description: 'So many from the end, or before `before`: 1 to 100. Not together with `first`.' },
    beforeArgOptions: { description: 'A cursor: only entries before it.' },
  },
  errors: {
    directResult: true,
    defaultTypes: [ExpectedError],
    defaultUnionOptions: {
      name: ({ fieldName }) => `${fieldName.charAt(0).toUpperCase()}${fieldName.slice(1)}Result`,
      description: 'The result of the mutation, or the reason why it changed nothing.',
    },
  },
  prisma: {
    client: (ctx) => ctx.db.prisma as PrismaClient,
    dmmf: getDatamodel(),
    exposeDescriptions: false,
  },
})

builder.queryType({ description: 'All queries.' })
builder.mutationType({ description: 'All mutations.' })
builder.subscriptionType({ description: 'What can be followed as it changes, over graphql-ws or server-sent events.' })
