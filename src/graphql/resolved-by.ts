import { queryFromInfo } from '@pothos/plugin-prisma'
import {
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { requireOperator } from '../access/require.ts'
import { BatchLoader } from '../concurrency/batch-loader.ts'
import type { PullStream } from '../concurrency/pull-stream.ts'
import type { RowQuery } from '../db/row-query.ts'
import { type ErrorCode, ServiceError } from '../errors/service-error.ts'
import type { GraphqlContext } from './builder.ts'

const NODES = [['edges', 'node'], ['nodes']]
const HIDDEN: ReadonlySet<ErrorCode> = new Set(['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'])

/** Resolves a root field by the verb of its name. The field keeps the verb, so a test can compare it with REST's. */
export const resolvedBy = <Args, Input, Result>(
  verb: (ctx: GraphqlContext, input: Input) => Result,
  toInput: (args: Args) => Input,
) => ({
  resolve: (_root: object, args: Args, ctx: GraphqlContext): Result => verb(ctx, toInput(args)),
  extensions: { verb },
})

/** Resolves to null what the caller may not read. Other failures stay errors. */
export const unlessRefused =
  <Given extends unknown[], Result>(resolve: (...given: Given) => Promise<Result> | Result) =>
  async (...given: Given): Promise<Result | null> => {
    try {
      return await resolve(...given)
    } catch (error) {
      if (isRefusal(error)) return null
      throw error
    }
  }

/** Whether a verb refused the caller before it read anything. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ServiceError && (error.code === 'UNAUTHORIZED' || error.code === 'FORBIDDEN')

type RowsOf<Type> = Type extends [{ $inferType: infer Row }]
  ? Row[]
  : Type extends { $inferType: infer Row }
    ? Row
    : never

/** Resolves a `prismaField` by a verb that gets Pothos's query. Pothos types the result as whole rows, so this helper checks it. */
export const queriedBy = <Type, Args, Input extends object, Result extends RowsOf<Type> | null>(
  type: Type,
  verb: (ctx: GraphqlContext, input: Input & { readonly query?: RowQuery }) => Promise<Result>,
  toInput: (args: Args, ctx: GraphqlContext) => Input,
) => ({
  type,
  resolve: (query: RowQuery, _root: unknown, args: NoInfer<Args>, ctx: GraphqlContext) =>
    verb(ctx, { ...toInput(args, ctx), query }) as Promise<Extract<Result, null>>,
  extensions: { verb },
})

/** Resolves a `prismaField` of rows that were read before, so Pothos does not read them again. */
export const rowsOf = <Type, Parent, Args, Result extends RowsOf<Type> | null>(
  type: Type,
  take: (parent: Parent, ctx: GraphqlContext, args: Args) => Promise<Result> | Result,
) => ({
  type,
  resolve: async (_query: RowQuery, parent: Parent, args: NoInfer<Args>, ctx: GraphqlContext) =>
    (await take(parent, ctx, args)) as Extract<Result, null>,
})

interface Asked {
  readonly ctx: GraphqlContext
  readonly query: RowQuery
}

/** Resolves an edge to a row by its id. The rows of a page are loaded together; what the caller may not see is null. */
export function loadedBy<Type, Row extends RowsOf<Type>, Parent>(
  type: Type,
  load: (ctx: GraphqlContext, ids: readonly string[], query: RowQuery) => Promise<ReadonlyMap<string, Row>>,
  idOf: (parent: Parent, ctx: GraphqlContext) => string | null,
) {
  const rows = new BatchLoader<Asked, Row>(({ ctx, query }, ids) => load(ctx, ids, query))
  const asked = new WeakMap<GraphqlContext, Map<string, Asked>>()
  const together = (ctx: GraphqlContext, query: RowQuery): Asked => {
    const same = asked.get(ctx) ?? new Map<string, Asked>()
    const text = JSON.stringify(query)
    const one = same.get(text) ?? { ctx, query }
    asked.set(ctx, same.set(text, one))
    return one
  }
  return {
    type,
    nullable: true as const,
    resolve: async (query: RowQuery, parent: Parent, _args: object, ctx: GraphqlContext) => {
      const id = idOf(parent, ctx)
      const row = id === null ? undefined : await rows.load(together(ctx, query), id)
      return (row ?? null) as Extract<Row, null>
    },
  }
}

/** Resolves a connection by a verb that gets Pothos's query. `prismaConnection` would make cursors of another form than ids. */
export const pagedBy = <Args, Input extends object, Result>(
  typeName: string,
  verb: (ctx: GraphqlContext, input: Input & { readonly query?: RowQuery }) => Result,
  toInput: (args: Args) => Input,
) => ({
  resolve: (_root: object, args: Args, ctx: GraphqlContext, info: GraphQLResolveInfo): Result =>
    verb(ctx, { ...toInput(args), query: queryOf(ctx, info, typeName) }),
  extensions: { verb },
})

/** Resolves a `prismaField` by a verb and `present`, which reads the row that the verb has changed. */
export const presentedBy = <Type, Args, Input, Result, Row extends RowsOf<Type> | null>(
  type: Type,
  verb: (ctx: GraphqlContext, input: Input) => Promise<Result>,
  toInput: (args: Args) => Input,
  present: (ctx: GraphqlContext, result: Result, query: RowQuery) => Promise<Row>,
) => ({
  type,
  resolve: async (query: RowQuery, _root: object, args: NoInfer<Args>, ctx: GraphqlContext) =>
    (await present(ctx, await verb(ctx, toInput(args)), query)) as Extract<Row, null>,
  extensions: { verb },
})

/** Ends a stream that opens after its caller has disconnected. */
export const subscribedBy = <Args, Input, Event extends object>(
  verb: (ctx: GraphqlContext, input: Input) => Promise<PullStream<Event>>,
  toInput: (args: Args, info: GraphQLResolveInfo) => Input,
) => ({
  subscribe: async (
    _root: object,
    args: Args,
    ctx: GraphqlContext,
    info: GraphQLResolveInfo,
  ): Promise<PullStream<Event>> => {
    const stream = await verb(ctx, toInput(args, info))
    if (info.getAbortSignal()?.aborted) await stream.return()
    return stream
  },
  extensions: { verb },
})

/** Plans the columns and relations that an operation selects of a field's rows, or of its connection's nodes. */
export function queryOf(ctx: GraphqlContext, info: GraphQLResolveInfo, typeName: string): RowQuery {
  const paths = info.returnType.toString().includes('Connection') ? { paths: NODES } : {}
  return queryFromInfo({ context: ctx, info, typeName, ...paths })
}

/** Null where the verb refuses the caller, or finds nothing. */
export function orNull<Thing>(find: () => Thing): Thing | null {
  try {
    return find()
  } catch (error) {
    if (error instanceof ServiceError && HIDDEN.has(error.code)) return null
    throw error
  }
}

/** @throws UNAUTHORIZED, FORBIDDEN */
export function forOperator<Thing>(thing: Thing, _args: object, ctx: GraphqlContext): Thing {
  requireOperator(ctx)
  return thing
}

export const OPERATORS_PART = 'Settings that only operators see. Needs the scope operator, or a signed-in operator.'

export const UNSEEN = 'Null if it was deleted, or if the caller may not see it.'
export const NONE_OR_UNSEEN = 'Null if there is none, if it was deleted, or if the caller may not see it.'

export const USE_ID = 'Select `id`, which the results of all deletions have.'

/** Cursors are ids. */
export const connectionOf = (noun: string, things: string) =>
  [
    { name: `${noun}Connection`, description: `Page of ${things}.` },
    { name: `${noun}Edge`, description: 'Entry of a list with its cursor.' },
  ] as const

/** @param path leads to the fields, field by field */
export function selectedFields(info: GraphQLResolveInfo, ...path: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>()
  const visit = (set: SelectionSetNode | undefined, [below, ...rest]: readonly string[]): void => {
    for (const selection of set?.selections ?? []) {
      if (isLeftOut(selection, info)) continue
      const path = below === undefined ? [] : [below, ...rest]
      if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet, path)
      else if (selection.kind === Kind.FRAGMENT_SPREAD) visit(info.fragments[selection.name.value]?.selectionSet, path)
      else if (below === undefined) names.add(selection.name.value)
      else if (selection.name.value === below) visit(selection.selectionSet, rest)
    }
  }
  for (const node of info.fieldNodes) visit(node.selectionSet, path)
  return names
}

/**
 * What a subscription has to watch, by the fields that it selects of a row.
 * @param usual what changes the fields that `changedBy` does not name, and what is watched if nothing that changes is selected
 * @param of the field with the rows; null: the subscription's own
 */
export function watchedBelow<Value extends string>(
  info: GraphQLResolveInfo,
  changedBy: Readonly<Record<string, readonly Value[]>>,
  usual: Value,
  of: string | null,
): readonly Value[] {
  const watched = new Set(
    [...selectedFields(info, ...(of === null ? [] : [of]))].flatMap((name) => changedBy[name] ?? [usual]),
  )
  return watched.size === 0 ? [usual] : [...watched]
}

const isLeftOut = (selection: SelectionNode, { variableValues }: GraphQLResolveInfo): boolean =>
  getDirectiveValues(GraphQLSkipDirective, selection, variableValues)?.if === true ||
  getDirectiveValues(GraphQLIncludeDirective, selection, variableValues)?.if === false
