import SchemaBuilder from '@pothos/core'
import ErrorsPlugin from '@pothos/plugin-errors'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import type PrismaTypes from '../../prisma/generated/pothos.ts'
import { getDatamodel } from '../../prisma/generated/pothos.ts'
import type { PrismaClient } from '../../prisma/generated/prisma/client.ts'
import type { Counted } from '../db/page.ts'
import { type ErrorCode, ServiceError } from '../errors/service-error.ts'
import type { ServiceContext } from '../runtime/services.ts'
import { SEEN_BY } from './seen-by.ts'

/** These stay errors of the whole answer. */
const UNEXPECTED: ReadonlySet<ErrorCode> = new Set([
  'UNAUTHORIZED',
  'FORBIDDEN',
  'REAUTHENTICATION_REQUIRED',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'UNAVAILABLE',
])

/** A count reads the whole list. */
const COUNT_COST = 100

/** Refusal of one of several items. It is data whatever its code, because the other items were accepted. */
export class OfItem extends ServiceError {
  constructor({ code, message, details }: ServiceError) {
    super(code, message, details === undefined ? {} : { details })
  }
}

/** Matches the ServiceErrors that a mutation returns as data. */
export class ExpectedError extends ServiceError {
  static override [Symbol.hasInstance](error: unknown): boolean {
    return error instanceof OfItem || (error instanceof ServiceError && !UNEXPECTED.has(error.code))
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
  /** True if the answer says what its operation costs. */
  readonly showsCost: boolean
  /** null over WebSockets */
  readonly cookie: SessionCookie | null
}

/** Each noun's *-graphql.ts adds its types. Every mutation has `errors: result('…')`, so its result is a union with RequestError. */
export const builder = new SchemaBuilder<{
  Context: GraphqlContext
  PrismaTypes: PrismaTypes
  DefaultFieldNullability: false
  DefaultEdgesNullability: false
  DefaultNodeNullability: false
  Connection: Counted
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: Date; Output: Date }
    JSON: { Input: unknown; Output: unknown }
    URL: { Input: string; Output: string }
  }
}>({
  plugins: [ErrorsPlugin, PrismaPlugin, RelayPlugin, SEEN_BY],
  defaultFieldNullability: false,
  relay: {
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    pageInfoTypeOptions: { description: 'Position of a page in its list.' },
    hasNextPageFieldOptions: { description: 'True if more entries follow the page.' },
    hasPreviousPageFieldOptions: { description: 'True if there are more entries before the page.' },
    startCursorFieldOptions: {
      description: 'Cursor of the first entry; `before` it is the previous page. Null if the page is empty.',
    },
    endCursorFieldOptions: {
      description: 'Cursor of the last entry; `after` it is the next page. Null if the page is empty.',
    },
    edgesFieldOptions: {
      nullable: false,
      description: 'Entries of the page with their cursors, in the order of the list.',
    },
    pageInfoFieldOptions: { description: 'Position of the page: cursors for the next and the previous one.' },
    cursorFieldOptions: { description: 'Cursor of the entry, for `after` and `before`.' },
    nodesOnConnection: { description: 'Objects of the page without their cursors, in the order of the list.' },
    nodeFieldOptions: { nullable: false, description: 'Object of the entry.' },
    firstArgOptions: {
      description:
        'Number of entries from the start, or after `after`: 1 to 100. 50 if neither `first` nor `last` is given.',
    },
    afterArgOptions: { description: 'Cursor of an entry; the page begins after it.' },
    lastArgOptions: {
      description: 'Number of entries from the end, or before `before`: 1 to 100. Not together with `first`.',
    },
    beforeArgOptions: { description: 'Cursor of an entry; the page ends before it.' },
  },
  errors: {
    directResult: true,
    defaultTypes: [ExpectedError],
    defaultUnionOptions: {
      name: ({ fieldName }) => `${fieldName.charAt(0).toUpperCase()}${fieldName.slice(1)}Result`,
    },
  },
  prisma: {
    client: (ctx) => ctx.db.prisma as PrismaClient,
    dmmf: getDatamodel(),
    exposeDescriptions: false,
  },
})

/** @param success what a mutation returns when it does not fail @param nothing what has not happened when it fails */
export const result = (success: string, nothing: string) => ({
  union: { description: `${success}, or the reason why ${nothing}.` },
})

builder.queryType({ description: 'All queries.' })
builder.mutationType({ description: 'All mutations.' })
builder.subscriptionType({ description: 'All subscriptions, over graphql-ws or server-sent events.' })

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    description: 'Exact number of entries in the whole list, over all of its pages.',
    extensions: { cost: COUNT_COST, ofList: true },
    resolve: (page) => page.count(),
  }),
)
